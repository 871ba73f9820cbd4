#!/usr/bin/env bash
# Builds one small archive twice, from two folders with other names, and compares the bytes: reproducible.sh SOURCE CC CXX
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
source=$1 cc=$2 cxx=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CCACHE_DISABLE=1
for copy in one another/longer-name; do
  mkdir -p "$folder/$copy"
  (cd "$source" && tar c CMakeLists.txt cmake tessera tessera-c utils/spdx.py) | tar x -C "$folder/$copy"
  cmake -G Ninja -S "$folder/$copy" -B "$folder/$copy/build" -DTESSERA_COMPILER=OFF -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS=-g1 -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
  cmake --build "$folder/$copy/build" -j 1 -t tessera_number >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
done
archive=tessera/number/libtessera_number.a
cmp "$folder/one/build/$archive" "$folder/another/longer-name/build/$archive"
if strings "$folder/one/build/$archive" | grep -F "$folder"; then
  echo "the archive names the folder it was built in"
  exit 1
fi
# No file of ours asks for the time of the build.
if grep -rnE '__(DATE|TIME|TIMESTAMP)__' "$source/tessera" "$source/tools" "$source/tessera-c" --include='*.h' --include='*.cpp' --include='*.def'; then
  exit 1
fi
echo "reproducible: $(stat -c %s "$folder/one/build/$archive") bytes are the same"
