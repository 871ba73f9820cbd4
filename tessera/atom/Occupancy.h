// Occupancy: how many blocks of a kernel fit on an SM at a time, and what limits them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   occupancyOf(*Target::parse("sm_90a"), {.registers = 168, .threads = 384, .sharedBytes =
//   213008})
//                                         1 block, 12 of 64 warps, limited by shared memory
//
// Sources: CUDA C++ Programming Guide 13.0, "Compute Capabilities", technical specifications;
// cuda_occupancy.h of CUDA 13.0, for granularities. test/atom/occupancy.tsv has that header's
// results.
#pragma once

#include "tessera/atom/Target.h"

namespace tessera::atom {

/// The resources of an SM of a compute capability, besides 65,536 registers in four parts.
struct Multiprocessor {
  int number;           // 90: compute capability 9.0
  int warps, blocks;    // the most that it holds at a time
  int sharedKiB;        // of shared memory
  int barriersPerBlock; // named barriers, for each of the blocks; 0: no limit

  constexpr int threads() const { return warps * 32; }
  constexpr int64_t sharedBytes() const { return sharedKiB * int64_t(1024); }
  /// Bytes of each block's shared memory that the system reserves.
  constexpr int64_t reservedBytes() const { return number >= 80 ? 1024 : 0; }
  /// Bytes of shared memory that one block may have.
  constexpr int64_t sharedOfBlock() const { return sharedBytes() - reservedBytes(); }
};
/// The SM of a compute capability, the number of a Target.
const Multiprocessor &multiprocessorOf(int number);

/// The resources that a kernel needs.
struct KernelNeeds {
  int64_t registers = 0;   // per thread, as ptxas reports them
  int64_t threads = 1;     // per block
  int64_t sharedBytes = 0; // per block, static and dynamic
  int64_t barriers = 1;    // named barriers of a block, including that of bar.sync 0
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
  int64_t warps = 0, most = 0; // of these blocks, and the most that the SM holds
  Limit limit = Warps;         // what another block would exceed; the first of the list if several
};

/// Ignores registers of inactive warps (setmaxnreg) and clusters.
Occupancy occupancyOf(Target, const KernelNeeds &);

/// "registers", "shared memory", ...
std::string_view nameOf(Occupancy::Limit);

} // namespace tessera::atom
