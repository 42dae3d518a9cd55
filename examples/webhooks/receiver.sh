#!/usr/bin/env bash
# A receiver of Strongroom's webhooks in bash with openssl. It deals with one request on its standard input and output:
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
# The raw bytes in a file: a variable would lose some.
head -c "$length" >"$body"

expected="sha256=$(openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" -r "$body" | cut -d ' ' -f 1)"
# What is compared is hashed before, so that the time it takes tells nothing of how much was right.
hashed() { printf %s "$1" | openssl dgst -sha256 -r; }

if [ "$(hashed "$expected")" = "$(hashed "$signature")" ] || [ "$(hashed "$expected")" = "$(hashed "$next")" ]; then
  printf 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'
  # The work itself; it must be quick, or go on elsewhere.
  cat "$body" >>"${WEBHOOK_LOG:-/dev/null}"
else
  printf 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
fi
