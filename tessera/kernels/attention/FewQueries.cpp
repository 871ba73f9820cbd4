// Attention of few queries: Q in registers, and O out of the parts of the keys.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/attention/FewQueries.h"

#include <limits>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

static constexpr int rowsOfTile = AttentionMemory::rowsOfConsumer,
                     groupThreads = AttentionMemory::groupThreads;
static constexpr double infinity = std::numeric_limits<double>::infinity();

/// PTX ISA 9.7.15.5.1.1: a warp has 16 rows, a thread two of them.
static Num rowInTile(const AttentionBlock &s, int ofThread) {
  return s.warp % 4 * 16 + s.lane / 4 + 8 * ofThread;
}
Num FewQueries::row(int ofThread) const { return s.tile * rowsOfTile + rowInTile(s, ofThread); }

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

/// Combines several parts of the keys, in order, so that the same numbers give the same result.
FewSums FewQueries::together(const std::vector<FewSums> &parts) const {
  FewSums all = {parts.front().most, f32(0), broadcast(f32(0), side)};
  for (const FewSums &part : parts)
    all.most = max(all.most, part.most);
  // A part without keys has nothing above minus infinity, which is not subtracted from itself.
  Num base = select(all.most == f32(-infinity), f32(0), all.most);
  for (const FewSums &part : parts) {
    Num factor = exp2((part.most - base) * s.scaleOfScores());
    all.total = fma(part.total, factor, all.total);
    all.sums = fma(part.sums, broadcast(factor, side), all.sums);
  }
  return all;
}
static FewSums withState(Num state, Num sums) {
  Tensor two = make_rmem_tensor(f32, make_layout(2));
  store_vec(state, two);
  return {dsl::load(two, 0), dsl::load(two, 1), sums};
}
FewSums FewQueries::ofCluster(const Unit &at) const {
  Pointer sums = s.plan.memory.pointer(s.plan.sums, f32);
  std::vector<FewSums> parts;
  for (int part = 0; part < c.splits; ++part)
    parts.push_back(
        withState(wordsOf(c, offset(states(), (at.row * 2).promised(2)), part, 2),
                  wordsOf(c, offset(sums, (at.row * s.plan.sumsPitch() + at.column).promised(side)),
                          part, side)));
  return together(parts);
}
void FewQueries::store(const FewSums &all, const Unit &at) const {
  Num inverse = f32(1) / select(all.total == f32(0), f32(1), all.total);
  Num row = s.tile * rowsOfTile + at.row;
  Pointer to = offset(get_iter(rowOf(*s.given.plainO, row)), at.column.promised(side));
  store_vec(convert(all.sums * broadcast(inverse, side), s.element()),
            make_tensor(to, make_layout(side)));
}

/// Each thread of the cluster has four columns of a row at a time. With teams a block has whole
/// rows, as the last team reads what the same block of the others kept: with heads of 96 some
/// threads are idle.
void FewQueries::forUnits(const std::function<void(const Unit &)> &body) const {
  int across = c.valueDims() / side;
  int busy = c.teams > 1 ? groupThreads / across * across : groupThreads;
  Num units = min(rows() - s.tile * rowsOfTile, rowsOfTile) * across;
  Num mine = s.index % groupThreads, first = s.part * busy + mine;
  if (busy < groupThreads)
    first = select(mine < busy, first, units);
  For(first, units, c.splits * busy,
      [&](Num unit) { body({unit / across, unit % across * side}); });
}

void FewQueries::finish() const {
  forUnits([&](const Unit &at) {
    FewSums all = ofCluster(at);
    c.teams > 1 ? keep(all, at) : store(all, at);
  });
  if (c.teams > 1)
    If(comesLast(), [&] { forUnits([&](const Unit &at) { store(ofTeams(at), at); }); });
}

//===--- teams --------------------------------------------------------------------------------===//

/// Words of the workspace: what a team has of a unit, and of its row.
Tensor FewQueries::sumsOf(Num team, const Unit &at) const {
  Num first = startOf(team) + wide(at.row * c.valueDims() + at.column);
  return make_tensor(offset(get_iter(*s.given.workspace), first.promised(side)), make_layout(side));
}
Tensor FewQueries::stateOf(Num team, const Unit &at) const {
  Num first = startOf(team) + wide(at.row * 2 + rowsOfTile * c.valueDims());
  return make_tensor(offset(get_iter(*s.given.workspace), first.promised(2)), make_layout(2));
}
Num FewQueries::startOf(Num team) const {
  return wide(s.item * c.teams + team) * i64(c.wordsOfTeam());
}

void FewQueries::keep(const FewSums &all, const Unit &at) const {
  store_vec(all.sums, sumsOf(s.team, at));
  If(at.column == 0, [&] { store_vec(vector_of({all.most, all.total}), stateOf(s.team, at)); });
}
FewSums FewQueries::ofTeams(const Unit &at) const {
  std::vector<FewSums> parts;
  for (int team = 0; team < c.teams; ++team)
    parts.push_back(withState(load_vec(stateOf(i32(team), at)), load_vec(sumsOf(i32(team), at))));
  return together(parts);
}

/// Blocks of the same place in their clusters keep the same units. Counts this one among them; the
/// last sets the counter back. The barriers order what all threads kept before the first fence, and
/// what they read after the second.
Num FewQueries::comesLast() const {
  Tensor flag = make_tensor(s.plan.memory.pointer(s.plan.flag, i32, {}, 4), make_layout(1));
  named_barrier(i32(1), groupThreads);
  If(s.index % groupThreads == 0, [&] {
    fence_device();
    Num before = atomic_inc_wrap(offset(get_iter(*s.given.counters), s.item * c.splits + s.part),
                                 i32(c.teams - 1));
    fence_device();
    dsl::store(before, flag, 0);
  });
  named_barrier(i32(1), groupThreads);
  return dsl::load(flag, 0) == c.teams - 1;
}
