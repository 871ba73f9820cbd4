// Attributes of the `cuda_tile` dialect besides enumerations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_ATTRS_TD
#define TESSERA_CUDA_TILE_ATTRS_TD

include "tessera/cuda_tile/Types.td"

class CudaTile_AttrDef<string name, string mnemonic_, list<Trait> traits = [], string base = "::mlir::Attribute">
  : AttrDef<CudaTile_Dialect, name, traits, base> {
  let mnemonic = mnemonic_;
}
class CudaTile_PredicateDef<string name, string mnemonic>
  : CudaTile_AttrDef<name, mnemonic, [DeclareAttrInterfaceMethods<CudaTile_AssumePredicate>]> {
  let hasCustomAssemblyFormat = 1;
}
def CudaTile_DivByAttr : CudaTile_PredicateDef<"DivBy", "div_by"> {
  let summary = "the value is a multiple of a power of two";
  let description = [{
    With `every e along a`, only the first of each e elements along dimension a is said to be a multiple, and the others follow by 1
    each (pointers: by one element). Pointers count in bytes.
  }];
  let parameters = (ins "uint64_t":$divisor, "std::optional<int64_t>":$every, "std::optional<int64_t>":$along);
}
def CudaTile_SameElementsAttr : CudaTile_PredicateDef<"SameElements", "same_elements"> {
  let summary = "groups of elements are equal: values[i] of them along dimension i";
  let parameters = (ins ArrayRefParameter<"int64_t">:$values);
}
def CudaTile_BoundedAttr : CudaTile_PredicateDef<"Bounded", "bounded"> {
  let summary = "each element is at least the lower and at most the upper bound, read as signed; `?` leaves a bound open";
  let parameters = (ins "std::optional<int64_t>":$lower, "std::optional<int64_t>":$upper);
}
def CudaTile_AnyPredicate : Attr<CPred<"::llvm::isa<::tessera::cuda_tile::AssumePredicate>($_self)">, "assume predicate attribute"> {
  let storageType = "::tessera::cuda_tile::AssumePredicate";
  let returnType = "::tessera::cuda_tile::AssumePredicate";
  let convertFromStorage = "$_self";
}

def CudaTile_OptimizationHintsAttr : CudaTile_AttrDef<"OptimizationHints", "optimization_hints"> {
  let summary = "advice to the compiler: a dictionary for each target, `sm_100 = {latency = 2}`, and for `default`";
  let parameters = (ins "::mlir::DictionaryAttr":$value);
  let hasCustomAssemblyFormat = 1;
}

// Debug information: what a location belongs to.
class CudaTile_DebugInfoDef<string name, string mnemonic> : CudaTile_AttrDef<name, mnemonic>;
def CudaTile_DIFileAttr : CudaTile_DebugInfoDef<"DIFile", "di_file"> {
  let summary = "a source file";
  let parameters = (ins "::mlir::StringAttr":$name, "::mlir::StringAttr":$directory);
  let assemblyFormat = "`<` $name `in` $directory `>`";
}
def CudaTile_DICompileUnitAttr : CudaTile_DebugInfoDef<"DICompileUnit", "di_compile_unit"> {
  let summary = "what was compiled at once";
  let parameters = (ins "::tessera::cuda_tile::DIFileAttr":$file);
  let assemblyFormat = "`<` struct(params) `>`";
}
def CudaTile_DISubprogramAttr : CudaTile_DebugInfoDef<"DISubprogram", "di_subprogram"> {
  let summary = "a function of the source; its linkage name is the symbol of the entry";
  let parameters = (ins "::tessera::cuda_tile::DIFileAttr":$file, "unsigned":$line, "::mlir::StringAttr":$name, "::mlir::StringAttr":$linkageName,
    "::tessera::cuda_tile::DICompileUnitAttr":$compileUnit, DefaultValuedParameter<"unsigned", "0">:$scopeLine);
  let assemblyFormat = "`<` struct(params) `>`";
}
def CudaTile_DILexicalBlockAttr : CudaTile_DebugInfoDef<"DILexicalBlock", "di_lexical_block"> {
  let summary = "a block of the source; its scope is another block or a subprogram";
  let parameters = (ins "::mlir::Attribute":$scope, "::tessera::cuda_tile::DIFileAttr":$file, "unsigned":$line, "unsigned":$column);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}
def CudaTile_DILocAttr : LocationAttrDef<CudaTile_Dialect, "DILoc"> {
  let mnemonic = "di_loc";
  let summary = "a place in the source and the scope that it is in";
  let parameters = (ins "::mlir::LocationAttr":$sourceLoc, "::mlir::Attribute":$scope);
  let assemblyFormat = "`<` $sourceLoc `in` $scope `>`";
  let genVerifyDecl = 1;
}

#endif
