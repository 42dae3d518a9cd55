# Two stages: build tools stay in the first. No step runs package install scripts: the image brings its own Node.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/console.ts \
  && node scripts/package.ts \
  && npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
# Without these, glibc keeps far more memory after renders than is in use (docs/images.md).
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=262144 MALLOC_TRIM_THRESHOLD_=262144
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/bin bin
# Compiled: stripping types at startup takes 25 MB per process and a fifth of the startup time.
COPY --from=build /app/dist dist
# For `docker compose exec strongroom strongroom reset-password …`.
RUN ln -s /app/bin/strongroom.js /usr/local/bin/strongroom
# The only writable folder besides /tmp: the root file system may be mounted read-only.
RUN install -d -o node -g node -m 0700 /data
USER node
VOLUME /data
EXPOSE 8080 9000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=6s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ status }) => process.exit(status === 200 ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=2", "dist/server/main.js"]
CMD ["start"]
