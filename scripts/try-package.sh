#!/usr/bin/env bash
# Tries the package as a stranger would: packs it, installs it in an empty folder with the system's own Node, starts it with
# `npx strongroom start`, and checks the console, the documentation and, with aws-cli, an S3 client; then again after a restart.
#
#   scripts/try-package.sh     needs npm, curl, and awscli; prints one line for each check; exit code 1 if one fails
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
# Nothing of the checkout may help: neither its Node nor its programs.
PATH=$(tr ':' '\n' <<<"$PATH" | grep -v "^$root" | paste -sd:)
for program in npm curl aws; do
  command -v "$program" >/dev/null || { echo "try-package: $program is not installed" >&2; exit 3; }
done

folder=$(mktemp -d)
service=
stop() {
  [ -n "$service" ] || return 0
  kill -- "-$service" 2>/dev/null || true
  wait "$service" 2>/dev/null || true
  service=
}
trap 'stop; rm -rf "$folder"' EXIT
failed=0
check() {
  local name=$1
  shift
  if "$@" >"$folder/out" 2>&1; then echo "ok      $name"; else
    echo "FAILED  $name"
    tail -n 20 "$folder/out"
    failed=1
  fi
}

export PORT=18180 S3_PORT=18190 DATA_DIR="$folder/data"
export BOOTSTRAP_ADMIN_PASSWORD='a password to try' BOOTSTRAP_ACCESS_KEY_ID=try BOOTSTRAP_SECRET_ACCESS_KEY=try-the-secret
export BOOTSTRAP_BUCKETS=photos
url=http://127.0.0.1:$PORT
start() {
  (cd "$folder/installed" && exec setsid npx --no-install strongroom start) >"$folder/log" 2>&1 &
  service=$!
  for _ in $(seq 120); do
    curl -fsS "$url/readyz" >/dev/null 2>&1 && return
    sleep 0.5
  done
  cat "$folder/log"
  return 1
}
s3() {
  AWS_ACCESS_KEY_ID=$BOOTSTRAP_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY=$BOOTSTRAP_SECRET_ACCESS_KEY AWS_DEFAULT_REGION=us-east-1 \
    aws --endpoint-url "http://127.0.0.1:$S3_PORT" s3 "$@"
}
same() { s3 cp "s3://photos/a file.bin" "$folder/back" && cmp "$folder/file" "$folder/back"; }
# grep -q would end curl as soon as it has found the text.
page() { curl -fsSL --compressed "$url$1" | grep "$2" >/dev/null; }
sign_in() {
  curl -fsS "$url/api/v1/auth/token" -d username=admin@strongroom.local --data-urlencode "password=$BOOTSTRAP_ADMIN_PASSWORD" |
    grep -q access_token
}
# Megabytes of packages besides ours and Node.
megabytes() {
  (cd "$folder/installed" && find node_modules -type f ! -path 'node_modules/strongroom/*' ! -path 'node_modules/node-*' -printf '%s\n') |
    awk '{ sum += $1 } END { printf "%.0f\n", sum / 1e6 }'
}

(cd "$root" && PATH="$root/node_modules/.bin:$PATH" npm pack --silent --pack-destination "$folder" >/dev/null)
mkdir "$folder/installed"
cd "$folder/installed"
npm init --yes >/dev/null
check "the package installs with Node $(node --version), npm $(npm --version)" \
  npm install --no-audit --no-fund --prefer-offline "$folder"/strongroom-*.tgz
echo "        $(megabytes) MB besides Node"
head -c 3000000 /dev/urandom >"$folder/file"
check 'it starts' start
check 'the console answers' page /console/ '<title>'
check 'the documentation answers' page /help/ Strongroom
check 'the administrator signs in' sign_in
check 'an S3 client uploads' s3 cp "$folder/file" 's3://photos/a file.bin'
check 'and downloads the same' same
stop
check 'it starts again' start
check 'the data is there' same
stop
exit "$failed"
