// AttentionPlan: shared memory and parameters of attention. For the parts of the kernel only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/sm90/Attention.h"
#include "tessera/kernels/sm90/Tiles.h"
#include "tessera/kernels/sm90/WarpGroups.h"

namespace tessera::kernels::sm90 {

/// Shared memory: Q (later O), stages of K and V, barriers.
struct AttentionPlan {
  static constexpr int bits = 16;
  static constexpr int panel = 8 * SmemTile::rowBytes / bits; // columns of a TMA box
  static constexpr int rowsOfConsumer = 64;                   // one wgmma's
  static constexpr int groupThreads = atom::Threads::ofGroup;

  explicit AttentionPlan(const AttentionConfig &);
  const AttentionConfig &c;
  dsl::SharedMemory memory;
  dsl::Region q, k, v;
  dsl::Region barriers; // Q's; for K and for V each stage's that says full, each that says empty

  SmemTile tileQ() const { return {c.tileM(), c.headDim, bits}; }
  SmemTile tileKV() const { return {c.tileN, c.headDim, bits}; }
  SmemTile boxO() const { return {rowsOfConsumer, panel, bits}; }
  int64_t stageBytes() const { return tileKV().elements() * bits / 8; }
  int threads() const { return (c.consumers + 1) * groupThreads; }
  /// So that all groups together have the 512 registers that a lane of a quarter of the SM has.
  RegisterBudget registers() const {
    return c.consumers == 2 ? RegisterBudget{24, 240} : RegisterBudget{32, 160};
  }
};

/// What the kernel is given.
struct AttentionParameters {
  dsl::TmaTensor q, k, v, o;
  dsl::Num queries, keys;
  dsl::Num sharing; // heads of Q that have one of K in common
  dsl::Num scale;   // times log2(e)

  auto members() { return std::tie(q, k, v, o, queries, keys, sharing, scale); }
};

/// What all threads of a block know.
struct AttentionBlock : ThreadIds {
  const AttentionConfig &c;
  AttentionPlan plan;
  AttentionParameters given;
  dsl::Num tile, head, batch; // of the block
  dsl::Num past;              // keys before the one that the first query sees last
  dsl::Num steps;             // tiles of keys
  dsl::Num whole;             // how many of them every query of the block sees entirely
  dsl::Barrier fullQ;
  dsl::Pipeline ringK, ringV;

  explicit AttentionBlock(const AttentionConfig &c) : c(c), plan(c) {}
  void begin(const AttentionParameters &);
  dsl::Element element() const { return *dsl::Element::named(c.element); }
  /// Of swizzled tiles.
  dsl::Pointer tiles(dsl::Region region) const {
    return plan.memory.pointer(region, element(), SmemTile::swizzle);
  }
  /// The tensor of one head of the block's batch: (sequence, dimension).
  dsl::Tensor ofHead(dsl::Tensor coords, dsl::Num which) const {
    return coords(dsl::_, dsl::_, which, batch);
  }

private:
  void extent();
};

/// What a warpgroup does that multiplies: all of its rows of O.
void consume(const AttentionBlock &);

} // namespace tessera::kernels::sm90
