// cute.fast_divmod lowered and run: quotients and remainders are those of long division.
// RUN: tessera run %s --entry f --arg i32:1000000007 --arg i32:7 | FileCheck %s --check-prefix=A
// RUN: tessera run %s --entry f --arg i32:2147483647 --arg i32:1 | FileCheck %s --check-prefix=B
// RUN: tessera run %s --entry f --arg i32:2147483646 --arg i32:2147483647 | FileCheck %s --check-prefix=C
// RUN: tessera-opt %s --cute-desugar --cute-expand-ops --convert-cute-to-llvm | FileCheck %s
// A: 142857143 6
// B: 2147483647 0
// C: 0 2147483646
// CHECK-NOT: cute.fast_divmod
func.func @f(%n: i32, %by: i32) {
  %d = cute.fast_divmod.create_divisor(%by) : i32 -> !cute.fast_divmod_divisor<32>
  %q, %r = cute.fast_divmod.compute(%n, %d) : i32, !cute.fast_divmod_divisor<32> -> i32
  cute.print("{} {}\n", %q, %r) : i32, i32
  return
}
