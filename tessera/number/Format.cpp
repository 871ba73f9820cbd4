// Finds formats by their names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/number/Format.h"

#include <algorithm>
#include <string>

namespace tessera::number {

namespace {

/// Whether one of the words between blanks is this one.
bool hasWord(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word)
      return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char &c : out)
    c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  return out;
}

template <class F> std::optional<Format> find(F &&is) {
  auto found = std::ranges::find_if(formats(), is);
  return found == formats().end() ? std::nullopt : std::optional(found->format);
}

} // namespace

std::optional<Format> findPtx(std::string_view text) {
  return find([&](const Row &row) { return row.ptx == text; });
}

std::optional<Format> findMlir(std::string_view text) {
  return find([&](const Row &row) { return hasWord(row.mlir, text); });
}

std::optional<Format> findName(std::string_view text) {
  std::string word = lower(text);
  return find(
      [&](const Row &row) { return lower(row.name) == word || hasWord(row.aliases, word); });
}

} // namespace tessera::number
