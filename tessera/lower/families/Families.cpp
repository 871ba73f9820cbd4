// The units, and how a call finds its recipe.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/families/Families.h"

namespace tessera::lower {

static const Unit *const all[] = {&universalUnit, &warpUnit, &groupUnit,
                                  &tensorUnit,    &tmaUnit,  &bulkUnit};
std::span<const Unit *const> units() { return all; }

MmaBuilder productRecipe(const atom::MmaRow &row) {
  for (const Unit *unit : units())
    for (const MmaRecipe &recipe : unit->products)
      if (recipe.recipe == row.recipe)
        return recipe.build;
  return nullptr;
}

static CopyBuilder find(std::span<const CopyRecipe> recipes, const atom::CopyRow &row) {
  for (const CopyRecipe &recipe : recipes)
    if (recipe.family == row.key.family)
      return recipe.build;
  return nullptr;
}
CopyBuilder copyRecipe(const atom::CopyRow &row) {
  for (const Unit *unit : units())
    if (CopyBuilder build = find(unit->copies, row))
      return build;
  return nullptr;
}
CopyBuilder prefetchRecipe(const atom::CopyRow &row) {
  for (const Unit *unit : units())
    if (CopyBuilder build = find(unit->prefetches, row))
      return build;
  return nullptr;
}

} // namespace tessera::lower
