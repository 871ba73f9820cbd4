// Advice: what programs said about ranges of managed memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cuda_driver/Types.h"

#include <iterator>
#include <map>
#include <set>
#include <vector>

namespace tessera::cuda_driver {

struct Advice {
  bool isReadMostly = false;
  Location preferred{}, prefetched{};
  std::set<DeviceOrdinal> accessedBy{};
};

/// The advice for each address, as pieces that begin where something changed.
class AdviceByRange {
public:
  template <class Change> void change(DevicePointer start, size_t bytes, Change &&change) {
    auto first = cut(start), end = cut(start + bytes);
    for (auto piece = first; piece != end; ++piece)
      change(piece->second);
  }
  /// The advice of all pieces of a range that is not empty.
  std::vector<Advice> of(DevicePointer start, size_t bytes) const {
    std::vector<Advice> out;
    auto piece = std::prev(pieces.upper_bound(start));
    for (; piece != pieces.end() && (out.empty() || piece->first < start + bytes); ++piece)
      out.push_back(piece->second);
    return out;
  }

private:
  std::map<DevicePointer, Advice>::iterator cut(DevicePointer at) {
    return pieces.emplace(at, std::prev(pieces.upper_bound(at))->second).first;
  }
  std::map<DevicePointer, Advice> pieces{{0, {}}};
};

} // namespace tessera::cuda_driver
