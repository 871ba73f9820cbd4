// KernelMemory: the shared memory of the kernel that a thread is tracing. For this room.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Functions.h"
#include "tessera/dsl/SharedMemory.h"

#include "mlir/IR/Block.h"

namespace tessera::cute {

/// Exists while a kernel's body is traced.
class KernelMemory {
public:
  KernelMemory(mlir::Block *entry, dsl::BlockShape threads);
  KernelMemory(const KernelMemory &) = delete;
  ~KernelMemory();
  /// That of the kernel being traced. In a host function: null, and a mistake of the call.
  static KernelMemory *current(const char *call, dsl::Place);
  /// Whether a kernel is being traced.
  static bool isOfThread();

  dsl::Region allocate(int64_t bytes, int64_t aligned, dsl::Place);
  const dsl::SharedMemory &memory() const { return shared; }
  int64_t bytes() const { return shared.bytes(); }
  const dsl::BlockShape &threads() const { return block; }

private:
  dsl::SharedMemory shared;
  mlir::Block *entry;
  dsl::BlockShape block;
  bool isOpen = false;
  KernelMemory *before;
};

} // namespace tessera::cute
