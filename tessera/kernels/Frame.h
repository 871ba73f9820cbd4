// Frame: what the warp-specialised kernels have in common.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Builder.h"

namespace tessera::kernels {

constexpr int groupThreads = 128;    // of a warp group
constexpr int rowsOfConsumer = 64;   // that one warp group multiplies
constexpr int maxSmemBytes = 232448; // of a block of SM90

/// What all threads of a kernel know. The first warp group loads, the others multiply.
struct Frame {
  dsl::Builder &k;
  dsl::Num tid, warp, group, lane;
  mlir::Value smem;

  explicit Frame(dsl::Builder &k) : k(k) {}
  /// At the start of the kernel.
  void begin();
  /// Of swizzled tiles, or of barriers, at so many bytes of shared memory.
  mlir::Value pointer(int64_t bytes, const std::string &element) const;
  mlir::Value barriers(int64_t bytes) const;
  /// Whether this warp does what one of its warp group has to.
  dsl::Num leads() const;
};

/// A stage of a ring, and the parity with which its barrier is waited for.
struct Stage {
  dsl::Num index, parity;

  /// The one after it, of so many.
  Stage next(int stages) const;
};

} // namespace tessera::kernels
