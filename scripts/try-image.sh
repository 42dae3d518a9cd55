#!/usr/bin/env bash
# Builds the image and runs both compose files, and the image alone, as an operator would: docs/operations.md says what is
# checked. One line a check, "ok …" or "FAILED …"; exit code 1 if any failed, 3 if there is no container engine. Leaves
# nothing behind.
#
#   try-image.sh [--install] [--previous COMMIT] [single|variables|scale]
#
# --install   where no engine is installed, downloads and runs Debian's in a temporary folder (scripts/container-engine.sh);
#             root only. Images whose registry cannot be reached are made from Debian packages (scripts/base-images.sh).
# --previous  the commit whose image the upgrade starts from; default: the latest tag before this commit, or else the
#             same sources with another version
# STRONGROOM_TRY_DIR=…  keeps the downloaded engine and its images there, for the next time
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH=$PWD/node_modules/.bin:$PATH

install=false previous='' which=()
while [ $# -gt 0 ]; do
  case $1 in
    --install) install=true ;;
    --previous) previous=$2 && shift ;;
    single | variables | scale) which+=("$1") ;;
    *) sed -n '2,13s/^# \{0,1\}//p' "$0" >&2 && exit 2 ;;
  esac
  shift
done
if [ -z "$previous" ]; then previous=$(git describe --tags --abbrev=0 HEAD^ 2>/dev/null || true); fi

dir=${STRONGROOM_TRY_DIR:-$(mktemp -d "${TMPDIR:-/tmp}/strongroom-try-XXXXXX")}
engine=
cleanup() {
  local code=$?
  trap - EXIT
  if [ -n "$engine" ] && [ -n "${STRONGROOM_TRY_DIR:-}" ]; then scripts/container-engine.sh stop "$dir/engine"; fi
  if [ -z "${STRONGROOM_TRY_DIR:-}" ]; then
    [ -z "$engine" ] || scripts/container-engine.sh wipe "$dir/engine"
    rm -rf "${dir:?}"
  fi
  exit "$code"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

in_network=()
if docker compose version >/dev/null 2>&1 && docker version >/dev/null 2>&1; then
  echo "The engine is Docker $(docker version --format '{{.Server.Version}}'), $(docker compose version)."
elif [ "$install" = true ]; then
  engine=$dir/engine
  variables=$(scripts/container-engine.sh start "$engine")
  while IFS='=' read -r name value; do export "$name=$value"; done <<<"$variables"
  export PATH=$PWD/node_modules/.bin:$PATH
  in_network=(nsenter "--net=$ENGINE_NET")
  echo "The engine is Docker $(docker version --format '{{.Server.Version}}') from Debian, $(docker compose version), in $dir."
else
  cat >&2 <<'TEXT'
There is no container engine: this needs a running Docker with Compose 2.24 or later (`docker compose version`).
  https://docs.docker.com/engine/install/, or on Debian 13: apt-get install docker.io docker-buildx docker-compose
  As root on Debian 12 or later, without installing anything: scripts/try-image.sh --install
Podman builds the image (`podman build --format docker`), but its Compose does not run both files.
TEXT
  exit 3
fi

missing=()
# shellcheck disable=SC2013
for image in $(sed -n 's/^ARG BASE=//p' Dockerfile; sed -n 's/^    image: //p' deploy/compose.scale.yaml | sort -u); do
  docker image inspect "$image" >/dev/null 2>&1 || timeout 60 docker pull --quiet "$image" >/dev/null 2>&1 || missing+=("$image")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "No registry has ${missing[*]} here: stand-ins made from Debian packages and npm take the place of"
  scripts/base-images.sh "$dir/base-images" "${missing[@]}"
fi

"${in_network[@]}" node scripts/try-image.ts "$previous" "${which[@]}"
