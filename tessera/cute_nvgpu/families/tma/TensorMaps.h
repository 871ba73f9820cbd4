// TensorMaps: the rules of make_non_exec_tiled_tma_*, in order, and the resulting tensor map.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/TensorMap.h"
#include "tessera/atom/TmaTiling.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

namespace tessera::cute_nvgpu {

/// The facts about a tensor map at compile time. The layout of the tensor in `request` is that of
/// its type.
struct TensorMapPlan {
  atom::TmaRequest request;
  atom::TmaTiling tiling;
  atom::TensorMapType format;
  atom::TensorMapSwizzle swizzle;
};

/// The plan, or the first rule that the op breaks.
Result<TensorMapPlan> planOf(MakeNonExecTiledTmaLoadOp);
Result<TensorMapPlan> planOf(MakeNonExecTiledTmaStoreOp);
Result<TensorMapPlan> planOf(MakeNonExecTiledTmaReduceOp);
/// The facts that update_tma_desc needs: the elements of the tensor map in an atom. Empty if the
/// atom has none.
std::optional<TensorMapPlan> planOf(mlir::Type atom, cute::CuteMemRefType tensor);

/// The result types of such an op for operands of these types. `internal` is the element type to
/// copy as, if not the tensor's own.
struct TensorMapTypes {
  mlir::Type atom, coords;
};
Result<TensorMapTypes> loadTypes(mlir::Type tensor, mlir::Type smemLayout, mlir::Type ctaTiler,
                                 atom::TiledLoad kind, int64_t multicast, mlir::Type internal = {});
Result<TensorMapTypes> storeTypes(mlir::Type tensor, mlir::Type smemLayout, mlir::Type ctaTiler);

/// The result types that follow from the operands of such an op, whose atom is written as it states
/// it.
Result<TensorMapTypes> followingTypes(MakeNonExecTiledTmaLoadOp);
Result<TensorMapTypes> followingTypes(MakeNonExecTiledTmaStoreOp);
Result<TensorMapTypes> followingTypes(MakeNonExecTiledTmaReduceOp);
/// An executable atom that moves what `carrier`, an atom with its tensor map, does; else as stated.
mlir::Type executableLike(mlir::Type carrier, mlir::Type stated);
/// The executable atom of a tiled load, store or reduction with its tensor map; null for any other
/// type.
mlir::Type executableOf(mlir::Type carrier);

} // namespace tessera::cute_nvgpu
