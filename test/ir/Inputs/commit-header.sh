#!/usr/bin/env bash
# The header that cmake/Commit.cmake writes, in a repository made for it: commit-header.sh Commit.cmake FOLDER
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
script=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder/inner"
cd "$folder"

# expect COMMIT FOLDER: the header has it.
expect() {
  cmake "-DSOURCE=$2" -DHEADER=header -P "$script"
  [ "$(cat header)" = "#define TESSERA_COMMIT \"$1\"" ] || { echo "expected the commit $1, but got: $(cat header)"; exit 1; }
}

expect unknown "$folder"
git init -q .
echo one >file
git add file
git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit -qm one
commit=$(git rev-parse HEAD | cut -c1-12)
expect "$commit" "$folder"
# The same commit again leaves the header alone.
touch -d 2001-01-01 header
expect "$commit" "$folder"
[ "$(date -r header +%Y)" = 2001 ] || { echo "the header was written again"; exit 1; }
echo two >file
expect "$commit-dirty" "$folder"
# A folder of another repository has no commit of its own.
expect unknown "$folder/inner"
