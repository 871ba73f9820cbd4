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

/// What an SM of a compute capability has, besides 65,536 registers in four parts.
struct Multiprocessor {
  int number;           // 90: compute capability 9.0
  int warps, blocks;    // that it holds at a time
  int sharedKiB;        // of shared memory
  int barriersPerBlock; // named barriers, for each of the blocks; 0: no limit

  constexpr int threads() const { return warps * 32; }
  constexpr int64_t sharedBytes() const { return sharedKiB * int64_t(1024); }
  /// Bytes that the system takes of each block's shared memory.
  constexpr int64_t reservedBytes() const { return number >= 80 ? 1024 : 0; }
  /// Bytes of shared memory that one block may have.
  constexpr int64_t sharedOfBlock() const { return sharedBytes() - reservedBytes(); }
};
/// Of a compute capability, the number of a Target.
const Multiprocessor &multiprocessorOf(int number);

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
