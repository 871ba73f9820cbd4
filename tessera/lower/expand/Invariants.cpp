// Values that loops and branches only pass on, found through what they yield.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/expand/Invariants.h"

using namespace mlir;
using namespace tessera::lower;

Value Invariants::source(Value v) {
  auto result = dyn_cast<OpResult>(v);
  if (!result || !isa<scf::ForOp, scf::IfOp>(result.getOwner()))
    return v;
  if (auto it = sources.find(v); it != sources.end())
    return it->second;
  Value found = v;
  if (auto loop = dyn_cast<scf::ForOp>(result.getOwner())) {
    if (isInvariant(loop, result.getResultNumber()))
      found = source(loop.getInitArgs()[result.getResultNumber()]);
  } else {
    auto branch = cast<scf::IfOp>(result.getOwner());
    Value a = source(branch.thenYield().getOperand(result.getResultNumber()));
    Value b = source(branch.elseYield().getOperand(result.getResultNumber()));
    bool inside = a.getDefiningOp() && branch->isProperAncestor(a.getDefiningOp());
    if (a == b && !inside)
      found = a;
  }
  sources[v] = found;
  return found;
}

bool Invariants::isInvariant(scf::ForOp loop, unsigned i) {
  return source(loop.getYieldedValues()[i]) == loop.getRegionIterArg(i);
}
