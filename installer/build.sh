#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures (once) and builds into build/; extra arguments go to cmake's configure step.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [ ! -f build/build.ninja ] || [ $# -gt 0 ]; then
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    printf '\033[1m==>\033[0m %s\n' "Configuring" >&2
    cmake -S . -B build -G Ninja "$@" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
    sed -n '/features have been/,/^$/p' "$log" >&2
fi
# Files of the LibTorch module need about 1.5 GB each to compile: fewer jobs where memory is short.
memory_gib=$(awk '/MemAvailable/ { print int($2 / 1048576) }' /proc/meminfo)
jobs=$(nproc)
[ "$memory_gib" -ge $((2 * jobs)) ] || jobs=$((memory_gib / 2 > 0 ? memory_gib / 2 : 1))
if ! cmake --build build --parallel "$jobs" -- -n 2>/dev/null | grep -q 'no work to do'; then
    printf '\033[1m==>\033[0m %s\n' "Building with $jobs jobs (the first build takes about ten minutes on two cores)" >&2
fi
cmake --build build --parallel "$jobs" >&2
