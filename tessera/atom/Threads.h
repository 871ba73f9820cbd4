// Threads: groups of threads and limits of a block, the same on every target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Limits that differ between targets are in Target. Source: CUDA C++ Programming Guide 13.0, table
// of technical specifications; warpgroups: PTX ISA 9.7.15.
#pragma once

namespace tessera::atom {

struct Threads {
  static constexpr int ofWarp = 32;
  static constexpr int warpsOfGroup = 4; // of a warpgroup, as for wgmma and setmaxnreg
  static constexpr int ofGroup = warpsOfGroup * ofWarp;
  static constexpr int ofBlock = 1024;        // at most
  static constexpr int blocksOfCluster = 8;   // at most, without cudaFuncAttributeNonPortable...
  static constexpr int registers = 64 * 1024; // of 32 bits, of a block
  // Of tensor memory, where there is any: PTX ISA 9.7.16.1.
  static constexpr int tensorLanes = 128, tensorColumns = 512;
};

} // namespace tessera::atom
