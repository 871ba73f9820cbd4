#!/usr/bin/env bash
# Configures and builds a preset: utils/build.sh PRESET [TARGET...]. Prints how far it is, and the log if it fails.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# On a terminal Ninja's own line shows progress; elsewhere one line every 20 seconds does, and the rest goes to
# build/PRESET/build.log. Environment: JOBS (compilers at once), BUILD_LABEL (how lines begin), TESSERA_TOGETHER (files compiled as
# one where the folder of dev is new; six without it). A folder keeps what it has: `cmake --preset dev` first makes one to edit in,
# whose files are compiled alone, and `cmake -DTESSERA_TOGETHER=1 build/dev` makes such a one of it.
set -euo pipefail
cd "$(dirname "$0")/.."
. utils/common.sh

preset=${1:?usage: utils/build.sh PRESET [TARGET...]}
shift
label="${BUILD_LABEL:-build     }"
folder=build/$preset
mkdir -p "$folder"
log=$folder/build.log

new=()
[ "$preset" != dev ] || [ -f "$folder/CMakeCache.txt" ] || new=(-DTESSERA_TOGETHER="${TESSERA_TOGETHER:-6}")
if ! cmake --preset "$preset" ${new[@]+"${new[@]}"} >"$log" 2>&1; then
  tail -n 30 "$log" >&2
  fail "cmake --preset $preset failed; all it said is in $log"
fi

# Large pages for what compilers allocate (glibc 2.35): 20 to 40 % of the page faults are left, and 7 to 10 % of the time is saved.
export GLIBC_TUNABLES=${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}

targets=()
[ $# -eq 0 ] || targets=(--target "$@")
jobs=$(jobs_allowed)
started=$SECONDS

if [ -t 1 ]; then
  NINJA_STATUS="$label %f/%t  " cmake --build "$folder" -j "$jobs" "${targets[@]}" ||
    fail "the build of preset $preset failed"
else
  NINJA_STATUS='[%f/%t] ' cmake --build "$folder" -j "$jobs" "${targets[@]}" >>"$log" 2>&1 &
  build=$!
  trap 'kill $build 2>/dev/null || true' INT TERM
  shown=$SECONDS
  while kill -0 $build 2>/dev/null; do
    sleep 0.5
    if [ $((SECONDS - shown)) -ge 20 ]; then
      shown=$SECONDS
      echo "$label $(tail -n 200 "$log" | sed -n 's/^\[\([0-9]*\/[0-9]*\)\].*/\1/p' | tail -n 1)  $(duration $((SECONDS - started)))"
    fi
  done
  if ! wait $build; then
    grep -nE -A 12 '^FAILED|error:' "$log" | head -n 60 >&2 || tail -n 30 "$log" >&2
    fail "the build of preset $preset failed; all it said is in $log"
  fi
fi
echo "$label ok ($folder, $jobs at once, $(duration $((SECONDS - started))))"
