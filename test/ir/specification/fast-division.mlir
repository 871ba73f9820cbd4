// cute.fast_divmod lowered and run: quotients and remainders are those of long division.
// RUN: tessera run %s --entry f --arg i32:1000000007 --arg i32:7 | FileCheck %s --check-prefix=A
// RUN: tessera run %s --entry f --arg i32:2147483647 --arg i32:1 | FileCheck %s --check-prefix=B
// RUN: tessera run %s --entry f --arg i32:2147483646 --arg i32:2147483647 | FileCheck %s --check-prefix=C
// RUN: tessera-opt %s --cute-desugar --cute-expand-ops --convert-cute-to-llvm | FileCheck %s
// A: 142857143 6 142857143
// B: 2147483647 0 2147483647
// C: 0 2147483646 0
// CHECK-NOT: cute.fast_divmod
func.func @f(%n: i32, %by: i32) {
  %d = cute.fast_divmod.create_divisor(%by) : i32 -> !cute.fast_divmod_divisor<32>
  %q, %r = cute.fast_divmod.compute(%n, %d) : i32, !cute.fast_divmod_divisor<32> -> i32
  // The same by the divisor's parts, put together again.
  %number = cute.fast_divmod.get_divisor(%d) : !cute.fast_divmod_divisor<32>
  %multiplier, %shift1, %shift2 = cute.fast_divmod.get_aux(%d) : !cute.fast_divmod_divisor<32> -> (i32, i8)
  %again = cute.fast_divmod.make_divisor(%number, %multiplier, %shift1, %shift2) : i32 -> !cute.fast_divmod_divisor<32>
  %q2 = cute.fast_divmod.divide(%n, %again) : i32, !cute.fast_divmod_divisor<32> -> i32
  cute.print("{} {} {}\n", %q, %r, %q2) : i32, i32, i32
  return
}
