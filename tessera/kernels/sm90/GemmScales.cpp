// Which rows and columns a factor belongs to, and sums with factors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm90/GemmScales.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/gemm/GemmCall.h"
#include "tessera/kernels/gemm/GemmChecks.h"
#include "tessera/kernels/sm90/GemmPlan.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

std::optional<Reason> sm90::refusedScales(const GemmConfig &c) {
  if (auto why = refusedBlockFactors(c); why || !c.factors)
    return why;
  constexpr int mostColumns = 128, mostRows = 128; // of sums that a consumer has three times, twice
  if (c.swap && c.tileM > mostRows)
    return fail(Error::GemmBlockFactorsTile, mostRows, "rows", c.tileM);
  if (!c.swap && c.tileN > mostColumns)
    return fail(Error::GemmBlockFactorsTile, mostColumns, "columns", c.tileN);
  if (!c.swap && c.splitK > 1)
    return fail(Error::GemmBlockFactorsSplit);
  return std::nullopt;
}

BlockScales::BlockScales(const GemmBlock &s, Num consumer, const TilePosition &tile) {
  const GemmExtras &extras = s.given.extras;
  Tensor ofA = *extras.blockFactorsA, ofB = *extras.blockFactorsB;
  if (s.c.groups != "none") {
    ofB = ofB(_, _, tile.group);
    if (s.c.groups != "contiguous")
      ofA = ofA(_, _, tile.group);
  }
  Num first = (tile.m * GemmPlan::consumers + consumer) * GemmPlan::rowsOfConsumer +
              s.warp % 4 * 16 + s.lane / 4;
  if (tile.start)
    first = first + tile.start;
  for (int below : {0, 8})
    rows.push_back(factorsOfRow(ofA, first + below));
  static_assert(block == 128); // so that no tile, of 64 or 128 columns, reaches into another block
  columns.push_back(factorsOfRow(ofB, tile.n * s.c.tileN / block));
}

BlockScales::BlockScales(const Tensor &ofA, const Tensor &ofB, Num firstOfA, int rowsOfA,
                         Num firstOfB, Num lane) {
  rows.push_back(factorsOfRow(ofB, firstOfB / block));
  for (int row = 0; row < rowsOfA; row += 8)
    for (int next : {0, 1})
      columns.push_back(factorsOfRow(ofA, firstOfA + (lane % 4 * 2 + (row + next))));
}

BlockScales::Held BlockScales::load(Num tileOfK) const {
  Held held;
  for (auto [from, to] : {std::pair(&rows, &held.rows), {&columns, &held.columns}})
    for (const Tensor &factors : *from)
      to->push_back(dsl::load(factors, tileOfK));
  return held;
}

void BlockScales::add(Tensor part, Tensor sums, int columns, const Held &held) {
  size_t rows = held.rows.size(), each = held.columns.size();
  llvm::SmallVector<Num> products; // of a column with each row
  for (Num column : held.columns)
    for (Num row : held.rows)
      products.push_back(mul_rn(row, column));
  llvm::SmallVector<Num> factors;
  for (int column = 0; column < columns; column += 8)
    for (size_t row : {0, 1})
      for (int next : {0, 1}) {
        size_t at = size_t(column / 4 + next) * each / size_t(columns / 4);
        factors.push_back(products[at * rows + row % rows]);
      }
  Tensor all = make_tensor(get_iter(sums), make_layout(columns / 2)),
         more = make_tensor(get_iter(part), make_layout(columns / 2));
  store_vec(fma(load_vec(more), vector_of(factors), load_vec(all)), all);
}
