// What ops of the `cuda_tile` dialect share: versions, families, assembly.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_OPS_BASE_TD
#define TESSERA_CUDA_TILE_OPS_BASE_TD

include "tessera/cuda_tile/Attrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class CudaTile_Since<string version> : ParamNativeOpTrait<"Since", version> {
  let cppNamespace = "::tessera::cuda_tile";
}
// `since` is the version of the bytecode that an op appeared in: "13, 1".
class CudaTile_Op<string mnemonic, string since, list<Trait> traits = []>
  : Op<CudaTile_Dialect, mnemonic, traits # [CudaTile_Since<since>, CudaTile_VersionedOp]>;
class CudaTile_PureOp<string mnemonic, string since, list<Trait> traits = []> : CudaTile_Op<mnemonic, since, [Pure] # traits>;
// An op without effects that may be undefined behaviour: it must not be moved to where the program would not have run it.
class CudaTile_GuardedOp<string mnemonic, string since, list<Trait> traits = []>
  : CudaTile_Op<mnemonic, since, [NoMemoryEffect] # traits>;

// Ops and types in the regions of an op print without the prefix of the dialect.
class CudaTile_Methods { string prefix = [{
    static ::llvm::StringRef getDefaultDialect() { return "cuda_tile"; }
  }]; }
def CudaTile_Own : CudaTile_Methods;
// Results are printed under this name: `%tview_3`.
class CudaTile_ResultName<string name> {
  string method = "void getAsmResultNames(::mlir::OpAsmSetValueNameFn name) { ::tessera::cuda_tile::nameResults(*this, \"" # name # "\", name); }\n";
}

class CudaTile_SameElementType<list<string> names> : PredOpTrait<
    "all of {" # !interleave(names, ", ") # "} have the same element type",
    AllMatchSameOperatorPred<names, ElementType<"_self">.result>>;

// Elementwise ops have one type for all operands and the result, which is printed once.
class CudaTile_Elementwise<string mnemonic, string since, list<string> values, list<Trait> traits = []>
  : CudaTile_PureOp<mnemonic, since, [AllTypesMatch<values>] # traits>;
class CudaTile_Unary<string mnemonic, string since, Type type> : CudaTile_Elementwise<mnemonic, since, ["source", "result"]> {
  let arguments = (ins type:$source);
  let results = (outs type:$result);
  let assemblyFormat = "$source attr-dict `:` custom<ShortType>(type($result))";
}
class CudaTile_Binary<string mnemonic, string since, Type type, list<Trait> traits = []>
  : CudaTile_Elementwise<mnemonic, since, ["lhs", "rhs", "result"], traits> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<ShortType>(type($result))";
}
class CudaTile_Rounding<string mode> : DefaultValuedAttr<CudaTile_RoundingModeAttr, "::tessera::cuda_tile::RoundingMode::" # mode>;
def CudaTile_Overflow : DefaultValuedAttr<CudaTile_IntegerOverflowAttr, "::tessera::cuda_tile::IntegerOverflow::None">;

// One operand, one result, both types printed.
class CudaTile_Conversion<string mnemonic, string since, Type from, Type to, list<Trait> traits = []> : CudaTile_PureOp<mnemonic, since, traits> {
  let arguments = (ins from:$source);
  let results = (outs to:$result);
  let assemblyFormat = "$source attr-dict `:` custom<ShortType>(type($source)) `->` custom<ShortType>(type($result))";
}

#endif
