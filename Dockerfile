# For amd64 and arm64: all that takes time runs on the building machine's own platform. BuildKit, or buildah and podman with
# `--format docker`, which keeps the health check. Releases pin the base: --build-arg BASE=node:24-bookworm-slim@sha256:…
ARG BASE=node:24-bookworm-slim

# The console, the documentation and the compiled service, the same for every platform. No step runs package install scripts: the image brings
# its own Node.
FROM --platform=$BUILDPLATFORM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN node scripts/console.ts && node scripts/site.ts && node scripts/package.ts
# What `strongroom --version` prints; without it, the version of package.json.
ARG VERSION
RUN if [ -n "$VERSION" ]; then npm pkg set "version=$VERSION"; fi

# The packages of the target platform. A Node that comes as a package is not needed, nor is what only compilers and debuggers read.
FROM --platform=$BUILDPLATFORM ${BASE} AS packages
ARG TARGETARCH=amd64
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  --os=linux --libc=glibc --cpu="$(echo "$TARGETARCH" | sed s/amd64/x64/)" \
  && rm -rf node_modules/node-linux-* \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete

# The base without its package managers. /data and /tmp are the only folders to write to: the root may be read-only.
FROM ${BASE} AS system
RUN rm -rf /usr/local/lib/node_modules /usr/local/include /usr/local/share /opt/yarn* \
  && find /usr/local/bin ! -name node ! -type d -delete \
  && dpkg --purge --force-depends --force-remove-essential --force-remove-protected apt \
  && rm -rf /var/cache/apt /var/lib/apt /var/log/* /root/.npm \
  && ln -s /app/bin/strongroom.js /usr/local/bin/strongroom \
  && install -d -o 1000 -g 1000 -m 0700 /data
COPY --chmod=755 deploy/healthy.sh /usr/local/bin/healthy

FROM scratch
COPY --from=system / /
COPY --from=packages /app/node_modules /app/node_modules
COPY --from=build /app/package.json /app/LICENSE /app/
COPY --from=build /app/bin /app/bin
# Compiled: stripping types at startup takes 25 MB per process and a fifth of the startup time.
COPY --from=build /app/dist /app/dist
WORKDIR /app
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin NODE_ENV=production \
  HOST=0.0.0.0 PORT=8080 S3_PORT=9000 DATA_DIR=/data SETUP_LINK=true ANNOUNCE=json
# Without these, glibc keeps far more memory after renders than is in use (docs/images.md).
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=262144 MALLOC_TRIM_THRESHOLD_=262144
# A number, which Kubernetes can tell from root.
USER 1000:1000
VOLUME /data
EXPOSE 8080 9000
STOPSIGNAL SIGTERM
# Whether the process answers, not whether database and storage do: restarting it would not bring those back.
HEALTHCHECK --interval=15s --timeout=6s --start-period=2m --start-interval=1s --retries=3 CMD ["healthy", "/healthz"]
ENTRYPOINT ["node", "--max-semi-space-size=4", "dist/server/main.js"]
CMD ["start"]

# A source belongs here only where there is one: --label org.opencontainers.image.source=…
ARG VERSION=unknown REVISION=unknown CREATED=unknown
LABEL org.opencontainers.image.title=Strongroom \
  org.opencontainers.image.description="The control plane of object storage: buckets, quotas, users, share links, webhooks, audit" \
  org.opencontainers.image.licenses=Apache-2.0 \
  org.opencontainers.image.version=$VERSION \
  org.opencontainers.image.revision=$REVISION \
  org.opencontainers.image.created=$CREATED
