// The instructions of instructions.ptx.txt, to ask an assembler about.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Instructions.h"

namespace tessera::atom::test {

struct Probe {
  std::string before, instruction; // "T: .branchtargets L; L:", "brx.idx %r0, T;"
};

const std::vector<Probe> &probes();

/// The mnemonic, the operands, and the special registers among these. The views are of the text.
struct Read {
  WrittenInstruction written;
  std::vector<std::string_view> registers;
};
Read read(std::string_view instruction);

/// All conditions of an instruction and its special registers, or the reason of the first that is
/// unknown.
Result<std::vector<const Availability *>> conditionsOf(std::string_view instruction);

} // namespace tessera::atom::test
