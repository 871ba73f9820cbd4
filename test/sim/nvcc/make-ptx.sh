#!/bin/bash
# Writes NAME.ptx for every NAME.cu here, with the nvcc that is installed; the tests read only the PTX.
# A line "// nvcc: OPTIONS" of a file adds options.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cd "$(dirname "$0")" || exit 2
nvcc=${NVCC:-/usr/local/cuda/bin/nvcc}
for source in ${@:-*.cu}; do
  options=$(sed -n 's,^// nvcc: ,,p' "$source")
  # shellcheck disable=SC2086 # options are words
  "$nvcc" -arch=sm_90a -std=c++17 $options -ptx "$source" -o "${source%.cu}.ptx" || exit 1
done
