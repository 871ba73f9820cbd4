// TensorMapCalls: code for ops that make and change tensor maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/lower/expand/Expander.h"
#include "tessera/lower/expand/Runs.h"

namespace tessera::lower {

/// A tensor map made by the host: its atom and the tensor of its coordinates.
struct MappedTensor {
  cute::Opaque atom;
  cute::Datum coords;
};
Result<MappedTensor> tensorMap(Expander &, cute_nvgpu::MakeNonExecTiledTmaLoadOp);
Result<MappedTensor> tensorMap(Expander &, cute_nvgpu::MakeNonExecTiledTmaStoreOp);
Result<MappedTensor> tensorMap(Expander &, cute_nvgpu::MakeNonExecTiledTmaReduceOp);
/// Writes another tensor's address, extents and strides into a tensor map in memory.
Result<Done> updateTensorMap(Expander &, cute_nvgpu::UpdateTmaDescOp);

} // namespace tessera::lower
