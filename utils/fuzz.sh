#!/usr/bin/env bash
# Builds the fuzzers of fuzz/ and runs each on seeds from the tests: utils/fuzz.sh SECONDS [TARGET...]. Stops at a finding.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "$0")/.."
. utils/common.sh

seconds=${1:?usage: utils/fuzz.sh SECONDS [TARGET...]}
shift
[ $# -gt 0 ] || set -- eval layout sim text tile
build=$PWD/build/fuzz
mkdir -p "$build"

cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_C_COMPILER=clang-22 \
  -DTESSERA_COMPILER=OFF -DTESSERA_FUZZERS=ON -DCMAKE_CXX_FLAGS="-O1 -g1" >"$build.log" 2>&1 || { cat "$build.log"; fail "cmake"; }
ninja -C "$build" -j "$(jobs_allowed)" "${@/#/fuzz-}" >"$build.log" 2>&1 || { cat "$build.log"; fail "the fuzzers do not build"; }

# Seeds: every text between quotes in the tests of a room is one.
seed() {
  mkdir -p "$2"
  grep -ohE '"([^"\\]|\\.)+"' "$1"/*.def "$1"/*Test.cpp 2>/dev/null | sort -u |
    awk -v to="$2" '{ f = to "/seed-" NR; print substr($0, 2, length($0) - 2) > f; close(f) }'
}
# Names and signs, for a fuzzer to put in.
words() {
  { grep -ohE '\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b|\b(size|rank|depth|take|slice|dice|filter|product|mod|add|sub|mul|div)\b' \
      test/eval/Functions.def; printf '%s\n' 'let A = ' ' o ' ' | ' 'S<3,4,3>' '?{4}' '?{i64 div=8}' '1@0' '[_;4:1]'; } |
    sort -u | sed 's/.*/"&"/' >"$1"
}

for target in "$@"; do
  corpus=$build/corpus/$target
  [ "$target" = layout ] && seed test/layout "$corpus" || true
  if [ "$target" = text ]; then
    mkdir -p "$corpus" && cp examples/*.mlir test/ir/ops-types.mlir "$corpus"
  fi
  if [ "$target" = sim ]; then
    mkdir -p "$corpus" && cp fuzz/seeds/sim.ptx "$corpus"
  elif [ "$target" = tile ]; then # and small recorded programs, where they are
    mkdir -p "$corpus/recorded" && cp examples/tile/*.tilebc "$corpus"
    if [ -n "${TESSERA_CUTILE:-}" ]; then
      tar -xf "$TESSERA_CUTILE/programs-13.3.tar.xz" -C "$corpus/recorded" && find "$corpus/recorded" -type f -size +3k -delete
    fi
  else
    seed test/eval "$corpus"
  fi
  words "$build/words"
  started=$SECONDS
  "$build/bin/fuzz-$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=4096 -dict="$build/words" \
    -artifact_prefix="$build/" -print_final_stats=1 "$corpus" >"$build/$target.log" 2>&1 ||
    { tail -n 40 "$build/$target.log"; fail "fuzz-$target found something; the input is in $build"; }
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log")
  echo "fuzz       $target: $runs runs in $(duration $((SECONDS - started))), nothing found"
done
