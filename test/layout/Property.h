// A property: an operation, random inputs for it, and the law that its results obey.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "test/layout/Laws.h"
#include "test/layout/Random.h"

#include <span>

namespace tessera::layout::test {

/// The arguments of an operation.
struct Values {
  std::vector<AnyLayout> layouts;
  std::vector<Tree> trees; // these two get dynamic leaves
  std::vector<Tree> fixed; // these stay
  std::vector<int64_t> numbers;

  const Layout &outer(size_t i) const { return layouts[i].outer(); }
};

struct Property {
  const char *name;
  Values (*make)(Random &);
  /// A layout has offset 0.
  Result<Sliced> (*run)(Arith &, const Values &);
  /// Values are those of an interpreter, which `Laws` and `Reference` read.
  std::string (*law)(const Laws &, const Reference &, const Values &, const Sliced &);
  /// At least so many of 100 random static inputs must be accepted: else the property says little.
  int accepted;
  /// Whether the law leaves no choice: then a dynamic result is the static one as a function.
  bool unique;
};

std::span<const Property> properties();
/// Of the operations on parts: swizzles after layouts, windows, tiles, vectors, kernels.
std::span<const Property> propertiesOfParts();
std::vector<Property> allProperties();

std::string show(const Values &);
/// Some leaves become inputs of `values` with the same value.
Values loosened(const Values &, Random &, Interp &values);
/// The same values as types state them.
Values asType(const Values &);

} // namespace tessera::layout::test
