#!/bin/bash
export PATH=$PWD/node_modules/.bin:$PATH
( while ! PID=$(pgrep -f "$1/server/main.js serve" | head -1) || [ -z "$PID" ]; do sleep 0.2; done; sleep ${3:-9}; PID=$(pgrep -f "$1/server/main.js serve" | head -1); perf record -o /tmp/perf-speed.data -F 997 -g -p $PID -- sleep 6 >/dev/null 2>&1 ) &
node ab.ts --sides $1 --only "$2" --rounds 4 "--nodeargs=--perf-basic-prof"
wait
perf report -i /tmp/perf-speed.data --no-children -g none --sort comm,dso 2>/dev/null | grep -v '^#' | head -24
perf report -i /tmp/perf-speed.data --no-children -g none --sort comm,sym 2>/dev/null | grep -v '^#' | head -50 | cut -c1-110
