// A cubin made by hand, as small as can be, for tests of what reads cubins.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace tessera::run {

inline void put(std::string &to, size_t at, uint64_t value, size_t bytes) {
  std::memcpy(to.data() + at, &value, bytes);
}

/// A header, a section of names, one of a kernel and one of another function, one without bytes.
/// Offsets of the fields: ELF-64 Object File Format 1.5, figures 2 and 8.
inline std::string tinyCubin() {
  using namespace std::string_literals;
  const std::string names = "\0.nv.constant0.gemm\0.text.helper\0.nv.shared.gemm\0"s;
  const std::string ident = "\x7f"s + "ELF\x02\x01\x01"; // 64 bits, little-endian, version 1
  std::string out = ident + std::string(64 - ident.size(), '\0') + names;
  size_t sections = out.size();
  put(out, 18, 190, 2);      // e_machine: EM_CUDA
  put(out, 32, sections, 8); // e_phoff, with no program headers
  put(out, 40, sections, 8); // e_shoff
  put(out, 54, 56, 2);       // e_phentsize
  put(out, 58, 64, 2);       // e_shentsize
  put(out, 60, 4, 2);        // e_shnum
  put(out, 62, 0, 2);        // e_shstrndx
  struct Row {
    uint64_t name, type, offset, size;
  };
  constexpr uint64_t bytes = 1, strings = 3, noBytes = 8; // sh_type
  const Row rows[] = {{0, strings, 64, names.size()},
                      {names.find(".nv.constant0"), bytes, 64, 4},
                      {names.find(".text"), bytes, 64, 4},
                      {names.find(".nv.shared"), noBytes, 1 << 20, 1 << 20}};
  for (const Row &row : rows) {
    std::string header(64, '\0');
    put(header, 0, row.name, 4);
    put(header, 4, row.type, 4);
    put(header, 24, row.offset, 8);
    put(header, 32, row.size, 8);
    out += header;
  }
  return out;
}

} // namespace tessera::run
