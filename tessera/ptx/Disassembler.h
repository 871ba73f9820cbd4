// Disassembler: machine code as text, with NVIDIA's nvdisasm.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Status.h"

#include <span>
#include <string>

namespace tessera::ptx {

/// The path of nvdisasm: $TESSERA_NVDISASM, $PATH, /usr/local/cuda/bin; empty if there is none.
std::string findDisassembler();

/// The code of all kernels of a cubin as nvdisasm writes it; with `lines`, each instruction follows
/// the source line that it comes from, if the cubin has tables of lines.
Result<std::string> disassemble(const std::string &disassembler, std::span<const char> cubin,
                                bool lines);

} // namespace tessera::ptx
