#!/bin/bash
# Writes NAME.ptx for every NAME.cu here, with the nvcc that is installed; the tests read only the PTX.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cd "$(dirname "$0")" || exit 2
nvcc=${NVCC:-/usr/local/cuda/bin/nvcc}
for source in ${@:-*.cu}; do
  "$nvcc" -arch=sm_90a -std=c++17 -ptx "$source" -o "${source%.cu}.ptx" || exit 1
done
