// Builds atoms, tiled MMAs and tiled copies within a Call. For this room.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/dsl/Call.h"

namespace tessera::dsl {

/// The type; null, after recording a mistake, if the context's target lacks the instruction.
mlir::Type onTarget(Call &, mlir::Type);

/// A checked type of the dialect. Null after a mistake; a target that lacks the instruction is one.
template <class T, class... Parts> mlir::Type atomType(Call &call, Parts... parts) {
  if (!call.good())
    return {};
  mlir::Type type = call.collecting([&] {
    return T::getChecked([&] { return mlir::emitError(call.location()); }, call.mlirContext(),
                         parts...);
  });
  return onTarget(call, type);
}

// Each returns a poisoned value for a null type, and after a mistake.
Atom madeAtom(Call &, mlir::Type, mlir::ValueRange fields);
TiledMma tiledMma(Call &, Atom, const Layout &atoms, cute::TileAttr permutation);
TiledCopy tiledCopy(Call &, Atom, const layout::Layout &tv, const layout::Tile &tile);

} // namespace tessera::dsl
