#!/usr/bin/env bash
# How long compiling takes, from text to PTX, on one core: utils/bench.sh FOLDER-OF-PROGRAMS
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Kernels: examples/, and those of $TESSERA_CORPUS if that is set. Best and median of RUNS runs (default 5), pinned
# to one core, reading the file and starting the process included; then the same from the cache, best and median of 50,
# with the files in memory and after they were dropped from it. Then files of 1,000 to 100,000 generated ops:
# a pipeline without quadratic parts takes the same time per op for all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
. utils/common.sh

programs=${1:?usage: utils/bench.sh FOLDER-OF-PROGRAMS}
runs=${RUNS:-5}
work=$(mktemp -d -t tessera-bench.XXXXXX)
trap 'rm -rf "$work"' EXIT
core=$(($(nproc) - 1))

# times COMMAND...: the microseconds of each of `runs` runs, sorted; fails with what the command said. `before` is done
# ahead of each run.
times() {
  local i started
  for ((i = 0; i < runs; i++)); do
    ${before:-:}
    started=$(date +%s%N)
    taskset -c "$core" "$@" >"$work/out" 2>"$work/err" || { head -n 5 "$work/err" >&2; return 1; }
    echo $((($(date +%s%N) - started) / 1000))
  done | sort -n
}
# "best median" of the runs, in seconds; in milliseconds.
seconds() { times "$@" | awk '{ t[NR] = $1 / 1e6 } END { if (NR) printf "%.3f %.3f", t[1], t[int((NR + 1) / 2)]; else exit 1 }'; }
milliseconds() { times "$@" | awk '{ t[NR] = $1 / 1e3 } END { if (NR) printf "%.1f %.1f", t[1], t[int((NR + 1) / 2)]; else exit 1 }'; }

kernels=()
[ ! -f examples/gemm.mlir ] || kernels+=("examples/gemm.mlir sm_90a")
if [ -n "${TESSERA_CORPUS:-}" ]; then
  for name in ampere_tensorop_gemm ampere_flash_attention_v2; do
    kernels+=("$TESSERA_CORPUS/$name/input.mlir sm_90a")
  done
else
  echo "bench      TESSERA_CORPUS is not set: only the kernels of examples/ are measured"
fi

failures=0
printf '%-44s %8s %10s %9s %9s\n' "kernel, text to PTX" target "text" "best" "median"
for entry in ${kernels[@]+"${kernels[@]}"}; do
  read -r file arch <<<"$entry"
  if times=$(seconds "$programs/tessera" compile "$file" --arch "$arch" --emit ptx --no-cache -o "$work/k.ptx"); then
    read -r best median <<<"$times"
    printf '%-44s %8s %10s %7s s %7s s\n' "$(basename "$(dirname "$file")")/$(basename "$file")" "$arch" \
      "$(bytes "$(stat -Lc %s "$file")")" "$best" "$median"
  else
    failures=$((failures + 1))
    echo "error: $file did not compile" >&2
  fi
done

# Takes what a run from the cache reads out of the page cache, as if it had not been read since the machine started.
drop() {
  local read
  for read in "$programs/tessera" "$file" "$work"/cache/*; do dd if="$read" iflag=nocache count=0 status=none; done
}

printf '\n%-44s %8s %10s %9s %9s\n' "kernel, PTX from the cache" target "files" "best" "median"
for entry in ${kernels[@]+"${kernels[@]}"}; do
  read -r file arch <<<"$entry"
  found=("$programs/tessera" compile "$file" --arch "$arch" --cache-dir "$work/cache" -o "$work/k.ptx")
  rm -rf "$work/cache"
  "${found[@]}" && sync "$work"/cache/* || continue # a failure was counted above
  for state in "in memory" dropped; do
    times=$(runs=50 before=$([ "$state" = dropped ] && echo drop || echo :) milliseconds "${found[@]}")
    read -r best median <<<"$times"
    printf '%-44s %8s %10s %6s ms %6s ms\n' "$(basename "$(dirname "$file")")/$(basename "$file")" "$arch" "$state" \
      "$best" "$median"
  done
done

printf '\n%-44s %10s %9s %9s %12s\n' "generated, tessera-opt --tessera-lower" "text" "best" "median" "best per op"
for ops in 1000 10000 100000; do
  python3 utils/generate-ops.py $ops >"$work/$ops.mlir"
  if times=$(seconds "$programs/tessera-opt" --tessera-lower "$work/$ops.mlir" -o "$work/lowered.mlir"); then
    read -r best median <<<"$times"
    printf '%-44s %10s %7s s %7s s %9s us\n' "$ops ops" "$(bytes "$(stat -c %s "$work/$ops.mlir")")" "$best" "$median" \
      "$(awk -v t="$best" -v n="$ops" 'BEGIN { printf "%.1f", t / n * 1e6 }')"
  else
    failures=$((failures + 1))
    echo "error: the file of $ops ops did not compile" >&2
  fi
done
[ $failures -eq 0 ] || fail "$failures measurements failed"
echo "bench: $((${#kernels[@]} + 3)) files, best and median of $runs runs on core $core of $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
