// What is refused, with which words: PTX that is wrong, launches that cannot be, kernels that
// misbehave.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include "tessera/sim/Report.h"

namespace tessera::sim::test {

namespace {

/// The text is refused for the reason `id`, at a line that is shown, with words in it.
void expectRefused(const std::string &text, std::string_view id, const std::string &words) {
  Reason reason = refused(text);
  EXPECT_EQ(reason.id, id) << reason.text;
  EXPECT_NE(reason.text.find(words), std::string::npos) << reason.text;
  EXPECT_TRUE(reason.text.starts_with("line ")) << reason.text;
}
void expectBodyRefused(const std::string &body, std::string_view id, const std::string &words) {
  expectRefused(kernelOf(body), id, words);
}

TEST(Errors, OfText) {
  expectRefused(".version 8.0\n#", "Character", "line 2: PTX has no character '#'");
  expectRefused(".version 8.0\n/* no end", "Unterminated", "a comment begins here");
  expectRefused(".version 8.0\n.pragma \"no end", "Unterminated", "a string begins here");
  expectRefused(".version 5.0", "Version", "PTX 5.0 is not known");
  expectRefused(".version 8.0\n.tables x;", "Directive", "the directive '.tables' is not known");
  expectRefused(".version 8.0\n.global .u32 a[4", "Expected",
                "expects ']', but got 'the end of the file'");
  expectRefused(".global .u32 a;\n.global .u32 a;", "Redefined", "line 2: 'a' is defined twice");
  expectRefused(".global .b8 a[100000000000];", "TooLarge", "'a' would take");
  expectRefused(".global .u32 a = 0y12;", "Number", "'0y12' is not a number");
  for (const char *nested : {"{", "[", "(", "a|"}) {
    std::string deep = ".func f() { op ";
    for (int i = 0; i < 100000; ++i)
      deep += nested;
    EXPECT_EQ(refused(deep).id, "Expected");
  }
  expectRefused(".global .u64 a = b;", "Undefined", "'b' is not defined");
}

TEST(Errors, OfInstructions) {
  expectBodyRefused("frobnicate.u32 r1, r2;", "Instruction",
                    "there is no instruction 'frobnicate.u32'");
  expectBodyRefused("add.u33 r1, r2, r3;", "Modifiers",
                    "'add.u33' is not one of the forms of add; the nearest: add.u32");
  expectBodyRefused("add.u32 r1, r2;", "OperandCount",
                    "add.u32 takes 3 operands (=t t t), but got 2");
  expectBodyRefused("add.u32 [r1], r2, r3;", "OperandKind",
                    "operand 1 of add.u32 expects a register, but got '[r1]'");
  expectBodyRefused("add.u32 r1, d2, r3;", "OperandWidth", "'d2'");
  expectBodyRefused("add.u32 r1, r64, r3;", "Undefined", "'r64' is not defined");
  expectBodyRefused("add.u32 5, r2, r3;", "OperandKind", "expects a register");
  expectBodyRefused("bra nowhere;", "Undefined", "'nowhere' is not defined");
  expectBodyRefused("mma.sync.aligned.m16n8k99.row.col.f32.f16.f16.f32 {r1}, {r1}, {r1}, {r1};",
                    "NoAtom", "m16n8k99");
  expectBodyRefused("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {r1, r2}, {r2, r2}, {r2}, "
                    "{r3, r3, r3, r3};",
                    "OperandKind", "4 registers");
  expectBodyRefused("ld.global.v4.u32 {r1, r2}, [in_];", "OperandKind", "a list of 4");
  expectBodyRefused("cp.async.ca.shared.global [r1], [in_], 5;", "OperandKind", "4, 8 or 16");
  expectBodyRefused("shfl.sync.idx.b32 r1, r2, 1, 31;", "OperandCount", "takes 5 operands");
  expectRefused(kernelOf("call f, (r1);", ".func f() { ret; }\n"), "CallSignature",
                "a call of 'f' expects 0 arguments and 0 results, but got 1 and 0");
  expectBodyRefused("tex.1d.v4.f32.f32 {r1, r2, r3, r4}, [d1, {r5}];", "MissingInstruction",
                    "'tex.1d.v4.f32.f32' is not simulated: there are no textures");
  expectBodyRefused("tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [d1], 1;",
                    "MissingInstruction", "the bits of sm_100's tensor maps are not known");
  expectBodyRefused("mov.pred p1, %tid.x;", "OperandKind", "expects a predicate, but got '%tid.x'");
  expectBodyRefused("mov.u32 r1, %is_explicit_cluster;", "OperandKind", "not a predicate");
  expectBodyRefused("vadd.u32.u32.u32 r0.b1, r1, r2;", "OperandKind",
                    "operand 1 of vadd.u32.u32.u32 expects a whole register");
  expectBodyRefused("vadd.u32.u32.u32 r0, r1, r2, r3;", "OperandKind",
                    "expects a register with .b0 to .b3, .h0 or .h1");
  expectBodyRefused("vadd.u32.u32.u32 r0, r1.b4, r2;", "OperandKind",
                    "operand 2 of vadd.u32.u32.u32");
  expectBodyRefused("vadd.u32.u32.u32 r0, -r1, r2;", "Expected", "expects an operand, but got '-'");
  expectBodyRefused("vmad.u32.u32.u32 -r0, r1, r2, r3;", "OperandKind", "a value without '-'");
  expectBodyRefused("vmad.u32.u32.u32 r0, -r1, r2, -r3;", "OperandKind",
                    "no '-', as the product has one");
  expectBodyRefused("vmad.u32.u32.u32.po r0, -r1, r2, r3;", "OperandKind", "a value without '-'");
  // What an H100 does otherwise than the ISA says (docs/simulator.md).
  for (const char *body :
       {"vadd.u32.u32.u32.sat r0, r1, r2;", "vmad.s32.s32.s32.po.sat r0, r1, r2, r3;",
        "vshl.u32.u32.u32.sat.wrap r0, r1, r2;"})
    expectBodyRefused(body, "MissingInstruction", "an H100 clamps what 32 bits keep of it");
  for (const char *body :
       {"vsub.s32.s32.s32.min r0, r1, r2, r3;", "vset.u32.u32.ge.max r0, r1, r2, r3;"})
    expectBodyRefused(body, "MissingInstruction", "an H100 takes it as signed");
  expectBodyRefused("vmad.u32.u32.u32.shr7 r0, r1, r2, r3;", "MissingInstruction",
                    "an H100 shifts what 32 bits keep of it");
  expectBodyRefused("vmin.u32.u32.u32 r0.h1, r1, r2, r3;", "MissingInstruction",
                    "an H100 puts the upper half there");
  expectBodyRefused("vadd2.u32.u32.u32 r0.h01, r1, r2, r3;", "OperandKind", ".h0, .h1 or .h10");
  expectBodyRefused("vadd2.u32.u32.u32 r0, r1.h04, r2, r3;", "OperandKind", "two of 0 to 3");
  expectBodyRefused("vadd4.u32.u32.u32 r0, r1, r2.b321, r3;", "OperandKind", "four of 0 to 7");
  expectBodyRefused("cvt.rs.satfinite.e4m3x4.f32 r0, {r1, r2}, r3;", "OperandKind", "a list of 4");
  expectBodyRefused("{ .reg .u32 inner; }\nmov.u32 r1, inner;", "Undefined",
                    "'inner' is not defined");
}

//===--- Launches ----------------------------------------------------------------------------===//

void expectNotLaunched(const std::string &text, const std::string &kernel, LaunchConfig config,
                       std::vector<uint64_t> parameters, std::string_view id) {
  Bench bench;
  Status status = bench.launch(text, kernel, config, parameters);
  ASSERT_FALSE(status) << id;
  EXPECT_EQ(status.reason().id, id) << status.reason().text;
}
TEST(Errors, OfLaunches) {
  std::string plain = kernelOf("");
  expectNotLaunched(plain, "other", {}, {0, 0}, "NoKernel");
  expectNotLaunched(plain, "k", {.grid = {0}}, {0, 0}, "Extents");
  expectNotLaunched(plain, "k", {.grid = {}, .block = {1, 1, 65}}, {0, 0}, "Extents");
  expectNotLaunched(plain, "k", {.grid = {}, .block = {64, 32}}, {0, 0}, "BlockSize");
  expectNotLaunched(kernelOf(".local .b8 x[600000];"), "k", {}, {0, 0}, "LocalSize");
  expectNotLaunched(plain, "k", {}, {0}, "ParameterBytes");
  expectNotLaunched(plain, "k", {.grid = {3}, .block = {1}, .cluster = Dim3{2}}, {0, 0},
                    "ClusterDivides");
  expectNotLaunched(plain, "k", {.grid = {}, .block = {}, .cluster = {}, .dynamicShared = 300000},
                    {0, 0}, "SharedSize");
  expectNotLaunched(".visible .entry k() .reqntid 64 { ret; }", "k", {}, {}, "RequiredBlock");
  expectNotLaunched(".visible .entry k() .reqnctapercluster 2, 1, 1 { ret; }", "k",
                    {.grid = {2}, .block = {1}, .cluster = Dim3{1}}, {}, "RequiredCluster");
}
TEST(Errors, OfMemoryFromTheHost) {
  Machine machine({.globalBytes = 1 << 20});
  EXPECT_EQ(machine.memory().allocate(uint64_t(1) << 40).reason().id, "NoMemory");
  EXPECT_EQ(machine.memory().free(12345).reason().id, "NotAllocated");
  uint64_t a = *machine.memory().allocate(16);
  std::byte bytes[32] = {};
  EXPECT_EQ(machine.memory().write(a, bytes).reason().id, "HostAccess");
  EXPECT_TRUE(machine.memory().free(a));
  EXPECT_EQ(machine.memory().read(std::span(bytes, 16), a).reason().id, "HostAccess");
}

//===--- Kernels -----------------------------------------------------------------------------===//

TEST(Errors, OfAccesses) {
  // Every sentence says who and where.
  expectFails("mov.u32 r1, %tid.x;\nmad.wide.u32 d1, r1, 64, out_;\nst.global.u32 [d1], r1;",
              "OutOfBounds",
              "kernel 'k', block (0, 0, 0), thread (16, 0, 0), line 16: a write of 4 bytes at "
              "global address 0x700000400 is out of bounds: the allocation "
              "before it has 1024 bytes from 0x700000000\n  st.global.u32 [d1], r1;");
  // The program has no variables, and no memory for them.
  expectFails("st.global.u32 [out_+1048576], r1;", "OutOfBounds",
              "global address 0x700100000 is out of bounds: the allocation before it has 1024 "
              "bytes from 0x700000000");
  expectFails("ld.global.u32 r1, [out_+2];", "Misaligned",
              "a read of 4 bytes at global address 0x700000002, which is not a multiple of 4");
  expectFails("ld.global.v4.u32 {r1, r2, r3, r4}, [out_+8];", "Misaligned", "a read of 16 bytes");
  expectFails("mov.u64 d1, 0;\nld.u32 r1, [d1];", "OutOfBounds", "address 0x0 is out of bounds");
  expectFails("mov.u64 d1, -8;\nld.u64 d2, [d1];", "OutOfBounds",
              "generic address 0xfffffffffffffff8");
  expectFails("st.shared.u32 [s+64], r1;", "OutOfBounds", "the block has 64 bytes", 32, {},
              ".shared .u32 s[16];\n");
  expectFails("mov.u32 r1, 0x01000400;\nld.shared.u32 r2, [r1];", "OutOfBounds",
              "there is no block 1 in the cluster", 32, {}, ".shared .u32 s[16];\n");
  expectFails("mov.u32 r1, 4096;\nld.local.u32 r2, [r1];", "OutOfBounds", "the thread has", 32, {});
  expectFails("mov.b64 d1, in;\ncvta.param.u64 d1, d1;\nst.u32 [d1], r1;", "ReadOnly",
              "a write of 4 bytes at parameter address 0x0");
  expectFails("atom.global.add.u32 r1, [out_+1024], 1;", "OutOfBounds", "an atomic access");
}

TEST(Errors, OfVectors) {
  Reason reason = refused(kernelOf("ld.global.v8.b16 {h0, h1, h2, h3, h4, h5, h6, h7}, [in_];"));
  EXPECT_EQ(reason.id, "VectorOfEight");
  EXPECT_NE(reason.text.find("has elements of 16 bits, but a vector of eight expects 32"),
            std::string::npos)
      << reason.text;
}

TEST(Errors, OfThreads) {
  expectFails("trap;", "Trap", "the kernel executed trap");
  expectFails("again: bra again;", "Instructions", "the limit of 100000 instructions", 1,
              {.instructions = 100000});
  expectFails("again: ld.volatile.global.u32 r1, [out_];\nadd.u32 r2, r2, 1;\nbra again;",
              "Instructions", "Line 14 reads 0 at 0x700000000 again and again.", 1,
              {.instructions = 100000});
  expectFails("bar.sync 16;", "BarrierId", "barrier 16 does not exist");
  expectFails("bar.sync 1, 48;", "BarrierCount", "barrier 1 waits for 48 threads");
  expectFails("mov.u32 r1, %tid.x;\nshr.u32 r1, r1, 5;\nbar.sync r1;", "Deadlock",
              "no thread can go on: in block (0, 0, 0): warp 0, lanes 0xffffffff, at line 16 for "
              "barrier 0; warp 1, lanes 0xffffffff, at line 16 for "
              "barrier 1; barrier 0 has 32 of 64 threads; barrier 1 has 32 of 64 threads",
              64);
  expectFails("mov.u32 r1, %tid.x;\nsetp.lt.u32 p1, r1, 16;\n@p1 bra low;\nbar.sync 0;\nlow: "
              "shfl.sync.idx.b32 r2, r1, 0, 31, -1;",
              "Deadlock", "lanes 0xffff, at line 18 for lanes 0xffff0000");
  expectFails("mov.u32 r8, b;\nmbarrier.init.shared.b64 [r8], 2;\nw: "
              "mbarrier.try_wait.parity.shared.b64 p1, [r8], 0;\n@!p1 bra w;",
              "Deadlock", "for an mbarrier", 1, {}, ".shared .b64 b;\n");
  expectFails("barrier.cluster.wait;", "Deadlock", "for the cluster's barrier", 1);
  expectFails(
      "mov.u32 r1, %tid.x;\nsetp.lt.u32 p1, r1, 32;\n@p1 bar.arrive 1, 64;\n@!p1 bar.sync 1, 96;",
      "BarrierChanged",
      "barrier 1 waits for 96 threads, but a thread that arrived earlier stated 64", 96);
  expectFails("mov.u32 r1, 8;\nmov.u32 r2, s;\ncp.async.ca.shared.global [r2], [in_], 4, r1;",
              "CopySize", "cp.async copies 4 bytes from a source of 8", 1, {}, ".shared .u32 s;\n");
  expectFails("vote.sync.ballot.b32 r1, p1, 0xfffffffe;", "LaneNotMember",
              "lane 0 is not a member of the mask 0xfffffffe");
  expectFails("mov.b64 d1, 77;\ncall d1, prototype;\nprototype: .callprototype _ ();", "CallTarget",
              "0x4d");
  const std::string heap = ".extern .func (.param .b64 r) malloc (.param .b64 n);\n.extern .func "
                           "free (.param .b64 p);\n";
  expectFails("call free, (64);", "HeapFree", "free is given 0x40", 1, {}, heap);
  expectFails("call f;", "CallDepth", "nested more than", 32, {}, ".func f() { call f; ret; }\n");
}

/// Keeps the place of the error that ended a launch.
class Faults : public Observer {
public:
  std::unique_ptr<WarpObserver> watch(const Warp &) override { return nullptr; }
  Status onReturn(const Grid &grid, Status ended) override {
    last = grid.fault ? std::optional(*grid.fault) : std::nullopt;
    return ended;
  }
  std::optional<Report> last;
};

TEST(Errors, HaveTheirPlace) {
  auto faults = std::make_shared<Faults>();
  Machine machine({.instructions = 1000}, faults);
  auto faultOf = [&](const std::string &body, uint32_t threads) {
    LoadedProgram loaded = *machine.load(parsed(kernelOf(body, ".file 1 \"a.cu\"\n")));
    const uint64_t none[2] = {};
    Status ended = machine.launch(loaded, "k", {.grid = {1, 3, 1}, .block = {threads, 1, 1}},
                                  std::as_bytes(std::span(none)));
    EXPECT_EQ(ended.ok(), !faults->last.has_value());
    if (!ended) {
      EXPECT_EQ(ended.reason().id, faults->last->rule);
      EXPECT_EQ(ended.reason().text, faults->last->text);
      EXPECT_EQ(faults->last->kernel, "k");
    }
    return faults->last.value_or(Report());
  };
  EXPECT_EQ(faultOf("mov.u32 r1, 1;", 1).rule, "");
  // Block (0, 2, 0), thread (33, 0, 0): a line, its source, the access.
  Report fault = faultOf("mov.u32 r1, %ctaid.y;\nsetp.eq.u32 p1, r1, 2;\nmov.u32 r2, %tid.x;\n"
                         "setp.eq.u32 p2, r2, 33;\nand.pred p1, p1, p2;\nmov.u64 d1, 77;\n"
                         ".loc 1 12 5\n@p1 st.shared.u8 [d1], 0;",
                         64);
  EXPECT_EQ(fault.rule, "OutOfBounds");
  EXPECT_EQ(fault.party.block, "(0, 2, 0)");
  EXPECT_EQ(fault.party.thread, "(33, 0, 0)");
  EXPECT_EQ(fault.party.place.text, "@p1 st.shared.u8 [d1], 0;");
  EXPECT_EQ(fault.party.place.places, (std::vector<ptx_text::SourcePlace>{{"a.cu", 12, 5}}));
  EXPECT_EQ(fault.party.access, "a write");
  EXPECT_EQ(fault.space, "shared");
  EXPECT_EQ(fault.address, 77u);
  EXPECT_FALSE(fault.buffer);
  // Of global memory the allocation that lies before it.
  const uint64_t buffer = *machine.memory().allocate(24);
  fault = faultOf(cat("mov.u64 d1, ", buffer, ";\nld.global.v2.u64 {d2, d3}, [d1+16];"), 1);
  EXPECT_EQ(fault.rule, "OutOfBounds");
  EXPECT_EQ(fault.address, buffer + 16);
  EXPECT_EQ(fault.buffer, (std::pair<uint64_t, uint64_t>(16, 24)));
  // Of those who wait for each other the first.
  fault = faultOf("mov.u32 r1, %tid.x;\nshr.u32 r1, r1, 5;\nbar.sync r1;", 64);
  EXPECT_EQ(fault.rule, "Deadlock");
  EXPECT_EQ(fault.party.thread, "(0, 0, 0)");
  EXPECT_EQ(fault.party.place.text, "bar.sync r1;");
  EXPECT_EQ(fault.text, "kernel 'k': " + fault.what);
  // A limit that no thread has come to has no place.
  machine.setDeadline(std::chrono::steady_clock::now());
  fault = faultOf("again: bra again;", 1);
  EXPECT_EQ(fault.rule, "Time");
  EXPECT_EQ(fault.party.place.line, 0);
}

/// A call of a function that every program has, with the addresses of texts.
std::string calling(const std::string &function, const std::string &arguments, int count) {
  std::string body = "{\n.param .b32 back;\n";
  for (int i = 0; i < count; ++i)
    body += cat(".param .b64 a", i, ";\n");
  return body + arguments + "call " + function + ";\n}";
}
TEST(Errors, OfBuiltInFunctions) {
  std::string text =
      ".global .b8 text[7] = {111, 111, 112, 115, 37, 106, 100};\n.global .b8 end = 0;\n";
  expectFails(calling("__assertfail, (a0, a1, a2, a3, a4)",
                      "mov.u64 d1, text;\nst.param.u64 [a0], d1;\nst.param.u64 [a1], "
                      "d1;\nst.param.u64 [a2], 7;\n",
                      5),
              "AssertFailed", "assertion failed: oops%jd (oops%jd:7)", 1, {},
              text + ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b64 c, "
                     ".param .b64 d, .param .b64 e);\n");
  expectFails(
      calling("(back), vprintf, (a0, a1)", "mov.u64 d1, text;\nst.param.u64 [a0], d1;\n", 2),
      "PrintFormat",
      "vprintf cannot print '%jd': the sizes of CUDA's printf are h, l and ll, and a GPU misprints "
      "what follows others",
      1, {}, text + ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n");
  expectFails(
      calling("cudaGraphSetConditional, (a0, a1)", "st.param.u64 [a0], 7;\n", 2), "NoCondition",
      "cudaGraphSetConditional is given 0x7, which cudaGraphConditionalHandleCreate did not "
      "return",
      1, {}, ".extern .func cudaGraphSetConditional(.param .b64 a, .param .b64 b);\n");
}

} // namespace

} // namespace tessera::sim::test
