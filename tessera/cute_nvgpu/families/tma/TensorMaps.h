// TensorMaps: the rules of make_non_exec_tiled_tma_*, in order, and the tensor map that they lead
// to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/TensorMap.h"
#include "tessera/atom/TmaTiling.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"

namespace tessera::cute_nvgpu {

/// What is known of a tensor map at compile time. The layout of the tensor in `request` is that of
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
/// What update_tma_desc has to know: the elements of the tensor map that an atom carries. Empty
/// where it carries none.
std::optional<TensorMapPlan> planOf(mlir::Type atom, cute::CuteMemRefType tensor);

/// The results of such an op for operands of these types. `internal` is what the elements are
/// copied as, if not as what they are.
struct TensorMapTypes {
  mlir::Type atom, coords;
};
Result<TensorMapTypes> loadTypes(mlir::Type tensor, mlir::Type smemLayout, mlir::Type ctaTiler,
                                 atom::TiledLoad kind, int64_t multicast, mlir::Type internal = {});
Result<TensorMapTypes> storeTypes(mlir::Type tensor, mlir::Type smemLayout, mlir::Type ctaTiler);

} // namespace tessera::cute_nvgpu
