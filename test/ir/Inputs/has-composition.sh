#!/bin/sh
# Interesting to mlir-reduce (exit code 1): a file that tessera-opt reads and that has a composition.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
tessera-opt "$1" 2>/dev/null | grep -q cute.composition && exit 1
exit 0
