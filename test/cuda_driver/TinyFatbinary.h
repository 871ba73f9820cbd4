// Fat binaries made by hand, for tests and fuzzers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace tessera::cuda_driver {

/// A fat binary as nvcc writes it without compression: a header, and a file for each text.
inline std::string fatbinary(const std::vector<std::string> &texts, uint16_t kind = 1) {
  std::string files;
  auto put = [](std::string &out, uint64_t value, size_t size) {
    out.append(reinterpret_cast<const char *>(&value), size);
  };
  for (std::string text : texts) {
    text.resize((text.size() + 8) / 8 * 8); // padded with zeros
    put(files, kind, 2), put(files, 0x101, 2), put(files, 64, 4), put(files, text.size(), 8);
    files.append(48, '\0');
    files += text;
  }
  std::string out;
  put(out, 0xba55ed50, 4), put(out, 1, 2), put(out, 16, 2), put(out, files.size(), 8);
  return out + files;
}

/// One compressed text: `flags` says by what.
inline std::string packedFatbinary(const std::string &packed, uint64_t bytes, uint64_t flags) {
  std::string image = fatbinary({packed});
  uint64_t packedBytes = packed.size();
  std::memcpy(&image[16 + 16], &packedBytes, 4);
  std::memcpy(&image[16 + 40], &flags, 8);
  std::memcpy(&image[16 + 56], &bytes, 8);
  return image;
}

/// A frame of one raw block, written down by RFC 8878; of up to 255 bytes.
inline std::string zstdFrame(const std::string &text) {
  std::string frame = "\x28\xb5\x2f\xfd\x20";
  frame += char(text.size());
  frame += char(text.size() << 3 | 1);
  frame += char(text.size() >> 5);
  frame += '\0';
  return frame + text;
}

/// A block of literals only, written down by the block format; of up to 269 bytes.
inline std::string lz4Block(const std::string &text) {
  std::string block;
  if (text.size() < 15)
    block += char(text.size() << 4);
  else
    block += {char(0xf0), char(text.size() - 15)};
  return block + text;
}

} // namespace tessera::cuda_driver
