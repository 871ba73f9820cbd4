// Prepares rows of the atom table, and multiplies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Mma.h"

#include "tessera/base/PerThread.h"
#include "tessera/layout/Algebra.h"
#include "tessera/sim/Number.h"

#include <algorithm>

namespace tessera::sim {

using atom::Element;

namespace {

/// sums[column] = f(a, b, sum) over k in its order, for one row of A and all columns of B.
template <class F>
void accumulate(const MmaPlan &plan, const double *a, const double *b, double *sums, F f) {
  constexpr size_t strip = 8; // columns whose sums stay in registers; N is a multiple of it
  for (size_t first = 0; first < plan.n; first += strip) {
    double sum[strip];
    std::copy_n(sums + first, strip, sum);
    const double *row = b + first;
    for (size_t j = 0; j < plan.k; ++j, row += plan.n)
      for (size_t c = 0; c < strip; ++c)
        sum[c] = f(a[j], row[c], sum[c]);
    std::copy_n(sum, strip, sums + first);
  }
}

} // namespace

Element resultElement(const atom::MmaRow &row) {
  return row.d.element == Element::none ? row.c.element : row.d.element;
}

uint64_t codeOfSum(const atom::MmaRow &row, double c, double sum) {
  Element element = resultElement(row);
  if (element == Element::s32) {
    int64_t exact = int64_t(c) + int64_t(sum);
    return uint32_t(row.overflow == atom::Overflow::Satfinite
                        ? std::clamp<int64_t>(exact, INT32_MIN, INT32_MAX)
                        : exact);
  }
  if (element == Element::f64)
    return std::bit_cast<uint64_t>(sum);
  double total = addToOdd(sum, c);
  if (element == Element::f32 && !std::isnan(total))
    return std::bit_cast<uint32_t>(float(total));
  return number::encode(element, total, {});
}

namespace {

/// Extents and layouts of tiles count rows fastest; panels are by rows.
FragmentTable tableOf(const layout::Layout &tv, size_t positions, size_t rows, size_t columns,
                      bool transposed) {
  std::vector<uint32_t> indices = indicesOf(tv);
  FragmentTable out;
  out.positions = positions;
  out.perLane = indices.size() / positions;
  out.index.resize(indices.size());
  for (size_t p = 0; p < positions; ++p)
    for (size_t v = 0; v < out.perLane; ++v) {
      size_t i = indices[p * out.perLane + v];
      out.index[v * positions + p] = uint16_t(transposed ? i : i % rows * columns + i / rows);
    }
  return out;
}
size_t registersOf(const FragmentTable &table, const atom::Operand &operand, bool halved) {
  size_t size = operand.storedBits() == 64 ? 64 : 32;
  return table.perLane * size_t(operand.storedBits()) / size / (halved ? 2 : 1);
}

} // namespace

std::vector<uint32_t> indicesOf(const layout::Layout &tv) {
  auto mode = [](const layout::Layout &part) {
    std::vector<int64_t> out{0}, shapes;
    part.shape.forEachLeaf([&](const layout::Leaf &leaf) { shapes.push_back(leaf.value.value); });
    size_t next = 0;
    part.stride.forEachLeaf([&](const layout::Leaf &leaf) {
      size_t have = out.size();
      for (int64_t i = 1; i < shapes[next]; ++i)
        for (size_t j = 0; j < have; ++j)
          out.push_back(out[j] + i * leaf.value.value);
      ++next;
    });
    return out;
  };
  std::vector<uint32_t> all;
  std::vector<int64_t> values = mode(tv[1]);
  for (int64_t thread : mode(tv[0]))
    for (int64_t value : values)
      all.push_back(uint32_t(thread + value));
  return all;
}

void prepare(MmaPlan &plan, const atom::MmaRow &row, int64_t n) {
  plan.row = &row;
  layout::MmaAtomLayouts atom = *atom::layouts(row, row.m.first, n);
  plan.m = size_t(atom.m);
  plan.n = size_t(atom.n);
  plan.k = size_t(atom.k);
  // A quad pair is four lanes of each half of the warp; there are four of them.
  bool quadPairs = row.threads == "(4,2):(1,16)";
  size_t positions = quadPairs ? 8 : row.recipe == atom::Recipe::Wgmma ? 128 : warpSize;
  plan.products = quadPairs ? 4 : 1;
  for (int position = 0; position < int(positions); ++position)
    plan.lanes.push_back(quadPairs ? position % 4 + position / 4 * 16 : position);
  bool sparse = row.sparsity.isSparse();
  if (row.a.where == atom::Residency::Rmem) {
    plan.a = tableOf(atom.a, positions, plan.m, plan.k, false);
    plan.a.registers = registersOf(plan.a, row.a, sparse);
  }
  if (row.b.where == atom::Residency::Rmem) {
    plan.b = tableOf(atom.b, positions, plan.n, plan.k, true);
    plan.b.registers = registersOf(plan.b, row.b, false);
  }
  plan.c = tableOf(atom.c, positions, plan.m, plan.n, false);
  plan.c.registers = registersOf(plan.c, row.c, false);
  if (sparse)
    plan.metadata =
        tableOf(layoutOf(row.sparsity.fragment, {.m = atom.m, .n = atom.n, .k = atom.k}), positions,
                plan.m, plan.k, false);
}

Panels &panelsOfThread() {
  static constinit PerThread<Panels> all;
  return all.get();
}

void multiply(const MmaPlan &plan, Panels &x, double sign, const std::vector<double> *scales) {
  const atom::MmaRow &row = *plan.row;
  bool chained = row.c.element == Element::f64;
  x.d.resize(plan.m * plan.n);
  if (hasKnownSums(row))
    return addAsAnH100(plan, x, sign);
  std::vector<double> sums(plan.n);
  for (size_t m = 0; m < plan.m; ++m) {
    const double *a = &x.a[m * plan.k], *b = x.b.data(), *c = &x.c[m * plan.n];
    std::fill(sums.begin(), sums.end(), 0.0);
    if (chained) {
      std::copy_n(c, plan.n, sums.begin());
      accumulate(plan, a, b, sums.data(),
                 [](double a, double b, double s) { return std::fma(a, b, s); });
    } else if (row.bitOp == atom::BitOp::XorPopc)
      accumulate(plan, a, b, sums.data(),
                 [](double a, double b, double s) { return s + (a != b); });
    else if (scales) {
      size_t blocks = plan.k / row.scale.vec;
      for (size_t j = 0; j < plan.k; ++j)
        for (size_t n = 0, block = j / row.scale.vec; n < plan.n; ++n)
          sums[n] += a[j] * b[j * plan.n + n] * scales[0][m * blocks + block] *
                     scales[1][n * blocks + block];
    } else
      accumulate(plan, a, b, sums.data(), [](double a, double b, double s) { return s + a * b; });
    for (size_t n = 0; n < plan.n; ++n)
      x.d[m * plan.n + n] = codeOfSum(row, c[n], sign * sums[n]);
  }
}

} // namespace tessera::sim
