#!/bin/bash
# The image's health check: exits with 0 if the service answers 200 at the given path. A Node for it would take 0.3 s each time.
exec 3<>"/dev/tcp/127.0.0.1/${PORT:-8080}" || exit 1
printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$1" >&3
read -r -t 5 _ status _ <&3
[ "$status" = 200 ]
