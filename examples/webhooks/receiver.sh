#!/usr/bin/env bash
# A receiver of Strongroom's webhooks in bash with openssl. It handles one request on its standard input and output:
#   export WEBHOOK_SECRET='whsec_…'
#   socat TCP-LISTEN:9000,bind=127.0.0.1,reuseaddr,fork EXEC:./receiver.sh
set -euo pipefail

body=$(mktemp)
trap 'rm -f "$body"' EXIT

signature='' next='' length=0
read -r _request_line
while IFS= read -r line; do
  line=${line%$'\r'}
  [ -n "$line" ] || break
  value=${line#*:}
  value=${value# }
  case ${line%%:*} in
    [Cc]ontent-[Ll]ength) length=$value ;;
    [Xx]-[Ss]vc-[Ss]ignature) signature=$value ;;
    [Xx]-[Ss]vc-[Ss]ignature-[Nn]ext) next=$value ;;
  esac
done
# The raw bytes go to a file: a shell variable would lose some.
head -c "$length" >"$body"

expected="sha256=$(openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -r "$body" | cut -d ' ' -f 1)"
# Hashing both values first keeps the comparison's timing from revealing how much of a signature was right.
hashed() { printf %s "$1" | openssl dgst -sha256 -r; }

if [ "$(hashed "$expected")" = "$(hashed "$signature")" ] || [ "$(hashed "$expected")" = "$(hashed "$next")" ]; then
  printf 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'
  # Do the work here; it must be quick, or continue elsewhere.
  cat "$body" >>"${WEBHOOK_LOG:-/dev/null}"
else
  printf 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
fi
