// A warp has a query: its lanes have pairs of its dimensions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/attention/AttentionStatistics.h"

#include "tessera/dsl/Dsl.h"
#include "tessera/kernels/WarpGroups.h"
#include "tessera/kernels/attention/AttentionBackwardCall.h"

#include <limits>
#include <numbers>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

std::string AttentionStatistics::name() const {
  return "attention_backward_statistics_" + c.name();
}

void AttentionStatistics::write() {
  kernel(name(), threads, given, [&](const Given &parameters) {
    given = parameters;
    body();
  });
}

void AttentionStatistics::body() {
  constexpr int warpThreads = atom::Threads::ofWarp;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Num lane = thread_idx() % warpThreads, warp = warp_uniform(thread_idx() / warpThreads);
  Num query = block_idx(0) * rowsOfBlock + warp, head = block_idx(1), batch = block_idx(2);
  Tensor to;
  Num rows, last, start;
  if (c.varlen) { // rows of a sequence, and those that fill the last tile
    start = load(*given.startsQ, batch);
    last = load(*given.startsQ, batch + 1) - start - 1;
    constexpr int rounding = GradientCall::rounding;
    to = rowsFrom(given.statistics(_, _, head), startOfStatistics(start, batch));
    rows = (last + rounding) / rounding * rounding;
  } else {
    to = given.statistics(_, _, head, batch);
    last = size(given.log, 0) - 1, rows = size(to, 0);
  }
  If(query < rows, [&] {
    Num row = c.varlen ? start + min(query, last) : min(query, last);
    int vectors = c.valueDims() / 2;
    Num delta = f32(0);
    for (int i = 0; i < (vectors + warpThreads - 1) / warpThreads; ++i) {
      Num pair = lane + i * warpThreads;
      auto of = [&](Tensor tensor) {
        Pointer at = get_iter(c.varlen ? tensor(row, _, head) : tensor(row, _, head, batch));
        Pointer mine = offset(at, (min(pair, vectors - 1) * 2).promised(2));
        return convert(load_vec(make_tensor(mine, make_layout(2))), f32);
      };
      Num products = of(given.o) * of(given.gradient);
      Num both = reduce(products, [](Num x, Num y) { return x + y; });
      delta = delta + select(pair < vectors, both, f32(0));
    }
    for (int lanes = 1; lanes < warpThreads; lanes *= 2)
      delta = delta + shfl_xor(delta, lanes);
    Num log = load(given.log, c.varlen ? make_coord(row, head) : make_coord(row, head, batch)) *
              f32(std::numbers::log2e);
    Num none = (log == f32(-infinity)) | (query > last);
    If(lane == 0, [&] {
      dsl::store(select(none, f32(-infinity), f32(0) - log), to, make_coord(query, 0));
      dsl::store(select(none, f32(0), delta), to, make_coord(query, 1));
    });
  });
}
