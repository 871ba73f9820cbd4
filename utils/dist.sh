#!/usr/bin/env bash
# Packs a statically linked program: utils/dist.sh PROGRAM [NAME]. Fails if it needs more than glibc 2.28 or 20 MB.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "$0")/.."
. utils/common.sh

program=${1:?usage: utils/dist.sh PROGRAM [NAME]}
name=${2:-tessera}
limit=20000000
glibc=2.28
[ -x "$program" ] || fail "$program is not built"
mkdir -p dist
stripped=dist/$name-linux-x86_64
llvm-strip-22 --strip-all -R .comment -o "$stripped" "$program"

# Only libraries of glibc may be asked for, and only symbols of glibc 2.28 or older.
utils/glibc.py check $glibc "$stripped"
"$stripped" --help >/dev/null || fail "the stripped $program does not start"

echo "pack       $(bytes "$(stat -c %s "$stripped")") stripped; xz -9e …"
xz -9e -k -f "$stripped"
size=$(stat -c %s "$stripped.xz")
[ "$size" -le $limit ] || fail "$stripped.xz has $(bytes "$size"), more than the $(bytes $limit) that are allowed"
rm -f "$stripped"
echo "dist: $stripped.xz, $(bytes "$size") (limit $(bytes $limit)); unpack with xz -d, then chmod +x"
