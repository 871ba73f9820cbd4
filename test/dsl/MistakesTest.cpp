// Each mistake of an author is one sentence at the author's line; what follows from it is silent.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Bulk.h"
#include "tessera/dsl/Dsl.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::dsl;

namespace {
std::vector<Mistake> mistakesOf(const std::function<void()> &body,
                                atom::Target target = Context::hopper()) {
  mlir::MLIRContext mlirContext;
  Context context(&mlirContext, target);
  kernel("k", 128, mlir::TypeRange(), [&](Arguments) { body(); });
  return context.mistakes();
}
/// One mistake, that begins with `text`, in this file at `line`.
void expectOne(const std::vector<Mistake> &found, unsigned line, const std::string &text) {
  ASSERT_EQ(found.size(), 1u) << (found.empty() ? text : found[1].str());
  EXPECT_TRUE(found[0].file.ends_with("MistakesTest.cpp")) << found[0].file;
  EXPECT_EQ(found[0].line, line) << found[0].text;
  EXPECT_GT(found[0].column, 0u);
  EXPECT_EQ(found[0].text.substr(0, text.size()), text);
}
} // namespace

/// A test of one mistake: the statement that makes it stands on the line of the macro's end.
#define MISTAKE(NAME, TEXT, ...)                                                                   \
  TEST(Mistakes, NAME) {                                                                           \
    expectOne(mistakesOf([] { __VA_ARGS__; }), __LINE__, TEXT);                                    \
  }

// clang-format off: a statement a line
MISTAKE(LayoutText, "Layout: ", Layout("(8,4):(1)"))
MISTAKE(TileText, "Tile: ", Tile("[64:1"))
MISTAKE(CoordText, "Coord: expects numbers and _, but got '(1,?)'", Coord("(1,?)"))
MISTAKE(TypesDiffer, "operator+: expects operands of one type, but got i32 and i64", i32(1) + i64(2))
MISTAKE(FloatBits, "operator&: expects integers, but got f32", f32(1) & f32(2))
MISTAKE(FractionBesideInteger, "literal: expects an integer literal next to an integer", i32(1) * 0.5)
MISTAKE(FractionAsInteger, "constant: expects an integer for an i32", i32(0.5))
MISTAKE(SelectTypes, "select: expects alternatives of one type, but got i32 and f32", select(i1(true), i32(1), f32(1)))
MISTAKE(SelectCondition, "select: expects a condition of i1, but got i32", select(i32(1), i32(1), i32(2)))
MISTAKE(SameWidth, "convert: expects formats of different widths, but got f16 and bf16", convert(f16(1), bf16))
MISTAKE(NarrowOfHalf, "convert: expects f32 for a format of 8 bits, but got f16 and f8E4M3FN", convert(f16(1), f8E4M3FN))
MISTAKE(NarrowOfThree, "convert: expects an even count of numbers for f8E4M3FN, but got 3", convert(broadcast(f32(1), 3), f8E4M3FN))
MISTAKE(BroadcastOfVector, "broadcast: expects one number and a positive count", broadcast(broadcast(f32(1), 4), 4))
MISTAKE(ReduceOfNumber, "reduce: expects a vector, but got f32", reduce(f32(1), [](Num x, Num y) { return x + y; }))
MISTAKE(NoSuchRegister, "special_register: expects NVVM's name of a special register", special_register("tid.q"))
MISTAKE(NoSuchAxis, "thread_idx: expects an axis of 0, 1 or 2, but got 3", thread_idx(3))
MISTAKE(Unset, "operator+: expects values that are set", Num() + 1)
MISTAKE(ConditionOfIf, "If: expects a condition of i1", If(i32(1), [] {}))
MISTAKE(ConditionOfWhile, "While: expects a condition of i1, as comparisons give it", While(i32(3), [](Num &now) { return now; }, [](Num &) {}))
MISTAKE(BoundsOfFor, "For: expects bounds and a step of one integer type", For(i32(0), i64(4), i32(1), [](Num) {}))
MISTAKE(ExtentOfZero, "make_layout: ", make_layout(make_shape(4, 0)))
MISTAKE(StrideNotCongruent, "make_layout: ", make_layout(make_shape(4, 2), make_stride(1, 4, 8)))
MISTAKE(CompositionRefused, "composition: ", composition(Layout("(3,5):(1,7)"), Layout("4:2")))
MISTAKE(DynamicTextAsValue, "make_rmem_tensor: expects a static layout, but got (?,4):(1,8)", make_rmem_tensor(f32, Layout("(?,4):(1,8)")))
MISTAKE(SliceOfOtherRank, "slice: ", make_rmem_tensor(f32, Layout("(4,8):(1,4)"))(_, 1, 2))
MISTAKE(GroupOfNoModes, "group_modes: ", group_modes(make_rmem_tensor(f32, Layout("(4,8):(1,4)")), 0, 5))
MISTAKE(StoredType, "store: ", store(i32(1), make_rmem_tensor(f32, Layout("4:1")), 0))
MISTAKE(NoSuchProduct, "make_atom: ", make_atom(GroupMma{.n = 13, .a = f16, .b = f16, .c = f32}, i1(false)))
MISTAKE(AnyOfNumbers, "any_lane: expects an i1, as comparisons give it", any_lane(i32(1)))
MISTAKE(BytesOfOtherNumbers, "byte_perm: expects numbers of i32, but got i64", byte_perm(i32(1), i64(2), i32(0)))
MISTAKE(NoSuchCopy, "make_stmatrix: ", make_stmatrix(f16, 3))
MISTAKE(NoTensorMap, "tma_store: expects an atom of make_tma_load, make_tma_store or make_tma_add", Tensor t = make_rmem_tensor(f32, Layout("4:1")); tma_store(make_universal_copy(f32, 32), t, t))
MISTAKE(TooMuchSharedMemory, "open: expects at most 232448 bytes of shared memory on sm_90a, but 232449 were allocated", SharedMemory m; m.allocate(232449); m.open())
MISTAKE(SharedMemoryIsNotOpen, "pointer: expects open() at the start of the kernel", SharedMemory m; m.pointer(m.allocate(16), f32))
MISTAKE(BarrierOfTuple, "Barriers::operator[]: expects the number of a barrier, but got (1,2)", Barriers(Pointer(), 4)[make_coord(1, 2)])
MISTAKE(BarrierOfStaticTuple, "Barriers::operator[]: expects the number of a barrier, but got (0)", Barriers(Pointer(), 0)[Coord("(0)")])
MISTAKE(FactorsOfPlainProduct, "make_atom: expects a product with scale factors, as addresses of scale factors are given", Pointer p = get_iter(make_rmem_tensor(f32, Layout("4:1"))); make_atom(TensorMma{.m = 128, .n = 64, .a = f16, .b = f16, .c = f32}, i1(false), p, p))
MISTAKE(SwizzledThreads, "make_tiled_copy: expects static layouts of threads and of values, without a swizzle", make_tiled_copy(make_universal_copy(f32, 32), Layout("S<1,2,3> o 0 o (8,8):(8,1)"), Layout("1:1")))
MISTAKE(DynamicValuesOfThreads, "make_tiled_copy: expects static layouts of threads and of values, without a swizzle", make_tiled_copy(make_universal_copy(f32, 32), Layout("32:1"), make_layout(make_shape(thread_idx(0)))))
MISTAKE(SwizzledThreadsAndValues, "make_tiled_copy: expects a static layout of threads and values, without a swizzle", make_tiled_copy_tv(make_universal_copy(f32, 32), Layout("S<1,2,3> o 0 o (8,8):(8,1)"), Tile("[8:1;8:1]")))
MISTAKE(DynamicTile, "zipped_divide: expects a static tile, but got [?:1]", zipped_divide(make_rmem_tensor(f32, Layout("8:1")), Tile("[?:1]")))
MISTAKE(CarriedIsUnset, "For: expects each value that iterations carry to be set before the loop", For(0, 4, 1, Num(), [](Num, Num &) {}))
MISTAKE(CoordinateOfMemory, "coordinate: expects a tensor of coordinates, as make_identity_tensor gives it", coordinate_at(make_rmem_tensor(f32, Layout("4:1")), Coord(0)))
MISTAKE(SwizzleOfDynamic, "make_swizzled: expects a static layout without a swizzle", make_swizzled({1, 2, 3}, make_layout(make_shape(thread_idx(0)))))
MISTAKE(SwizzleOfSwizzled, "make_swizzled: expects a static layout without a swizzle", make_swizzled({1, 2, 3}, Layout("S<1,2,3> o 0 o (8,8):(8,1)")))
MISTAKE(CasOfTwoTypes, "atomic_cas: expects two numbers of one type", SharedMemory m; auto four = m.allocate(16); m.open(); atomic_cas(make_tensor(m.pointer(four, dsl::i32), Layout("4:1")), 0, i32(1), i64(2)))
MISTAKE(NameOfTensorCopy, "make_copy_atom: expects a plain copy, cp.async, ldmatrix or stmatrix, but got SM90_TMA_LOAD; make_tma_load and make_tma_store make tensor copies", make_copy_atom("SM90_TMA_LOAD", f16, 16))
MISTAKE(FmaOfTwoTypes, "fma: expects three floating-point numbers of one type, but got f32, f32 and f16", fma(f32(1), f32(2), f16(3)))
MISTAKE(FmaOfIntegers, "fma: expects three floating-point numbers of one type, but got i32, i32 and i32", fma(i32(1), i32(2), i32(3)))
MISTAKE(BitsOfFloat, "count_bits: expects an integer, but got f32", count_bits(BitCount::Ones, f32(1)))
MISTAKE(WideOfWide, "wide: expects an i32, but got i64", wide(i64(1)))
MISTAKE(BarrierOfAll, "Barriers::operator[]: expects the number of a barrier, but got _", Barriers(Pointer(), 1)[_])
// clang-format on

TEST(Mistakes, WhatFollowsIsSilent) {
  unsigned line = 0;
  auto found = mistakesOf([&] {
    line = __LINE__ + 1;
    Num bad = i32(1) + i64(2);
    EXPECT_TRUE(bad.poisoned());
    Num more = select(bad < 3, bad, i32(0)) * 2;
    EXPECT_TRUE(more.poisoned());
    Layout layout = make_layout(make_shape(4, more));
    EXPECT_TRUE(layout.poisoned());
    Tensor tensor = make_rmem_tensor(f32, layout)(_, bad);
    store_vec(load_vec(tensor), tensor);
    Num end = For(0, bad, 1, more, [&](Num i, Num &now) { now = now + i; });
    EXPECT_TRUE(end.poisoned());
    If(bad == 1, [&] { store(bad, tensor, 0); });
  });
  expectOne(found, line, "operator+: ");
}

TEST(Mistakes, AllAreFound) {
  unsigned first = 0, second = 0, third = 0;
  auto found = mistakesOf([&] {
    first = __LINE__ + 1;
    Num bad = i32(1) + i64(2);
    If(bad == 1, [&] {
      For(0, bad, 1, [&](Num i) {
        second = __LINE__ + 1;
        (void)(i & f32(1));
      });
    });
    third = __LINE__ + 1;
    Layout("4:");
  });
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].line, first);
  EXPECT_EQ(found[1].line, second);
  EXPECT_EQ(found[2].line, third);
}

TEST(Mistakes, IterationsKeepTypes) {
  unsigned line = 0;
  auto found = mistakesOf([&] {
    line = __LINE__ + 1;
    For(0, 4, 1, i32(0), [](Num, Num &now) { now = f32(1); });
  });
  expectOne(found, line, "For: expects a body to leave values of the types that they began with");
}

TEST(Mistakes, IterationsKeepTheNumberOfValues) {
  unsigned line = 0;
  auto found = mistakesOf([&] {
    line = __LINE__ + 1;
    For(0, 4, 1, std::vector<Num>{i32(0)}, [](Num, std::vector<Num> &now) { now.push_back(1); });
  });
  expectOne(found, line, "For: expects iterations to leave as many values as they began with");
}

TEST(Mistakes, CopiesOfASizeThatThereIsNot) {
  auto found = mistakesOf([] {
    SharedMemory memory;
    Region region = memory.allocate(64);
    memory.open();
    Pointer to = memory.pointer(region, f32);
    copy_async(to, to, 12, i32(12));
  });
  expectOne(found, __LINE__ - 2, "copy_async: expects to copy 4, 8 or 16 bytes, but got 12");
}
TEST(Mistakes, TheTargetLacksTheInstruction) {
  unsigned line = 0;
  auto found = mistakesOf(
      [&] {
        line = __LINE__ + 1;
        make_atom(GroupMma{.n = 64, .a = f16, .b = f16, .c = f32}, i1(false));
      },
      *atom::Target::parse("sm_80"));
  expectOne(found, line, "make_atom: ");
  EXPECT_NE(found[0].text.find("sm_90a"), std::string::npos) << found[0].text;
}

TEST(Mistakes, OfAnArgumentThatWasNotPassed) {
  mlir::MLIRContext mlirContext;
  Context context(&mlirContext);
  unsigned line = 0;
  host("run", mlir::TypeRange(), [&](Arguments, Stream stream) {
    line = __LINE__ + 1;
    launch("k", {.threads = 32}, stream, Num());
  });
  expectOne(context.mistakes(), line, "launch: expects values that are set");
}
TEST(Mistakes, OfAParameterThatIsUnset) {
  mlir::MLIRContext mlirContext;
  Context context(&mlirContext);
  unsigned line = __LINE__ + 1;
  kernel("k", 32, Num(), [](Num) {});
  expectOne(context.mistakes(), line, "kernel: expects parameters that are set");
}
TEST(Mistakes, OfAnArgumentThatThereIsNot) {
  mlir::MLIRContext mlirContext;
  Context context(&mlirContext);
  unsigned line = 0;
  kernel("k", 32, mlir::TypeRange(), [&](Arguments arguments) {
    line = __LINE__ + 1;
    EXPECT_TRUE(arguments.num(2).poisoned());
  });
  expectOne(context.mistakes(), line, "argument: expects one of 0 arguments");
}

/// A program with mistakes gives no module, and each mistake is an error at its place.
TEST(Mistakes, AreErrorsOfTheMlirContext) {
  mlir::MLIRContext mlirContext;
  std::vector<std::string> said;
  mlir::ScopedDiagnosticHandler handler(&mlirContext, [&](mlir::Diagnostic &diagnostic) {
    auto at = mlir::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation());
    EXPECT_TRUE(at && at.getFilename().getValue().ends_with("MistakesTest.cpp"));
    said.push_back(diagnostic.str());
    return mlir::success();
  });
  Context context(&mlirContext);
  kernel("k", 128, mlir::TypeRange(), [](Arguments) {
    i32(1) + i64(2);
    thread_idx(7);
  });
  EXPECT_FALSE(context.finish());
  EXPECT_EQ(said.size(), 2u);
  // What is written afterwards is another program.
  kernel("k", 128, mlir::TypeRange(), [](Arguments) { sync_threads(); });
  EXPECT_TRUE(context.finish());
}

TEST(Mistakes, WithoutAContextNothingIsWritten) {
  EXPECT_EQ(Context::current(), nullptr);
  testing::internal::CaptureStderr();
  Num x = i32(1) + i32(2);
  EXPECT_TRUE(x.poisoned());
  std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("MistakesTest.cpp"), std::string::npos);
  EXPECT_NE(said.find("expects a dsl::Context on this thread"), std::string::npos);
}

TEST(Contexts, Nest) {
  mlir::MLIRContext mlirContext;
  Context outer(&mlirContext);
  {
    Context inner(&mlirContext);
    EXPECT_EQ(Context::current(), &inner);
  }
  EXPECT_EQ(Context::current(), &outer);
}
