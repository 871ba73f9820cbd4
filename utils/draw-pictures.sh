#!/usr/bin/env bash
# Draws docs/pictures/*.svg again: utils/draw-pictures.sh [BUILD FOLDER] [FOLDER OF THE PICTURES]
# The test `render` compares them with what the library draws. Needs no LLVM.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/dev}
ninja -C "$build" draw-pictures > /dev/null
mkdir -p "${2:-docs/pictures}"
"$build/bin/draw-pictures" "${2:-docs/pictures}"
