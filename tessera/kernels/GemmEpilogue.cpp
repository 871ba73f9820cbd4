// Epilogues: scalars, C, bias, activation; stmatrix and TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/GemmEpilogue.h"

#include "tessera/kernels/Activation.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

//===--- tensor maps and barriers -------------------------------------------------------------===//

static std::string boxTile(const Plan &plan) {
  return text("[" + Twine(rowsOfConsumer) + ":1;" + Twine(plan.boxN()) + ":1]");
}

TmaTensor Epilogue::mapD(Value d) {
  return k.make_tma_store(d, k.composed_layout(box().swizzled()), boxTile(s.plan));
}
TmaTensor Epilogue::mapC(Value matrix) {
  return k.make_tma_load(matrix, k.composed_layout(box().swizzled()), boxTile(s.plan));
}

void Epilogue::take(Value atom, Value coords) {
  atomD = atom;
  coordsD = coords;
}
void Epilogue::prefetch() {
  k.prefetch_tma_desc(atomD);
  if (c.c)
    k.prefetch_tma_desc(s.extra(Extra::C));
}
void Epilogue::initialise() {
  for (int i = 0; c.c && i < consumers * boxesStaged; ++i)
    k.mbarrier_init(k.offset(s.barriers(s.plan.barriersC()), i), k.i32(1));
}
Value Epilogue::barrierC(int slot) {
  return k.offset(s.barriers(s.plan.barriersC()), consumer * boxesStaged + slot);
}

//===--- a consumer's tiles -------------------------------------------------------------------===//

void Epilogue::begin(Num which) {
  consumer = which;
  auto scalar = [&](Extra extra) { return k.num(k.load(s.extra(extra), k.coord("0"))); };
  auto also = [&](Num x) { factor = factor.v ? k.num(times(k, factor, x)) : x; };
  if (c.alpha)
    also(k.num(s.extra(Extra::Alpha)));
  if (c.scales) {
    also(scalar(Extra::ScaleA));
    also(scalar(Extra::ScaleB));
  }
  if (c.c) {
    tilesStored = k.make_rmem_tensor("i32", "1:1");
    k.store(k.i32(0), tilesStored, k.coord("0"));
  }
}

/// C of the first boxes is on its way while the products are made.
void Epilogue::beginTile(const Tile &tile) {
  if (!c.c)
    return;
  place();
  k.If(s.leads(), [&] {
    k.tma_store_wait(0);
    for (int i = 0; i < std::min(boxesStaged, s.plan.boxes()); ++i)
      loadC(tile, i);
  });
}
void Epilogue::end() {
  k.If(s.leads(), [&] { k.tma_store_wait(0); });
}

void Epilogue::place() {
  staging =
      k.offset(s.pointer(s.plan.d(), c.d), consumer * (boxesStaged * boxElements()), boxElements());
  if (narrow())
    registers = k.make_rmem_tensor(c.d, "(8,4):(1,8)");
}
Value Epilogue::boxesOf(Value coords, const Tile &tile) {
  return k.local_tile(coords, boxTile(s.plan), k.coord("(?,_)", (tile.m * consumers + consumer).v));
}
TmaParts Epilogue::partsOf(Value atom, Value boxes, const Tile &tile, int which) {
  Value at = k.offset(staging, which % boxesStaged * boxElements());
  Value smem = k.make_tensor(at, k.layout(box().layout()));
  Value gmem = k.slice(boxes, k.coord("(_,_,?)", (tile.n * s.plan.boxes() + which).v));
  return k.tma_partition(atom, k.group_modes(smem, 0, 2), k.group_modes(gmem, 0, 2));
}

void Epilogue::loadC(const Tile &tile, int which) {
  Value barrier = barrierC(which % boxesStaged), atom = s.extra(Extra::C);
  TmaParts parts = partsOf(atom, boxesOf(s.extra(Extra::CoordsC), tile), tile, which);
  k.If(k.elect(), [&] { k.mbarrier_expect_tx(barrier, k.i32(s.plan.dBox())); });
  k.tma_load(atom, parts.gmem, parts.smem, barrier);
}
void Epilogue::awaitC(int which) {
  int slot = which % boxesStaged,
      usesOfTile = (s.plan.boxes() - slot + boxesStaged - 1) / boxesStaged;
  Num tiles = k.num(k.load(tilesStored, k.coord("0")));
  k.mbarrier_wait(barrierC(slot), (tiles * usesOfTile + which / boxesStaged) & 1);
}

void Epilogue::store(const Tile &tile, Value sums) {
  if (!c.c)
    place();
  Num barrier = consumer + 1, leads = s.leads();
  int values = s.plan.boxN() / 2, boxes = s.plan.boxes();
  Value d = boxesOf(coordsD, tile);
  // With C, a box that is stored makes room for the next one of C; without, stores go out together.
  int together = c.c ? 1 : boxesStaged;
  for (int which = 0; which < boxes; ++which) {
    Value bias =
        c.bias != "none" ? biasOf(tile, which) : Value(); // on its way while others are waited for
    if (c.c) {
      awaitC(which);
    } else if (which % together == 0) {
      k.If(leads, [&] { k.tma_store_wait(0); });
      k.named_barrier(barrier, groupThreads);
    }
    Value part =
        k.make_tensor(k.offset(k.get_iter(sums), which * values), k.layout(Twine(values) + ":1"));
    Value at = k.offset(staging, which % boxesStaged * boxElements());
    put(finished(k.load_vec(part), at, bias), at);
    int waiting = which % together + 1;
    if (waiting < together && which + 1 < boxes)
      continue;
    k.fence_async_shared();
    k.named_barrier(barrier, groupThreads);
    k.If(leads, [&] {
      for (int out = which + 1 - waiting; out <= which; ++out) {
        TmaParts parts = partsOf(atomD, d, tile, out);
        k.tma_store(atomD, parts.smem, parts.gmem);
      }
      k.tma_store_commit();
      if (c.c && which + boxesStaged < boxes) {
        k.tma_store_wait(0);
        loadC(tile, which + boxesStaged);
      }
    });
  }
  if (c.c)
    k.store(k.num(k.load(tilesStored, k.coord("0"))) + 1, tilesStored, k.coord("0"));
}

//===--- a box --------------------------------------------------------------------------------===//

/// Each lane gives stmatrix or ldmatrix a row of a matrix: 16 rows of a warp, twice eight columns.
Value Epilogue::rowsForMatrices(Value at) {
  Num row = s.warp % 4 * 16 + s.lane % 16, half = s.lane / 16;
  Value rows = k.make_tensor(at, k.layout("(64,2,8,4):(64,8,1,16)"));
  return k.slice(rows, k.coord("(?,?,_,_)", {row.v, half.v}));
}
/// What a thread has of 32 columns of 32 bits, where stmatrix does not help: two columns side by
/// side, eight rows below, eight columns further.
Value Epilogue::pairs(Value at) {
  Value all = k.make_tensor(at, k.layout("(4,8,4,2,2,4):(512,32,2,1,256,8)"));
  Num row = s.lane / 4, pair = s.lane % 4;
  return k.slice(all, k.coord("(?,?,?,_,_,_)", {(s.warp % 4).v, row.v, pair.v}));
}
void Epilogue::put(Value values, Value at) {
  if (!narrow())
    return k.store_vec(values, pairs(at));
  Value stsm =
      k.make_atom(text("atom.stsm<" + Twine(c.d) + ", mode = <\"(8,8)\">, num_matrices = 4, n>"));
  k.store_vec(converted(k, values, k.type(c.d)), registers);
  k.copy(stsm, registers, rowsForMatrices(at));
}
Value Epilogue::get(Value at) {
  if (!narrow())
    return k.load_vec(pairs(at));
  Value ldsm = k.make_atom(text("atom.ldsm<val_type = " + Twine(c.d) +
                                ", mode = <\"(8,8)\">, sz_pattern = u16, num_matrices = 4, n>"));
  k.copy(ldsm, rowsForMatrices(at), registers);
  return converted(k, k.load_vec(registers), k.b.getF32Type());
}

Value Epilogue::finished(Value sums, Value at, Value bias) {
  Value x = sums;
  if (factor.v)
    x = times(k, x, splat(k, factor.v, x));
  if (c.c)
    x = math::FmaOp::create(k.b, k.loc, splat(k, s.extra(Extra::Beta), x), get(at), x);
  if (bias)
    x = plus(k, x, converted(k, bias, k.b.getF32Type()));
  if (auto of = findActivation(c.activation)->of)
    x = of(k, x);
  return x;
}

/// The bias of each value of a thread: two columns, the same for another row, eight columns
/// further. Columns after the last, which are not stored, have the last one's.
Value Epilogue::biasOf(const Tile &tile, int which) {
  Value bias = s.extra(Extra::Bias);
  Num last = k.size(bias, 0) - 1;
  Num first = tile.n * c.tileN + which * s.plan.boxN() + s.lane % 4 * 2;
  SmallVector<Value> values;
  for (int column = 0; column < s.plan.boxN(); column += 8) {
    Value two[2];
    for (int i : {0, 1})
      two[i] = k.load(bias, k.coord("?", k.min(first + (column + i), last).v));
    values.append({two[0], two[1], two[0], two[1]});
  }
  Type type = VectorType::get(int64_t(values.size()), values[0].getType());
  return vector::FromElementsOp::create(k.b, k.loc, type, values);
}
