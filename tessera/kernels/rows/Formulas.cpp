// What the kernels of rows compute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are named by their place in Rows.cpp.
#include "tessera/kernels/Activation.h"
#include "tessera/kernels/rows/RowKernel.h"

#include <limits>
#include <numbers>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::rows;

static constexpr double infinity = std::numeric_limits<double>::infinity();

static Num add(Num x, Num y) { return x + y; }
static Num subtract(Num x, Num y) { return x - y; }
static Num multiply(Num x, Num y) { return x * y; }
static Part scaled(const Part &x, Num by) {
  return each(x, [&](Num v) { return v * splat(by, v); });
}
static Part shifted(const Part &x, Num by) {
  return each(x, [&](Num v) { return v - splat(by, v); });
}
/// 1 / sqrt(mean of the squares + eps) of the numbers that the row has.
static Num inverseNorm(Row &row, const Part &x, Num eps) {
  return rsqrt(row.sum(each(x, x, multiply)) / convert(row.columns(), f32) + eps);
}

//===--- norms --------------------------------------------------------------------------------===//

/// (x, w, y, eps)
void rows::rmsNorm(Row &row) {
  Part x = row.load(0), w = row.load(1);
  row.store(each(scaled(x, inverseNorm(row, x, row.argument(3))), w, multiply), 2);
}
/// (x, w, b, y, eps): differences from the mean are squared, as a difference of squares would lose
/// the digits.
void rows::layerNorm(Row &row) {
  Part x = row.load(0);
  Part away = row.within(shifted(x, row.sum(x) / convert(row.columns(), f32)), 0);
  Part normal = scaled(away, inverseNorm(row, away, row.argument(4)));
  Part w = row.load(1), b = row.load(2); // late: they would take the registers of x's numbers
  row.store(each(each(normal, w, multiply), b, add), 3);
}

/// (x, w, dy, dx, rstd, eps): with g = dy w and n = x rstd, dx = rstd (g - n mean(g n)).
void rows::rmsNormBackward(Row &row) {
  Part x = row.load(0);
  Num rstd = inverseNorm(row, x, row.argument(5));
  Part w = row.load(1), g = each(row.load(2), w, multiply), normal = scaled(x, rstd);
  Num mean = row.sum(each(g, normal, multiply)) / convert(row.columns(), f32);
  row.store(scaled(each(g, scaled(normal, mean), subtract), rstd), 3);
  row.storeNumber(rstd, 4);
}
/// (x, w, dy, dx, mean, rstd, eps): with n = (x - mean) rstd, dx = rstd (g - mean(g) - n mean(g
/// n)).
void rows::layerNormBackward(Row &row) {
  Part x = row.load(0);
  Num columns = convert(row.columns(), f32), mean = row.sum(x) / columns;
  Part away = row.within(shifted(x, mean), 0);
  Num rstd = inverseNorm(row, away, row.argument(6));
  Part w = row.load(1), g = each(row.load(2), w, multiply), normal = scaled(away, rstd);
  Num ofG = row.sum(g) / columns, both = row.sum(each(g, normal, multiply)) / columns;
  row.store(scaled(each(shifted(g, ofG), scaled(normal, both), subtract), rstd), 3);
  row.storeNumber(mean, 4);
  row.storeNumber(rstd, 5);
}

//===--- softmax ------------------------------------------------------------------------------===//

/// e^(x - from).
static Part powers(const Part &x, Num from) {
  Num log2e = f32(std::numbers::log2e);
  Num minusFrom = from * f32(-std::numbers::log2e);
  return each(x, [&](Num v) { return exp2(fma(v, splat(log2e, v), splat(minusFrom, v))); });
}
/// The largest of a row, or 0 if nothing of it is above minus infinity, which is then not
/// subtracted from itself.
static Num finite(Num most) { return select(most == f32(-infinity), f32(0), most); }

/// (x, y)
void rows::softmax(Row &row) {
  Part x = row.load(0, -infinity), power = powers(x, finite(row.most(x)));
  row.store(scaled(power, f32(1) / row.sum(power)), 1);
}
/// (y, dy, dx): dx = y (dy - sum(y dy)).
void rows::softmaxBackward(Row &row) {
  Part y = row.load(0), dy = row.load(1);
  row.store(each(y, shifted(dy, row.sum(each(y, dy, multiply))), multiply), 2);
}

/// Whether a label is one of the row's columns; any other says that the row does not count.
static Num counts(Row &row, Num label) { return (label >= i64(0)) & (label < wide(row.columns())); }
/// What was largest so far, and the sum of the powers relative to it.
struct Running {
  Num most, sum;
  auto members() { return std::tie(most, sum); }
};
static Num shrunk(Num sum, Num most, Num from) {
  return sum * exp2((most - from) * f32(std::numbers::log2e));
}
/// (x, labels, loss, lse)
void rows::crossEntropy(Row &row) {
  auto larger = [](Num x, Num y) { return max(x, y); };
  Running mine = row.along(Running{f32(-infinity), f32(0)}, [&](Row &piece, Running &now) {
    Part x = piece.load(0, -infinity);
    Num most = max(now.most, total(x, larger)), from = finite(most);
    now.sum = shrunk(now.sum, now.most, from) + total(powers(x, from), add);
    now.most = most;
  });
  Num from = finite(row.all(mine.most, larger));
  Num sum = row.all(shrunk(mine.sum, mine.most, from), add);
  Num lse = from + log2(sum) * f32(std::numbers::ln2);
  Num label = row.number(1), counted = counts(row, label);
  Num ofLabel = row.element(0, convert(select(counted, label, i64(0)), i32));
  row.storeNumber(select(counted, lse - ofLabel, f32(0)), 2);
  row.storeNumber(lse, 3);
}
/// (x, labels, lse, dloss, dx): dx = (softmax(x) - 1 at the label) dloss.
void rows::crossEntropyBackward(Row &row) {
  Part x = row.load(0, -infinity);
  Num label = row.number(1), counted = counts(row, label);
  Num factor = select(counted, row.number(3), f32(0)), column = convert(label, i32);
  Part dx = powers(x, row.number(2));
  for (size_t i = 0; i < dx.size(); ++i) {
    Num here = row.indices(i);
    Num less = dx[i] - splat(1, dx[i]);
    dx[i] = select(here == splat(column, here), less, dx[i]) * splat(factor, dx[i]);
  }
  row.store(dx, 4);
}

//===--- by elements --------------------------------------------------------------------------===//

/// (x, cos, sin, y): pairs half a head apart are turned by the token's angles, or back.
static void turn(Row &row, bool back) {
  Part x = row.load(0), y = row.load(0, 0, true), cosines = row.load(1), sines = row.load(2);
  if (back)
    sines = each(sines, [](Num v) { return splat(0, v) - v; });
  row.store(each(each(x, cosines, multiply), each(y, sines, multiply), subtract), 3);
  row.store(each(each(y, cosines, multiply), each(x, sines, multiply), add), 3, true);
}
void rows::rope(Row &row) { turn(row, false); }
void rows::ropeBackward(Row &row) { turn(row, true); }

/// (gate, up, y)
void rows::activateAndMultiply(Row &row) {
  Part gate = row.load(0), up = row.load(1);
  auto of = findActivation(row.c.activation)->of;
  row.store(each(gate, up, [&](Num x, Num y) { return (of ? of(x) : x) * y; }), 2);
}

/// Whole numbers, ties to even: above 2^23 an f32 has no digits after the point.
static Num nearest(Num x) {
  Num shift = splat(0x1.8p23, x);
  return add_rn(add_rn(x, shift), splat(-0x1.8p23, x));
}
/// (x, y, scales): y = x / scale, the largest of which is the largest that y's type has; of nothing
/// but zeros the scale is 1.
void rows::quantize(Row &row) {
  Element type = *Element::named(row.c.result);
  double limit = type == i8 ? 127 : type == f8E4M3FN ? 448 : 57344;
  Part x = row.load(0);
  Num most = row.most(each(x, [](Num v) { return max(v, splat(0, v) - v); }));
  Num none = most == f32(0);
  Part y = scaled(x, f32(limit) / select(none, f32(limit), most));
  if (!type.isFloat())
    y = each(y, nearest);
  row.store(y, 1);
  row.storeNumber(select(none, f32(1), most / f32(limit)), 2);
}
