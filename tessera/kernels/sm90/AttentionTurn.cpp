// Attention of 8 bits: V again in shared memory, with the keys of a head side by side.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// wgmma reads second operands of 8 bits with K side by side only (PTX ISA 9.7.15.5), and the K of
// P V are keys, where V has elements of a head side by side. ldmatrix transposes pairs of bytes: of
// 16 keys a thread t of four gets, in two registers, those of a pair of elements of keys 2t, 2t +
// 1, 2t + 8 and 2t + 9. Bytes 0 and 2 of both, then 1 and 3, are four keys of one element. As these
// keys are the ones whose scores thread t has (PTX ISA 9.7.15.5.1.1), P goes to A as it lies in
// registers, once keys stand in this order: of 16, places 4t to 4t + 3 have those of thread t.
// Elements 2i of 16 go to rows i, elements 2i + 1 to rows 8 + i, so that the rows of a matrix that
// stmatrix writes are one after the other and meet no bank twice; O's columns are in that order.
#include "tessera/kernels/sm90/AttentionPlan.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

namespace {

constexpr int keysAtOnce = 16, elementsAtOnce = 32; // of an ldmatrix of four matrices
constexpr int wordsAtOnce = 4;

class Turner {
public:
  explicit Turner(const AttentionBlock &s) : s(s), c(s.c) {
    // Two bytes are an element of ldmatrix and stmatrix.
    auto pairs = [&](Region region, const SmemTile &ofBytes, int rows, int columns) {
      int64_t bytes = SmemTile::panelBytes(columns, 8);
      Pointer at = s.plan.memory.pointer(region, f16, SmemTile::swizzleOf(bytes));
      SmemTile tile(rows, columns / 2, 16);
      return make_tensor(at, tile.staged(c.stages, ofBytes.elements() / 2));
    };
    from = pairs(s.plan.v, s.plan.tileV(), c.tileN, c.valueDims());
    to = pairs(s.plan.turned, s.plan.tileTurned(), c.valueDims(), c.tileN);
    load = make_ldmatrix(f16, 4, true), store = make_stmatrix(f16, 4);
  }

  /// Half of the keys of a tile, by this warp.
  void turn(Num stageOfV, Num stage) const {
    Num firstKey = (s.warp - firstThatTurns) * (c.tileN / warpsThatTurn);
    for (int key = 0; key < c.tileN / warpsThatTurn; key += keysAtOnce)
      for (int element = 0; element < c.valueDims(); element += elementsAtOnce)
        block(firstKey + key, element, stageOfV, stage);
  }

private:
  const AttentionBlock &s;
  const AttentionConfig &c;
  Tensor from, to;
  Atom load, store;

  void block(Num key, int element, Num stageOfV, Num stage) const {
    // Lanes give rows: of eight keys and eight more, then those of the next 16 elements; and of the
    // places of elements 2i, of 2i + 1, then those of the next 16.
    Num half = s.lane / 16;
    Tensor words = make_rmem_tensor(f16, make_layout(make_shape(8, 1)));
    Tensor row = local_tile(from, make_tile(1, 8, 1),
                            make_coord(key + s.lane % 16, half + element / 16, stageOfV));
    copy(load, make_tensor(get_iter(row), make_layout(make_shape(8, 1))), words);
    Tensor four = make_tensor(recast_ptr(get_iter(words), i32), make_layout(wordsAtOnce));
    std::array<Num, wordsAtOnce> w;
    for (int i = 0; i < wordsAtOnce; ++i)
      w[size_t(i)] = dsl::load(four, i);
    constexpr int evenBytes = 0x6420, oddBytes = 0x7531;
    for (int i = 0; i < wordsAtOnce; ++i) {
      size_t first = size_t(i / 2 * 2);
      dsl::store(byte_perm(w[first], w[first + 1], i32(i % 2 ? oddBytes : evenBytes)), four, i);
    }
    Tensor place = local_tile(to, make_tile(1, 8, 1),
                              make_coord(half * 16 + (element + s.lane % 16), key / 16, stage));
    copy(store, words, make_tensor(get_iter(place), make_layout(make_shape(8, 1))));
  }
};
} // namespace

void sm90::turn(AttentionBlock &s) {
  using Stages = std::array<Stage, 2>; // of V and of what it becomes
  Turner turner(s);
  auto step = [&](Num, Stages &now) {
    s.ringV.wait(now[0]);
    s.ringTurned.empty(now[1].index).wait(now[1].parity);
    turner.turn(now[0].index, now[1].index);
    fence_async_shared();
    sync_warp();
    If(s.lane == 0, [&] {
      s.ringV.empty(now[0].index).arrive();
      s.ringTurned.full(now[1].index).arrive();
    });
    now = {s.ringV.next(now[0]), s.ringTurned.next(now[1])};
  };
  s.forTiles(Stages{Pipeline::consumerStart(), Pipeline::producerStart()},
             [&](Stages &now) { now = For(0, s.steps, 1, now, step); });
}
