// TensorOrder: which tcgen05 instructions come before others. PTX ISA 9.7.16.6.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instruction comes after what has ended and is known to have: by ordinary order (barriers,
// acquires: WarpKnowledge.h), or by tcgen05.fence around barriers of any kind (TensorClocks). Loads
// and stores end with tcgen05.wait, products and copies with a wait for what tcgen05.commit arrives
// at; some of these come in the order in which they begin.
#pragma once

#include "tessera/sanitize/WarpKnowledge.h"

namespace tessera::sanitize {

class TensorOrder {
public:
  TensorOrder(WatchedWarp &self, WarpKnowledge &knowledge) : self(self), knowledge(knowledge) {
    self.cluster->tensors[self.index] = this;
  }
  ~TensorOrder() { self.cluster->tensors[self.index] = nullptr; }
  TensorOrder(const TensorOrder &) = delete;
  TensorOrder &operator=(const TensorOrder &) = delete;

  /// A tcgen05.ld or .st, or work that commits wait for, begins.
  void begin(Agent by, const TensorSums &);
  /// tcgen05.wait: all loads or stores of the warp have ended.
  void end(Agent by);
  /// tcgen05.commit, by lanes: for the work of these only.
  void commit(const void *mbarrier, Mask lanes);
  /// Lanes may have met, so that work of one precedes what another begins.
  void met() { metWork = self.clock(Agent::TensorWork); }
  void beforeThreadSync() { knowledge.tensor().join(ordered); }
  void afterThreadSync() { ordered.join(knowledge.tensor()); }

  /// Whether an access comes after an earlier one.
  bool knows(const Mark &earlier, const Mark &mine, int lane) const;
  /// For an earlier access without order: what is missing.
  Error missing(const Mark &earlier) const;

private:
  bool inOrder(const Mark &earlier, const Mark &mine) const;
  /// Whether clocks have the end of an access.
  bool hasEnded(const Mark &, const TensorClocks &) const;
  /// Whether a lane begins work after that of a mark began, if the warp has.
  bool isAfter(const Mark &m, int lane) const {
    return self.warpOf(m) != self.index || m.lanes == Mask(1) << lane || m.clock <= metWork;
  }
  /// That of the warp that made a mark.
  const TensorOrder &of(const Mark &) const;

  WatchedWarp &self;
  WarpKnowledge &knowledge;
  TensorClocks ordered;                    // what precedes the next tcgen05
  std::vector<TensorSums> sums;            // of the warp's products and copies, by number from 1 on
  std::vector<uint32_t> commits[warpSize]; // by lane: the last number when it committed
  uint32_t metWork = 0;                    // what had begun when lanes met
};

} // namespace tessera::sanitize
