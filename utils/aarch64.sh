#!/usr/bin/env bash
# Builds the rooms without LLVM for AArch64 and runs their tests under qemu-user: utils/aarch64.sh [ctest arguments]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# clang makes code for AArch64 too; what is installed besides are C and C++ libraries for it, the emulator and GoogleTest's sources.
set -euo pipefail
cd "$(dirname "$0")/.."

utils/setup.sh qemu-user libc6-dev-arm64-cross libgcc-12-dev-arm64-cross libstdc++-12-dev-arm64-cross googletest
utils/build.sh aarch64

# Left out is what the emulator does not run: Python loading a library, programs that nvcc makes, tests that compile, and those that
# start themselves again. The rules of the sources are the same for every processor.
script='tile-(wrong|cpp-page|programs|example)|sim-(headers|spellings)|blackwell-.*|cuda-.*|package.*|hardening-(exit-codes|spdx|reproducible)'
again=CudaDriverDeathTest.InstanceIsLoadedOnce:DriverDeathTest.ExitCodesSayWhatFailed:DriverDeathTest.TheGpuIsChosenByTheEnvironment
GTEST_FILTER=-$again utils/test.sh aarch64 -E "^(check-.*|$script)\$" "$@"
