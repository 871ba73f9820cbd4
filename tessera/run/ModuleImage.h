// ModuleImage: inspects code before a device loads it: PTX or cubin, complete or not, its kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Bytes.h"

#include <cstddef>
#include <vector>

namespace tessera::run {

enum class ImageKind : uint8_t {
  Ptx,
  Cubin
};

struct ModuleImage {
  ImageKind kind = ImageKind::Ptx;
  std::vector<std::string> kernels; // names of its entries, in order
};

/// Inspects the bytes without running anything. The driver takes a pointer without a length and
/// would read past the end of a truncated image. So this refuses bytes that are neither PTX (text
/// with a .version directive) nor a 64-bit CUDA ELF file, text with a NUL in it, and incomplete ELF
/// files (cubin::kernelsOf). Source: PTX ISA 11.1.1 (.version).
Result<ModuleImage> inspectImage(std::span<const std::byte> image);

} // namespace tessera::run
