// Loops, branches and what ends them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_OPS_CONTROL_FLOW_TD
#define TESSERA_CUDA_TILE_OPS_CONTROL_FLOW_TD

include "tessera/cuda_tile/ops/Base.td"

class CudaTile_RegionOp<string mnemonic, list<Trait> traits = []> : CudaTile_Op<mnemonic, "13, 1", [RecursiveMemoryEffects, OpAsmOpInterface] # traits> {
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def CudaTile_ForOp : CudaTile_RegionOp<"for", [AllTypesMatch<["lowerBound", "upperBound", "step"]>]> {
  let summary = "a loop over numbers from a lower bound up to, not including, an upper bound";
  let description = [{The step is positive. Bounds are compared as signed numbers, or as unsigned ones with `unsigned` (13.2). The body ends in `continue`.}];
  let arguments = (ins CudaTile_IntScalar:$lowerBound, CudaTile_IntScalar:$upperBound, CudaTile_IntScalar:$step, Variadic<AnyType>:$initValues,
    UnitAttr:$unsignedCmp);
  let results = (outs Variadic<AnyType>:$resultValues);
  let regions = (region SizedRegion<1>:$region);
  let extraClassDeclaration = CudaTile_Own.prefix # CudaTile_ResultName<"for">.method # [{
    void getAsmBlockArgumentNames(::mlir::Region &region, ::mlir::OpAsmSetValueNameFn name);
    ::mlir::Block *getBody() { return &getRegion().front(); }
    ::mlir::Value getInductionVar() { return getBody()->getArgument(0); }
    ::mlir::Block::BlockArgListType getRegionIterValues() { return getBody()->getArguments().drop_front(); }
  }];
}
def CudaTile_LoopOp : CudaTile_RegionOp<"loop"> {
  let summary = "a loop that `break` ends";
  let description = [{`continue` passes the next iteration's values, `break` the results; their types may differ.}];
  let arguments = (ins Variadic<AnyType>:$initValues);
  let results = (outs Variadic<AnyType>:$resultValues);
  let regions = (region SizedRegion<1>:$region);
  let extraClassDeclaration = CudaTile_Own.prefix # CudaTile_ResultName<"loop">.method # [{
    void getAsmBlockArgumentNames(::mlir::Region &region, ::mlir::OpAsmSetValueNameFn name);
    ::mlir::Block *getBody() { return &getRegion().front(); }
    ::mlir::Block::BlockArgListType getRegionIterValues() { return getBody()->getArguments(); }
  }];
}
def CudaTile_IfOp : CudaTile_RegionOp<"if", [NoRegionArguments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "one of two blocks";
  let description = [{A block ends in `yield`, or leaves the loop or function around it.}];
  let arguments = (ins CudaTile_BoolScalar:$condition);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$thenRegion, MaxSizedRegion<1>:$elseRegion);
  let hasCanonicalizer = 1;
  let extraClassDeclaration = CudaTile_Own.prefix # CudaTile_ResultName<"if">.method # [{
    ::mlir::Block *getThenBlock() { return &getThenRegion().front(); }
    /// Null where there is none.
    ::mlir::Block *getElseBlock() { return getElseRegion().empty() ? nullptr : &getElseRegion().front(); }
    ::mlir::Operation *getThenTerminator() { return getThenBlock()->getTerminator(); }
    ::mlir::Operation *getElseTerminator() { return getElseBlock() ? getElseBlock()->getTerminator() : nullptr; }
  }];
}

class CudaTile_Terminator<string mnemonic, list<string> parents> : CudaTile_PureOp<mnemonic, "13, 1", [Terminator, ParentOneOf<parents>]> {
  let arguments = (ins Variadic<AnyType>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` custom<ShortTypes>(type($operands)))?";
}
def CudaTile_ContinueOp : CudaTile_Terminator<"continue", ["ForOp", "IfOp", "LoopOp"]> {
  let summary = "goes on with the next iteration of the nearest loop";
  let hasVerifier = 1;
}
def CudaTile_BreakOp : CudaTile_Terminator<"break", ["IfOp", "LoopOp"]> {
  let summary = "ends the nearest `loop`; there must be no `for` in between";
  let hasVerifier = 1;
}
def CudaTile_YieldOp : CudaTile_Terminator<"yield", ["IfOp", "ReduceOp", "ScanOp"]> {
  let summary = "the values of a block";
}
def CudaTile_ReturnOp : CudaTile_Terminator<"return", ["EntryOp", "IfOp", "TestingFuncOp"]> {
  let summary = "ends the function; in an `if`, early; not in loops";
  let hasVerifier = 1;
}

#endif
