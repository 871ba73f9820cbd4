// ShortName: a name that fits in a sentence.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace tessera {

/// A name with its middle left out where it has over 60 characters. CuTe DSL's kernels are named
/// after the types of their arguments, which takes up to 900; what is before that tells them apart,
/// and the number at the end.
inline std::string shortName(std::string_view name) {
  constexpr size_t head = 45, tail = 12;
  if (name.size() <= head + 3 + tail)
    return std::string(name);
  return std::string(name.substr(0, head)) + "..." + std::string(name.substr(name.size() - tail));
}

} // namespace tessera
