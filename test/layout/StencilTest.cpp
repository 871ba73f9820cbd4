// stencil_divide: the worked convolutions of docs/layout.md, and its refusals.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/layout/Sample.h"

using namespace tessera;
using namespace tessera::layout;
using namespace tessera::layout::test;

namespace {

TEST(StencilDivide, PaddedConvolution) {
  Const arith;
  // A 3x3 window over a 6x5 image, stride 2 down and 1 across, one row and column of padding
  // around.
  Stencil s = {tree("(3,3)"), tree("(2,1)"), 1, 1, 1};
  EXPECT_EQ(show(stencilDivide(arith, lay("(6,5):(5,1)"), s)), "((3,3),(3,5)):((5,10),(1,1)) + -6");
  EXPECT_EQ(show(stencilDivide(arith, lay("(6,5):(5,1)"), s, Grouping::Zipped)),
            "((3,3),(3,5)):((5,1),(10,1)) + -6");
  // The coordinates: element (0,0) of window (0,0) is at (-1,-1).
  EXPECT_EQ(show(stencilDivide(arith, identityLayout(shape("(6,5)")), s)),
            "((3,3),(3,5)):((1@0,2@0),(1@1,1@1)) + (-1,-1)");
}

TEST(StencilDivide, DilatedConvolution) {
  Const arith;
  // NHWC activations (2,9,16) as (n, w, c): a window of 3 with gaps of one over w alone.
  Stencil s = {tree("(_,3,_)"), 1, 2};
  EXPECT_EQ(show(stencilDivide(arith, lay("(2,9,16):(144,16,1)"), s)),
            "(2,(3,5),16):(144,(32,16),1) + 0");
  EXPECT_EQ(show(stencilDivide(arith, lay("(2,9,16):(144,16,1)"), s, Grouping::Tiled)),
            "((3),2,5,16):((32),144,16,1) + 0");
}

TEST(StencilDivide, DynamicExtents) {
  Symbolic types;
  EXPECT_EQ(show(stencilDivide(types, lay("(?,8):(?{div=4},1)"), {tree("(3,_)"), 2, 2, 1, 0})),
            "((3,?),8):((?{div=8},?{div=8}),1) + ?{div=4}");
  EXPECT_EQ(show(stencilDivide(types, lay("(?{i64},8):(1,?{i64})"), {tree("(?,3)"), 1, 1})),
            "((?,?{i64}),(3,6)):((1,1),(?{i64},?{i64})) + 0");
  // What cannot be known is assumed: the window fits, and operands are positive.
  for (auto [extent, window, fits] : {std::tuple{8, 3, true}, {2, 3, false}, {8, 0, false}}) {
    Interp values;
    Layout l = {Tree(values.input(extent)), Tree(1)};
    EXPECT_TRUE(stencilDivide(values, l, {Tree(values.input(window)), 1, 1}));
    EXPECT_EQ(!values.violated(), fits) << extent << " " << window;
  }
}

TEST(StencilDivide, HierarchicalModes) {
  Const arith;
  // (2,4):(1,2) is one stride of 8 elements.
  EXPECT_EQ(show(stencilDivide(arith, lay("((2,4),3):((1,2),8)"), {tree("(3,_)"), 1, 1, 1, 0})),
            "((3,7),3):((1,1),8) + -1");
  // Windows that do not overlap compose with (2,4):(1,16), others would not be a layout.
  EXPECT_EQ(show(stencilDivide(arith, lay("((2,4),3):((1,16),2)"), {tree("(2,_)"), 2, 1})),
            "((2,4),3):((1,16),2) + 0");
  EXPECT_EQ(refusal(stencilDivide(arith, lay("((2,4),3):((1,16),2)"), {tree("(2,_)"), 1, 1})),
            "CompositionShape");
  EXPECT_EQ(refusal(stencilDivide(arith, lay("((2,4),3):((1,16),2)"), {tree("(2,_)"), 2, 1, 1})),
            "StencilPaddedMode");
  EXPECT_EQ(show(stencilDivide(arith, lay("((4,6),3):((6,1),24)"), {tree("((3,3),_)")})),
            "(((3,2),(3,4)),3):(((6,6),(1,1)),24) + 0");
}

TEST(StencilDivide, SwizzledLayoutsTakeThePaddingIn) {
  Const arith;
  EXPECT_EQ(
      show(stencilDivide(arith, any("S<2,2,3> o 8 o (8,4):(4,1)"), {tree("(3,_)"), 1, 1, 1, 0})),
      "S<2,2,3> o 4 o ((3,7),4):((4,4),1) + 0");
}

TEST(StencilDivide, Refuses) {
  Const arith;
  const Layout l = lay("(6,5):(5,1)");
  EXPECT_EQ(show(stencilDivide(arith, l, {tree("(7,_)")})),
            "refused: stencil_divide: a window of 7 elements that spans 7 does not fit mode \"6\", "
            "which has 6 "
            "with its padding");
  EXPECT_EQ(show(stencilDivide(arith, l, {tree("(_,3)"), tree("(1,0)")})),
            "refused: stencil_divide: stride of mode \"5\" must be at least 1, but got 0");
  EXPECT_EQ(refusal(stencilDivide(arith, l, {tree("(3,3)"), 1, 0})), "StencilOperand");
  EXPECT_EQ(refusal(stencilDivide(arith, l, {tree("(3,3)"), 1, 1, -1})), "StencilOperand");
  EXPECT_EQ(refusal(stencilDivide(arith, l, {tree("(3,3)"), tree("(1,1,1)")})),
            "StructureMismatch");
  EXPECT_EQ(refusal(stencilDivide(arith, l, {tree("(3,3)"), tree("(_,1)")})), "StructureMismatch");
  EXPECT_EQ(refusal(stencilDivide(arith, l, {tree("(3,3,3)")})), "TilerRank");
  EXPECT_EQ(refusal(stencilDivide(arith, l, {tree("_")}, Grouping::Zipped)), "StencilNothing");
  EXPECT_EQ(show(stencilDivide(arith, l, {tree("_")})), "(6,5):(5,1) + 0");
}

} // namespace
