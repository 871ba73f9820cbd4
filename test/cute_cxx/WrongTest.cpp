// Wrong programs: each mistake is one sentence at its line, and nothing aborts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute.h"

#include <gtest/gtest.h>

using namespace tessera::cute;

namespace {
/// What the kernel of the running test does, and for which architecture it is traced.
std::function<void(Tensor)> body;
void device(Tensor x) { body(x); }
void host(Tensor x) { launch(device, {.block = 128}, x); }

Outcome outcomeOf(std::function<void(Tensor)> does, const char *arch = "sm_80") {
  body = std::move(does);
  alignas(16) static float numbers[32 * 64];
  std::string ptx;
  return kernel(host, "k", arch).ptx(ptx, tessera::tile::view(numbers, {32, 64}));
}
/// One diagnostic, that begins with `text`, in this file at `line`.
void expectOne(const Outcome &found, unsigned line, const std::string &text) {
  ASSERT_EQ(found.diagnostics.size(), 1u) << text << "\n" << found.text();
  const Diagnostic &d = found.diagnostics[0];
  EXPECT_TRUE(d.file.ends_with("WrongTest.cpp")) << d.str();
  EXPECT_EQ(d.line, line) << d.str();
  EXPECT_EQ(d.text.substr(0, text.size()), text);
}
} // namespace

/// A test of one mistake: the statement that makes it stands on the line of the macro's end.
#define WRONG(NAME, TEXT, ...)                                                                     \
  TEST(Wrong, NAME) {                                                                              \
    expectOne(outcomeOf([]([[maybe_unused]] Tensor x) { __VA_ARGS__; }), __LINE__, TEXT);          \
  }

// clang-format off: a statement a line
WRONG(TypesDiffer, "operator+: expects operands of one type, but got f32 and i32", Num(1.0f) + Num(threadIdx.x))
WRONG(DeviceCondition, "condition: expects a number that C++ knows while it traces", if (bool(threadIdx.x == 0)) {})
WRONG(DeviceExtent, "number: expects a number that C++ knows while it traces", (void)int(size<0>(x)))
WRONG(DynamicRegisters, "make_fragment_like: expects a shape that is known", make_fragment_like(x))
WRONG(NoSuchMode, "get: expects one of the 2 modes", x.shape().mode(2))
WRONG(NotANumber, "number: expects one number, but got (8,4)", Num(make_shape(8, 4)) + 1)
WRONG(LayoutText, "Layout: ", Layout("(8,4):(1"))
WRONG(StrideNotCongruent, "make_layout: ", make_layout(make_shape(4, 2), make_stride(1, 4, 8)))
WRONG(CompositionRefused, "composition: ", composition(Layout("(3,5):(1,7)"), Layout("4:2")))
WRONG(DynamicCosize, "cosize: expects a layout that C++ knows", cosize(x.layout()))
WRONG(DynamicTiler, "tiler: expects extents that C++ knows", local_tile(x, make_shape(size<0>(x), 8), make_coord(0, 0)))
WRONG(RankOfSlice, "slice: ", x(_, 0, 0))
WRONG(StoredType, "store: ", x(0, 0) = Num(threadIdx.x))
WRONG(DivisionByZero, "operator/: expects a divisor other than 0", Num(4) / 0)
WRONG(AtomOfLaterTarget, "make_mma_atom: ", MMA_Atom<SM90_64x64x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>>())
WRONG(CopyOfOtherBits, "make_copy_atom: ", Copy_Atom<SM80_CP_ASYNC_CACHEGLOBAL<uint32_t>, float>())
WRONG(AtomsOfTiles, "make_tiled_copy: ", make_tiled_copy(Copy_Atom<UniversalCopy<float>, float>{}, x.layout()))
WRONG(TooManyBarriers, "make_barriers: expects at least one barrier", make_barriers(0))
WRONG(Alignment, "make_smem_tensor: expects an alignment that is a power of two", make_smem_tensor<float>(Layout("8:1"), 24))
WRONG(ThreadsOfReduction, "block_reduce: expects a multiple of 32 threads, but got 100", block_sum(1.0f, 100))
WRONG(NotSet, "operator+: expects values that are set", Num() + Num(threadIdx.x))
WRONG(KernelInKernel, "launch: expects a host function that is traced", launch(device, {.block = 32}, x))
WRONG(FractionBesideWhole, "literal: expects a whole number beside one", Num(threadIdx.x) * 0.5)
WRONG(PredicateOfOtherShape, "copy_if: ", Tensor r = make_tensor<float>(make_shape(4, 2)), p = make_tensor<bool>(make_shape(3, 2)); copy_if(p, r, r))
// clang-format on

TEST(Wrong, ValueOfALoopThatHasEnded) {
  unsigned line = 0;
  Outcome found = outcomeOf([&](Tensor x) {
    Num last;
    For(4, [&](Num i) { last = i + 1; });
    line = __LINE__ + 1;
    x(last, 0) = 1.0f;
  });
  expectOne(found, line, "store: expects a value that is there where the call is written");
}

TEST(Wrong, AllAreFoundAndWhatFollowsIsSilent) {
  unsigned first = 0, second = 0;
  Outcome found = outcomeOf([&](Tensor x) {
    first = __LINE__ + 1;
    Num bad = Num(1.0f) + Num(threadIdx.x);
    Num more = exp(bad) * 2 + x(0, 0);
    If(more > 0.0f, [&] {
      second = __LINE__ + 1;
      (void)composition(Layout("(3,5):(1,7)"), Layout("4:2"));
    });
    x(0, 0) = more;
  });
  ASSERT_EQ(found.diagnostics.size(), 2u) << found.text();
  EXPECT_EQ(found.diagnostics[0].line, first);
  EXPECT_EQ(found.diagnostics[1].line, second);
}

TEST(Wrong, HostFunctionWithoutALaunch) {
  std::string ptx;
  Outcome found = kernel(+[](Num) {}, "nothing").ptx(ptx, 1.0f);
  ASSERT_EQ(found.diagnostics.size(), 1u);
  EXPECT_EQ(found.diagnostics[0].text, "host function 'nothing' launches no kernel");
}
TEST(Wrong, ArchitectureThatThereIsNot) {
  std::string ptx;
  Outcome found = kernel(+[](Num) {}, "nothing", "sm_7").ptx(ptx, 1.0f);
  ASSERT_EQ(found.diagnostics.size(), 1u);
  EXPECT_NE(found.diagnostics[0].text.find("sm_7"), std::string::npos);
}
/// A race is found by the sanitizer, with the line that wrote.
TEST(Wrong, RaceOnTheSimulator) {
  unsigned line = 0;
  body = [&](Tensor x) {
    Tensor s = make_smem_tensor<float>(Layout("128:1"));
    s(Num(threadIdx.x)) = 1.0f;
    line = __LINE__ + 1;
    x(0, Num(threadIdx.x) % 64) = s(127 - Num(threadIdx.x));
  };
  alignas(16) static float numbers[32 * 64];
  Outcome found = kernel(host, "race")(simulator(), tessera::tile::view(numbers, {32, 64}));
  ASSERT_FALSE(found);
  EXPECT_NE(found.text().find("WrongTest.cpp:" + std::to_string(line)), std::string::npos)
      << found.text();
}
