// Versions of the bytecode, and the trait by which an op names the one that it appeared in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/OpDefinition.h"

#include <compare>

namespace tessera::cuda_tile {

struct Version {
  unsigned major, minor;
  friend auto operator<=>(const Version &, const Version &) = default;
};

/// `Since<13, 2>::Impl` is the trait of an op that 13.2 was the first to have.
template <unsigned Major, unsigned Minor> struct Since {
  template <class ConcreteOp> class Impl : public mlir::OpTrait::TraitBase<ConcreteOp, Impl> {
  public:
    static Version getSince() { return {Major, Minor}; }
  };
};

/// The first version that has a type: an element, or one of the dialect's. None for other types.
std::optional<Version> sinceOf(mlir::Type type);

} // namespace tessera::cuda_tile
