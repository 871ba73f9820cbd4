// Interfaces of the `cuda_tile` dialect: versions, views, predicates of `assume`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUDA_TILE_INTERFACES_TD
#define TESSERA_CUDA_TILE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def CudaTile_VersionedOp : OpInterface<"VersionedOp"> {
  let cppNamespace = "::tessera::cuda_tile";
  let description = [{An op that says in which version of the bytecode it appeared.}];
  let methods = [StaticInterfaceMethod<"The first version that has the op.", "::tessera::cuda_tile::Version", "getSince">];
}

def CudaTile_TileView : TypeInterface<"TileView"> {
  let cppNamespace = "::tessera::cuda_tile";
  let description = [{A view that cuts a tensor into tiles: what loads, stores and reductions through views take.}];
  let methods = [
    InterfaceMethod<"The tile that one access moves, a TileType.", "::mlir::ShapedType", "getViewTileType">,
    InterfaceMethod<"The tensor that the view is of, a TensorViewType.", "::mlir::Type", "getTensorView">,
    InterfaceMethod<"What is read outside of the tensor, a PaddingValueAttr; null where that is unspecified.", "::mlir::Attribute", "getPaddingValue">,
    InterfaceMethod<"Numbers that an index of the view has.", "size_t", "getIndexRank", (ins), "", [{
      return $_type.getViewTileType().getRank();
    }]>,
    InterfaceMethod<"The dimension that is indexed by a tile of row numbers.", "std::optional<int64_t>", "getSparseDim", (ins), "", [{
      return std::nullopt;
    }]>];
  // The types of the dialect are not complete where interfaces are declared.
  let extraClassDeclaration = [{
    /// `getViewTileType` by its type.
    TileType getTile() const;
  }];
}

def CudaTile_AssumePredicate : AttrInterface<"AssumePredicate"> {
  let cppNamespace = "::tessera::cuda_tile";
  let description = [{What an `assume` says about its value.}];
  let methods = [InterfaceMethod<"Whether the predicate may be assumed of a value of this type.", "::llvm::LogicalResult", "verifyFor",
    (ins "::mlir::Type":$type, "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>];
}

#endif
