// Algebra operations that need static layouts, and their mistakes. For this room.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_cxx/Node.h"
#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

namespace tessera::cute {

namespace detail {
/// How many neighbours stay neighbours in both layouts, wherever they begin: what a copy may take
/// at once.
int common_vector(const Layout<> &, const Layout<> &, Place);
} // namespace detail

inline Layout<> refusedLayout() { return layoutFrom(dsl::Layout(mlir::Value())); }
inline bool onPointer(const Layout<> &l) { return held<LayoutValue>(l).onPointer; }

/// The result of the algebra; a refusal becomes a mistake.
template <class T>
Layout<> checkedLayout(const char *call, Result<T> result, Place at, bool onPointer = false) {
  if (result)
    return layoutFrom(dsl::Layout(layout::AnyLayout(*std::move(result))), onPointer);
  mistake(call, result.reason().text, at);
  return refusedLayout();
}
/// An operation of the algebra that needs a static layout.
template <class F> Layout<> fixed(const char *call, const Layout<> &l, Place at, F f) {
  dsl::Layout given = layoutOf(l);
  if (given.poisoned())
    return l;
  if (!given.isStatic()) {
    mistake(call, cat("expects a layout that C++ knows while it traces, but got ", l.str()), at);
    return refusedLayout();
  }
  layout::Const arith;
  return checkedLayout(call, f(arith, given.get()), at, onPointer(l));
}
/// An operation on the domain: it applies to the layout without its swizzle, if there is one.
template <class F> Layout<> ofDomain(const char *call, const Layout<> &l, Place at, F f) {
  return fixed(
      call, l, at,
      [&](layout::Arith &arith, const layout::AnyLayout &given) -> Result<layout::AnyLayout> {
        Result<layout::Layout> result = f(arith, given.outer());
        if (!result)
          return result.reason();
        return given.withOuter(*std::move(result));
      });
}
/// An operation that accepts a layout with a swizzle and returns a layout without one.
template <class F> Layout<> ofOuter(const char *call, const Layout<> &l, Place at, F f) {
  return fixed(call, l, at,
               [&](layout::Arith &arith, const layout::AnyLayout &given) -> Result<layout::Layout> {
                 return f(arith, given.outer());
               });
}

} // namespace tessera::cute
