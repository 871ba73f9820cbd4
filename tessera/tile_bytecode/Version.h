// Version: versions of the bytecode of tile programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include <compare>
#include <cstdint>

namespace tessera::tile_bytecode {

struct Version {
  uint8_t major = 13, minor = 3;

  auto operator<=>(const Version &) const = default;
  std::string str() const { return cat(unsigned(major), ".", unsigned(minor)); }
};

inline constexpr Version oldestVersion{13, 1}, newestVersion{13, 4};
/// Two versions for tests of differences between versions; they have the ops named `testing$...`.
inline constexpr Version olderTestVersion{250, 0}, newerTestVersion{250, 1};

constexpr bool isKnown(Version version) {
  return (version >= oldestVersion && version <= newestVersion) || version == olderTestVersion ||
         version == newerTestVersion;
}

} // namespace tessera::tile_bytecode
