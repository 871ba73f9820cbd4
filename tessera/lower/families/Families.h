// Families: the table of the code for atoms, one row per family.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A family of atoms covers one kind of hardware unit: `universal`, `warp`, `group`, `tensor`,
// `tma`, `bulk`. It has a folder here and one with the same name in cute_nvgpu/families. An atom
// call is lowered in two steps here:
//
//   cute.mma_atom_call, cute.copy_atom_call
//     |  Recipes.cpp, in cute-expand-atom-calls: pointers and registers as the operands of an arch
//     |  op. The row that the atom's type stands for says how many and of which type.
//   cute_nvgpu.arch.mma.SM80, ...
//     |  Patterns.cpp, in convert-cute-nvgpu-to-nvvm: an NVVM op, an intrinsic or inline PTX, as
//     |  the row's route says.
//   nvvm.mma.sync, ...
//
// Adding an instruction to a family is a row in atom/tiers, and nothing here. Adding a family, say
// the sparse product of SM120, is an atom type and an arch op in cute_nvgpu, and here
//
//   1. in warp/Recipes.cpp, the op among `warpOps`, beside the family of its rows:
//        {atom::MmaFamily::Sm120MmaSp, ArchMmaSm120SparseOp::getOperationName()},
//      or a recipe of its own in `products` or `copies` where calls become something else:
//        {atom::Recipe::MmaSparse, warpMma},
//   2. in warp/Patterns.cpp, the op among those that the pattern takes.
//
// Adding a unit is a folder with the two files, whose last line in Recipes.cpp is the row
//
//   const Unit warpUnit = {products, copies, {}, addWarpPatterns};
//
// its name below and in the table of Families.cpp, its files in lower/CMakeLists.txt, and its half
// of cute_nvgpu. docs/architecture.md, "A family of atoms", has that half, and who outside lists
// units. A row without a recipe is refused with a sentence, not skipped. What tests a family:
// test/ir/ops-*.mlir (text), pass-expand-atom-calls.mlir (recipes), pass-nvgpu-to-nvvm.mlir and
// test/lower (patterns; products are run on the simulator against a definition).
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

struct Unit {
  std::span<const MmaRecipe> products;
  std::span<const CopyRecipe> copies;
  /// Recipes of prefetches; in these calls `dst` equals `src`.
  std::span<const CopyRecipe> prefetches;
  void (*addPatterns)(mlir::RewritePatternSet &, const mlir::TypeConverter &);
  /// An instruction, for which targets without it do not get the patterns; "" is for all.
  std::string_view instruction = "";
};
// Each in its folder.
extern const Unit universalUnit, warpUnit, groupUnit, tensorUnit, tmaUnit, bulkUnit;

std::span<const Unit *const> units();

/// The recipe of a row; null if there is none yet.
MmaBuilder productRecipe(const atom::MmaRow &);
CopyBuilder copyRecipe(const atom::CopyRow &);
CopyBuilder prefetchRecipe(const atom::CopyRow &);

} // namespace tessera::lower
