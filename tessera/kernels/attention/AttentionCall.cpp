// The host function of attention: its arguments, what it checks, tensor maps, the launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/Errors.h"
#include "tessera/kernels/attention/AttentionBlock.h"

#include "tessera/layout/Domains.h"

#include <numbers>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

namespace {

class Host {
public:
  explicit Host(AttentionBlock &s) : s(s), c(s.c) {}

  void write(int threads) {
    mlir::Type ofQueries = tensorType(s.element(), c.headDim),
               ofValues = tensorType(s.element(), c.valueDims()),
               ofResult = tensorType(s.result(), c.valueDims());
    llvm::SmallVector<mlir::Type> types = {ofQueries, ofQueries, ofValues, ofResult};
    mlir::MLIRContext *context = Context::current()->mlirContext();
    types.push_back(f32.type(context));
    if (c.window)
      types.push_back(i32.type(context));
    if (c.softcap)
      types.push_back(f32.type(context));
    if (c.alibi)
      types.push_back(tensor_type(f32, Layout("(?):(1)"), AddressSpace::Gmem, 4));
    if (c.varlen) {
      types.append(2, tensor_type(i32, Layout("(?):(1)"), AddressSpace::Gmem, 4));
      types.push_back(i32.type(context));
    }
    if (c.lengths)
      types.push_back(tensor_type(i32, Layout("(?):(1)"), AddressSpace::Gmem, 4));
    if (c.pageSize)
      types.push_back(tensor_type(i32, Layout("(?,?):(?{i64},1)"), AddressSpace::Gmem, 4));
    if (c.teams > 1) {
      types.push_back(tensor_type(f32, Layout("(?):(1)"), AddressSpace::Gmem, 16));
      types.push_back(tensor_type(i32, Layout("(?):(1)"), AddressSpace::Gmem, 4));
    }
    if (c.isNarrow())
      types.append(3, tensor_type(f32, Layout(c.varlen ? "(?):(1)" : "(?,?):(?{i64},?{i64})"),
                                  AddressSpace::Gmem, 4));
    if (c.lse)
      types.push_back(tensor_type(
          f32, Layout(c.varlen ? "(?,?):(?{i64},?{i64})" : "(?,?,?):(?{i64},?{i64},?{i64})"),
          AddressSpace::Gmem, 4));
    host(c.splits ? "decode" : "attention", types, [&](Arguments arguments, Stream stream) {
      // (sequence, dimension, head, batch): what TMA boxes have first.
      Tensor t[4];
      for (size_t i = 0; i < 4; ++i) {
        Pointer start = get_iter(arguments.tensor(i));
        Layout layout = get_layout(arguments.tensor(i));
        t[i] =
            make_tensor(start, c.varlen ? select(layout, {0, 2, 1}) : select(layout, {1, 3, 2, 0}));
      }
      Num isThere = (size(t[3], 0) > 0) & (size(t[3], 2) > 0);
      if (!c.varlen)
        isThere = isThere & (size(t[3], 3) > 0);
      return_unless(isThere); // O has elements
      const AttentionMemory &plan = s.plan;
      if (!c.splits && !c.multipliesByWarps())
        s.given.q = make_tma_load(t[0], plan.tileQ().swizzled(), make_tile(c.tileM(), c.headDim));
      auto loads = [&](Tensor tensor, const SmemTile &tile, int columns) {
        return make_tma_load(tensor, plan.boxOf(tile, columns).swizzled(),
                             make_tile(plan.keysOfBox(), columns));
      };
      if (c.multipliesByWarps()) {
        s.given.plainK = t[1], s.given.plainV = t[2];
      } else {
        s.given.k = loads(t[1], plan.tileK(), c.headDim);
        s.given.v = loads(t[2], plan.tileV(), c.valueDims());
      }
      if (c.splits || c.multipliesByWarps())
        s.given.plainQ = t[0];
      if (c.storesRows() || c.multipliesByWarps())
        s.given.plainO = t[3];
      else
        s.given.o = make_tma_store(t[3], plan.boxO().swizzled(),
                                   make_tile(plan.rowsOfBox(), plan.panelO()));
      Num keys = size(t[1], 0);
      if (c.pageSize) // of the longest batch, at most
        keys = size(arguments.tensor(arguments.size() - (c.teams > 1 ? 3 : 1)), 1) * c.pageSize;
      Num queries = size(t[0], 0), heads = size(t[0], 2), batch = c.varlen ? Num() : size(t[0], 3);
      check(size(t[1], 2) > 0, fail(Error::AttentionHeads).text); // which divides
      Num sharing = heads / size(t[1], 2);
      auto same = [&](int one, int other, std::initializer_list<int> modes) {
        for (int mode : modes)
          check(size(t[one], mode) == size(t[other], mode), fail(Error::AttentionOperands).text);
      };
      constexpr int sequence = 0, head = 2, batches = 3; // modes; the dimension is static
      same(0, 3, {sequence, head});
      same(1, 2, {sequence, head});
      if (c.pageSize) {
        same(1, 2, {batches});
        same(0, 3, {batches});
        check(size(t[1], sequence) == c.pageSize, fail(Error::AttentionPages, c.pageSize).text);
      } else
        for (int other = 1; !c.varlen && other < 4; ++other)
          same(0, other, {batches});
      check(sharing * size(t[1], 2) == heads, fail(Error::AttentionHeads).text);
      Num scale = arguments.num(4);
      check(scale > f32(0), fail(Error::AttentionScale).text); // nor a NaN
      s.given.scale = scale * f32(std::numbers::log2e);
      size_t next = takeScores(arguments, heads, keys + queries);
      s.given.queries = queries, s.given.keys = keys;
      s.given.sharing = sharing;
      Num longest = queries, ofHeads = heads;
      if (c.varlen) {
        s.given.startsQ = arguments.tensor(next), s.given.startsK = arguments.tensor(next + 1);
        batch = size(*s.given.startsQ, 0) - 1, longest = arguments.num(next + 2);
        next += 3;
        check(size(*s.given.startsK, 0) == batch + 1, fail(Error::AttentionStarts).text);
        check(longest >= 0, fail(Error::AttentionLongest).text);
        longest = min(longest, queries); // which all sequences together have
      }
      if (c.lengths) {
        s.given.lengths = arguments.tensor(next++);
        check(size(*s.given.lengths, 0) == batch, fail(Error::AttentionLengths).text);
      }
      if (c.pageSize) {
        s.given.pages = arguments.tensor(next++);
        check((size(*s.given.pages, 0) == batch) & (size(*s.given.pages, 1) > 0),
              fail(Error::AttentionLengths).text);
      }
      if (c.isNarrow()) {
        std::optional<Tensor> *scales[] = {&s.given.scalesQ, &s.given.scalesK, &s.given.scalesV};
        Num good;
        for (size_t i = 0; i < std::size(scales); ++i) {
          Tensor given = arguments.tensor(next++);
          Layout layout = get_layout(given);
          if (!c.varlen)
            layout = select(layout, {1, 0});
          Num there = size(layout, 0) == size(t[i], head);
          if (!c.varlen)
            there = there & (size(layout, 1) == batch);
          good = i ? good & there : there;
          *scales[i] = make_tensor(get_iter(given), layout);
        }
        check(good, fail(Error::AttentionScales).text);
      }
      if (c.lse) {
        Tensor lse = arguments.tensor(next++);
        Layout layout = get_layout(lse);
        layout = c.varlen ? select(layout, {1, 0}) : select(layout, {2, 1, 0});
        s.given.lse = make_tensor(get_iter(lse), layout);
        Num there = (size(layout, 0) == queries) & (size(layout, 1) == heads);
        check(c.varlen ? there : there & (size(layout, 2) == batch),
              fail(Error::AttentionLogs).text);
      }
      Num tiles = (longest + (c.tileM() - 1)) / c.tileM();
      if (c.splits) {
        Num ofRows = (sharing * queries + (c.tileM() - 1)) / c.tileM();
        tiles = i32(c.splits * c.teams), ofHeads = size(t[1], 2) * ofRows;
        if (c.teams > 1)
          takeWorkspace(arguments, next, wide(ofHeads) * wide(batch));
      }
      if (c.persistent)
        tiles = blocks(tiles, heads, batch, keys), ofHeads = i32(1), batch = i32(1);
      launch("attention_" + c.name(),
             {tiles, ofHeads, batch, threads, c.smemBytes(), std::max(c.splits, 1), 1,
              s.plan.overlaps()},
             stream, s.given);
    });
  }

private:
  AttentionBlock &s;
  const AttentionConfig &c;

  /// Where teams leave what they sum, of so many items.
  void takeWorkspace(const Arguments &arguments, size_t next, Num items) {
    s.given.workspace = arguments.tensor(next), s.given.counters = arguments.tensor(next + 1);
    Num words = items * i64(c.wordsOfTeam() * c.teams), counts = items * i64(c.splits);
    check(wide(size(*s.given.workspace, 0)) >= words, fail(Error::AttentionTeamWorkspace).text);
    check(wide(size(*s.given.counters, 0)) >= counts,
          fail(Error::AttentionTeamCounters, c.splits).text);
  }

  /// Blocks of a persistent grid, and how they take tiles. Where tiles are long a block has one,
  /// as hardware then shares out blocks better than a fixed order does.
  Num blocks(Num tiles, Num heads, Num batch, Num keys) {
    constexpr int keptBytes = 16 << 20; // of K and V, in the L2 cache
    int bytesOfKey = (c.headDim + c.valueDims()) * s.plan.operandBits() / 8;
    Num pairs = heads * batch, items = tiles * pairs;
    s.given.tiles = tiles, s.given.heads = heads, s.given.pairs = pairs, s.given.items = items;
    Num kept = i32(keptBytes / bytesOfKey) / max(keys, 1) * s.given.sharing;
    s.given.together = max(min(kept, pairs), 1);
    return select(keys > longKeys(), items, min(items, c.sms));
  }
  /// Keys of a sequence after which a block has one tile (docs/benchmarks.md).
  int longKeys() const { return c.causal && c.headDim > 64 ? 512 : 4096; }

  /// (batch, sequence, head, dimension), the batch only where sequences are as long as each other;
  /// TMA takes strides of 16 bytes.
  mlir::Type tensorType(Element element, int dimension) const {
    std::vector<layout::Tree> extents(
        c.varlen ? 2 : 3, layout::Tree(layout::Int::dynamic(layout::Symbolic::anonymous)));
    std::vector<layout::Tree> strides(
        extents.size(),
        layout::Tree(layout::Int::dynamic(layout::Symbolic::anonymous, layout::Width::I64,
                                          128 / element.bits())));
    extents.push_back(layout::Int(int64_t(dimension)));
    strides.push_back(layout::Int(int64_t(1)));
    return tensor_type(element, layout::Layout{layout::Tree(extents), layout::Tree(strides)},
                       AddressSpace::Gmem, 16);
  }

  /// The arguments after the scale that say what scores are and which are seen; no key is farther
  /// from a query's own than `farthest`, so that sums with a window have room. Returns the argument
  /// after them.
  size_t takeScores(const Arguments &arguments, Num heads, Num farthest) {
    size_t next = 5;
    if (c.window) {
      Num reach = arguments.num(next++);
      check(reach >= 0, fail(Error::AttentionWindow).text);
      s.given.reach = min(reach, farthest);
    }
    if (c.softcap) {
      Num cap = arguments.num(next++);
      check(cap > f32(0), fail(Error::AttentionCap).text);
      s.given.scale = s.given.scale * f32(2) / cap;
      s.given.cap = cap * f32(std::numbers::log2e);
    }
    if (c.alibi) {
      s.given.slopes = arguments.tensor(next++);
      check(size(*s.given.slopes, 0) == heads, fail(Error::AttentionSlopes).text);
    }
    return next;
  }
};
} // namespace

void kernels::writeHost(AttentionBlock &block, int threads) { Host(block).write(threads); }

void kernels::writeKernel(AttentionBlock &block, int threads, llvm::function_ref<void()> work) {
  writeHost(block, threads);
  kernel("attention_" + block.c.name(), threads, block.given,
         [&](const AttentionParameters &given) {
           block.begin(given);
           if (block.c.varlen) // the longest sequence has this tile
             If(block.tile * block.c.tileM() < block.given.queries, work);
           else
             work();
         });
}
