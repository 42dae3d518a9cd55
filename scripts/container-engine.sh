#!/usr/bin/env bash
# A Docker engine of one's own in one folder, for trying the image where none is installed: dockerd, containerd, BuildKit and
# Compose from Debian's packages, downloaded and unpacked, not installed. It runs in namespaces of its own (mounts, processes,
# network), so that it changes neither the machine's services nor its network, and ends with everything it started.
# Needs root, Debian (or a system whose apt reads Debian's archive), unshare and nsenter.
#
#   container-engine.sh start DIR   makes DIR when it is not there; prints lines for `export` when the engine answers
#   container-engine.sh stop  DIR   ends the engine with all its containers; keeps its images
#   container-engine.sh wipe  DIR   stop, and remove DIR
#
# Published ports are those of its network namespace: nsenter --net=$ENGINE_NET curl http://127.0.0.1:8080/
# From it, containers reach the outside through slirp4netns; nothing reaches them from there.
set -euo pipefail
umask 022

usage() {
  sed -n '2,13s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
[ $# = 2 ] || usage
command=$1
dir=$(realpath -m -- "$2")
root=$dir/root
group=strongroom-engine-$(printf %s "$dir" | cksum | cut -d' ' -f1)

say() { echo "$*" >&2; }
fail() {
  say "container-engine: $*"
  tail -n 10 "$dir/log" >&2 2>/dev/null || true
  exit 1
}

# Which Debian release has a Docker with BuildKit and Compose 2.24; what links to libraries comes from the machine's own.
readonly SUITE=trixie
readonly FROM_SUITE='docker.io docker-cli docker-compose docker-buildx containerd tini'
readonly FROM_OWN='runc slirp4netns libslirp0 iptables libxtables12 libip4tc2 libip6tc2 libnftnl11 libmnl0 libnfnetlink0
  libnetfilter-conntrack3'

download() {
  local deb
  rm -rf "$dir/deb" "$root"
  mkdir -p "$dir"/deb "$dir"/apt/{lists,archives}/partial
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $SUITE main" \
    >"$dir/apt/sources.list"
  cat >"$dir/apt/apt.conf" <<CONF
Dir::Etc::sourcelist "$dir/apt/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$dir/apt/lists";
Dir::Cache "$dir/apt";
Dir::Cache::archives "archives";
CONF
  (
    cd "$dir/deb"
    export APT_CONFIG="$dir/apt/apt.conf"
    apt-get update -qq
    # shellcheck disable=SC2086
    apt-get download -qq $FROM_SUITE
  ) 2>>"$dir/log" || fail "could not download Docker from Debian $SUITE"
  # shellcheck disable=SC2086
  (cd "$dir/deb" && { apt-get download -qq $FROM_OWN || { apt-get update -qq && apt-get download -qq $FROM_OWN; }; }) \
    2>>"$dir/log" || fail 'could not download runc, iptables and slirp4netns'
  for deb in "$dir"/deb/*.deb; do dpkg -x "$deb" "$root.new"; done
  ln -sf xtables-nft-multi "$root.new/usr/sbin/iptables"
  ln -sf xtables-nft-multi "$root.new/usr/sbin/ip6tables"
  mv "$root.new" "$root"
  rm -rf "$dir/deb" "$dir/apt"
}

libraries() { printf %s "$(find "$root/usr/lib" -maxdepth 1 -name '*-linux-gnu*' | head -n 1)"; }

# The engine's first process as the machine sees it; its end ends all the others.
pid_of() {
  local pid
  pid=$(cat "$dir/$1.pid" 2>/dev/null) || return 1
  [ -r "/proc/$pid/cmdline" ] && tr '\0' '\n' <"/proc/$pid/cmdline" | grep -qF -- "$dir" && echo "$pid"
}

# Runs as process 1 of the namespaces.
inside() {
  mount --make-rprivate /
  ip link set lo up
  echo 'nameserver 10.0.2.3' >"$dir/resolv.conf"
  mount --bind "$dir/resolv.conf" /etc/resolv.conf
  mount -t tmpfs tmpfs /run
  touch "$dir/ready"
  local i
  for ((i = 0; i < 200; i++)); do ip link show tap0 >/dev/null 2>&1 && break; sleep 0.1; done
  LD_LIBRARY_PATH=$(libraries) XTABLES_LIBDIR=$(libraries)/xtables
  export LD_LIBRARY_PATH XTABLES_LIBDIR PATH=$root/usr/sbin:$root/usr/bin:/usr/sbin:/usr/bin:/sbin:/bin
  exec dockerd --host "unix://$dir/docker.sock" --data-root "$dir/data" --exec-root /run/docker --pidfile /run/docker.pid \
    --userland-proxy-path "$root/usr/sbin/docker-proxy" --init-path "$root/usr/bin/tini-static" \
    --cgroup-parent "/$group" --log-level warn
}

answers() { DOCKER_HOST=unix://$dir/docker.sock timeout 5 "$root/usr/bin/docker" version >/dev/null 2>&1; }

start() {
  local program i engine first
  [ "$(id -u)" = 0 ] || { say 'container-engine: needs root'; exit 3; }
  for program in apt-get dpkg unshare nsenter ip mount; do
    command -v "$program" >/dev/null || { say "container-engine: there is no $program"; exit 3; }
  done
  mkdir -p "$dir"
  [ -d "$root" ] || download
  if ! pid_of engine >/dev/null; then
    rm -f "$dir"/{docker.sock,ready}
    setsid unshare --mount --net --pid --fork --mount-proc --kill-child bash "$0" inside "$dir" >>"$dir/log" 2>&1 </dev/null &
    echo $! >"$dir/engine.pid"
    for ((i = 0; i < 100; i++)); do [ -e "$dir/ready" ] && break; sleep 0.1; done
    engine=$(pid_of engine) && first=$(cat "/proc/$engine/task/$engine/children") && [ -n "$first" ] ||
      fail 'the namespaces could not be made'
    echo "${first%% *}" >"$dir/first.pid"
    LD_LIBRARY_PATH=$(libraries) setsid "$root/usr/bin/slirp4netns" --configure --mtu=65520 --disable-host-loopback \
      "${first%% *}" tap0 >>"$dir/log" 2>&1 </dev/null &
    echo $! >"$dir/slirp.pid"
    for ((i = 0; i < 300; i++)); do answers && break; pid_of engine >/dev/null || fail 'the engine ended'; sleep 0.2; done
    answers || fail 'gave up waiting for the engine'
  fi
  # Where the client looks for its plugins, with nothing of the user's own.
  mkdir -p "$dir/client/cli-plugins"
  ln -sf "$root"/usr/libexec/docker/cli-plugins/* "$dir/client/cli-plugins/"
  echo "DOCKER_HOST=unix://$dir/docker.sock"
  echo "DOCKER_CONFIG=$dir/client"
  echo "PATH=$root/usr/bin:$PATH"
  echo "ENGINE_NET=/proc/$(cat "$dir/first.pid")/ns/net"
}

stop() {
  local pid i
  if pid=$(pid_of engine); then
    kill -KILL "$pid" 2>/dev/null || true
    for ((i = 0; i < 100; i++)); do [ -e "/proc/$(cat "$dir/first.pid")" ] || break; sleep 0.1; done
  fi
  pid=$(cat "$dir/slirp.pid" 2>/dev/null) && grep -q slirp4netns "/proc/$pid/comm" 2>/dev/null && kill "$pid" 2>/dev/null || true
  rm -f "$dir"/*.pid "$dir/docker.sock"
  for ((i = 0; i < 50; i++)); do
    find /sys/fs/cgroup -depth -type d -path "*/$group*" -exec rmdir {} + 2>/dev/null || true
    [ -n "$(find /sys/fs/cgroup -type d -name "$group" 2>/dev/null)" ] || break
    sleep 0.1
  done
}

case $command in
  inside) inside ;;
  start) start ;;
  stop) stop ;;
  wipe)
    [ -e "$dir" ] || exit 0
    # Only a folder that this script made, whatever its argument was.
    [ -d "$root" ] || [ -e "$dir/log" ] || [ -z "$(ls -A "$dir")" ] || { say "container-engine: $dir is not mine"; exit 1; }
    stop
    rm -rf "${dir:?}"
    ;;
  *) usage ;;
esac
