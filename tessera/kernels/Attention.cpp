// Hopper attention: TMA -> shared memory -> wgmma -> softmax in registers -> wgmma -> stmatrix ->
// TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule is FlashAttention-3's (Shah et al., 2024, section 3): the product of a step is
// issued before the softmax of the step before is used, and consumers hand each other the tensor
// core by named barriers.
#include "tessera/kernels/Attention.h"

#include "tessera/base/Sentence.h"
#include "tessera/kernels/AttentionPlan.h"
#include "tessera/kernels/Errors.h"

#include <numbers>

using namespace mlir;
using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

namespace {

/// Registers of a thread that setmaxnreg sets, so that all groups together have the 512 a lane of a
/// quarter of the SM has.
struct Registers {
  int producer, consumer;
};
Registers registersFor(int consumers) {
  return consumers == 2 ? Registers{24, 240} : Registers{32, 160};
}

class Attention {
public:
  Attention(dsl::Builder &k, const AttentionConfig &c)
      : k(k), c(c), s(k, c), threads((c.consumers + 1) * groupThreads) {}

  void build() {
    hostFunction();
    k.kernel("attention_" + c.name(), argumentTypes, threads,
             [&](ValueRange arguments) { kernelBody(arguments); });
  }

private:
  dsl::Builder &k;
  const AttentionConfig &c;
  AttentionScope s;
  int threads;
  SmallVector<Type> argumentTypes;

  //===--- host -------------------------------------------------------------------------------===//

  void hostFunction() {
    std::string stride =
        cat("?{i64 div=", 128 / AttentionPlan::bits, "}"); // TMA takes strides of 16 bytes
    Type tensor = k.type(cat("!cute.memref<", c.element, ", gmem, align<16>, \"(?,?,?,", c.headDim,
                             "):(", stride, ",", stride, ",", stride, ",1)\">"));
    SmallVector<Type> types(4, tensor);
    types.push_back(k.b.getF32Type());
    k.host("attention", types, [&](ValueRange arguments, Value stream) {
      // (sequence, dimension, head, batch): what TMA boxes have first.
      SmallVector<Value> t;
      for (Value argument : arguments.take_front(4))
        t.push_back(
            k.make_tensor(k.get_iter(argument), k.select(k.get_layout(argument), {1, 3, 2, 0})));
      auto smem = [&](const SmemTile &tile) { return k.composed_layout(tile.swizzled()); };
      TmaTensor tQ = k.make_tma_load(t[0], smem(s.plan.q()), tileText(c.tileM(), c.headDim));
      TmaTensor tK = k.make_tma_load(t[1], smem(s.plan.kv()), tileText(c.tileN, c.headDim));
      TmaTensor tV = k.make_tma_load(t[2], smem(s.plan.kv()), tileText(c.tileN, c.headDim));
      TmaTensor tO = k.make_tma_store(t[3], smem(s.plan.oBox()),
                                      tileText(rowsOfConsumer, AttentionPlan::panel));
      Num queries = k.size(t[0], 0), keys = k.size(t[1], 0), heads = k.size(t[0], 2),
          batch = k.size(t[0], 3);
      Num sharing = heads / k.size(t[1], 2);
      auto same = [&](int one, int other, std::initializer_list<int> modes) {
        for (int mode : modes)
          k.check(k.size(t[size_t(one)], mode) == k.size(t[size_t(other)], mode),
                  fail(Error::AttentionOperands).text);
      };
      constexpr int sequence = 0, head = 2, batches = 3; // modes; the dimension is static
      same(0, 3, {sequence, head, batches});
      same(1, 2, {sequence, head, batches});
      same(0, 1, {batches});
      k.check(sharing * k.size(t[1], 2) == heads, fail(Error::AttentionHeads).text);
      Num scale = k.num(arguments[4]) * k.f32(std::numbers::log2e);
      Nums passed = {tQ.atom, tQ.coords, tK.atom, tK.coords, tV.atom, tV.coords,
                     tO.atom, tO.coords, queries, keys,      sharing, scale};
      argumentTypes = SmallVector<Type>(ValueRange(passed).getTypes());
      Num tiles = (queries + (c.tileM() - 1)) / c.tileM();
      k.launch("attention_" + c.name(), {tiles, heads, batch, threads, c.smemBytes()}, stream,
               passed);
    });
  }

  //===--- kernel -----------------------------------------------------------------------------===//

  void kernelBody(ValueRange arguments) {
    s.begin(arguments);
    k.If(s.tid == 0, [&] { initialise(); });
    k.sync_threads();
    Registers registers = registersFor(c.consumers);
    k.If(
        s.group == 0,
        [&] {
          k.setmaxnreg(registers.producer, false);
          k.If(s.warp == 0, [&] { produce(); });
        },
        [&] {
          k.setmaxnreg(registers.consumer, true);
          consume(s);
        });
  }

  void initialise() {
    for (Value atom : {s.atomQ, s.atomK, s.atomV, s.atomO})
      k.prefetch_tma_desc(atom);
    k.mbarrier_init(s.fullQ, k.i32(1));
    for (const Ring &ring : {s.ringK, s.ringV})
      for (int i = 0; i < c.stages; ++i) {
        k.mbarrier_init(k.offset(ring.full, i), k.i32(1));
        k.mbarrier_init(k.offset(ring.empty, i),
                        k.i32(c.consumers * 4)); // a lane of each warp that reads it
      }
    k.mbarrier_init_fence();
  }

  //===--- producer ---------------------------------------------------------------------------===//

  void expect(Value barrier, int64_t bytes) {
    k.If(k.elect(), [&] { k.mbarrier_expect_tx(barrier, k.i32(bytes)); });
  }
  TmaParts partsOf(Value atom, Value coords, int64_t rows, StringRef tiles, ValueRange which,
                   Value smem) {
    Value g = k.local_tile(coords, tileText(rows, c.headDim), k.coord(tiles, which));
    return k.tma_partition(atom, k.group_modes(smem, 0, 2), k.group_modes(g, 0, 2));
  }

  /// Keys from the last tile to the first; V follows one step later, as it is needed later.
  void produce() {
    Value sQ = k.make_tensor(s.tiles(0), k.layout(s.plan.q().layout()));
    TmaParts q = partsOf(s.atomQ, s.ofHead(s.coordsQ, s.head), c.tileM(), "(?,0)", s.tile.v, sQ);
    Num shared = s.head / s.sharing;
    SmemTile kv = s.plan.kv();
    auto stagesAt = [&](int64_t bytes) {
      return k.make_tensor(s.tiles(bytes), k.layout(kv.staged(c.stages, kv.elements())));
    };
    struct Source {
      const Ring &ring;
      Value atom;
      TmaParts parts;
    };
    Source ofK{
        s.ringK, s.atomK,
        partsOf(s.atomK, s.ofHead(s.coordsK, shared), c.tileN, "(_,0)", {}, stagesAt(s.plan.k()))};
    Source ofV{
        s.ringV, s.atomV,
        partsOf(s.atomV, s.ofHead(s.coordsV, shared), c.tileN, "(_,0)", {}, stagesAt(s.plan.v()))};
    auto load = [&](const Source &from, Num step, Stage at) {
      k.mbarrier_wait(k.offset(from.ring.empty, at.index), at.parity);
      Value barrier = k.offset(from.ring.full, at.index);
      expect(barrier, s.plan.kvBytes());
      k.tma_load(from.atom, k.slice(from.parts.gmem, k.coord("(_,?)", (s.steps - 1 - step).v)),
                 k.slice(from.parts.smem, k.coord("(_,?)", at.index.v)), barrier);
    };
    Stage first{k.i32(0), k.i32(1)};
    expect(s.fullQ, s.plan.qBytes());
    k.tma_load(s.atomQ, q.gmem, q.smem, s.fullQ);
    load(ofK, k.i32(0), first);
    Stage second = first.next(c.stages);
    Nums last =
        k.For(k.i32(1), s.steps, k.i32(1), {second.index, second.parity, first.index, first.parity},
              [&](Num step, ValueRange now) {
                Stage atK{k.num(now[0]), k.num(now[1])}, atV{k.num(now[2]), k.num(now[3])};
                load(ofK, step, atK);
                load(ofV, step - 1, atV);
                Stage nextK = atK.next(c.stages), nextV = atV.next(c.stages);
                return Nums{nextK.index, nextK.parity, nextV.index, nextV.parity};
              });
    load(ofV, s.steps - 1, {k.num(last[2]), k.num(last[3])});
  }
};
} // namespace

//===--- what all threads know ----------------------------------------------------------------===//

std::string kernels::tileText(int64_t rows, int64_t columns) {
  return cat("[", rows, ":1;", columns, ":1]");
}

void AttentionScope::begin(ValueRange arguments) {
  Value *const values[] = {&atomQ, &coordsQ, &atomK, &coordsK, &atomV, &coordsV, &atomO, &coordsO};
  Num *const numbers[] = {&queries, &keys, &sharing, &scale};
  for (auto [value, argument] : llvm::zip(values, arguments))
    *value = argument;
  for (auto [number, argument] : llvm::zip(numbers, arguments.drop_front(std::size(values))))
    *number = k.num(argument);
  Frame::begin();
  tile = k.sreg("ctaid.x");
  if (c.causal) // the longest first
    tile = k.sreg("nctaid.x") - 1 - tile;
  head = k.sreg("ctaid.y");
  batch = k.sreg("ctaid.z");
  extent();
  Value first = barriers(plan.barriers());
  auto barrier = [&](int index) { return k.offset(first, index); };
  fullQ = barrier(0);
  ringK = {barrier(1), barrier(1 + c.stages)};
  ringV = {barrier(1 + 2 * c.stages), barrier(1 + 3 * c.stages)};
}

/// Query q sees the keys up to q + past, and at most all. A block takes one step at least, so that
/// O is written.
void AttentionScope::extent() {
  past = keys - queries;
  Num seen = keys, all = keys;
  if (c.causal) {
    seen = k.min(keys, (tile + 1) * c.tileM() + past);
    all = k.max(k.min(keys, tile * c.tileM() + past + 1), k.i32(0));
  }
  steps = (k.max(seen, k.i32(1)) + (c.tileN - 1)) / c.tileN;
  whole = all / c.tileN;
}

Value AttentionScope::ofHead(Value coords, Num which) const {
  return k.slice(coords, k.coord("(_,_,?,?)", {which.v, batch.v}));
}

//===--- configurations -----------------------------------------------------------------------===//

AttentionConfig AttentionConfig::complete() const {
  AttentionConfig c = *this;
  bool wide = c.headDim == 128;
  if (!c.consumers)
    c.consumers = wide ? 2 : 3;
  if (!c.tileN)
    c.tileN =
        wide && !c.causal ? 176 : 128; // a mask that cuts through tiles wastes less of small ones
  return c;
}
int64_t AttentionConfig::smemBytes() const { return AttentionPlan(*this).end(); }
std::string AttentionConfig::name() const {
  return cat("m", tileM(), "n", tileN, "d", headDim, "_s", stages, "_", element,
             causal ? "_causal" : "");
}

std::optional<Reason> kernels::refused(const AttentionConfig &given) {
  auto among = [](const auto &value, const auto &...of) { return ((value == of) || ...); };
  const AttentionConfig c = given.complete();
  if (!among(c.element, "f16", "bf16"))
    return fail(Error::AttentionElement, c.element);
  if (!among(c.headDim, 64, 128))
    return fail(Error::AttentionHead, c.headDim);
  if (!among(c.consumers, 2, 3))
    return fail(Error::AttentionConsumers, c.consumers);
  if (c.tileN < 16 || c.tileN > 176 || c.tileN % 16)
    return fail(Error::AttentionTile, c.tileN);
  if (c.stages < 1 || c.smemBytes() > maxSmemBytes)
    return fail(Error::AttentionShared, c.stages, c.tileN, c.smemBytes(), maxSmemBytes);
  return std::nullopt;
}

void kernels::buildAttention(dsl::Builder &builder, const AttentionConfig &config) {
  AttentionConfig complete = config.complete();
  Attention(builder, complete).build();
}
