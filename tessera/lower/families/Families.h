// Families: the one table of what atoms become, a row a family.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A family of atoms has a folder here with its recipes (what a call becomes: architecture ops) and
// its patterns (what those become: an NVVM op, an intrinsic or inline PTX). A call finds its recipe
// through its row.
#pragma once

#include "tessera/lower/families/AtomCalls.h"

#include "mlir/Transforms/DialectConversion.h"

namespace tessera::lower {

using CopyBuilder = Result<Done> (*)(CopyCall);
using MmaBuilder = Result<Done> (*)(MmaCall);

struct CopyRecipe {
  atom::CopyFamily family;
  CopyBuilder build;
};
struct MmaRecipe {
  atom::Recipe recipe;
  MmaBuilder build;
};

struct Family {
  std::span<const MmaRecipe> products;
  std::span<const CopyRecipe> copies;
  /// What prefetches become; `dst` of the call is its `src`.
  std::span<const CopyRecipe> prefetches;
  void (*addPatterns)(mlir::RewritePatternSet &, const mlir::TypeConverter &);
};
// Each in its folder.
extern const Family universalFamily, warpFamily, groupFamily, tensorFamily, tmaFamily, bulkFamily;

std::span<const Family *const> families();

/// The recipe of a row; null where nothing lowers it yet.
MmaBuilder productRecipe(const atom::MmaRow &);
CopyBuilder copyRecipe(const atom::CopyRow &);
CopyBuilder prefetchRecipe(const atom::CopyRow &);

} // namespace tessera::lower
