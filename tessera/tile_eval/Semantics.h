// Semantics: the requirements of each op on its types, and its effect. One row for each op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/tile_eval/Signature.h"
#include "tessera/tile_eval/Step.h"

namespace tessera::tile_eval {

/// A row of a table of semantics.
struct Semantics {
  Op op;
  /// See Signature.h.
  std::string_view signature;
  /// Null for control flow, which TileBlock.cpp runs.
  Status (*run)(Step &) = nullptr;
  /// Checks beyond the signature; may be null.
  std::optional<std::string> (*check)(const Signed &) = nullptr;
  /// Whether each element of the result depends only on the elements in the same place: a combiner
  /// of such ops runs for many elements at once.
  bool isElementwise = false;
};

/// The row of an op.
const Semantics &semanticsOf(Op);

/// The tables, one per file.
std::span<const Semantics> arithmeticRows(); // Floats.cpp
std::span<const Semantics> integerRows();    // Integers.cpp
std::span<const Semantics> conversionRows(); // Conversions.cpp
std::span<const Semantics> shapeRows();      // Shapes.cpp
std::span<const Semantics> productRows();    // Products.cpp
std::span<const Semantics> reductionRows();  // Reductions.cpp
std::span<const Semantics> memoryRows();     // Pointers.cpp
std::span<const Semantics> viewRows();       // Views.cpp
std::span<const Semantics> otherRows();      // Others.cpp

/// Checks all instructions of a function; the message begins with the op. A function that passes
/// can be run without further checks of types.
Status verify(const Program &, const tile_bytecode::Function &);

} // namespace tessera::tile_eval
