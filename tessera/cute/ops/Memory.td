// Ops that reach into memory: allocation, loads, stores and pointer arithmetic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_OPS_MEMORY_TD
#define TESSERA_CUTE_OPS_MEMORY_TD

include "tessera/cute/ops/Base.td"

def Cute_AddOffsetOp : Cute_AlgebraOp<"add_offset", "; (Q, Q) -> Q"> {
  let summary = "the iterator some elements further";
  let description = [{
    The alignment of a pointer becomes what the offset's divisor leaves of it. Of a descriptor iterator the index moves: forward,
    or back by a negative offset.
  }];
  let arguments = (ins Cute_Movable:$iter, Cute_IntTuple:$offset);
  let results = (outs Cute_Movable:$result);
}

def Cute_DerefArithTupleIterOp : Cute_AlgebraOp<"deref_arith_tuple_iter", "; (Q) -> Q"> {
  let summary = "the coordinate that an arithmetic tuple iterator holds";
  let arguments = (ins Cute_ArithTupleIter:$iter);
  let results = (outs Cute_IntTuple:$result);
}

class Cute_PtrCastOp<string mnemonic, dag ins, dag outs> : Cute_Op<mnemonic, [Pure]> {
  let arguments = ins;
  let results = outs;
  let assemblyFormat = "`(` operands `)` attr-dict `:` type(operands) `to` type(results)";
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Cute_RecastIterOp : Cute_PtrCastOp<"recast_iter", (ins Cute_Ptr:$iter), (outs Cute_Ptr:$result)> {
  let summary = "the same address as a pointer to another element type or with another swizzle";
}
def Cute_IntToPtrOp : Cute_PtrCastOp<"inttoptr",
    (ins Cute_Integer:$address), (outs Cute_Ptr:$result)> {
  let summary = "pointer from an address";
}
def Cute_PtrToIntOp : Cute_PtrCastOp<"ptrtoint", (ins Cute_Ptr:$iter), (outs Cute_PlainInteger:$result)> {
  let summary = "address of a pointer";
}

def Cute_ApplySwizzleOp : Cute_Op<"apply_swizzle", [Pure, AllTypesMatch<["iter", "result"]>]> {
  let summary = "the address that an access through a pointer reaches";
  let description = [{
    Ops of `cute_nvgpu.arch` take addresses as they are; this op makes one for them of a swizzled pointer. The attribute names another
    swizzle than that of the type. The result has the type of the operand and is swizzled already, so loads, stores and copies, which
    swizzle addresses themselves, do not take it.
  }];
  let arguments = (ins Cute_Ptr:$iter, OptionalAttr<Cute_SwizzleAttr>:$swizzle);
  let results = (outs Cute_Ptr:$result);
  let assemblyFormat = "`(` $iter `)` attr-dict `:` qualified(type($iter))";
  let hasFolder = 1;
}

def Cute_AssumeOp : Cute_Op<"assume", [Pure]> {
  let summary = "an integer that is known to be a multiple of a number";
  let arguments = (ins Cute_Integer:$value);
  let results = (outs Cute_ConstrainedInteger:$result);
  let assemblyFormat = "`(` $value `)` attr-dict `:` functional-type($value, $result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Cute_MemRefAllocaOp : Cute_Op<"memref.alloca", [MemoryEffects<[MemAlloc]>]> {
  let summary = "registers, or local memory if they are indexed dynamically";
  let arguments = (ins Optional<Cute_AnyLayout>:$layout);
  let results = (outs Cute_MemRef:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Cute_MemRefLoadOp : Cute_Op<"memref.load", [MemoryEffects<[MemRead]>]> {
  let summary = "the element at a coordinate";
  let arguments = (ins Cute_MemRef:$view, Cute_Coord:$coord);
  let results = (outs Cute_Anything:$result);
  let assemblyFormat = "`(` $view `,` $coord `)` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Cute_MemRefStoreOp : Cute_Op<"memref.store", [MemoryEffects<[MemWrite]>]> {
  let summary = "stores an element at a coordinate";
  let arguments = (ins Cute_MemRef:$view, Cute_Coord:$coord, Cute_Anything:$value);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def Cute_MemRefLoadVecOp : Cute_Op<"memref.load_vec", [MemoryEffects<[MemRead]>]> {
  let summary = "all elements of a tensor as a vector, in the order of its coordinates";
  let arguments = (ins Cute_MemRef:$view);
  let results = (outs AnyVectorOfNonZeroRank:$result);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def Cute_MemRefStoreVecOp : Cute_Op<"memref.store_vec", [MemoryEffects<[MemWrite]>]> {
  let summary = "stores a vector to a tensor, in the order of its coordinates";
  let arguments = (ins AnyVectorOfNonZeroRank:$value, Cute_MemRef:$view);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

// `offset` is in elements of the pointer's type; the value may span several elements. `alignment` is in bytes;
// without it, it is what the pointer's type leaves at the offset.
def Cute_PtrLoadOp : Cute_Op<"ptr.load", [MemoryEffects<[MemRead]>]> {
  let summary = "loads a value from an address";
  let arguments = (ins Cute_Ptr:$ptr, DefaultValuedAttr<I64Attr, "0">:$offset, OptionalAttr<ConfinedAttr<I64Attr, [IntPowerOf2]>>:$alignment);
  let results = (outs Cute_Anything:$result);
  let assemblyFormat = "`(` $ptr `)` attr-dict `:` functional-type($ptr, $result)";
}
def Cute_PtrStoreOp : Cute_Op<"ptr.store", [MemoryEffects<[MemWrite]>]> {
  let summary = "stores a value to an address";
  let arguments = (ins Cute_Ptr:$ptr, Cute_Anything:$value, DefaultValuedAttr<I64Attr, "0">:$offset,
                   OptionalAttr<ConfinedAttr<I64Attr, [IntPowerOf2]>>:$alignment);
  let assemblyFormat = "`(` operands `)` attr-dict `:` functional-type(operands, results)";
}

//===--- Fast division ------------------------------------------------------------------------===//

def Cute_FastDivmodCreateDivisorOp : Cute_Op<"fast_divmod.create_divisor", [Pure]> {
  let summary = "precomputes multiplier and shifts for division by a number known only at run time";
  let arguments = (ins Cute_PlainInteger:$divisor);
  let results = (outs Cute_FastDivmodDivisor:$result);
  let assemblyFormat = "`(` $divisor `)` attr-dict `:` qualified(type($divisor)) `->` qualified(type($result))";
  let hasVerifier = 1;
}
def Cute_FastDivmodComputeOp : Cute_Op<"fast_divmod.compute", [Pure]> {
  let summary = "quotient and remainder by multiplication and shift";
  let arguments = (ins Cute_PlainInteger:$dividend, Cute_FastDivmodDivisor:$divisor);
  let results = (outs Cute_PlainInteger:$quotient, Cute_PlainInteger:$remainder);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def Cute_FastDivmodDivideOp : Cute_Op<"fast_divmod.divide", [Pure, AllTypesMatch<["dividend", "quotient"]>]> {
  let summary = "the quotient alone";
  let arguments = (ins Cute_PlainInteger:$dividend, Cute_FastDivmodDivisor:$divisor);
  let results = (outs Cute_PlainInteger:$quotient);
  let assemblyFormat = [{`(` $dividend `,` $divisor `)` attr-dict `:` type($dividend) `,` qualified(type($divisor)) `->` type($quotient)}];
  let hasVerifier = 1;
}
// The parts of a divisor, as CuteDesugar of CuTe DSL leaves them: q = (t + ((n - t) >> shift1)) >> shift2, with t the high half of
// multiplier * n.
def Cute_FastDivmodMakeDivisorOp : Cute_Op<"fast_divmod.make_divisor", [Pure, AllTypesMatch<["divisor", "multiplier"]>]> {
  let summary = "a divisor of its parts";
  let arguments = (ins Cute_PlainInteger:$divisor, Cute_PlainInteger:$multiplier, I8:$shift1, I8:$shift2);
  let results = (outs Cute_FastDivmodDivisor:$result);
  let assemblyFormat = "`(` operands `)` attr-dict `:` type($divisor) `->` qualified(type($result))";
  let hasVerifier = 1;
}
def Cute_FastDivmodGetDivisorOp
    : Cute_Op<"fast_divmod.get_divisor", [Pure, TypesMatchWith<"the result has the bits of the divisor", "divisor", "result",
        "::mlir::IntegerType::get($_ctxt, ::llvm::cast<FastDivmodDivisorType>($_self).getWidth())">]> {
  let summary = "the number that a divisor divides by";
  let arguments = (ins Cute_FastDivmodDivisor:$divisor);
  let results = (outs Cute_PlainInteger:$result);
  let assemblyFormat = "`(` $divisor `)` attr-dict `:` qualified(type($divisor))";
}
def Cute_FastDivmodGetAuxOp : Cute_Op<"fast_divmod.get_aux", [Pure, AllTypesMatch<["shift1", "shift2"]>]> {
  let summary = "multiplier and shifts of a divisor";
  let arguments = (ins Cute_FastDivmodDivisor:$divisor);
  let results = (outs Cute_PlainInteger:$multiplier, I8:$shift1, I8:$shift2);
  let assemblyFormat = "`(` $divisor `)` attr-dict `:` qualified(type($divisor)) `->` `(` type($multiplier) `,` type($shift1) `)`";
  let hasVerifier = 1;
}

#endif
