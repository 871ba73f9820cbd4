// The results of an op in the profiles that its result types state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/AsStated.h"

#include "tessera/cute/Cute.h"
#include "tessera/layout/Algebra.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::AnyLayout;

namespace {
bool sameProfile(const AnyLayout &a, const AnyLayout &b) {
  if (a.affine() && b.affine())
    return congruent(a.affine()->shape, b.affine()->shape);
  if (!a.composed() || !b.composed())
    return false;
  const layout::Composed &x = *a.composed(), &y = *b.composed();
  return bool(x.swizzle()) == bool(y.swizzle()) && congruent(x.offset, y.offset) &&
         congruent(x.outer.shape, y.outer.shape);
}

/// Whether a result has the form that its type states. Only layouts have forms to choose from.
bool isAsStated(const Datum &result, Type type) {
  const AnyLayout *found = result.anyLayout();
  if (!found)
    return true;
  const Datum declared = datumOf(type);
  const AnyLayout *stated = declared.anyLayout();
  return stated && sameProfile(*found, *stated);
}
} // namespace

Result<Data>
tessera::cute::resultsAsStated(AlgebraOpInterface op, Domain &domain, Data operands,
                               function_ref<layout::Int(int64_t, const layout::Int &)> dynamic) {
  Result<Data> out = op.evaluateWith(domain, operands);
  if (out && !llvm::all_of(llvm::zip(*out, op->getResultTypes()),
                           [](const auto &pair) { return std::apply(isAsStated, pair); })) {
    for (Datum &operand : operands)
      operand.forEachDynamicLeaf([](layout::Int &x) {
        x.mask = ~uint64_t(0);
        x.ones = 0;
      });
    out = op.evaluateWith(domain, operands);
  }
  if (!out)
    return out;
  for (auto [result, type] : llvm::zip(*out, op->getResultTypes()))
    if (!result.as<Opaque>())
      result = conformed(std::move(result), type, dynamic);
  return out;
}
