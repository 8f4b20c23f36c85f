#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what Warpwright needs to build and run on Debian 12: packages through apt, the tree-sitter grammars through pip.
# Idempotent; says what it installs; works as root and as a user with sudo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf '\033[1m==>\033[0m %s\n' "$*" >&2; }
die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

packages=()
while read -r line; do
    line=${line%%#*}
    # shellcheck disable=SC2206  # a line holds several names
    packages+=($line)
done < installer/packages.txt

missing=()
if command -v dpkg-query >/dev/null 2>&1; then
    installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null | awk '$1 == "installed" { print $2 }')
    for package in "${packages[@]}"; do
        # Another release of Boost may stand in for the default one.
        if [ "$package" = libboost-context-dev ] && grep -qE '^libboost-context1\.[0-9]+-dev$' <<<"$installed"; then continue; fi
        grep -qxF "$package" <<<"$installed" || missing+=("$package")
    done
else
    say "This is not a Debian system: install the equivalents of installer/packages.txt yourself if the build misses something."
fi
if [ ${#missing[@]} -gt 0 ]; then
    as_root=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || die "these packages are missing and there is no sudo; as root run: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    say "Installing ${#missing[@]} packages: ${missing[*]}"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q >&2 || say "apt-get update failed; trying with the lists at hand"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}" >&2 ||
        die "apt-get could not install the packages above; mend that and run this again"
fi

grammars=.cache/grammars
stamp=$(cat installer/grammars.txt installer/grammar-headers.txt | sha256sum | cut -c1-16)
if [ "$(cat $grammars/stamp 2>/dev/null)" != "$stamp" ]; then
    say "Fetching the tree-sitter grammars (pinned by hash)"
    python=$(for p in /usr/bin/python3 python3; do "$p" -m pip --version >/dev/null 2>&1 && { echo "$p"; break; }; done)
    [ -n "$python" ] || die "python3 with pip is needed to fetch the grammars: install python3-pip"
    rm -rf $grammars
    mkdir -p $grammars/include/tree_sitter
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    fetch() { "$python" -m pip download -q --no-deps --no-binary :all: --require-hashes -r "$1" -d "$2" >&2 || die "pip could not fetch $1"; }
    fetch installer/grammars.txt "$work/sources"
    fetch installer/grammar-headers.txt "$work/headers"
    for name in cuda python; do
        mkdir -p $grammars/tree-sitter-$name
        tar xzf "$work"/sources/tree[_-]sitter[_-]$name-*.tar.gz -C $grammars/tree-sitter-$name --strip-components=1
    done
    mkdir "$work/unpacked"
    tar xzf "$work"/headers/*.tar.gz -C "$work/unpacked" --strip-components=1
    cp "$work"/unpacked/src/tree_sitter/{array,alloc}.h $grammars/include/tree_sitter/
    echo "$stamp" > $grammars/stamp
fi
