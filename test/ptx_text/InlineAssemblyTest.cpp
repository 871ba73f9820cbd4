// Inline assembly as compilers and people write it: the instructions that it has, and where.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx_text/InlineAssembly.h"

#include "gtest/gtest.h"

namespace tessera::ptx_text {

namespace {

/// "mnemonic/modifier/modifier" of each instruction, with its guard before it.
std::vector<std::string> shown(std::string_view text) {
  auto parsed = parseInlineAssembly(text);
  if (!parsed)
    return {parsed.reason().text};
  std::vector<std::string> out;
  for (const Instruction &i : *parsed) {
    std::string one = i.guard.empty() ? "" : cat(i.guardNegated ? "@!" : "@", i.guard, " ");
    one += i.mnemonic;
    for (std::string_view modifier : i.modifiers)
      one += cat("/", modifier);
    out.push_back(one);
  }
  return out;
}
using List = std::vector<std::string>;

TEST(InlineAssembly, ListsInstructions) {
  EXPECT_EQ(shown("nanosleep.u32 1;"), List{"nanosleep/u32"});
  EXPECT_EQ(shown("fence.proxy.tensormap::generic.acquire.gpu [$0], 128;"),
            List{"fence/proxy/tensormap::generic/acquire/gpu"});
  // The corpus has this text: what CuTe DSL makes of vote.
  EXPECT_EQ(
      shown("{\n\t\n            .reg .pred ps;\n\t\n            .reg .pred pd;\n\t\n            "
            "setp.ne.b32 ps, $1, 0;\n\t\n            vote.sync.uni.pred pd, ps, $2;\n\t\n         "
            "   selp.b32 $0, 1, 0, pd;\n\t\n            }"),
      (List{"setp/ne/b32", "vote/sync/uni/pred", "selp/b32"}));
  EXPECT_EQ(shown(""), List{});
  EXPECT_EQ(shown(" \n // nothing\n"), List{});
  EXPECT_EQ(shown("trap"), List{"trap"});                         // the last semicolon is missing
  EXPECT_EQ(shown("mov.u32 $0, %clock // why"), List{"mov/u32"}); // the same before a comment
}

/// A comment hides nothing that comes after it, and shows nothing that stands in it.
TEST(InlineAssembly, ReadsComments) {
  EXPECT_EQ(
      shown("// wgmma.fence; is not here\nadd.s32 $0, $1, $2; // ;\n/* mul.lo.s32 \n */ exit;"),
      (List{"add/s32", "exit"}));
  EXPECT_EQ(shown("add.s32 $0, /* ; cp.async */ $1, $2;"), List{"add/s32"});
  EXPECT_EQ(shown("add.s32 // first\n $0, $1, $2; tcgen05.wait::ld.sync.aligned;"),
            (List{"add/s32", "tcgen05/wait::ld/sync/aligned"}));
}

TEST(InlineAssembly, ReadsEverySpellingOfOperands) {
  EXPECT_EQ(shown("add.s32 ${0}, ${1:x}, %2;"), List{"add/s32"});
  EXPECT_EQ(shown("@{$r0} st.global.v2.b32 [{$r1}], {{$r2}, {$r3}};"),
            List{"@{$r0} st/global/v2/b32"});
  EXPECT_EQ(shown("mov.b64 $0, {$1, $2};"), List{"mov/b64"});
  EXPECT_EQ(shown("mov.b64 {$0,$1}, $2;"), List{"mov/b64"});
  EXPECT_EQ(shown("mov.u32 $0, %%tid.x;"), List{"mov/u32"});
  EXPECT_EQ(shown("@!$2 bra $$skip; $$skip: ret;"), (List{"@!$2 bra", "ret"}));
  EXPECT_EQ(
      shown("@p cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
            "[$0], [$1, {$2, $3}], [$4];"),
      List{"@p cp/async/bulk/tensor/2d/shared::cluster/global/tile/mbarrier::complete_tx::bytes"});
  EXPECT_EQ(shown("fma.rn.f32 $0, $1, 0f3F800000, -1.5e-3;"), List{"fma/rn/f32"});
}

TEST(InlineAssembly, ReadsBlocksDeclarationsAndLabels) {
  EXPECT_EQ(shown("{ .reg .pred p, q; .reg .b32 r<4>; { again: @!p bra again; } }"),
            List{"@!p bra"});
  EXPECT_EQ(shown(".loc 1 5 0\n  ret;\n.pragma \"nounroll\"; exit;"), (List{"ret", "exit"}));
  EXPECT_EQ(shown("call (r), f, (a, b); brx.idx r, t; t: .branchtargets a, b;"),
            (List{"call", "brx/idx"}));
}

TEST(InlineAssembly, SaysWhereInstructionsStand) {
  std::string_view text = "add.s32 $0, $1, $2;\n  @p mul.lo.s32 $0, $0, ${3}; ret;";
  auto parsed = parseInlineAssembly(text);
  ASSERT_TRUE(parsed) << parsed.reason().text;
  ASSERT_EQ(parsed->size(), 3u);
  std::pair<int, int> want[] = {{1, 1}, {2, 6}, {2, 31}};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(std::pair((*parsed)[i].line, (*parsed)[i].column), want[i]);
    std::string_view at = (*parsed)[i].text;
    EXPECT_TRUE(at.data() >= text.data() && at.data() + at.size() <= text.data() + text.size());
  }
  EXPECT_EQ((*parsed)[1].text, "mul.lo.s32");
}

TEST(InlineAssembly, CountsOperandsAndNamesSpecialRegisters) {
  auto parsed = parseInlineAssembly(".reg .b32 %mine; .reg .b32 %r<4>;\n"
                                    "max.f32 $0, $1, $2, ${3};\n"
                                    "tcgen05.mma [$0], $1, $2, $3, {$4, $5}, p;\n"
                                    "mbarrier.arrive.b64 _, [%mine+8];\n"
                                    "mad.lo.u32 %r1, %tid.x, %ntid.x, %0;\n"
                                    "bar.warp.sync $0; ret;");
  ASSERT_TRUE(parsed) << parsed.reason().text;
  ASSERT_EQ(parsed->size(), 6u);
  int operands[] = {4, 5, 2, 4, 1, 0}; // a list in braces does not count
  for (size_t i = 0; i < 6; ++i) {
    EXPECT_EQ((*parsed)[i].operands, operands[i]) << (*parsed)[i].text;
    EXPECT_EQ((*parsed)[i].hasSink, i == 2) << (*parsed)[i].text;
    if (i != 3)
      EXPECT_TRUE((*parsed)[i].registers.empty()) << (*parsed)[i].text;
  }
  EXPECT_EQ((*parsed)[3].registers, (std::vector<std::string_view>{"%tid.x", "%ntid.x"}));
}

TEST(InlineAssembly, RefusesWhatItCannotRead) {
  EXPECT_EQ(shown("{ ret;"), List{"line 1: expects '}', but got 'the end of the file'\n  { ret;"});
  EXPECT_EQ(shown("ret; }"), List{"line 1: expects an instruction, but got '}'\n  ret; }"});
  EXPECT_EQ(shown("ret; /* exit;"),
            List{"line 1: a comment begins here and does not end\n  ret; /* exit;"});
  EXPECT_EQ(shown("ret;\nadd.s32 $0 $1;"),
            List{"line 2: expects ';', but got '$1'\n  add.s32 $0 $1;"});
  EXPECT_EQ(shown("ret;\n.texref t;"),
            List{"line 2: the directive '.texref' is not known\n  .texref t;"});
}

} // namespace

} // namespace tessera::ptx_text
