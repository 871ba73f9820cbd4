#!/usr/bin/env python3
"""Prints a kernel of about N operations to stdout, to show how compile time grows: utils/generate-ops.py N

Groups of eight ops: coordinates and views of a global tensor, a load, arithmetic and a store, in straight-line code
with a loop around every 20th group.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

TENSOR = '!cute.memref<f32, gmem, align<16>, "(?,?):(?{i64},1)">'
TILE = '!cute.memref<f32, gmem, align<16>, "(16,8):(?{i64},1)">'


def group(n, index):
    return f"""
      %coord_{n} = cute.make_coord({index}) : (i32) -> !cute.coord<"(?,0)">
      %view_{n} = cute.local_tile(%arg0, %tile, %coord_{n}) : (!tensor, !cute.tile<"[16:1;8:1]">, !cute.coord<"(?,0)">) -> !tile
      %at_{n} = cute.make_coord({index}) : (i32) -> !cute.coord<"(?,1)">
      %x_{n} = cute.memref.load(%view_{n}, %at_{n}) : (!tile, !cute.coord<"(?,1)">) -> f32
      %y_{n} = arith.mulf %x_{n}, %x_{n} : f32
      %to_{n} = cute.make_coord({index}) : (i32) -> !cute.coord<"(?,2)">
      %z_{n} = arith.addf %y_{n}, %x_{n} : f32
      cute.memref.store(%view_{n}, %to_{n}, %z_{n}) : (!tile, !cute.coord<"(?,2)">, f32) -> ()"""


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdecimal():
        sys.exit(__doc__)
    groups = max(1, int(sys.argv[1]) // 8)
    print(f"!tensor = {TENSOR}\n!tile = {TILE}")
    print("""module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @generated(%arg0: !tensor) attributes {cute.kernel} {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %four = arith.constant 4 : i32
      %tile = cute.make_tile() : () -> !cute.tile<"[16:1;8:1]">""")
    for n in range(groups):
        if n % 20 == 0:
            print(f"      scf.for %i_{n} = %zero to %four step %one : i32 {{{group(n, f'%i_{n}')}\n      }}")
        else:
            print(group(n, "%one").lstrip("\n"))
    print("      return\n    }\n  }\n}")


if __name__ == "__main__":
    main()
