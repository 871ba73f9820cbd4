#!/usr/bin/env bash
# Builds twice, from two folders with other names, and compares the bytes: reproducible.sh SOURCE CC CXX [archive|light|full|TARGET]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# archive  one small archive; light: all libraries of the rooms without LLVM (TESSERA_LONG=1 makes it the default);
# full     the programs too, against the LLVM that is installed. Half an hour and two hours of processor time.
# TARGET   one of those that need no LLVM, such as tessera_tile_capi, with the libraries that it needs.
set -euo pipefail
source=$1 cc=$2 cxx=$3
extent=${4:-$([ -n "${TESSERA_LONG:-}" ] && echo light || echo archive)}
case $extent in
  archive) options=(-DTESSERA_COMPILER=OFF) target=tessera_number ;;
  light) options=(-DTESSERA_COMPILER=OFF) target=all ;;
  full) options=(-DMLIR_DIR="$(llvm-config-22 --cmakedir)/../mlir" -DLLVM_DIR="$(llvm-config-22 --cmakedir)") target=all ;;
  *) options=(-DTESSERA_COMPILER=OFF) target=$extent ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CCACHE_DISABLE=1
for copy in one another/longer-name; do
  mkdir -p "$folder/$copy"
  (cd "$source" && tar c CMakeLists.txt cmake tessera tessera-c tools examples utils/spdx.py) | tar x -C "$folder/$copy"
  cmake -G Ninja -S "$folder/$copy" -B "$folder/$copy/build" "${options[@]}" -DBUILD_TESTING=OFF -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS=-g1 -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
  cmake --build "$folder/$copy/build" -j "${JOBS:-1}" -t "$target" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
done
# What a build is for: libraries and programs.
list() {
  (cd "$1" && find . -type f \( -name '*.a' -o -name '*.so*' -o -path './bin/*' \) ! -path '*/CMakeFiles/*' | sort)
}
one=$folder/one/build another=$folder/another/longer-name/build
list "$one" >"$folder/list"
list "$another" | cmp - "$folder/list"
[ -s "$folder/list" ] || { echo "nothing was built"; exit 1; }
bytes=0
while read -r file; do
  cmp "$one/$file" "$another/$file"
  if strings "$one/$file" | grep -F "$folder"; then
    echo "$file names the folder it was built in"
    exit 1
  fi
  bytes=$((bytes + $(stat -c %s "$one/$file")))
done <"$folder/list"
# No file of ours asks for the time of the build.
if grep -rnE '__(DATE|TIME|TIMESTAMP)__' "$source/tessera" "$source/tools" "$source/tessera-c" --include='*.h' --include='*.cpp' --include='*.def'; then
  exit 1
fi
echo "reproducible: $(wc -l <"$folder/list") files with $bytes bytes are the same"
