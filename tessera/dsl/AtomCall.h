// Making atoms and what is tiled with them, in a call. For this room.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/dsl/Call.h"

namespace tessera::dsl {

/// Null, and a mistake, where the context's target lacks the instruction.
mlir::Type onTarget(Call &, mlir::Type);

/// A checked type of the dialect; null after a mistake, among them a target that lacks the
/// instruction.
template <class T, class... Parts> mlir::Type atomType(Call &call, Parts... parts) {
  if (!call.good())
    return {};
  mlir::Type type = call.collecting([&] {
    return T::getChecked([&] { return mlir::emitError(call.location()); }, call.mlirContext(),
                         parts...);
  });
  return onTarget(call, type);
}

// Poisoned for a null type, and after a mistake.
Atom madeAtom(Call &, mlir::Type, mlir::ValueRange fields);
TiledMma tiledMma(Call &, Atom, const Layout &atoms, cute::TileAttr permutation);
TiledCopy tiledCopy(Call &, Atom, const layout::Layout &tv, const layout::Tile &tile);

} // namespace tessera::dsl
