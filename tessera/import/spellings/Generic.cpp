// Finding properties of the generic form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/spellings/Generic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using namespace llvm;

namespace tessera::import {

namespace {
/// Ops that have groups of operands in CuTe DSL, and one here.
constexpr StringLiteral ops[] = {"\"cute.memref.load_vec\"("};
} // namespace

/// Whether the text is `1, 0, 0` or the like.
static bool isFirstOnly(StringRef sizes) {
  SmallVector<StringRef> numbers;
  sizes.split(numbers, ',');
  return numbers.front().trim() == "1" &&
         all_of(drop_begin(numbers), [](StringRef size) { return size.trim() == "0"; });
}

std::optional<std::string> withoutEmptyGroups(StringRef text) {
  constexpr StringLiteral begin = "<{operandSegmentSizes = array<i32:", end = ">}>";
  std::optional<std::string> changed;
  for (StringRef op : ops)
    for (size_t at = text.find(op); at != StringRef::npos; at = text.find(op, at + 1)) {
      size_t close = text.find(')', at);
      if (close == StringRef::npos)
        break;
      StringRef rest = text.substr(close + 1).take_until([](char c) { return c == '\n'; });
      StringRef properties = rest.ltrim(' ');
      if (!properties.starts_with(begin))
        continue;
      StringRef sizes = properties.drop_front(begin.size());
      size_t length = sizes.find(end);
      if (length == StringRef::npos || !isFirstOnly(sizes.take_front(length)))
        continue;
      if (!changed)
        changed = text.str();
      size_t from = size_t(properties.data() - text.data());
      std::fill_n(changed->begin() + ptrdiff_t(from), begin.size() + length + end.size(), ' ');
    }
  return changed;
}

} // namespace tessera::import
