// Which tensors are all that front ends pass of an array.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Spread.h"

#include <algorithm>

namespace tessera::run {

namespace {

class Choice {
public:
  Choice(std::span<const Given> given, const std::vector<bool> &isPointer)
      : given(given), isPointer(isPointer),
        ways(given.size() + 1, std::vector<int>(isPointer.size() + 1)) {
    ways.back().back() = 1;
    for (size_t a = given.size(); a-- > 0;)
      for (size_t p = 0; p < isPointer.size(); ++p) {
        size_t count = sizeOfWhole(a, p);
        ways[a][p] = std::min(2, (isAlone(a, p) ? ways[a + 1][p + 1] : 0) +
                                     (count ? ways[a + 1][p + count] : 0));
      }
  }

  std::vector<bool> chosen() const {
    std::vector<bool> out(given.size());
    bool isOnly = ways[0][0] == 1;
    for (size_t a = 0, p = 0; a < given.size(); ++a) {
      size_t count = isOnly ? sizeOfWhole(a, p) : 0;
      out[a] = isOnly ? count && ways[a + 1][p + count] : given[a].kind == Given::Kind::Tensor;
      p += out[a] ? count : 1;
    }
    return out;
  }

private:
  bool isAlone(size_t a, size_t p) const {
    using enum Given::Kind;
    Given::Kind kind = given[a].kind;
    return kind == Any || isPointer[p] == (kind == Tensor || kind == Pointer);
  }
  /// How many parameters take a tensor as its pointer, extents and strides; 0 if they cannot. A
  /// tensor without dimensions is its pointer alone, which counts as one choice and not as two.
  size_t sizeOfWhole(size_t a, size_t p) const {
    if (given[a].kind != Given::Kind::Tensor || !given[a].rank || !isPointer[p])
      return 0;
    size_t count = 1 + 2 * given[a].rank;
    for (size_t i = p + 1; i < p + count; ++i)
      if (i >= isPointer.size() || isPointer[i])
        return 0;
    return count;
  }

  std::span<const Given> given;
  const std::vector<bool> &isPointer;
  /// In how many ways the arguments from a on are the parameters from p on: 0, 1 or more.
  std::vector<std::vector<int>> ways;
};

} // namespace

std::vector<bool> wholeTensors(std::span<const Given> given, const std::vector<bool> &isPointer) {
  if (given.size() == isPointer.size())
    return std::vector<bool>(given.size());
  return Choice(given, isPointer).chosen();
}

} // namespace tessera::run
