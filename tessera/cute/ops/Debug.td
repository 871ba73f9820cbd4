// Printing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_OPS_DEBUG_TD
#define TESSERA_CUTE_OPS_DEBUG_TD

include "tessera/cute/ops/Base.td"

def Cute_PrintOp : Cute_Op<"print", [MemoryEffects<[MemWrite]>]> {
  let summary = "prints values";
  let description = [{
    With a format, `{}` stands for the next operand; without, the operand is printed by itself.
    `cute.print("x = {}\n", %x) : i32`, `cute.print(%l) : !cute.layout<"(4,8):(1,4)">`
  }];
  let arguments = (ins Variadic<Cute_Anything>:$values, OptionalAttr<StrAttr>:$fmt);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Cute_PrintfValue : Cute_OneOf<[I32, I64, F64], "an i32, an i64 or an f64">;
def Cute_PrintfOp : Cute_Op<"printf", [MemoryEffects<[MemWrite]>]> {
  let summary = "prints scalars with a C format: what --cute-expand-ops leaves of print";
  let description = [{
    Each conversion of the format takes a value of its type, as nothing checks them where it is printed: of integers `d i u o x X c` an i32, with
    `ll`, `l`, `j`, `z` or `t` an i64; of floats `f F e E g G a A` an f64; `p` an i64. `*` takes an i32. There are no strings.
  }];
  let arguments = (ins Variadic<Cute_PrintfValue>:$values, StrAttr:$format);
  let assemblyFormat = "$format (`,` $values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Cute_PrintViewOp : Cute_Op<"print_view", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "prints a tensor with its elements";
  let arguments = (ins Cute_View:$view, BoolAttr:$is_signed, BoolAttr:$verbose);
  let assemblyFormat = "`(` $view `)` attr-dict `:` qualified(type($view))";
}

#endif
