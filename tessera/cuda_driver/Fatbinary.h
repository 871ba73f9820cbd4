// Fatbinary: the containers in which nvcc puts code, and the PTX in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A wrapper (fatbinary_section.h of CUDA 13.0) points to a header, which is followed by files. The
// format of those is not documented; what is known of it is at
// https://github.com/n-eiling/cuda-fatbin-decompression and was compared with what nvcc 13.0
// writes.
#pragma once

#include "tessera/cuda_driver/Errors.h"
#include "tessera/cuda_driver/Gpu.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace tessera::cuda_driver {

/// The PTX of one module for several targets.
using Texts = std::vector<std::string>;

/// The modules in an argument of cuModuleLoadData: PTX itself, a fat binary, or a wrapper of one
/// or, after nvcc -rdc=true, of several that are to be linked. Modules without PTX are left out if
/// others have it. Such a pointer has no length: everything is bounded by the size in the header of
/// a fat binary, and the decompressed size of a text has its own bound. A wrapper is trusted like
/// the program that contains it.
Result<std::vector<Texts>> ptxOf(const void *image);
/// The same for a file, whose size is known and which has no addresses: a wrapper is refused.
Result<std::vector<Texts>> ptxOfFile(std::span<const std::byte> file);

/// The text that the driver would compile for a GPU: the newest one that it runs.
Result<std::string> choose(Texts texts, const Gpu &);
/// The chosen texts of all modules that have one, linked.
Result<std::string> chooseAndLink(std::vector<Texts> modules, const Gpu &);

/// Decompresses one LZ4 block (lz4_Block_format.md of the LZ4 project) of at most `size` bytes.
/// Fails with Damaged.
Result<std::string> unpackLz4(std::span<const std::byte> packed, size_t size);

} // namespace tessera::cuda_driver
