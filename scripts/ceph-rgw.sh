#!/usr/bin/env bash
# A real S3 engine on this machine: Ceph with one monitor, one disk daemon and one RADOS Gateway, without systemd, all of
# it in one folder and on 127.0.0.1. For tests and for trying Strongroom out, not for data one wants to keep.
#
#   apt-get install --no-install-recommends ceph-mon ceph-mgr ceph-osd radosgw
#
#   ceph-rgw.sh start  DIR PORT   makes DIR when it is not there; prints lines for `export` when S3 answers
#   ceph-rgw.sh status DIR PORT   one line a daemon; exit code 0 when all of them run
#   ceph-rgw.sh stop   DIR PORT   keeps the data (bluestore), see below
#   ceph-rgw.sh wipe   DIR PORT   stop, and remove DIR
#
# OBJECTSTORE=memstore   the default: in memory, ready in 2 s; a stop saves it to DIR, a killed daemon loses it
# OBJECTSTORE=bluestore  in a sparse file of 16 GiB in DIR
# S3_BIND=0.0.0.0        where S3 listens when DIR is made; default: 127.0.0.1
#
# Ports: PORT is S3, PORT+1 the monitor, PORT+10 to PORT+29 the disk daemon. Several folders work side by side.
set -euo pipefail
umask 077
# The ceph command is written in Python and needs the system's.
export PATH=/usr/bin:/usr/sbin:/bin:/sbin:$PATH

usage() {
  sed -n '2,18s/^# \{0,1\}//p' "$0" >&2
  exit 2
}
[ $# = 3 ] || usage
command=$1 port=$3
[[ $port =~ ^[0-9]{4,5}$ ]] || usage
store=${OBJECTSTORE:-memstore} bind=${S3_BIND:-127.0.0.1}
[[ $store = memstore || $store = bluestore ]] || usage

dir=$(realpath -m -- "$2")
conf=$dir/ceph.conf
user=$dir/s3-user
# In the order they start; they end in the other one.
daemons=(mon osd rgw)

say() { echo "$*" >&2; }
fail() {
  say "ceph-rgw: $*"
  tail -qn 5 "$dir"/log/* >&2 2>/dev/null || true
  exit 1
}

# The process of a daemon, if it runs; a pid that by now is some other program's does not count.
pid_of() {
  local pid
  pid=$(cat "$dir/run/$1.pid" 2>/dev/null) || return 1
  [ -r "/proc/$pid/cmdline" ] && tr '\0' '\n' <"/proc/$pid/cmdline" | grep -qxF -- "$conf" && echo "$pid"
}

# run NAME COMMAND…: in a session of its own, so that Ctrl-C in a terminal does not reach it; without our lock (9).
run() {
  local name=$1
  shift
  pid_of "$name" >/dev/null && return
  setsid "$@" >>"$dir/log/$name.out" 2>&1 </dev/null 9>&- &
  echo $! >"$dir/run/$name.pid"
}

# within SECONDS WHAT COMMAND…: until the command succeeds; no daemon may end meanwhile.
within() {
  local until=$((SECONDS + $1)) what=$2 name
  shift 2
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $until ] || fail "gave up waiting for $what"
    for name in "${daemons[@]}"; do
      [ ! -e "$dir/run/$name.pid" ] || pid_of "$name" >/dev/null || fail "$name ended"
    done
    sleep 0.1
  done
}

# end NAME TENTHS: asks, waits, then kills.
end() {
  local pid i
  if pid=$(pid_of "$1"); then
    kill "$pid" 2>/dev/null || true
    for ((i = 0; i < $2; i++)); do pid_of "$1" >/dev/null || break; sleep 0.1; done
    pid_of "$1" >/dev/null && kill -KILL "$pid" 2>/dev/null || true
  fi
  rm -f "$dir/run/$1.pid"
}

# The gateway keeps nothing of its own, and its orderly end takes 8 s.
stop() {
  end rgw 15
  end osd 150
  end mon 50
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# http METHOD PATH [HEADER]: gives the status code.
http() {
  local status
  exec 3<>"/dev/tcp/127.0.0.1/$port" || return 1
  printf '%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n%s\r\n' "$1" "$2" "${3:-}" >&3
  read -r -t 30 _ status _ <&3 || status=0
  exec 3>&-
  echo "$status"
}
answers() { [ "$(http GET /)" = 200 ]; }

write_conf() {
  cat >"$conf.new" <<CONF
[global]
fsid = $(cat /proc/sys/kernel/random/uuid)
mon host = v2:127.0.0.1:$((port + 1))/0
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
ms bind msgr1 = false
ms bind port min = $((port + 10))
ms bind port max = $((port + 29))
# Nobody but this machine can connect; with auth none the monitor's connections must say crc, or they are refused.
auth cluster required = none
auth service required = none
auth client required = none
ms mon client mode = crc
keyring = $dir/keyring
run dir = $dir/run
admin socket = $dir/run/\$name.asok
log file = $dir/log/\$name.log
crash dir = $dir/crash
# One copy on one disk.
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0

[mon]
mon data = $dir/mon
mon cluster log file = $dir/log/cluster.log
mon allow pool size one = true
mon warn on pool no redundancy = false
mon max pg per osd = 2000
mon data avail warn = 2
mon data avail crit = 1
# Starting is a chain of small decisions; each would wait a second for company.
paxos propose interval = 0.05
paxos min wait = 0.01

[osd]
osd data = $dir/osd
osd objectstore = $store
osd memory target = 1073741824
osd op num shards = 2
osd op num threads per shard = 2
osd class load list = *
osd class default allowed = *
bluestore block size = 17179869184
bluestore fsck on mount = false
memstore device bytes = 17179869184
# A fast shutdown does not write memstore's contents to its folder.
osd fast shutdown = $([ "$store" = bluestore ] && echo true || echo false)

[client]
objecter tick interval = 0.25
rgw data = $dir/rgw
# Without tcp_nodelay a small GET waits 40 ms for an acknowledgement.
rgw frontends = beast endpoint=$bind:$port tcp_nodelay=1
rgw dns name = localhost
rgw thread pool size = 128
rgw enable usage log = false
rgw enable ops log = false
rgw run sync thread = false
rgw override bucket index max shards = 1
rgw dynamic resharding = false
# Removed bytes are given back soon: with memstore they are memory.
rgw gc obj min wait = 5
rgw gc processor period = 5
CONF
  mv "$conf.new" "$conf"
}

# Whoever starts first makes it; the keys are this folder's own.
make_user() {
  local access secret
  access=$(od -An -N10 -tx1 /dev/urandom | tr -d ' \n')
  secret=$(od -An -N20 -tx1 /dev/urandom | tr -d ' \n')
  timeout 60 radosgw-admin -c "$conf" user rm --uid=strongroom --purge-data >/dev/null 2>&1 || true
  timeout 60 radosgw-admin -c "$conf" user create --uid=strongroom --display-name=Strongroom --max-buckets=0 \
    --access-key="$access" --secret-key="$secret" >"$dir/log/user.out" 2>&1 || fail 'could not make the S3 user'
  printf '%s %s\n' "$access" "$secret" >"$user.new"
  mv "$user.new" "$user"
}

# Signed as S3 did it first (HMAC-SHA1), which is one line here; 409 says the bucket is there.
make_bucket() {
  local date signature access secret
  read -r access secret <"$user"
  date=$(LC_ALL=C date -uR)
  signature=$(printf 'PUT\n\n\n%s\n/strongroom' "$date" | openssl dgst -sha1 -hmac "$secret" -binary | base64)
  case $(http PUT /strongroom "Date: $date"$'\r\n'"Authorization: AWS $access:$signature"$'\r\n') in
    200 | 409) ;;
    *) fail 'could not make the bucket' ;;
  esac
}

start() {
  local program uuid making
  for program in ceph ceph-mon ceph-osd radosgw openssl; do
    command -v "$program" >/dev/null || { say "ceph-rgw: there is no $program"; exit 3; }
  done
  mkdir -p "$dir"/{run,log,mon,osd,crash}
  # Two who start the same folder do so one after the other.
  exec 9>"$dir/lock"
  flock -w 120 9
  [ -e "$conf" ] || write_conf
  grep -q "endpoint=[0-9.]*:$port " "$conf" || fail "the folder was made for another port"
  # Somebody else's monitor would take our commands.
  pid_of mon >/dev/null || ! listens $((port + 1)) || fail "port $((port + 1)) is taken"
  pid_of rgw >/dev/null || ! listens "$port" || fail "port $port is taken"

  touch "$dir/keyring"
  if [ ! -e "$dir/mon/made" ]; then
    monmaptool --create --clobber --fsid "$(sed -n 's/^fsid = //p' "$conf")" \
      --addv a "[v2:127.0.0.1:$((port + 1))]" "$dir/monmap" >/dev/null
    ceph-mon -c "$conf" -i a --mkfs --monmap "$dir/monmap" --no-mon-config >>"$dir/log/mkfs.out" 2>&1
    touch "$dir/mon/made"
  fi
  run mon ceph-mon -c "$conf" -i a -f
  if [ ! -e "$dir/osd/made" ]; then
    rm -rf "${dir:?}/osd" && mkdir "$dir/osd"
    uuid=$(cat /proc/sys/kernel/random/uuid)
    ceph-osd -c "$conf" -i 0 --mkfs --osd-uuid "$uuid" --no-mon-config >>"$dir/log/mkfs.out" 2>&1 9>&- &
    making=$!
    within 60 'the monitor' timeout 10 ceph -c "$conf" --connect-timeout 5 osd new "$uuid" 0
    wait $making || fail 'could not make the disk'
    touch "$dir/osd/made"
  fi
  run osd ceph-osd -c "$conf" -i 0 -f
  run rgw radosgw -c "$conf" -n client.rgw.a -f
  within 120 'the gateway' answers
  [ -e "$user" ] || make_user
  make_bucket

  local access secret
  read -r access secret <"$user"
  echo "S3_ENDPOINT=http://127.0.0.1:$port"
  echo "S3_BUCKET=strongroom"
  echo "AWS_ACCESS_KEY_ID=$access"
  echo "AWS_SECRET_ACCESS_KEY=$secret"
}

case $command in
  start) start ;;
  stop) stop ;;
  status)
    missing=0
    for name in "${daemons[@]}"; do
      pid=$(pid_of "$name") || { pid=-; missing=1; }
      echo "$name $pid"
    done
    exit $missing
    ;;
  wipe)
    [ -e "$dir" ] || exit 0
    # Only a folder that this script made, whatever it was told.
    [ -e "$conf" ] || [ -z "$(ls -A "$dir")" ] || [ -e "$dir/lock" ] || { say "ceph-rgw: $dir is not mine"; exit 1; }
    stop
    rm -rf "${dir:?}"
    ;;
  *) usage ;;
esac
