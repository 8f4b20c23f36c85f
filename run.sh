#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds, and runs the main job: the window where there is a display, otherwise a tuning session
# in the terminal. --cli forces the terminal, --build-only stops after the build; other arguments go to the program.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

mode=auto
case "${1:-}" in
    --cli) mode=cli; shift ;;
    --build-only) mode=build; shift ;;
    -h | --help)
        echo "usage: ./run.sh [--cli | --build-only] [arguments for the program]"
        echo "  without a mode: the window where there is a display, else a tuning session in the terminal"
        exit 0 ;;
esac

"$here/installer/setup.sh"
"$here/installer/build.sh"

[ "$mode" = build ] && exit 0
if [ "$mode" = auto ] && { [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; } && [ -x "$here/build/bin/warpwright" ]; then
    exec "$here/build/bin/warpwright" "$@"
fi
if [ $# -eq 0 ]; then
    set -- "$here/kernels/gemm" --trials 40
fi
exec "$here/build/bin/warpwright-cli" tune "$@"
