// Short spellings of layout values for tests; a text that does not parse fails the test at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/layout/Algebra.h"
#include "tessera/layout/Domains.h"
#include "tessera/layout/Text.h"

#include <gtest/gtest.h>

namespace tessera::layout::test {

template <class T> T parsed(Result<T> value) {
  EXPECT_TRUE(value) << (value ? "" : value.reason().text);
  return value ? *std::move(value) : T();
}

inline Tree tree(std::string_view text, TreeKind kind = TreeKind::Coord) {
  return parsed(parseTree(text, kind));
}
inline Tree shape(std::string_view text) { return tree(text, TreeKind::Shape); }
inline Tree stride(std::string_view text) { return tree(text, TreeKind::Stride); }
inline Layout lay(std::string_view text) { return parsed(parseLayout(text)); }
inline AnyLayout any(std::string_view text) { return parsed(parseAnyLayout(text)); }
inline Tile tile(std::string_view text) { return parsed(parseTile(text)); }
inline Swizzle swizzle(std::string_view text) { return parsed(parseSwizzle(text)); }
/// A leaf as it is spelled: `4`, `?`, `?{i64 div=8}`.
inline Int leaf(std::string_view text) { return tree(text).leaf().value; }

/// What a function returned as text: the value, or "refused: " and the sentence.
template <class T> std::string show(const Result<T> &r) {
  return r ? str(*r) : "refused: " + r.reason().text;
}
inline std::string show(const Result<Sliced> &r) {
  return r ? str(r->layout) + " + " + str(r->offset) : "refused: " + r.reason().text;
}
template <class T> std::string show(const T &value) { return str(value); }

/// The id of the reason, or "" if there is a value.
template <class T> std::string refusal(const Result<T> &r) {
  return r ? std::string() : std::string(r.reason().id);
}

} // namespace tessera::layout::test
