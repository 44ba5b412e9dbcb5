# One image for API, worker and board: `node /app/api/dist/main.js`, `node /app/worker/dist/main.js`,
# `node /app/board/dist/main.js`. docker-compose.yml shows what each needs.

FROM node:22-slim AS build
# Keep in step with "packageManager" in package.json.
RUN npm install --global --no-audit --no-fund pnpm@10.34.9
ENV CI=true TURBO_TELEMETRY_DISABLED=1
WORKDIR /fairlane
# Packages come from the lockfile alone, so that a change of sources does not download them again.
COPY pnpm-lock.yaml pnpm-workspace.yaml ./
RUN pnpm fetch
COPY . .
RUN pnpm install --frozen-lockfile --offline && pnpm run build
# Each app with what it needs to run and nothing else.
RUN for app in api worker board; do \
      pnpm --filter "@fairlane/$app" --config.inject-workspace-packages=true deploy --prod "/app/$app" || exit 1; \
    done

FROM node:22-slim
ENV NODE_ENV=production
COPY --from=build /app /app
COPY deploy/trial-credentials.mjs /app/
# Volumes mounted here start with these owners.
RUN install -d -o node -g node /blobs /board-credentials /credentials /monitoring /secrets
USER node
WORKDIR /app
