#!/usr/bin/env bash
# Runs clang-tidy with the checks of .clang-tidy: utils/tidy.sh [--since COMMIT | --all | FILE...]. Without arguments: files changed since HEAD.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads the compile commands and precompiled headers of the preset dev, which it builds if need be. Exits 1 if a check finds something.
# Takes 5 to 30 seconds of processor time for a file. Environment: JOBS (files at once),
# LIMIT (how many files at most, drawn by the hash of HEAD).
set -euo pipefail
cd "$(dirname "$0")/.."
. utils/common.sh

build=build/dev
tidy=$(command -v clang-tidy-22 || echo /usr/lib/llvm-22/bin/clang-tidy)
[ -x "$tidy" ] || fail "clang-tidy-22 is not installed: utils/setup.sh installs it"

case ${1:-} in
  --all) mapfile -t files < <(git ls-files '*.cpp') ;;
  --since) mapfile -t files < <(git diff --name-only --diff-filter=d "${2:?--since takes a commit}" -- '*.cpp') ;;
  '') mapfile -t files < <(git diff --name-only --diff-filter=d HEAD -- '*.cpp') ;;
  *) files=("$@") ;;
esac

# Generated headers and precompiled ones; nothing is left to do after a build.
[ -f $build/compile_commands.json ] || cmake --preset dev >/dev/null || fail "cmake --preset dev failed"
# Files that no build has (examples of the package, fuzzers) have no compile command. Those that are compiled together get that of
# the file that includes them.
mkdir -p $build/tidy
known=$(python3 - $build/compile_commands.json $build/tidy/compile_commands.json <<'END'
import json, pathlib, re, sys
alone = []
for command in json.load(open(sys.argv[1])):
    together = "/Unity/" in command["file"]
    files = re.findall(r'#include "(.*)"', pathlib.Path(command["file"]).read_text()) if together else [command["file"]]
    alone += [{**command, "file": file, "command": command["command"].replace(command["file"], file)} for file in files]
json.dump(alone, open(sys.argv[2], "w"))
print("\n".join(sorted({command["file"] for command in alone})))
END
)
known=$(sort -u <<<"$known")
mapfile -t files < <(printf '%s\n' ${files[@]+"${files[@]}"} | sed "s|^|$PWD/|" | sort -u | comm -12 - <(echo "$known"))
if [ ${#files[@]} -gt "${LIMIT:-100000}" ]; then
  echo "tidy       $LIMIT of ${#files[@]} files, drawn by the commit's hash"
  mapfile -t files < <(shuf -n "$LIMIT" --random-source=<(yes "$(git rev-parse HEAD)") -e "${files[@]}")
fi
if [ ${#files[@]} -eq 0 ]; then
  echo "tidy       no file to check"
  exit 0
fi

if ! printf '%s\0' "${files[@]}" |
  xargs -0 -P "$(jobs_allowed)" -n 1 "$tidy" -p $build/tidy --quiet 2>&1 |
  sed -e "s|^$PWD/||" -e '/^[0-9]* warnings\{0,1\} \(generated\|treated as errors\)\.$/d' -e '/^Suppressed /d' -e '/^\[[0-9]*\/[0-9]*\] (/d' -e '/^Use -header-filter/d' |
  tee $build/tidy.log; then
  fail "clang-tidy found something in ${#files[@]} files; all it said is in $build/tidy.log"
fi
echo "tidy       ok (${#files[@]} files)"
