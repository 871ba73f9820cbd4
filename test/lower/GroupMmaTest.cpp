// Every warpgroup MMA row, dense or with a sparse A, through the whole pipeline: IR, PTX, and the
// product on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As for warps (WarpMmaTest.cpp), the numbers and the plain product come from test/atom/Product.
// Each kernel puts A and B into shared memory by plain stores through swizzled pointers, so that a
// wrong descriptor gives a wrong product. A kernel is compiled to PTX and run on the simulator,
// in turn with products made at once and as late as they may be. The first of each row and of each
// sweep is assembled. Of the others a third is taken, another one each day, as in utils/turn.py;
// all with TESSERA_LONG, and where there is a Hopper GPU, on which they run too.
#include "tessera/sim/Machine.h"
#include "test/atom/Device.h"
#include "test/driver/Reading.h"
#include "test/lower/GroupMmaCases.h"
#include "test/lower/Spelling.h"
#include "test/lower/Writer.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace mlir;

namespace tessera::lower::test {

using atom::Major;
using atom::MmaRow;
using atom::Operand;
using atom::test::Product;

namespace {
constexpr int threads = 128, unitBytes = 16;

/// A matrix in shared memory: rows by K, of rows of `width` units that are contiguous in K (or in
/// rows). Of a sparse one K is what is kept.
struct Tile {
  int rows, bits, width;
  Major major;
  int units; // along K of one instruction; a swizzled row may have more
  bool sparse = false;

  int unit() const { return unitBytes * 8 / bits; }
  int k() const { return units * unit(); }
  int elements() const { return rows * k(); }
  int bytes() const { return rows * unitBytes * std::max(units, major == Major::K ? width : 0); }

  /// PTX ISA 9.7.15.5.1: eight rows of `width` units make an atom.
  std::string layout() const {
    int u = unit(), row = width * u, atom = 8 * row;
    // The two of a pair along K are one place.
    const char *pair = sparse ? "2," : "", *place = sparse ? "0," : "";
    if (major == Major::MN)
      return cat("((", row, ",", rows / row, "),(", pair, "8,", k() / 8, ")):((1,", k() / 8 * atom,
                 "),(", place, row, ",", atom, "))");
    if (width == 1)
      return cat("((8,", rows / 8, "),(", pair, u, ",", units, ")):((", u, ",", atom, "),(", place,
                 "1,", rows / 8 * atom, "))");
    return cat("((8,", rows / 8, "),(", pair, row, ")):((", row, ",", atom, "),(", place, "1))");
  }
  std::string swizzle() const {
    return width == 1 ? "" : cat(", S<", width == 2 ? 1 : width == 4 ? 2 : 3, ",4,3>");
  }
  /// How Product::input has it.
  Tile plain() const { return {rows, bits, 1, Major::K, units}; }
  /// What is stored, in elements that a thread can store: 1-bit ones by the byte.
  Tile stored() const { return {rows, std::max(8, bits), width, major, units}; }
};

/// A kernel with the interface of Product::kernel: words in, words out.
class GroupKernel {
public:
  GroupKernel(MLIRContext *context, const GroupCase &c)
      : k(context), row(*c.row), c(c),
        tiles{{row.m.first, row.a.storedBits(), c.width, c.aMajor, 2, row.sparsity.isSparse()},
              {c.n, row.b.storedBits(), c.width, c.bMajor, c.unitsOfB()}} {}

  OwningOpRef<ModuleOp> build() {
    Type words = k.type("!cute.ptr<i32, gmem, align<4>>");
    k.kernel("k", {words, words}, threads,
             [&](ValueRange arguments) { body(arguments[0], arguments[1]); });
    return std::move(k.module);
  }
  unsigned sharedBytes() const { return unsigned(start(1) + tiles[1].bytes()); }

private:
  Writer k;
  const MmaRow &row;
  const GroupCase &c;
  Tile tiles[2];

  static constexpr int alignment = 1024; // of what a swizzle permutes
  bool readsA() const { return row.a.where == atom::Residency::Smem; }
  int start(int operand) const {
    return operand == 0 || !readsA() ? 0
                                     : (tiles[0].bytes() + alignment - 1) / alignment * alignment;
  }
  int wordsOf(const Operand &operand) const {
    return operand.registers.at(c.n) * bits(operand.registers.type) / 32;
  }

  std::string typeOf() const {
    const char *kind = readsA() ? "ss" : "rs";
    return cat(mnemonic(row.family), "<", row.m.first, "x", c.n, "x", row.k, ", ab_major = (",
               name(c.aMajor), ", ", name(c.bMajor), "), elem_type = (", spelling(row.a.element),
               ", ", spelling(row.b.element), ", ", spelling(row.c.element),
               "), frag_kind = ", kind,
               row.overflow == atom::Overflow::Satfinite ? ", int_overflow = <satfinite>" : "",
               row.bitOp == atom::BitOp::None ? "" : cat(", binary_op = ", name(row.bitOp)),
               c.variant.negateA ? ", a_neg" : "", c.variant.negateB ? ", b_neg" : "", ">");
  }

  void body(Value in, Value out) {
    Num tid = dsl::special_register("tid.x");
    Value smem = k.dyn_smem(alignment);
    bool sparse = row.sparsity.isSparse();
    int values = wordsOf(row.c) + (readsA() ? 0 : wordsOf(row.a)), each = values + sparse;
    Value mine = k.offset(in, tid * each);
    Nums fields = {dsl::i1(c.variant.accumulates).ir()};
    if (sparse)
      fields.push_back(cute::PtrLoadOp::create(k.b, k.loc, k.type("i32"), k.offset(mine, values), 0,
                                               IntegerAttr()));
    Value mma = k.make_tiled_mma(k.make_atom(typeOf(), fields));

    Value a, shared = k.offset(in, threads * each);
    if (readsA()) {
      Value tile = fill(0, shared, smem, tid);
      a = part(k.make_fragment_A(mma, k.partition_A(mma, tile, dsl::i32(0))));
      shared = k.offset(shared, tiles[0].elements() * tiles[0].bits / 32);
    } else {
      a = registers(row.a);
      move(mine, words(a), wordsOf(row.a));
      mine = k.offset(mine, wordsOf(row.a));
    }
    Value tileB = fill(1, shared, smem, tid);
    Value b = part(k.make_fragment_B(mma, k.partition_B(mma, tileB, dsl::i32(0))));
    Value sums = registers(row.c);
    move(mine, words(sums), wordsOf(row.c));

    dsl::fence_async_shared();
    dsl::sync_threads();
    dsl::warpgroup_arrive();
    cute::MmaAtomCallOp::create(k.b, k.loc, mma, sums, a, b, sums,
                                sparse ? k.b.getI32IntegerAttr(c.selector) : IntegerAttr());
    dsl::warpgroup_commit();
    dsl::warpgroup_wait(0);
    move(words(sums), k.offset(out, tid * wordsOf(row.c)), wordsOf(row.c));
  }

  /// One instruction's part of a fragment (V, 1, blocks).
  Value part(Value fragment) { return k.slice(fragment, k.coord(cat("(_,0,", c.block, ")"))); }

  Value registers(const Operand &operand) {
    return k.make_rmem_tensor(spelling(operand.element),
                              cat(wordsOf(operand) * 32 / operand.storedBits(), ":1"));
  }
  Value words(Value tensor) {
    return k.recast_iter(k.get_iter(tensor), "!cute.ptr<i32, rmem, align<16>>");
  }
  void move(Value from, Value to, int count) {
    Value layout = k.layout(cat(count, ":1"));
    k.store_vec(k.load_vec(k.make_tensor(from, layout)), k.make_tensor(to, layout));
  }

  /// Copies a tile element by element, as bits; gives the tensor in shared memory.
  Value fill(int operand, Value from, Value smem, Num tid) {
    const Tile t = tiles[operand].stored();
    std::string bitsType = cat("i", t.bits);
    Value start = k.offset(smem, this->start(operand));
    auto pointer = [&](const std::string &element) {
      return k.recast_iter(
          start, cat("!cute.ptr<", element, ", smem, align<", alignment, ">", t.swizzle(), ">"));
    };
    Value source = k.recast_iter(from, cat("!cute.ptr<", bitsType, ", gmem, align<4>>"));
    Value g = k.make_tensor(source, k.layout(t.plain().layout()));
    Value s = k.make_tensor(pointer(bitsType), k.layout(t.layout()));
    dsl::For(tid, dsl::i32(t.elements()), dsl::i32(threads), [&](Num i) {
      Num r = i % t.rows, kk = i / t.rows;
      Value element = cute::MemRefLoadOp::create(k.b, k.loc, k.type(bitsType), g,
                                                 k.coord("(?,?)", {r.ir(), kk.ir()}));
      Value at = k.coord("(?,?)", {r.ir(), (kk + c.block * t.k()).ir()});
      cute::MemRefStoreOp::create(k.b, k.loc, s, at, element);
    });
    return k.make_tensor(pointer(spelling((operand == 0 ? row.a : row.b).element)),
                         k.layout(tiles[operand].layout()));
  }
};

/// PTX of a case for a target; empty after a failure of the running test.
std::string compile(GroupKernel &kernel, driver::test::Reading &reading, const std::string &arch) {
  OwningOpRef<ModuleOp> module = kernel.build();
  EXPECT_TRUE(succeeded(verify(*module))) << reading.errors;
  driver::CompileOptions options{.arch = arch};
  bool lowered = reading.compiler.lower(*module, options);
  EXPECT_TRUE(lowered) << reading.errors;
  if (!lowered)
    return "";
  auto codes = reading.compiler.translate(*module, options);
  EXPECT_TRUE(codes.ok()) << reading.errors;
  return codes.ok() ? codes->front().ptx : "";
}
/// What the simulator makes of a kernel; nothing after a failure of the running test.
std::vector<uint32_t> simulate(const std::string &ptx, const Product &product, unsigned sharedBytes,
                               bool late) {
  sim::Machine machine({.hostThreads = 1, .lateCopies = late});
  std::vector<uint32_t> input = product.input(),
                        output(size_t(product.threads()) * product.wordsPerResult());
  auto buffer = [&](const std::vector<uint32_t> &words) {
    uint64_t address = *machine.memory().allocate(words.size() * 4);
    EXPECT_TRUE(machine.memory().write(address, std::as_bytes(std::span(words))));
    return address;
  };
  uint64_t parameters[] = {buffer(input), buffer(output)};
  Result<sim::Program> program = sim::Program::parse(ptx);
  EXPECT_TRUE(program.ok()) << program.reason().text;
  if (!program)
    return {};
  auto loaded = machine.load(std::make_shared<const sim::Program>(*std::move(program)));
  sim::LaunchConfig config{.block = {uint32_t(product.threads())}, .dynamicShared = sharedBytes};
  sim::Status status = machine.launch(*loaded, "k", config, std::as_bytes(std::span(parameters)));
  EXPECT_TRUE(status) << status.reason().text;
  if (!status)
    return {};
  EXPECT_TRUE(machine.memory().read(std::as_writable_bytes(std::span(output)), parameters[1]));
  return output;
}
} // namespace

/// The cases whose turn it is.
static std::vector<GroupCase> casesOfToday(bool (*chosen)(const atom::MmaRow &), bool all) {
  const char *wanted = std::getenv("TESSERA_TURN");
  auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  size_t turn = size_t(wanted ? std::atoll(wanted) : today.time_since_epoch().count());
  constexpr size_t turns = 3;
  std::vector<GroupCase> cases;
  size_t other = 0;
  for (const GroupCase &c : groupCases())
    if (chosen(*c.row) && (c.sampled || all || other++ % turns == turn % turns))
      cases.push_back(c);
  return cases;
}

/// Compiles the cases of these rows, and runs them on the GPU if it is Hopper, and on the
/// simulator: each against the plain product.
static void everyCase(bool (*chosen)(const atom::MmaRow &)) {
  atom::test::Device *device = atom::test::Device::first();
  atom::Target target = *atom::Target::parse("sm_90a");
  if (device && !(device->target() == target))
    device = nullptr; // wgmma is Hopper's alone
  std::string ptxas = ptx::findPtxas();
  std::mt19937 random(9);
  size_t compiled = 0, assembled = 0, run = 0;
  driver::test::Reading reading{
      std::filesystem::path()}; // of nothing: its compiler, and what that says
  for (const GroupCase &c : casesOfToday(chosen, device || std::getenv("TESSERA_LONG"))) {
    SCOPED_TRACE(c.str());
    Product product(*c.row, {c.n, c.selector, false}, random, c.variant);
    GroupKernel kernel(&reading.compiler.context(), c);
    std::string ptx = compile(kernel, reading, target.str());
    if (ptx.empty())
      continue;
    ++compiled;
    std::string mnemonic = atom::mnemonicFor(*c.row, c.n);
    EXPECT_NE(ptx.find(mnemonic + " "), std::string::npos) << mnemonic << "\n" << ptx;
    if (c.sampled && !ptxas.empty()) {
      auto cubin = ptx::assemble(ptxas, ptx, target.str());
      EXPECT_TRUE(cubin.ok()) << cubin.reason().text;
      assembled += cubin.ok();
    }
    if (device) {
      auto module = device->load(ptx);
      ASSERT_TRUE(module.ok()) << module.reason().text;
      auto output = device->run(*module, "k", product.threads(), product.input(),
                                size_t(product.threads()) * product.wordsPerResult(),
                                {.sharedBytes = kernel.sharedBytes()});
      ASSERT_TRUE(output.ok()) << output.reason().text; // the context is gone
      SCOPED_TRACE("on the GPU");
      product.check(*output);
      ++run;
    }
    SCOPED_TRACE("on the simulator");
    std::vector<uint32_t> simulated = simulate(ptx, product, kernel.sharedBytes(), compiled % 2);
    ASSERT_FALSE(simulated.empty());
    product.check(simulated);
  }
  std::printf("  %zu products of a warpgroup compiled and simulated, %zu assembled, %zu run%s\n",
              compiled, assembled, run, device ? "" : " (no Hopper GPU here)");
  EXPECT_GT(compiled, 0u);
}

static bool singleBit(const atom::MmaRow &row) { return row.a.element == atom::Element::b1; }
TEST(GroupMma, DenseProducts) {
  everyCase([](const atom::MmaRow &row) { return !row.sparsity.isSparse() && !singleBit(row); });
}
TEST(GroupMma, SparseProducts) {
  everyCase([](const atom::MmaRow &row) { return row.sparsity.isSparse(); });
}
TEST(GroupMma, ProductsOfSingleBits) { everyCase(singleBit); }

} // namespace tessera::lower::test
