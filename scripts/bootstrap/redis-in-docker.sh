#!/bin/sh
# Stands in for redis-server where only a Docker engine is there: takes redis-server's own options
# (--port N and --dir D among them) and runs the server in a container whose life is bound to this
# process. SIGTERM is passed on by the docker client. A SIGKILL cannot be, so the container ends when its
# standard input does: a pipe that only this process keeps open.
set -eu

port=6379 dir=$PWD previous=
for argument in "$@"; do
  case $previous in
    --port) port=$argument ;;
    --dir) dir=$argument ;;
  esac
  previous=$argument
done
name=fairlane-redis-$port

# A server that was killed a moment ago may still hold the name and the port.
docker rm --force "$name" >/dev/null 2>&1 || true

pipe=$(mktemp -u)
mkfifo -m 600 "$pipe"
exec 3<>"$pipe"
rm "$pipe"

# Inside the container all addresses are listened on; the published port is the host's loopback only.
# The image is pulled by whoever chose this script, since a start has to be quick.
exec docker run --rm --interactive --init --name "$name" \
  --publish "127.0.0.1:$port:$port" --volume "$dir:$dir" --user "$(id -u):$(id -g)" \
  --entrypoint sh redis:7.2-alpine -c '
    exec 4<&0
    redis-server "$@" --bind 0.0.0.0 --protected-mode no </dev/null &
    server=$!
    trap "kill -TERM $server" TERM INT
    (cat <&4 >/dev/null; kill -KILL $server) &
    while kill -0 $server 2>/dev/null; do wait $server || status=$?; done
    exit "${status:-0}"
  ' redis-server "$@" <&3 3<&-
