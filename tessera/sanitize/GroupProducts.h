// GroupProducts: the wgmma that a warp has begun, and the registers that they may still use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma.fence comes between other accesses of a register and a product, and wgmma.wait_group
// between a product and the next access. PTX ISA 9.7.15. Moves between a fence and the product
// after it count as if they came before: compilers leave them there (Triton 3.6 where sums begin
// with zeros), and ptxas, which gives registers their places, puts them before.
#pragma once

#include "tessera/sanitize/WarpKnowledge.h"
#include "tessera/sanitize/WarpReports.h"

namespace tessera::sanitize {

class GroupProducts {
public:
  GroupProducts(const WatchedWarp &self, WarpReports &reports, WarpKnowledge &knowledge)
      : self(self), reports(reports), knowledge(knowledge) {}

  // A result is false if there are reports enough.

  /// An instruction other than wgmma runs, which may touch registers of one.
  bool touch(size_t pc, int lane);
  /// The warp reaches a wgmma.
  bool begin(const Instruction &, uint64_t product, int lane);
  /// The warp has waited for the products of its group up to a number, with all that they read.
  void end(uint64_t product);
  /// wgmma.fence.
  void fence() {
    ++fences;
    isFenced = true;
  }

private:
  /// The last access of a register by a wgmma, and by another instruction.
  struct Register {
    uint64_t product = 0;              // the last one that uses it
    const GroupPlan *plan = nullptr;   // of that one
    bool accumulates = false;          // it is C of the product, not A
    int32_t line = 0, touchedLine = 0; // of the product, and of the access
    uint32_t issued = 0, touched = 0;  // numbers of wgmma.fence that had been run at both
  };

  const WatchedWarp &self;
  WarpReports &reports;
  WarpKnowledge &knowledge;
  std::map<const sim::Function *, std::vector<Register>> registers;
  uint64_t waited = 0; // for products up to this one
  uint32_t fences = 0;
  bool isFenced = false; // a fence has been run after the last product began
};

} // namespace tessera::sanitize
