// Occupancy: how many blocks of a kernel an SM holds at a time, and what keeps it from more.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   occupancyOf(*Target::parse("sm_90a"), {.registers = 168, .threads = 384, .sharedBytes =
//   213008})
//                                         1 block, 12 of 64 warps, limited by shared memory
//
// Sources: CUDA C++ Programming Guide 13.0, "Compute Capabilities", technical specifications;
// cuda_occupancy.h of CUDA 13.0, for granularities. test/atom/occupancy.tsv is what that header
// answers.
#pragma once

#include "tessera/atom/Target.h"

namespace tessera::atom {

/// What a kernel takes of an SM.
struct KernelNeeds {
  int64_t registers = 0;   // per thread, as ptxas reports them
  int64_t threads = 1;     // per block
  int64_t sharedBytes = 0; // per block, static and dynamic
  int64_t barriers = 1;    // named barriers of a block, with bar.sync 0
};

struct Occupancy {
  enum Limit : uint8_t {
    Warps,
    Blocks,
    Registers,
    SharedMemory,
    Barriers
  };
  int64_t blocks = 0;          // of the kernel on one SM; 0: not even one fits
  int64_t warps = 0, most = 0; // of these blocks, and of any
  Limit limit = Warps;         // what one block more would exceed; the first of the list if several
};

/// Registers of inactive warps (setmaxnreg) and clusters are not looked at.
Occupancy occupancyOf(Target, const KernelNeeds &);

/// "registers", "shared memory", ...
std::string_view nameOf(Occupancy::Limit);

} // namespace tessera::atom
