// RegisterPool: the registers of a block, which setmaxnreg moves from warps to others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::sim {

struct Function;

/// PTX ISA, setmaxnreg: `dec` gives registers to a pool of the block, `inc` waits until the pool
/// has as many as it asks for. All numbers are registers of each thread of a warp.
///
/// What warps have at entry is what ptxas gives a kernel that says how many threads and blocks
/// there are: 384 threads, of which two blocks share a multiprocessor, have 80 each, so that after
/// `dec 24` of four warps the other eight can have 104, and wait forever for 112, even if three of
/// the four have ended. Found with ptxas 13.0 (`-v`) for 17 pairs of threads and blocks, and on an
/// H200.
class RegisterPool {
public:
  /// Of a kernel with so many warps; without a limit if it doesn't say one.
  RegisterPool(const Function &kernel, uint32_t warps);

  /// Whether a warp has `registers` from now on; if not, it has to wait.
  bool change(uint32_t warp, uint32_t registers);

  uint32_t atEntry() const { return entry; } // 0: no limit
  int64_t free() const { return rest; }      // in the pool
  uint32_t of(uint32_t warp) const { return held.empty() ? 0 : held[warp]; }

private:
  uint32_t entry;
  int64_t rest = 0;
  std::vector<uint32_t> held; // by each warp; empty without a limit
};

} // namespace tessera::sim
