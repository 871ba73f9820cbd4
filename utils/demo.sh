#!/usr/bin/env bash
# The demo: examples/gemm.mlir to PTX for two architectures, assembled and run where that can be. utils/demo.sh TESSERA | --expected
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Steps 3 and 4 of `make demo`; packages and build are the steps before. --expected only says how long all of it will take here.
set -euo pipefail
cd "$(dirname "$0")/.."
. utils/common.sh

# Minutes of processor time that the first build takes, of a core of 2024.
build_minutes=14
if [ "${1:-}" = --expected ]; then
  jobs=$(jobs_allowed)
  if [ -x build/release/bin/tessera ]; then
    echo "[0/4] time        under a minute, plus the building of what changed: this was built before"
  else
    echo "[0/4] time        about $((build_minutes / jobs + 1)) minutes the first time, $jobs compilers at once; seconds after that"
  fi
  exit 0
fi
tessera=${1:?usage: utils/demo.sh TESSERA}
example=examples/gemm.mlir
architectures=(sm_80 sm_90a)
# C = A B^T with A (m, k), B (n, k) and C (m, n). No multiples of the kernel's tiles, so that its edges are checked.
m=1000 n=777 k=1000
# The size that is timed.
large=4096
work=$(mktemp -d -t tessera-demo.XXXXXX)
trap 'rm -rf "$work"' EXIT

[ -x "$tessera" ] || fail "$tessera is not built: make demo builds it"
[ -f "$example" ] || fail "$example is missing"

# --- compile, and assemble where there is ptxas
ptxas=$(find_ptxas)
for arch in "${architectures[@]}"; do
  ptx=$work/gemm.$arch.ptx
  started=$(date +%s%N)
  "$tessera" compile "$example" --arch "$arch" --emit ptx --no-cache -o "$ptx"
  milliseconds=$((($(date +%s%N) - started) / 1000000))
  line="[3/4] compile    $example  $arch: $(bytes "$(stat -c %s "$ptx")") of PTX in $milliseconds ms"
  if [ -z "$ptxas" ]; then
    line="$line   (no ptxas here to assemble it)"
  elif log=$("$ptxas" -v -arch="$arch" "$ptx" -o "$work/gemm.$arch.cubin" 2>&1); then
    registers=$(sed -n 's/.*Used \([0-9]*\) registers.*/\1/p' <<<"$log" | sort -n | tail -n 1)
    spills=$(sed -n 's/.* \([0-9]*\) bytes spill stores.*/\1/p' <<<"$log" | sort -n | tail -n 1)
    [ "${spills:-0}" -eq 0 ] && spilled="no spills" || spilled="$spills bytes spilled"
    line="$line   ptxas: ${registers:-?} registers, $spilled"
  else
    echo "$log" >&2
    fail "ptxas refuses the PTX for $arch"
  fi
  echo "$line"
done

# --- run: on the GPU, or where there is none on the simulator
# Debian's python3 has the numpy of set-up; elsewhere it may be another one.
python=$(for p in /usr/bin/python3 python3; do "$p" -c 'import numpy' 2>/dev/null && echo "$p" && break; done) ||
  fail "no python3 with numpy here (python3-numpy), which the reference product takes"

# multiplies FILE M N K OPTIONS...: the product of whole numbers by a kernel, compared with numpy's element by element.
multiplies() {
  local file=$1 m=$2 n=$3 k=$4 status=0 started
  shift 4
  "$python" - "$work" "$m" "$n" "$k" <<'PYTHON' || fail "the reference could not be computed"
import sys
import numpy as np
folder, m, n, k = sys.argv[1], *map(int, sys.argv[2:])
rng = np.random.default_rng(1)
# Whole numbers from -2 to 2: the sums stay far below 2048, up to where f16 holds every whole number.
a = rng.integers(-2, 3, (m, k)).astype(np.float16)
b = rng.integers(-2, 3, (n, k)).astype(np.float16)
np.save(f"{folder}/A.npy", a)
np.save(f"{folder}/B.npy", b)
np.save(f"{folder}/REF.npy", a.astype(np.float32) @ b.astype(np.float32).T)
PYTHON
  started=$(date +%s%N)
  "$tessera" run "$file" --arg "$work/A.npy" --arg "$work/B.npy" --arg "out:f16:${m}x${n}" \
    --check "2=$work/REF.npy" --rtol 0 --atol 0 --no-cache "$@" >"$work/said" 2>&1 || status=$?
  seconds=$(awk -v ns=$(($(date +%s%N) - started)) 'BEGIN { printf "%.1f", ns / 1e9 }')
  sed 's/^/      | /' "$work/said"
  [ $status -ne 1 ] || fail "${m}x${n}x${k}: the numbers differ from numpy's"
  [ $status -eq 0 ] || fail "tessera run: exit code $status"
}

# attends FILE N OPTIONS...: softmax(Q K^T / 8) V of one head of 64 elements, compared with numpy's; f16 rounds to 2^-11.
attends() {
  local file=$1 n=$2 status=0 started
  shift 2
  "$python" - "$work" "$n" <<'PYTHON' || fail "the reference could not be computed"
import sys
import numpy as np
folder, n = sys.argv[1], int(sys.argv[2])
rng = np.random.default_rng(1)
q, k, v = (rng.standard_normal((1, n, 1, 64)).astype(np.float16) for _ in range(3))
for name, x in (("Q", q), ("K", k), ("V", v)):
    np.save(f"{folder}/{name}.npy", x)
q, k, v = (x[0, :, 0].astype(np.float64) for x in (q, k, v))
scores = q @ k.T / 8
powers = np.exp(scores - scores.max(1, keepdims=True))
np.save(f"{folder}/REF.npy", (powers @ v / powers.sum(1, keepdims=True)).astype(np.float32).reshape(1, n, 1, 64))
PYTHON
  started=$(date +%s%N)
  "$tessera" run "$file" --arg "$work/Q.npy" --arg "$work/K.npy" --arg "$work/V.npy" --arg "out:f16:1x${n}x1x64" --arg 0.125 \
    --check "3=$work/REF.npy" --rtol 2e-3 --atol 1e-3 --no-cache "$@" >"$work/said" 2>&1 || status=$?
  seconds=$(awk -v ns=$(($(date +%s%N) - started)) 'BEGIN { printf "%.1f", ns / 1e9 }')
  sed 's/^/      | /' "$work/said"
  [ $status -ne 1 ] || fail "attention of $n queries: the numbers differ from numpy's"
  [ $status -eq 0 ] || fail "tessera run: exit code $status"
}

status=0
"$tessera" devices >"$work/devices" 2>&1 || status=$?
if [ $status -eq 3 ]; then
  echo "[4/4] run        no CUDA GPU on this machine: the simulator runs the PTX on the CPU (docs/simulator.md)"
  multiplies "$example" 200 136 72 --device sim --arch sm_80
  echo "[4/4] run        $example, 200x136x72 by mma.sync: equal to numpy's product, compiled and run in $seconds s"
  "$tessera" generate gemm --ab f16 --d f16 -o "$work/hopper.mlir" || fail "tessera generate: exit code $?"
  multiplies "$work/hopper.mlir" 256 256 256 --device sim --arch sm_90a
  echo "[4/4] run        tessera generate gemm, 256x256x256 by TMA and wgmma: equal to numpy's product, compiled and run in $seconds s"
  "$tessera" generate attention --element f16 --head-dim 64 -o "$work/attention.mlir" || fail "tessera generate: exit code $?"
  attends "$work/attention.mlir" 200 --device sim --arch sm_90a
  echo "[4/4] run        tessera generate attention, a head of 64, 200 queries: agrees with numpy's, compiled and run in $seconds s"
  echo "demo: ${green}compiled${plain} for ${architectures[*]}, ${green}run and correct${plain} on the simulator. Next: $tessera run --help, docs/guide.md"
  exit 0
fi
[ $status -eq 0 ] || { cat "$work/devices" >&2; fail "tessera devices: exit code $status"; }

echo "[4/4] run        $(head -n 1 "$work/devices")"
multiplies "$example" $m $n $k
echo "[4/4] run        ${m}x${n}x${k}: equal to numpy's product, element by element"

"$tessera" run "$example" --arg "rand:f16:${large}x$large:seed=1" --arg "rand:f16:${large}x$large:seed=2" \
  --arg "out:f16:${large}x$large" --bench 20 >"$work/timed" 2>"$work/said" ||
  { cat "$work/said" >&2; fail "tessera run --bench: exit code $?"; }
milliseconds=$(sed -n 's/.* median \([0-9.]*\) ms.*/\1/p' "$work/timed")
echo "[4/4] run        ${large}x${large}x${large}: $milliseconds ms, median of 20 calls ($(awk -v t="$milliseconds" -v n=$large \
  'BEGIN { printf "%.0f", 2 * n * n * n / t / 1e9 }') TFLOP/s)"
echo "demo: ${green}compiled, run and correct${plain}. Next: $tessera run --help, docs/guide.md"
