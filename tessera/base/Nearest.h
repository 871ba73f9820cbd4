// Nearest: the known name that an unknown name was probably meant to be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

/// Levenshtein's distance; names are short.
inline size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

/// The most edits between a name and the one that was meant; 0: too long to be considered.
constexpr size_t editsOf(std::string_view name) {
  constexpr size_t longest = 40;
  return name.size() >= longest ? 0 : std::min<size_t>(name.size() / 3 + 1, 4);
}

/// Among the names with the fewest edits, the first with the longest common beginning; empty if
/// none is near.
template <class Names> std::string_view nearestOf(std::string_view name, const Names &names) {
  std::string_view nearest;
  const size_t most = editsOf(name);
  size_t fewest = most + 1, longest = 0;
  for (std::string_view other : names) {
    const size_t edits = most ? editDistance(name, other) : 1;
    const auto same = size_t(
        std::mismatch(name.begin(), name.end(), other.begin(), other.end()).first - name.begin());
    if (edits > most || (edits == fewest ? same <= longest : edits > fewest))
      continue;
    nearest = other;
    fewest = edits;
    longest = same;
  }
  return nearest;
}

} // namespace tessera
