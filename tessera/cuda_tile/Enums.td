// Enumerations of the `cuda_tile` dialect. Their keywords and numbers are those of the bytecode:
// CMake makes EnumCases.td of tile_bytecode/Enums.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_ENUMS_TD
#define TESSERA_CUDA_TILE_ENUMS_TD

include "tessera/cuda_tile/Dialect.td"
include "mlir/IR/EnumAttr.td"
include "tessera/cuda_tile/EnumCases.td"

class CudaTile_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tessera::cuda_tile";
}
// Written `#cuda_tile.NAME<zero>`.
class CudaTile_EnumInfo<string name, string summary, list<I32EnumAttrCase> cases> : CudaTile_Enum<name, summary, cases> {
  let genSpecializedAttr = 0;
}
class CudaTile_EnumAttr<EnumAttrInfo info, string mnemonic> : EnumAttr<CudaTile_Dialect, info, mnemonic> {
  let assemblyFormat = "`<` $value `>`";
}

def CudaTile_Signedness : CudaTile_EnumInfo<"Signedness", "how an integer is read", CudaTile_SignednessCases>;
def CudaTile_SignednessAttr : CudaTile_EnumAttr<CudaTile_Signedness, "signedness">;

def CudaTile_IntegerOverflow : CudaTile_EnumInfo<"IntegerOverflow", "wrap-arounds that the program promises not to happen", CudaTile_IntegerOverflowCases>;
def CudaTile_IntegerOverflowAttr : CudaTile_EnumAttr<CudaTile_IntegerOverflow, "overflow">;

def CudaTile_RoundingMode : CudaTile_EnumInfo<"RoundingMode", "how a result is rounded", CudaTile_RoundingModeCases>;
def CudaTile_RoundingModeAttr : CudaTile_EnumAttr<CudaTile_RoundingMode, "rounding">;

def CudaTile_ComparisonPredicate : CudaTile_EnumInfo<"ComparisonPredicate", "what a comparison asks", CudaTile_ComparisonPredicateCases>;
def CudaTile_ComparisonPredicateAttr : CudaTile_EnumAttr<CudaTile_ComparisonPredicate, "comparison_predicate">;

def CudaTile_ComparisonOrdering : CudaTile_EnumInfo<"ComparisonOrdering", "what a comparison with a NaN answers: ordered false, unordered true", CudaTile_ComparisonOrderingCases>;
def CudaTile_ComparisonOrderingAttr : CudaTile_EnumAttr<CudaTile_ComparisonOrdering, "comparison_ordering">;

def CudaTile_PaddingValue : CudaTile_EnumInfo<"PaddingValue", "what a load through a view yields outside of the tensor", CudaTile_PaddingValueCases>;
def CudaTile_PaddingValueAttr : CudaTile_EnumAttr<CudaTile_PaddingValue, "padding_value">;

def CudaTile_SymbolVisibility : CudaTile_EnumInfo<"SymbolVisibility", "who may refer to a global", CudaTile_SymbolVisibilityCases>;
def CudaTile_SymbolVisibilityAttr : CudaTile_EnumAttr<CudaTile_SymbolVisibility, "symbol_visibility">;

// These three are plain numbers in the generic form.
def CudaTile_AtomicRMWMode : CudaTile_Enum<"AtomicRMWMode", "what an atomic update does", CudaTile_AtomicRMWModeCases>;
def CudaTile_MemoryScope : CudaTile_Enum<"MemoryScope", "between whom an access is ordered", CudaTile_MemoryScopeCases>;
def CudaTile_MemoryOrdering : CudaTile_Enum<"MemoryOrderingSemantics", "how an access is ordered between tile blocks", CudaTile_MemoryOrderingSemanticsCases>;

#endif
