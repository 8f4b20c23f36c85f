#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds with warnings as errors, and runs every test. Arguments go to ctest (-R name, -L gpu, ...).
# WARPWRIGHT_DATA names a folder with specs/ and spaces/ of other people; the tests that need it report themselves as not run without.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$here/installer/setup.sh"
"$here/installer/build.sh" -DTESTS=ON -DWARNINGS_AS_ERRORS=ON
cd "$here/build"
exec ctest --output-on-failure --no-tests=error --parallel 2 "$@"
