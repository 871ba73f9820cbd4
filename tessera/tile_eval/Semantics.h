// Semantics: what each op demands of its types, and what it does. One row for each op.
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
  /// Null for control flow, which TileBlock.cpp has.
  Status (*run)(Step &) = nullptr;
  /// What the signature cannot say; may be null.
  std::optional<std::string> (*check)(const Signed &) = nullptr;
  /// Each element of the result comes from the elements at its place: a combiner of such ops runs
  /// for many elements at once.
  bool isElementwise = false;
};

/// The row of an op.
const Semantics &semanticsOf(Op);

/// The tables, one of a file.
std::span<const Semantics> arithmeticRows(); // Floats.cpp
std::span<const Semantics> integerRows();    // Integers.cpp
std::span<const Semantics> conversionRows(); // Conversions.cpp
std::span<const Semantics> shapeRows();      // Shapes.cpp
std::span<const Semantics> productRows();    // Products.cpp
std::span<const Semantics> reductionRows();  // Reductions.cpp
std::span<const Semantics> memoryRows();     // Pointers.cpp
std::span<const Semantics> viewRows();       // Views.cpp
std::span<const Semantics> otherRows();      // Others.cpp

/// Checks all instructions of a function; the sentence begins with the op. What passes can be run
/// without another look at types.
Status verify(const Program &, const tile_bytecode::Function &);

} // namespace tessera::tile_eval
