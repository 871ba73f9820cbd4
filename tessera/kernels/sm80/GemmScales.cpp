// Which rows a factor belongs to, and sums with factors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm80/GemmScales.h"

#include "tessera/kernels/gemm/GemmCall.h"
#include "tessera/kernels/sm80/WarpProducts.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm80;

WarpScales::WarpScales(const Tensor &ofA, const Tensor &ofB, Num firstRow, int blocksM,
                       Num firstColumn, int columns, Num lane)
    : blocksM(blocksM), blocksN(columns / 8) {
  for (int below = 0; below < 16 * blocksM; below += 8)
    rows.push_back(factorsOfRow(ofA, firstRow + below + lane / 4));
  column = factorsOfRow(ofB, firstColumn / GemmConfig::scaledBlock);
}
Tensor WarpScales::registers() const {
  return make_rmem_tensor(f32, make_layout(int(rows.size())));
}
void WarpScales::load(Num tileK, Tensor to) const {
  Num tile = min(tileK, size(column, 0) - 1); // that of the step after the last is not used
  Num ofColumns = dsl::load(column, tile);
  for (size_t i = 0; i < rows.size(); ++i)
    dsl::store(mul_rn(dsl::load(rows[i], tile), ofColumns), to, int(i));
}
void WarpScales::add(Tensor part, Tensor sums, Tensor factors) const {
  constexpr int ofLane = WarpProducts::sumsOfLane, ofRow = ofLane / 2;
  for (int i = 0; i < int(rows.size()); ++i) { // two rows of a block, eight apart
    auto mine = [&](Tensor of) {
      return make_tensor(offset(get_iter(of), i / 2 * ofLane + i % 2 * ofRow),
                         make_layout(make_shape(ofRow, blocksN), make_stride(1, ofLane * blocksM)));
    };
    Num more = load_vec(mine(part));
    store_vec(fma(more, broadcast(dsl::load(factors, i), count(more)), load_vec(mine(sums))),
              mine(sums));
  }
  store_vec(broadcast(f32(0), ofLane * blocksM * blocksN), part);
}
