// ShortName: a name that fits in a sentence.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// A name with its middle left out if it has more than 60 characters. CuTe DSL's kernels are named
/// after the types of their arguments, in up to 900 characters; their beginnings and the number at
/// the end tell them apart.
inline std::string shortName(std::string_view name) {
  constexpr size_t head = 45, tail = 12;
  if (name.size() <= head + 3 + tail)
    return std::string(name);
  return std::string(name.substr(0, head)) + "..." + std::string(name.substr(name.size() - tail));
}

} // namespace tessera
