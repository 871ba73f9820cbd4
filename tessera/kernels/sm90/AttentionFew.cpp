// Attention of few queries: Q in registers, and O out of the parts of the keys.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/AttentionPlan.h"

#include <limits>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

static constexpr int rowsOfTile = AttentionPlan::rowsOfConsumer,
                     groupThreads = AttentionPlan::groupThreads;

/// PTX ISA 9.7.15.5.1.1: a warp has 16 rows, a thread two of them.
static Num rowInTile(const AttentionBlock &s, int ofThread) {
  return s.warp % 4 * 16 + s.lane / 4 + 8 * ofThread;
}
Num FewQueries::row(int ofThread) const { return s.tile * rowsOfTile + rowInTile(s, ofThread); }

/// The columns of a row of Q or O.
Tensor FewQueries::rowOf(Tensor tensor, Num row) const {
  return tensor(query(row), _, head(row), s.batch);
}

Tensor FewQueries::load() const {
  // The order of accumulators, as that of P: pairs of columns, two rows, every eighth column.
  Tensor fragment =
      make_rmem_tensor(s.element(), make_layout(make_shape(make_shape(2, 2, 2), 1, c.headDim / 16),
                                                make_stride(make_stride(1, 2, 4), 0, 8)));
  for (int r = 0; r < rowsOfThread; ++r) {
    Tensor row = rowOf(*s.given.plainQ, min(this->row(r), rows() - 1));
    Pointer from = offset(get_iter(row), (s.lane % 4 * 2).promised(2));
    Shape pairs = make_shape(2, c.headDim / 8);
    Tensor to =
        make_tensor(offset(get_iter(fragment), 2 * r), make_layout(pairs, make_stride(1, 4)));
    store_vec(load_vec(make_tensor(from, make_layout(pairs, make_stride(1, 8)))), to);
  }
  return fragment;
}

//===--- parts of the keys --------------------------------------------------------------------===//

Pointer FewQueries::states() const {
  return offset(s.plan.memory.pointer(s.plan.sums, f32), s.plan.statesStart());
}
void FewQueries::put(Tensor out, const std::array<RowState, rowsOfThread> &rows) const {
  // Where the sums go the products of other warps may still read.
  named_barrier(i32(1), groupThreads);
  Pointer sums = s.plan.memory.pointer(s.plan.sums, f32);
  for (int r = 0; r < rowsOfThread; ++r) {
    Num row = rowInTile(s, r), sum = rows[size_t(r)].sum;
    for (int lanes : {1, 2}) // the lanes that share a row
      sum = sum + shfl_xor(sum, lanes);
    Shape pairs = make_shape(2, c.valueDims() / 8);
    Tensor mine = make_tensor(offset(get_iter(out), 2 * r), make_layout(pairs, make_stride(1, 4)));
    Pointer to = offset(sums, (row * s.plan.sumsPitch() + s.lane % 4 * 2).promised(2));
    store_vec(load_vec(mine), make_tensor(to, make_layout(pairs, make_stride(1, 8))));
    If(s.lane % 4 == 0, [&] {
      Tensor state = make_tensor(offset(states(), (row * 2).promised(2)), make_layout(2));
      store_vec(vector_of({rows[size_t(r)].most, sum}), state);
    });
  }
}

/// Words of a part's shared memory.
static Num wordsOf(const AttentionConfig &c, Pointer at, int part, int words) {
  if (c.splits > 1)
    at = map_to_rank(at, part);
  return load_vec(make_tensor(at, make_layout(words)));
}

/// Each thread finishes four columns of a row at a time. Parts are added up in their order, so that
/// the same numbers give the same result.
void FewQueries::finish() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Pointer sums = s.plan.memory.pointer(s.plan.sums, f32);
  int across = c.valueDims() / side;
  Num first = s.tile * rowsOfTile, here = min(rows() - first, rowsOfTile);
  Num thread = s.part * groupThreads + s.index % groupThreads;
  For(thread, here * across, c.splits * groupThreads, [&](Num unit) {
    Num row = unit / across, column = unit % across * side;
    std::vector<Num> mosts, totals;
    Num most;
    for (int part = 0; part < c.splits; ++part) {
      Tensor state = make_rmem_tensor(f32, make_layout(2));
      store_vec(wordsOf(c, offset(states(), (row * 2).promised(2)), part, 2), state);
      mosts.push_back(dsl::load(state, 0)), totals.push_back(dsl::load(state, 1));
      most = part ? max(most, mosts.back()) : mosts.back();
    }
    Num base = select(most == f32(-infinity), f32(0), most); // no key at all
    Num total = f32(0), sum = broadcast(f32(0), side);
    for (int part = 0; part < c.splits; ++part) {
      Num factor = exp2((mosts[size_t(part)] - base) * s.scaleOfScores());
      Pointer at = offset(sums, (row * s.plan.sumsPitch() + column).promised(side));
      total = fma(totals[size_t(part)], factor, total);
      sum = fma(wordsOf(c, at, part, side), broadcast(factor, side), sum);
    }
    Num inverse = f32(1) / select(total == f32(0), f32(1), total);
    Pointer to = offset(get_iter(rowOf(*s.given.plainO, first + row)), column.promised(side));
    store_vec(convert(sum * broadcast(inverse, side), s.element()),
              make_tensor(to, make_layout(side)));
  });
}
