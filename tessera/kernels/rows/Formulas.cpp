// Formulas: the computations of the kernels of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are named by their place in Rows.cpp.
#include "tessera/kernels/Activation.h"
#include "tessera/kernels/rows/RowKernel.h"
#include "tessera/number/Code.h"

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
/// The products, added up over the vectors: a part of one vector.
static Part dot(const Part &x, const Part &y) {
  Num sofar = x.front() * y.front();
  for (size_t i = 1; i < x.size(); ++i)
    sofar = fma(x[i], y[i], sofar);
  return {sofar};
}
/// x a + y
static Num scaledPlus(Num x, Num a, Num y) { return fma(x, splat(a, x), y); }

//===--- norms --------------------------------------------------------------------------------===//

/// (x, w, y, eps)
void rows::rmsNorm(Row &row) {
  Part x = row.load(0, 0), w = row.ahead(1);
  Num rstd = rsqrt(row.sum(dot(x, x)) / convert(row.columns(), f32) + row.argument(3));
  row.store([&](size_t i) { return x[i] * splat(rstd, x[i]) * row.later(1, i, w); }, 2);
}

/// Of a row x: numbers that are `away` from something near its mean, which is `rest` away from it.
struct Centred {
  Part away;
  Num rest, mean, rstd;
  std::vector<Num> sums; // of the parts that were asked for

  Num at(size_t i) const { return away[i] - splat(rest, away[i]); }
  Num normal(size_t i) const {
    return scaledPlus(away[i], rstd, splat(f32(0) - rest * rstd, away[i]));
  }
};
/// Squares are of differences from the mean, as a difference of squares would lose the digits. Of
/// numbers of 16 bits they are of differences from the mean of a few, so that the threads meet
/// once: these are at most sqrt(columns / 8) deviations away, and the sum of the squares then loses
/// at most columns / 8 units of its last place of 24 bits.
static Centred centred(Row &row, const Part &x, Num eps,
                       const std::function<std::vector<Part>(const Part &)> &parts = {}) {
  bool twice = elementOf(row.c, Holds::Element) == f32;
  Num columns = convert(row.columns(), f32);
  Num origin = twice ? row.sum(row.within(x, 0)) / columns : row.sample(0);
  Part away = row.within(shifted(x, origin), 0);
  std::vector<Part> all = {dot(away, away)};
  if (parts)
    llvm::append_range(all, parts(away));
  if (!twice)
    all.push_back(away);
  std::vector<Num> sums = row.sums(all);
  Num squares = sums.front(), rest = f32(0);
  if (!twice) {
    rest = sums.back() / columns;
    squares = squares - sums.back() * rest;
    squares = select(squares < f32(0), f32(0), squares); // a NaN stays one
    sums.pop_back();
  }
  sums.erase(sums.begin());
  return {away, rest, origin + rest, rsqrt(squares / columns + eps), sums};
}

/// (x, w, b, y, eps)
void rows::layerNorm(Row &row) {
  Centred x = centred(row, row.load(0), row.argument(4));
  row.store([&](size_t i) { return fma(x.normal(i), row.later(1, i), row.later(2, i)); }, 3);
}

/// (x, w, dy, dx, rstd, eps): with g = dy w and n = x rstd, dx = rstd (g - n mean(g n)).
void rows::rmsNormBackward(Row &row) {
  Part x = row.load(0, 0), g = row.product(2, 1);
  Num columns = convert(row.columns(), f32);
  std::vector<Num> sums = row.sums({dot(x, x), dot(g, x)});
  Num rstd = rsqrt(sums[0] / columns + row.argument(5));
  Num factor = f32(0) - sums[1] / columns * rstd * rstd;
  row.store([&](size_t i) { return scaledPlus(x[i], factor, g[i]) * splat(rstd, x[i]); }, 3);
  row.storeNumber(rstd, 4);
}
/// (x, w, dy, dx, mean, rstd, eps): with n = (x - mean) rstd, dx = rstd (g - mean(g) - n mean(g
/// n)).
void rows::layerNormBackward(Row &row) {
  Part given = row.load(0), g = row.product(2, 1);
  Centred x = centred(row, given, row.argument(6),
                      [&](const Part &away) { return std::vector{g, dot(g, away)}; });
  Num columns = convert(row.columns(), f32), ofG = x.sums[0] / columns;
  Num factor = (x.sums[0] * x.rest - x.sums[1]) / columns * x.rstd * x.rstd;
  row.store(
      [&](size_t i) {
        return scaledPlus(x.at(i), factor, g[i] - splat(ofG, g[i])) * splat(x.rstd, g[i]);
      },
      3);
  row.storeNumber(x.mean, 4);
  row.storeNumber(x.rstd, 5);
}

//===--- softmax ------------------------------------------------------------------------------===//

/// e^(x - from). The difference comes first: a multiple of `from` would be infinite where masks
/// have the least number that there is, and be rounded otherwise than those of other threads.
static Part powers(const Part &x, Num from) {
  return each(shifted(x, from), [&](Num v) { return exp2(v * splat(std::numbers::log2e, v)); });
}
/// The largest number of a row, or 0 if all are minus infinity, which must not be subtracted from
/// itself.
static Num finite(Num most) { return select(most == f32(-infinity), f32(0), most); }
/// A sum relative to what was largest, relative to something else.
static Num shrunk(Num sum, Num most, Num from) {
  return sum * exp2((most - from) * f32(std::numbers::log2e));
}

/// (x, y): powers relative to the largest number of a thread, so that the threads meet once.
void rows::softmax(Row &row) {
  Part x = row.load(0, -infinity);
  Num mine = total(x, [](Num x, Num y) { return max(x, y); });
  Part power = powers(x, finite(mine));
  Row::Numbers all = row.all({mine, total(power, add)}, {-infinity, 0},
                             [](const Row::Numbers &x, const Row::Numbers &y) {
                               Num most = max(x[0], y[0]), from = finite(most);
                               Num sum = shrunk(x[1], x[0], from) + shrunk(y[1], y[0], from);
                               return Row::Numbers{most, sum};
                             });
  row.store(scaled(power, shrunk(f32(1), mine, finite(all[0])) / all[1]), 1);
}
/// The largest number so far, and the sum of the powers relative to it.
struct Running {
  Num most, sum;
  auto members() { return std::tie(most, sum); }
};
/// What all threads of a row have, piece by piece: something near the largest number, and the sum
/// of the powers relative to it.
static Running sumOfPowers(Row &row) {
  auto larger = [](Num x, Num y) { return max(x, y); };
  Running mine = row.along(Running{f32(-infinity), f32(0)}, [&](Row &piece, Running &now) {
    Part x = piece.load(0, -infinity);
    Num most = max(now.most, total(x, larger)), from = finite(most);
    now.sum = shrunk(now.sum, now.most, from) + total(powers(x, from), add);
    now.most = most;
  });
  Num from = finite(row.all(mine.most, larger));
  return {from, row.all(shrunk(mine.sum, mine.most, from), add)};
}
/// (x, y), read twice: what a block reads in so short a time stays in caches.
void rows::softmaxOfLong(Row &row) {
  Running all = sumOfPowers(row);
  Num factor = f32(1) / all.sum;
  row.back([&](Row &piece) { piece.store(scaled(powers(piece.load(0), all.most), factor), 1); });
}
/// (y, dy, dx): dx = y (dy - sum(y dy)).
void rows::softmaxBackward(Row &row) {
  Part y = row.load(0, 0), dy = row.load(1, 0);
  row.store(each(y, shifted(dy, row.sum(dot(y, dy))), multiply), 2);
}

/// Whether a label is one of the row's columns; any other says that the row does not count.
static Num counts(Row &row, Num label) { return (label >= i64(0)) & (label < wide(row.columns())); }
/// (x, labels, loss, lse)
void rows::crossEntropy(Row &row) {
  Running all = sumOfPowers(row);
  Num lse = all.most + log2(all.sum) * f32(std::numbers::ln2);
  Num label = row.number(1), counted = counts(row, label);
  Num ofLabel = row.element(0, convert(select(counted, label, i64(0)), i32));
  row.storeNumber(select(counted, lse - ofLabel, f32(0)), 2);
  row.storeNumber(lse, 3);
}
/// (x, labels, lse, dloss, dx): dx = (softmax(x) - 1 at the label) dloss.
void rows::crossEntropyBackward(Row &row) {
  Part x = row.load(0);
  Num label = row.number(1), counted = counts(row, label);
  Num factor = row.number(3), column = convert(label, i32);
  Part dx = powers(x, row.number(2));
  for (size_t i = 0; i < dx.size(); ++i) {
    Num here = row.indices(i);
    Num less = dx[i] - splat(1, dx[i]);
    Num one = select(here == splat(column, here), less, dx[i]) * splat(factor, dx[i]);
    dx[i] = select(counted, one, splat(0, one)); // whatever the row has
  }
  row.store(dx, 4);
}

//===--- by elements --------------------------------------------------------------------------===//

/// (x, cos, sin, y): pairs half a head apart are turned by the token's angles, or back.
static void turn(Row &row, bool back) {
  Part x = row.load(0), y = row.load(0, {}, true), cosines = row.load(1), sines = row.load(2);
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
/// (x, y, scales): y = x / scale, the largest of which is the largest that y's type has, unless the
/// scale had to be less than the least normal number; of nothing but zeros the scale is 1.
void rows::quantize(Row &row) {
  Element type = *Element::named(row.c.result);
  double limit =
      type.isFloat() ? number::largestFinite(type.format()) : std::numeric_limits<int8_t>::max();
  Part x = row.load(0); // numbers that it has anyway
  Num most = row.most(each(x, [](Num v) { return max(v, splat(0, v) - v); }));
  Num none = most == f32(0);
  constexpr double least = 0x1p-126;
  Part y = scaled(x, min(f32(limit) / select(none, f32(limit), most), f32(1 / least)));
  if (!type.isFloat())
    y = each(y, nearest);
  row.store(y, 1);
  row.storeNumber(select(none, f32(1), max(most / f32(limit), f32(least))), 2);
}
