// The composed layouts in `A o offset o B`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/eval/Chain.h"

namespace tessera::eval {

using namespace layout;

bool isOffset(const Value &inner, std::span<const Value> rest) {
  const AnyLayout *layout = std::get_if<AnyLayout>(&inner);
  const Tree *between = std::get_if<Tree>(&rest[0]);
  const bool swizzle = std::holds_alternative<Swizzle>(inner),
             inside = swizzle || (layout && layout->affine());
  // A swizzle in the middle becomes a composed layout if something follows it. After a swizzle
  // extents are a layout, as they cannot tile it.
  const bool layoutFollows =
      (rest.size() > 1 && std::holds_alternative<AnyLayout>(rest[1])) ||
      (rest.size() > 1 && swizzle && std::holds_alternative<Tree>(rest[1])) ||
      (rest.size() > 2 && std::holds_alternative<Swizzle>(rest[1]));
  return inside && layoutFollows && between && !hasTruth(*between) && !between->hasUnderscore() &&
         !between->hasBasis();
}

Composed after(const Value &inner, const Tree &offset, Layout outer) {
  Composed made = {{}, offset, std::move(outer)};
  if (const Swizzle *swizzle = std::get_if<Swizzle>(&inner))
    made.inner = *swizzle;
  else
    made.inner = *std::get<AnyLayout>(inner).affine();
  return made;
}

} // namespace tessera::eval
