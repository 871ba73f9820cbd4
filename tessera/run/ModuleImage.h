// Inspecting code before a device gets it: PTX or cubin, whole or not, and its kernels.
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
  std::vector<std::string> kernels; // names of its entries, in their order
};

/// Looks at the bytes without running anything. The driver takes a pointer without a length and
/// would read past the end of a truncated image, so this refuses: bytes that are neither PTX (text
/// with a .version directive) nor a 64-bit CUDA ELF file; text with a NUL in it; ELF files that are
/// not whole (cubin::kernelsOf). Source: PTX ISA 11.1.1 (.version).
Result<ModuleImage> inspectImage(std::span<const std::byte> image);

} // namespace tessera::run
