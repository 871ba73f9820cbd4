// Cubin: machine code for GPUs as an ELF file: whether it is whole, and what is in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing is run. The driver takes a pointer without a length and would read past the end of a
// truncated image; and ptxas ends with 0 where the disk was full. Sources: ELF-64 Object File
// Format 1.5, LLVM's BinaryFormat/ELF.h (EM_CUDA 190).
#pragma once

#include "tessera/cubin/Errors.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera::cubin {

/// Whether the bytes begin as an ELF file does.
bool isElf(std::span<const std::byte>);

/// The names of the kernels of a whole cubin, in their order. Refuses a file that is not a 64-bit
/// ELF file for NVIDIA GPUs, or that ends before its headers, sections or segments do.
Result<std::vector<std::string>> kernelsOf(std::span<const std::byte>);

/// Whether this is a whole cubin with each of these kernels: a global symbol of a function whose
/// code is there and is not all zeros, as it is where a part of the file was never written.
Status checkKernels(std::span<const std::byte>, std::span<const std::string> kernels);

} // namespace tessera::cubin
