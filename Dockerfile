# One image for API, worker and board: `node /app/api/dist/main.js`, `node /app/worker/dist/main.js`,
# `node /app/board/dist/main.js`. docker-compose.yml shows what each needs, with the health checks.

FROM node:22-slim AS base
# Keep in step with "packageManager" in package.json and with the catalog of pnpm-workspace.yaml.
RUN npm install --global --no-audit --no-fund pnpm@10.34.9 turbo@2.11.11
ENV CI=true TURBO_TELEMETRY_DISABLED=1
WORKDIR /fairlane

# What the three apps are made of, and nothing else of the repository.
FROM base AS prune
COPY . .
RUN turbo prune @fairlane/api @fairlane/worker @fairlane/board --docker

FROM base AS build
# Packages follow from the manifests and the lockfile alone, so that a change of sources does not install them again.
COPY --from=prune /fairlane/out/json/ ./
RUN pnpm install --frozen-lockfile
COPY --from=prune /fairlane/out/full/ /fairlane/tsconfig.base.json ./
RUN pnpm run build
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
