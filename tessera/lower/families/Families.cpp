// The families, and how a call finds its recipe.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/families/Families.h"

namespace tessera::lower {

static const Family *const all[] = {&universalFamily, &warpFamily, &groupFamily,
                                    &tensorFamily,    &tmaFamily,  &bulkFamily};
std::span<const Family *const> families() { return all; }

MmaBuilder productRecipe(const atom::MmaRow &row) {
  for (const Family *family : families())
    for (const MmaRecipe &recipe : family->products)
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
  for (const Family *family : families())
    if (CopyBuilder build = find(family->copies, row))
      return build;
  return nullptr;
}
CopyBuilder prefetchRecipe(const atom::CopyRow &row) {
  for (const Family *family : families())
    if (CopyBuilder build = find(family->prefetches, row))
      return build;
  return nullptr;
}

} // namespace tessera::lower
