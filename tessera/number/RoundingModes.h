// RoundingModes: how the rounding modes of tile programs round.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/number/Code.h"

namespace tessera::number {

/// The rounding of a mode: of tile_bytecode::RoundingMode or of cuda_tile::RoundingMode, which have
/// the same names. Approx, Full and NearestIntToZero choose among instructions, and round to the
/// nearest.
template <class Mode> constexpr Rounding roundingOf(Mode mode) {
  switch (mode) {
  case Mode::Zero: return Rounding::Zero;
  case Mode::NegativeInf: return Rounding::Down;
  case Mode::PositiveInf: return Rounding::Up;
  case Mode::NearestAway: return Rounding::NearestAway;
  default: return Rounding::NearestEven;
  }
}

} // namespace tessera::number
