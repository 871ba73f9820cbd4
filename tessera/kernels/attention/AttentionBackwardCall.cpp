// Shapes of a call, the kernel of statistics, and what masks cut.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/attention/AttentionBackwardCall.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/WarpGroups.h"
#include "tessera/kernels/attention/AttentionStatistics.h"
#include "tessera/layout/Domains.h"

#include <numbers>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

std::vector<GradientWork> kernels::worksOf(const AttentionBackwardConfig &c) {
  using enum GradientOf;
  const GradientWork queries{Queries, true, false};
  if (c.isWide())
    return {{Keys, false, true}, {Keys, true, false}, queries};
  return {{Keys, true, true}, queries};
}

//===--- in a kernel --------------------------------------------------------------------------===//

void GradientTile::begin(const GradientScores &scores, Num tileOfBlock, Num ofBatch, Num ofQueries,
                         Num ofKeys) {
  given = scores, tile = tileOfBlock, batch = ofBatch, queries = ofQueries, keys = ofKeys;
  if (c.varlen) {
    auto lengthOf = [&](const Tensor &starts, Num &start) {
      start = load(starts, batch);
      return load(starts, batch + 1) - start;
    };
    queries = lengthOf(*given.startsQ, startQ), keys = lengthOf(*given.startsK, startK);
  }
  reach();
}

void GradientTile::reach() {
  const bool ofKeys = of == GradientOf::Keys;
  past = keys - queries;
  Num begin = tile * ownRows, end = begin + ownRows;
  auto up = [&](Num x) { return (max(x, 0) + (step - 1)) / step; };
  Num all = ofKeys ? queries : keys;
  first = i32(0), steps = up(all), masksFrom = i32(0), masksTo = i32(0);
  if (c.window) { // all are cut
    Num before = *given.window, after = c.causal ? i32(0) : *given.window;
    if (ofKeys)
      first = max(begin - past - after, 0) / step, steps = min(steps, up(end + before - past));
    else
      first = max(begin + past - before, 0) / step, steps = min(steps, up(end + past + after));
    first = min(first, steps);
    masksFrom = first, masksTo = steps;
  } else if (ofKeys && c.causal) {
    // Queries before begin - past see none of the block's keys, those from end - 1 - past all.
    first = min(max(begin - past, 0) / step, steps);
    masksTo = min(up(end - 1 - past), steps);
    masksTo = max(masksTo, first);
    masksFrom = first;
  } else if (!ofKeys) {
    Num whole = keys;
    if (c.causal) {
      steps = min(steps, up(end + past));
      whole = min(whole, max(begin + past + 1, 0));
    }
    masksFrom = min(whole / step, steps), masksTo = steps;
  }
}

Num GradientTile::isThere() const {
  return tile * ownRows < (of == GradientOf::Keys ? keys : queries);
}
Tensor GradientTile::rowsOf(Tensor all, GradientOf rows, Num head) const {
  if (!c.varlen)
    return all(_, _, head, batch);
  return rowsFrom(all(_, _, head), rows == GradientOf::Keys ? startK : startQ);
}

Tensor GradientTile::statisticsOf(Tensor all, Num head) const {
  if (!c.varlen)
    return all(_, _, head, batch);
  return rowsFrom(all(_, _, head), startOfStatistics(startQ, batch));
}
Num kernels::startOfStatistics(Num startQ, Num sequence) {
  constexpr int rounding = GradientCall::rounding;
  return ((startQ / rounding + sequence) * rounding).promised(rounding);
}

Num GradientTile::columns() const {
  llvm::SmallVector<int32_t> columns;
  for (int i = 0; i < count(); ++i)
    columns.push_back(i / 2 * 8 + i % 2);
  return vector_of(columns);
}
Num GradientTile::slopeOf(Num head) const {
  return c.alibi ? load(*given.slopes, head) * f32(std::numbers::log2e) : Num();
}
/// What ALiBi adds to scores: minus the slope for each key between a query's own and a key.
Num GradientTile::bias(Num row, Num firstColumn, Num slope) const {
  Num own = of == GradientOf::Keys ? row - past : row + past; // the column that has no bias
  Num away = columns() - broadcast(own - firstColumn, count());
  away = min(away, broadcast(i32(0), count()) - away);
  return convert(away, f32) * broadcast(slope, count());
}

/// With a cap scores are cap tanh(x), where tanh(x) = 1 - 2 / (1 + e^2x), as in the forward pass.
Num GradientTile::powers(Num products, Num logs, Num row, Num firstColumn, Num slope) const {
  Num factor = broadcast(given.factor, count());
  if (!c.softcap && !c.alibi)
    return exp2(fma(products, factor, logs));
  Num scores = products * factor;
  if (c.softcap) {
    Num below = divide_approx(broadcast(*given.cap * f32(-2), count()),
                              exp2(scores) + broadcast(f32(1), count()));
    scores = below + broadcast(*given.cap, count());
  }
  if (c.alibi)
    scores = scores + bias(row, firstColumn, slope);
  return exp2(scores + logs);
}

Num GradientTile::seen(Num p, Num row, Num firstColumn) const {
  Num at = columns(), none = broadcast(f32(0), count());
  auto from = [&](Num begin) { p = select(at >= broadcast(begin, count()), p, none); };
  auto before = [&](Num end) { p = select(at < broadcast(end, count()), p, none); };
  if (of == GradientOf::Keys) { // the columns are queries, which see the row if it is near enough
    Num own = row - past - firstColumn; // the one whose own key the row is
    if (c.causal)
      from(own);
    else if (c.window)
      from(own - *given.window);
    if (c.window)
      before(own + *given.window + 1);
    return p;
  }
  Num end = keys;
  if (c.causal)
    end = min(end, row + past + 1);
  else if (c.window)
    end = min(end, row + past + 1 + *given.window);
  before(end - firstColumn);
  if (c.window)
    from(row + past - *given.window - firstColumn);
  return p;
}

/// With a cap scores grow by 1 - tanh(x)^2 of what products do. The tanh is taken back from P,
/// which needs no registers meanwhile: of a P of zero it is -1, and nothing is lost.
Num GradientTile::gradients(Num p, Num dP, Num deltas, Num logs, Num row, Num firstColumn,
                            Num slope) const {
  Num dS = p * (dP - deltas);
  if (!c.softcap)
    return dS;
  Num scores = log2(p) - logs, one = broadcast(f32(1), count());
  if (c.alibi)
    scores = scores - bias(row, firstColumn, slope);
  Num tanh = scores * broadcast(f32(1) / *given.cap, count());
  tanh = max(min(tanh, one), broadcast(f32(-1), count()));
  return dS * fma(broadcast(f32(0), count()) - tanh, tanh, one);
}

//===--- in the host function -----------------------------------------------------------------===//

/// Contiguous in the last mode, the other strides multiples of so many elements; extents of 0 are
/// known when it is called.
static mlir::Type tensorType(Element element, int64_t multiple, const std::vector<int> &of) {
  std::vector<layout::Tree> extents, strides;
  for (int extent : of) {
    extents.push_back(extent ? layout::Tree(layout::Int(int64_t(extent)))
                             : layout::Tree(layout::Int::dynamic(layout::Symbolic::anonymous)));
    strides.push_back(layout::Tree(
        layout::Int::dynamic(layout::Symbolic::anonymous, layout::Width::I64, multiple)));
  }
  strides.back() = layout::Tree(layout::Int(int64_t(1)));
  return tensor_type(element, layout::Layout{layout::Tree(extents), layout::Tree(strides)},
                     AddressSpace::Gmem, multiple * element.bits() / 8);
}

/// The tensors of a call, with the modes in the order of GradientCall, and its scale.
static GradientCall callOf(const AttentionBackwardConfig &c, const Arguments &arguments) {
  auto tensor = [&](size_t i, std::initializer_list<int32_t> modes,
                    std::initializer_list<int32_t> ofSequences) {
    Tensor of = arguments.tensor(i);
    return make_tensor(get_iter(of), select(get_layout(of), c.varlen ? ofSequences : modes));
  };
  auto matrix = [&](size_t i) { return tensor(i, {1, 3, 2, 0}, {0, 2, 1}); };
  GradientCall call;
  call.q = matrix(0), call.k = matrix(1), call.v = matrix(2), call.o = matrix(3),
  call.gradient = matrix(4);
  call.log = tensor(5, {2, 1, 0}, {1, 0});
  call.dQ = matrix(6), call.dK = matrix(7), call.dV = matrix(8);
  call.statistics = tensor(9, {3, 2, 1, 0}, {2, 1, 0});
  call.scale = arguments.num(10);
  return call;
}

/// Checks the shapes, computes the call's other numbers, and returns the queries of the longest
/// sequence, rounded up.
static Num complete(const AttentionBackwardConfig &c, const Arguments &arguments,
                    GradientCall &call) {
  check(call.scale > f32(0), fail(Error::AttentionScale).text);
  const Tensor &q = call.q, &k = call.k;
  call.queries = size(q, 0), call.keys = size(k, 0), call.heads = size(q, 2),
  call.headsOfK = size(k, 2);
  if (!c.varlen)
    call.batches = size(q, 3);
  std::string why = fail(Error::AttentionGradients).text;
  auto alike = [&](const Tensor &a, const Tensor &b) {
    for (int mode : {0, 2, 3})
      if (mode < 3 || !c.varlen)
        check(size(a, mode) == size(b, mode), why);
  };
  for (const Tensor &like : {call.o, call.gradient, call.dQ})
    alike(like, q);
  for (const Tensor &like : {call.v, call.dK, call.dV})
    alike(like, k);
  if (!c.varlen)
    check(size(k, 3) == call.batches, why);
  check(call.headsOfK > 0, fail(Error::AttentionHeads).text); // which divides
  call.sharing = call.heads / call.headsOfK;
  check(call.sharing * call.headsOfK == call.heads, fail(Error::AttentionHeads).text);
  auto of = [&](const Tensor &tensor, int mode) {
    Num good = size(tensor, mode) == call.heads;
    return c.varlen ? good : good & (size(tensor, mode + 1) == call.batches);
  };
  check((size(call.log, 0) == call.queries) & of(call.log, 1), fail(Error::AttentionLogs).text);
  constexpr int rounding = GradientCall::rounding;

  GradientScores &scores = call.scores;
  scores.factor = call.scale * f32(std::numbers::log2e);
  size_t next = 11;
  if (c.window) {
    Num window = arguments.num(next++);
    check(window >= 0, fail(Error::AttentionWindow).text);
    scores.window = min(window, call.keys + call.queries);
  }
  if (c.softcap) {
    Num cap = arguments.num(next++);
    check(cap > f32(0), fail(Error::AttentionCap).text);
    scores.factor = scores.factor * f32(2) / cap;
    scores.cap = cap * f32(std::numbers::log2e);
  }
  if (c.alibi) {
    scores.slopes = arguments.tensor(next++);
    check(size(*scores.slopes, 0) == call.heads, fail(Error::AttentionSlopes).text);
  }
  auto up = [](Num rows) { return (rows + (rounding - 1)) / rounding * rounding; };
  call.longestQ = call.queries, call.longestK = call.keys;
  if (!c.varlen) {
    check((size(call.statistics, 0) == up(call.queries)) & of(call.statistics, 2),
          fail(Error::AttentionWorkspace, rounding).text);
    return up(call.queries);
  }
  scores.startsQ = arguments.tensor(next), scores.startsK = arguments.tensor(next + 1);
  call.batches = size(*scores.startsQ, 0) - 1;
  check(size(*scores.startsK, 0) == call.batches + 1, fail(Error::AttentionStarts).text);
  Num longestQ = arguments.num(next + 2), longestK = arguments.num(next + 3);
  check((longestQ >= 0) & (longestK >= 0), fail(Error::AttentionLongestOfBoth).text);
  call.longestQ = max(min(longestQ, call.queries), 1); // a grid has blocks
  call.longestK = max(min(longestK, call.keys), 1);
  check((size(call.statistics, 0) >= startOfStatistics(call.queries, call.batches)) &
            of(call.statistics, 2),
        fail(Error::AttentionSequencesWorkspace, rounding).text);
  return up(call.longestQ);
}

static llvm::SmallVector<mlir::Type> typesOf(const AttentionBackwardConfig &c) {
  constexpr int bits = 16;
  // Of (batch, ...), or without a batch.
  auto type = [&](Element element, int64_t multiple, std::vector<int> of) {
    if (c.varlen)
      of.erase(of.begin());
    return tensorType(element, multiple, of);
  };
  mlir::MLIRContext *context = Context::current()->mlirContext();
  mlir::Type asK = type(*Element::named(c.element), 128 / bits, {0, 0, 0, c.headDim});
  mlir::Type asV = type(*Element::named(c.element), 128 / bits, {0, 0, 0, c.valueDims()});
  llvm::SmallVector<mlir::Type> types = {asK, asK, asV, asV, asV};
  types.push_back(type(f32, 1, {0, 0, 0}));
  types.append({asK, asK, asV});
  types.push_back(type(f32, 4, {0, 0, 2, 0}));
  types.push_back(f32.type(context));
  auto row = [](Element element) {
    return tensor_type(element, dsl::Layout("(?):(1)"), AddressSpace::Gmem, 4);
  };
  if (c.window)
    types.push_back(i32.type(context));
  if (c.softcap)
    types.push_back(f32.type(context));
  if (c.alibi)
    types.push_back(row(f32));
  if (c.varlen) {
    types.append(2, row(i32));
    types.append(2, i32.type(context));
  }
  return types;
}

void kernels::writeGradients(const AttentionBackwardConfig &c,
                             const std::function<void(const GradientCall &, Stream)> &launches) {
  AttentionStatistics statistics(c);
  host("attention_backward", typesOf(c), [&](Arguments arguments, Stream stream) {
    GradientCall call = callOf(c, arguments);
    Num rounded = complete(c, arguments, call);
    statistics.given = {call.o, call.gradient, call.log, call.statistics, call.scores.startsQ};
    launch(statistics.name(),
           {rounded / AttentionStatistics::rowsOfBlock, call.heads, call.batches,
            AttentionStatistics::threads},
           stream, statistics.given);
    launches(call, stream);
  });
  statistics.write();
}
