// Programs: texts of tile programs with places to fill in, and arrays for them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Comparison.h"

#include "tessera/base/Result.h"

#include <random>
#include <utility>
#include <vector>

namespace tessera::tile_lower::test {

inline std::string str(int64_t number) { return std::to_string(number); }
inline std::string replaced(std::string text, const std::string &what, const std::string &by) {
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}
/// Names in braces become their numbers or words: {M}.
inline std::string filledIn(std::string text,
                            const std::vector<std::pair<std::string, std::string>> &words) {
  for (const auto &[name, word] : words)
    text = replaced(text, cat("{", name, "}"), word);
  return text;
}

/// Integers of magnitude up to `most`.
inline Array integers(const std::string &type, int64_t count, unsigned seed, int most = 3) {
  using namespace tile_eval;
  Array out = newArray(kindNamed(type), size_t(count));
  std::mt19937 random(seed);
  for (size_t i = 0; i < out.size(); ++i) {
    int64_t number = int64_t(random() % unsigned(2 * most + 1)) - most;
    out.setCode(i, isFloat(out.kind) ? encode(out.kind, double(number))
                                     : uint64_t(number) & lowBits(bitsOf(out.kind)));
  }
  return out;
}

} // namespace tessera::tile_lower::test
