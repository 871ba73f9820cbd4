// The enumerations of tile programs: enums and keywords of Enums.def.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tessera::tile_bytecode {

#define KEYWORD(id, text, minor) id,
#define ENUM(name, ...)                                                                            \
  enum class name : uint8_t {                                                                      \
    __VA_ARGS__                                                                                    \
  };
#include "tessera/tile_bytecode/Enums.def"
#undef ENUM
#undef KEYWORD

/// One value of an enumeration; its position is its number.
struct Keyword {
  std::string_view text;
  uint8_t minor; // in bytecode since 13.minor
};

namespace keywords {
#define KEYWORD(id, text, minor) {text, minor},
#define ENUM(name, ...) inline constexpr Keyword name[] = {__VA_ARGS__};
#include "tessera/tile_bytecode/Enums.def"
#undef ENUM
#undef KEYWORD
} // namespace keywords

#define ENUM(name, ...)                                                                            \
  constexpr std::string_view keyword(name value) { return keywords::name[size_t(value)].text; }
#include "tessera/tile_bytecode/Enums.def"
#undef ENUM

} // namespace tessera::tile_bytecode
