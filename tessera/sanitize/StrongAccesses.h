// StrongAccesses: releases and acquires through strong accesses of memory. PTX ISA 8.8 to 8.10.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A strong write leaves the clocks of its thread at its address, if the write releases or a fence
// came before it, for each scope that it reaches. A strong read takes those that are there.
#pragma once

#include "tessera/sanitize/WarpKnowledge.h"

namespace tessera::sanitize {

class StrongAccesses {
public:
  StrongAccesses(const WatchedWarp &self, WarpKnowledge &knowledge)
      : self(self), knowledge(knowledge) {}

  /// A lane makes a strong access of these bytes.
  void access(const std::byte *host, Access, int lane);
  /// Whether what was released at an address has an earlier access: a strong access of the same
  /// bytes may have read it.
  bool tells(const std::byte *host, const Mark &) const;
  /// The warp comes to its next instruction: earlier reads take what is at their addresses.
  void settle() {
    if (!reads.empty())
      take();
  }

private:
  struct Read {
    const std::byte *host;
    Mask lanes;
    Scope scope;
    bool acquires;
  };
  void take();

  const WatchedWarp &self;
  WarpKnowledge &knowledge;
  std::vector<Read> reads; // whose releases have not been looked up yet
};

} // namespace tessera::sanitize
