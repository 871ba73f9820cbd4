// The sections of bytecode: numbers, alignments, and which of them a file must have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace tessera::tile_bytecode {

/// The first bytes of a file.
inline constexpr std::string_view magic{"\x7fTileIR\0", 8};
/// The largest alignment of sections, and the largest size of files, since tables count bytes in 32
/// bits.
inline constexpr uint64_t mostAlignment = 4096, mostBytes = 0xffffffff;

/// The properties of a section; its position is its number.
struct SectionRow {
  std::string_view name;
  const char *part;          // its name in messages
  uint32_t alignment;        // in bytes; its stated alignment must be a multiple
  uint32_t written;          // the alignment that it is written with
  std::string_view required; // what the message calls it that a file without it gets; empty: it may
};
inline constexpr SectionRow sectionRows[] = {
    {"End", "", 1, 1, ""},
    {"String", "the section String", 4, 4, "string"},
    {"Func", "the section Func", 8, 8, "function"},
    {"Debug", "the section Debug", 8, 8, ""},
    {"Constant", "the section Constant", 8, 8, ""},
    {"Type", "the section Type", 4, 4, ""},
    {"Global", "the section Global", 1, 1, ""},
    {"Producer", "the section Producer", 1, 1, ""},
};
inline constexpr size_t sectionCount = std::size(sectionRows);

} // namespace tessera::tile_bytecode
