// AttentionPlan: shared memory and parameters of attention. For the parts of the kernel only.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/Attention.h"
#include "tessera/kernels/Frame.h"
#include "tessera/kernels/Tiles.h"

namespace tessera::kernels {

/// Shared memory: Q (later O), stages of K and V, barriers. In bytes.
struct AttentionPlan {
  explicit AttentionPlan(const AttentionConfig &c) : c(c) {}
  const AttentionConfig &c;
  static constexpr int bits = 16, barrierBytes = 8;
  static constexpr int panel = 8 * rowBytes / bits; // columns of a TMA box

  SmemTile q() const { return {c.tileM(), c.headDim, bits}; }
  SmemTile kv() const { return {c.tileN, c.headDim, bits}; }
  SmemTile oBox() const { return {rowsOfConsumer, panel, bits}; }
  int64_t qBytes() const { return q().elements() * bits / 8; }
  int64_t kvBytes() const { return kv().elements() * bits / 8; }
  int64_t k() const { return qBytes(); }
  int64_t v() const { return k() + c.stages * kvBytes(); }
  int64_t barriers() const { return v() + c.stages * kvBytes(); }
  int64_t end() const { return barriers() + (1 + 4 * int64_t(c.stages)) * barrierBytes; }
};

/// Stages, each with a barrier that says it is full and one that says it is empty: the first of
/// each.
struct Ring {
  mlir::Value full, empty;
};

/// What all threads of the kernel know.
struct AttentionScope : Frame {
  const AttentionConfig &c;
  AttentionPlan plan;
  mlir::Value atomQ, coordsQ, atomK, coordsK, atomV, coordsV, atomO, coordsO;
  dsl::Num queries, keys, sharing,
      scale; // sharing: heads of Q that have one of K in common; scale: times log2(e)
  dsl::Num tile, head, batch; // of the block
  dsl::Num past;              // keys before the one that the first query sees last
  dsl::Num steps,
      whole; // tiles of keys, and how many of them every query of the block sees entirely
  mlir::Value fullQ;
  Ring ringK, ringV;

  AttentionScope(dsl::Builder &k, const AttentionConfig &c) : Frame(k), c(c), plan(c) {}
  void begin(mlir::ValueRange arguments);
  mlir::Value tiles(int64_t bytes) const { return pointer(bytes, c.element); }
  /// The tensor of one head of the block's batch: (sequence, dimension).
  mlir::Value ofHead(mlir::Value coords, dsl::Num head) const;

private:
  void extent();
};

/// "[rows:1;columns:1]".
std::string tileText(int64_t rows, int64_t columns);

/// What a warp group does that multiplies: all of its rows of O.
void consume(const AttentionScope &);

} // namespace tessera::kernels
