#!/usr/bin/env bash
# Builds the fuzzers of fuzz/ and runs each: utils/fuzz.sh SECONDS [TARGET[:PROCESSES]...]. Stops at a finding.
# utils/fuzz.sh keep [TARGET...] instead makes fuzz/corpora of what the runs found.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Seeds are those of earlier runs (fuzz/corpora, minimised) and those that the tests give. All targets that are
# named with a number of processes run at once, the others one after the other. build/fuzz/ran.tsv gets a line for
# each run; `utils/fuzz-totals.py add` adds them to fuzz/totals.tsv. Environment: FUZZ_BUILT=1 takes the programs of
# build/fuzz as they are, for a machine without a compiler; FUZZ_STATIC=1 builds them for one without LLVM.
set -euo pipefail
cd "$(dirname "$0")/.."
. utils/common.sh

seconds=${1:?usage: utils/fuzz.sh SECONDS|keep [TARGET[:PROCESSES]...]}
shift
build=$PWD/build/fuzz
mkdir -p "$build"

if [ "$seconds" = keep ]; then
  mkdir -p fuzz/corpora
  targets=("$@")
  [ $# != 0 ] || mapfile -t targets < <(find "$build/corpus" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort)
  for target in "${targets[@]}"; do
    kept=$build/kept/$target
    rm -rf "$kept"
    mkdir -p "$kept"
    "$build/bin/fuzz-$target" -merge=1 -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$build/" "$kept" "$build/corpus/$target" \
      >"$build/$target.log" 2>&1 || { tail -n 40 "$build/$target.log"; fail "fuzz-$target found something; the input is in $build"; }
    tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$kept" -cJf "fuzz/corpora/$target.tar.xz" .
    echo "fuzz       $target: $(find "$kept" -type f | wc -l) inputs of $(find "$build/corpus/$target" -type f | wc -l) kept, $(bytes "$(stat -c %s "fuzz/corpora/$target.tar.xz")")"
  done
  exit
fi

build_them() {
  # Without LLVM there are no fuzzers of what needs it.
  local llvm=${LLVM_ROOT:-/usr/lib/llvm-22}/lib/cmake targets
  cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=clang++-22 -DCMAKE_C_COMPILER=clang-22 -DTESSERA_FUZZERS=ON -DTESSERA_STATIC="${FUZZ_STATIC:-0}" -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_CXX_FLAGS="-O1 -g1" \
    -DMLIR_DIR="$llvm/mlir" -DLLVM_DIR="$llvm/llvm" -DTESSERA_COMPILER="$([ -d "$llvm/mlir" ] && echo ON || echo OFF)" \
    >"$build.log" 2>&1 || { cat "$build.log"; fail "cmake"; }
  targets=("${@%%:*}")
  [ $# != 0 ] || mapfile -t targets < <(ninja -C "$build" -t targets all | sed -n 's/^fuzz-\([a-z]*\): phony.*/\1/p' | grep -v '^lower$') # which takes the whole compiler: by name
  ninja -C "$build" -j "$(jobs_allowed)" "${targets[@]/#/fuzz-}" >"$build.log" 2>&1 || { cat "$build.log"; fail "the fuzzers do not build"; }
}
[ -n "${FUZZ_BUILT:-}" ] || build_them "$@"
targets=("$@")
[ $# != 0 ] || mapfile -t targets < <(find "$build/bin" -name 'fuzz-*' -printf '%f\n' | sed 's/^fuzz-//' | sort)

# quoted FOLDER TO: every text between quotes in the tests of a room is a seed.
quoted() {
  find "$1" -maxdepth 1 \( -name '*.def' -o -name '*Test.cpp' \) -exec grep -ohE '"([^"\\]|\\.)+"' {} + | sort -u |
    awk -v to="$2" '{ f = to "/seed-" NR; print substr($0, 2, length($0) - 2) > f; close(f) }'
}
seed() {
  mkdir -p "$2"
  case $1 in
    argument) cp fuzz/seeds/argument.txt "$2"; quoted test/run "$2" ;;
    cache | fatbinary | image | view) ;; # they make their own
    eval) quoted test/eval "$2" ;;
    layout) quoted test/layout "$2" ;;
    lsp) cp fuzz/seeds/lsp.txt "$2" ;;
    lower) # bytecode, and texts after a t
      cp examples/tile/*.tilebc "$2"
      for file in test/ir/tile-*.mlir; do
        awk -v to="$2/$(basename "$file")" 'BEGIN { RS = "// -----\n" } { f = to "-" NR; printf "t%s", $0 > f; close(f) }' "$file"
      done ;;
    tune) # options, each with the kernel of their test
      sed -n '/^#--- step.mlir/,$p' test/ir/cli-tune-file.test | tail -n +2 >"$build/step.mlir"
      for option in '%step=16,64' '!layout=(8,16):(16,1),64:1' 'max_attrs@31=1,2' '%c1@5=1' '!layout=!y,#z'; do
        { echo "$option"; cat "$build/step.mlir"; } >"$2/seed-${option//[^a-z0-9]/-}"
      done ;;
    npy) # each type, both orders, rank 0 to 3
      for header in "'<f4', 'fortran_order': False, 'shape': (2, 3)" "'|V2', 'fortran_order': True, 'shape': (2, 2)" \
        "'|b1', 'fortran_order': False, 'shape': ()" "'<i8', 'fortran_order': False, 'shape': (1, 2, 1)" "'|u1', 'fortran_order': True, 'shape': (7,)"; do
        printf '\x93NUMPY\x01\x00\x76\x00%-117s\n%s' "{'descr': $header, }" "a file of numbers, or what they say" >"$2/seed-${#header}"
      done ;;
    sim) cp fuzz/seeds/sim.ptx "$2" ;;
    text) cp examples/*.mlir test/ir/ops-types.mlir "$2" ;;
    tile) # and small recorded programs, where they are
      mkdir -p "$2/recorded" && cp examples/tile/*.tilebc "$2"
      if [ -n "${TESSERA_CUTILE:-}" ]; then
        tar -xf "$TESSERA_CUTILE/programs-13.3.tar.xz" -C "$2/recorded" && find "$2/recorded" -type f -size +3k -delete
      fi ;;
    *) fail "fuzz/ has no $1" ;;
  esac
}
# words TARGET: names and signs, for a fuzzer to put in.
words() {
  case $1 in
    eval | layout | text)
      grep -ohE '\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b|\b(size|rank|depth|take|slice|dice|filter|product|mod|add|sub|mul|div)\b' test/eval/Functions.def
      printf '%s\n' 'let A = ' ' o ' ' | ' 'S<3,4,3>' '?{4}' '?{i64 div=8}' '1@0' '[_;4:1]' ;;
    sim) grep -ohE '\b[a-z][a-z0-9]*(\.[a-z0-9:_]+)+\b' fuzz/seeds/sim.ptx test/sim/*Test.cpp | head -2000 ;;
    tune) printf '%s\n' '=' '@1' '!layout' '%step' 'max_attrs' ' = ' 'arith.constant ' '"value"' ' loc(' '<"' '->' ;;
    lower) grep -ohE '\b[a-z][a-z0-9]*(_[a-z0-9]+)+\b|tile<[^>]*>' test/ir/tile-*.mlir | sort -u | head -2000 ;;
    argument) printf '%s\n' rand zeros out ptr= 'struct{' tmap: :stride= :seed= f32 bf16 f4E2M1FN f8E8M0FNU i1 u64 .npy 128B 16B nan '#0' 0x ;;
    npy) printf '%s\n' "'descr'" "'fortran_order'" "'shape'" True False '<f8' '>f4' '|V1' '<u2' '|i1' '()' '(0,)' ;;
    lsp) printf '%s\n' textDocument/didOpen textDocument/didChange textDocument/hover contentChanges range start end line character text uri \
      Content-Length: id params method result ;;
  esac | sort -u | sed 's/[\\"]/\\&/g; s/.*/"&"/'
}

# longest TARGET: in bytes. What reads a line has said all in a few of them, and takes longer for each more: a third of the bytes
# is three times the inputs in a second, and as much coverage after it (lsp 2048 to 704, tile 4096 to 1024, 2026-11-29).
longest() {
  case $1 in
    argument | eval | layout) echo 256 ;;
    npy) echo 512 ;;
    lsp) echo 704 ;;
    tile | tune) echo 1024 ;;
    *) echo 4096 ;;
  esac
}

# run TARGET PROCESSES: fuzzes, and says and records how many inputs were tried.
run() {
  local target=$1 processes=$2 corpus=$build/corpus/$1 started=$SECONDS runs=0 n
  seed "$target" "$corpus"
  [ ! -f "fuzz/corpora/$target.tar.xz" ] || tar -xJf "fuzz/corpora/$target.tar.xz" -C "$corpus"
  words "$target" >"$build/words-$target"
  local pids=() dictionary=()
  [ ! -s "$build/words-$target" ] || dictionary=(-dict="$build/words-$target") # an empty one is an error
  for ((n = 1; n <= processes; ++n)); do
    "$build/bin/fuzz-$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len="$(longest "$target")" "${dictionary[@]}" \
      -artifact_prefix="$build/" -print_final_stats=1 "$corpus" >"$build/$target-$n.log" 2>&1 &
    pids+=($!)
  done
  for ((n = 1; n <= processes; ++n)); do
    wait "${pids[n - 1]}" || { tail -n 40 "$build/$target-$n.log"; fail "fuzz-$target found something; the input is in $build"; }
    runs=$((runs + $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target-$n.log")))
  done
  printf '%s\t%s\t%s\t%s\n' "$target" "$(date +%F)" "$runs" $(((SECONDS - started) * processes)) >>"$build/ran.tsv"
  echo "fuzz       $target: $runs runs in $(duration $((SECONDS - started)))$([ "$processes" = 1 ] || echo " by $processes processes"), nothing found"
}

together=()
for target in "${targets[@]}"; do
  case $target in
    *:*)
      run "${target%%:*}" "${target##*:}" &
      together+=($!)
      ;;
    *) run "$target" 1 ;;
  esac
done
for one in "${together[@]}"; do
  wait "$one" || exit 1
done
