#!/usr/bin/env bash
# Builds twice, from two folders with other names, and compares the bytes: reproducible.sh SOURCE CC CXX [archive|light|full|sources|TARGET]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# archive  one small archive; light: all libraries of the rooms without LLVM (TESSERA_LONG=1 makes it the default);
# full     all that the preset release builds without its tests: the programs and libraries that people get.
# sources  only whether all that `full` is made of comes along, which CMake tells in seconds.
# TARGET   one of those that need no LLVM, such as tessera_tile_capi, with the libraries that it needs.
set -euo pipefail
source=$1 cc=$2 cxx=$3
parts=(CMakeLists.txt CMakePresets.json cmake tessera tessera-c tools examples python utils)
extent=${4:-$([ -n "${TESSERA_LONG:-}" ] && echo light || echo archive)}
light=(-G Ninja -DTESSERA_COMPILER=OFF -DCMAKE_BUILD_TYPE=Release)
case $extent in
  archive) options=("${light[@]}") target=tessera_number ;;
  light) options=("${light[@]}") target=all ;;
  full | sources) options=(--preset release) target=all ;;
  *) options=("${light[@]}") target=$extent ;;
esac
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CCACHE_DISABLE=1
for copy in one another/longer-name; do
  mkdir -p "$folder/$copy"
  (cd "$source" && tar c "${parts[@]}") | tar x -C "$folder/$copy"
  cmake -S "$folder/$copy" -B "$folder/$copy/build" "${options[@]}" -DBUILD_TESTING=OFF -DCMAKE_CXX_FLAGS=-g1 \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
  if [ "$extent" = sources ]; then
    echo "reproducible: CMake finds all sources of the preset release in a copy"
    exit 0
  fi
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
