// Products of warpgroups: every row of the atom table against a plain product, and what goes wrong
// without a wait. Majors and swizzles are those of tessera-lower-test, which runs its kernels here
// too. PTX ISA 9.7.15.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../atom/Product.h"
#include "Harness.h"

namespace tessera::sim::test {

namespace {

using Words = std::vector<uint32_t>;
const std::string header = ".version 8.8\n.target sm_90a\n.address_size 64\n";

/// What a product's kernel, changed by `edit`, writes; nothing after a failure of the test.
std::optional<Words> run(const atom::test::Product &product, bool late,
                         const std::function<void(std::string &)> &edit = {}) {
  std::string kernel = product.kernel("k");
  if (edit)
    edit(kernel);
  Bench bench({.lateCopies = late});
  size_t words = size_t(product.threads()) * product.wordsPerResult();
  uint64_t in = bench.buffer(product.input()), out = bench.buffer(Words(words));
  Status status = bench.launch(header + kernel, "k",
                               {.grid = {}, .block = {uint32_t(product.threads())}}, {in, out});
  EXPECT_TRUE(status) << product.row.name << ": " << status.reason().text;
  return status ? std::optional(bench.read<uint32_t>(out, words)) : std::nullopt;
}

TEST(Groups, EveryProductIsRight) {
  std::mt19937 random(3);
  size_t rows = 0;
  for (const atom::MmaRow &row : atom::mmaRows()) {
    if (row.recipe != atom::Recipe::Wgmma)
      continue;
    ++rows;
    for (int n : {int(row.n.first), 24, 96, int(row.n.last)}) {
      if (onlyThreads && n != 24)
        continue;
      for (int selector = 0; selector < std::max(1, int(row.sparsity.selectors)); ++selector) {
        atom::test::Product product(row, {.n = n, .selector = selector}, random);
        std::optional<Words> got = run(product, n == 24);
        ASSERT_TRUE(got);
        ASSERT_NO_FATAL_FAILURE(product.check(*got));
      }
    }
  }
  RecordProperty("rows", int(rows));
  EXPECT_GE(rows, 78u); // 40 sparse, 38 dense ones and those of single bits
}

const atom::MmaRow &halves() { return **atom::findMma("SM90_64x32x16_F32F16F16_SS"); }

void cut(std::string &text, const std::string &what) {
  size_t at = text.find(what);
  ASSERT_NE(at, text.npos) << what;
  text.erase(at, what.size());
}

TEST(Groups, MustBeWaitedFor) {
  // Made late, a product that nobody waits for leaves its registers as they were.
  std::mt19937 random(4);
  atom::test::Product product(halves(), {.n = 32}, random);
  std::optional<Words> whole = run(product, false),
                       early = run(product, true, [](std::string &text) {
                         cut(text, "  wgmma.wait_group.sync.aligned 0;\n");
                       });
  ASSERT_TRUE(whole && early);
  EXPECT_NE(*whole, *early);
  Words input = product.input();
  input.resize(early->size());
  EXPECT_EQ(*early, input); // C
}

Reason refusedAtRun(const std::function<void(std::string &)> &edit, uint32_t threads = 128) {
  std::mt19937 random(5);
  atom::test::Product product(halves(), {.n = 32}, random);
  std::string kernel = product.kernel("k");
  edit(kernel);
  Bench bench;
  uint64_t in = bench.buffer(product.input()),
           out = bench.buffer(Words(128 * product.wordsPerResult()));
  Status status = bench.launch(header + kernel, "k", {.grid = {}, .block = {threads}}, {in, out});
  EXPECT_FALSE(status);
  return status ? Reason{} : status.reason();
}
/// Puts code before the product.
auto before(const std::string &code) {
  return [code](std::string &text) { text.insert(text.find("  wgmma.fence"), code); };
}

TEST(Groups, RefuseWhatIsWrong) {
  EXPECT_EQ(refusedAtRun(before("  cvt.u64.u32 %l5, %r250;\n  or.b64 %l1, %l1, %l5;\n")).id,
            "GroupDiffers");
  EXPECT_EQ(refusedAtRun(before("  setp.lt.u32 %p0, %r250, 64;\n")).id, "GroupDiffers");
  EXPECT_EQ(refusedAtRun(before("  or.b64 %l1, %l1, 0x2000000000000;\n")).id, "GroupDescriptor");
  EXPECT_EQ(refusedAtRun(before("  or.b64 %l1, %l1, 0x3fff;\n")).id, "OutOfBounds");
  Reason three = refusedAtRun([](std::string &) {}, 96);
  EXPECT_EQ(three.id, "Deadlock");
  EXPECT_NE(three.text.find("for the other warps of group 0"), std::string::npos) << three.text;
}

TEST(Groups, MustBeDoneBeforeAFunctionReturns) {
  std::string function = ".func f(.reg .b64 %l0) {\n  .reg .f32 %f<4>;\n  .reg .pred %p0;\n  "
                         "setp.eq.u64 %p0, %l0, %l0;\n"
                         "  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, "
                         "%f3}, %l0, %l0, %p0, 1, 1, 0, 0;\n"
                         "  wgmma.commit_group.sync.aligned;\n  ret;\n}\n";
  expectFails("mov.b64 d1, 0x0000000800080040;\ncall f, (d1);", "GroupReturn",
              "wgmma.wait_group is missing", 128, {.lateCopies = true},
              ".shared .align 128 .b8 t[8192];\n" + function);
}

TEST(Groups, RefuseOperandsThatAreNone) {
  auto refuses = [](const std::string &operands, std::string_view id) {
    std::string text = kernelOf("wgmma.mma_async.sync.aligned.m64n8k16." + operands + ";");
    EXPECT_EQ(refused(text).id, id) << operands;
  };
  refuses("f32.f16.f16 {r1, r2, r3, r4}, d1, d2, p1, 1, 1, 0", "OperandCount");
  refuses("f32.f16.f16 {r1, r2, r3}, d1, d2, p1, 1, 1, 0, 0", "OperandKind");
  refuses("f32.f16.f16 {r1, r2, r3, r4}, d1, d2, p1, 2, 1, 0, 0", "OperandKind");
  refuses("f32.f16.f16 {r1, r2, r3, r4}, d1, d2, p1, 1, 1, 0, 2", "OperandKind");
  refuses("f32.f16.bf16 {r1, r2, r3, r4}, d1, d2, p1, 1, 1, 0, 0", "NoAtom");
}

} // namespace

} // namespace tessera::sim::test
