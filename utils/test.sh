#!/usr/bin/env bash
# Runs the tests of a built preset: utils/test.sh PRESET [ctest arguments]. Last line: "test: N passed, N failed".
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -uo pipefail
cd "$(dirname "$0")/.."
. utils/common.sh

preset=${1:?usage: utils/test.sh PRESET [ctest arguments]}
shift
report=$PWD/build/$preset/tests.xml
rm -f "$report"
for folder in TESSERA_CORPUS TESSERA_ORACLE TESSERA_CUTILE TESSERA_CONFORMANCE TESSERA_BLACKWELL_PROBES TESSERA_CUTLASS; do
  if [ -n "${!folder:-}" ]; then
    [ -d "${!folder}" ] || [[ $folder == TESSERA_CUTLASS && -f ${!folder} ]] || fail "$folder names ${!folder}, which is not a folder"
    echo "tests      $folder=${!folder}"
  else
    echo "tests      $folder is not set: the tests that read it are skipped"
  fi
done

# A sanitizer's report ends the program by a signal. Its usual exit code, 1, is one that programs of ours have too, so that a test which
# expects an error would take a report for it.
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1:halt_on_error=1:abort_on_error=1}
export ASAN_OPTIONS=${ASAN_OPTIONS:-abort_on_error=1}
export TSAN_OPTIONS=${TSAN_OPTIONS:-suppressions=$PWD/utils/tsan.supp:halt_on_error=1:allocator_may_return_null=1}

started=$SECONDS
ctest --test-dir "build/$preset" --output-on-failure --no-tests=error -j "$(jobs_allowed)" \
  --test-output-size-passed 100000 --test-output-truncation head --output-junit "$report" "$@"
status=$?
[ -f "$report" ] || fail "ctest wrote no report"

# The first element of the report: <testsuite name="…" tests="4" failures="0" disabled="0" skipped="0" …
count() { sed -n "1,20s/^[[:space:]]*$1=\"\([0-9]*\)\".*/\1/p" "$report" | head -n 1; }
tests=$(count tests) failures=$(count failures) skipped=$(count skipped) disabled=$(count disabled)
passed=$((tests - failures - skipped - disabled))
[ $status -eq 0 ] || echo "${red}failed${plain}     rerun one: ctest --test-dir build/$preset --output-on-failure -R NAME"
# What the programs of GoogleTest say of the cases in them.
cases=$(sed -n 's/.*\[==========\] \([0-9]*\) tests\{0,1\} from .* ran\..*/\1/p' "$report" | awk '{ n += $1 } END { print n + 0 }')
left_out=$(sed -n 's/.*\[  SKIPPED \] \([0-9]*\) tests\{0,1\}, listed below.*/\1/p' "$report" | awk '{ n += $1 } END { print n + 0 }')
echo "cases      $cases in the unit tests, $left_out of them skipped"
echo "time       tests $(duration $((SECONDS - started)))${TESSERA_STARTED:+, all $(duration $(($(date +%s) - TESSERA_STARTED)))}"
line="test: $passed passed, $failures failed"
[ "$((skipped + disabled))" -eq 0 ] || line="$line, $((skipped + disabled)) skipped"
echo "$line"
exit $status
