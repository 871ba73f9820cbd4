// The ladders of tcgen05.mma and of block scaling: every rule by a form that breaks it and none
// before it. The cases are written from the tables of PTX ISA 9.7.16.10.9 and 9.7.14.3.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/UmmaForm.h"
#include "tessera/atom/Registry.h"

#include <gtest/gtest.h>

#include <set>

using namespace tessera;
using namespace tessera::atom;

namespace {
using enum MmaKind;
std::string_view idOf(Error sentence) { return errors[size_t(sentence)].id; }

struct UmmaCase {
  Error broken;
  std::string target;
  UmmaForm form;
};
const UmmaCase ummaCases[] = {
    {Error::UmmaArch, "sm_90a", {}},
    {Error::UmmaArch, "sm_100", {}}, // neither a nor f
    {Error::UmmaArch, "sm_120a", {}},
    {Error::UmmaInt8, "sm_100f", {.kind = I8}},
    {Error::UmmaInt8, "sm_103a", {.kind = I8}},
    {Error::UmmaSparseFp4, "sm_103f", {.kind = Mxf4, .sparse = true, .blockScale = true}},
    {Error::UmmaSparseFp4, "sm_110f", {.kind = Mxf4nvf4, .sparse = true, .blockScale = true}},
    {Error::UmmaScaleVec,
     "sm_100f",
     {.kind = Mxf8f6f4, .blockScale = true, .scaleVec = ScaleVec::X1}},
    {Error::UmmaScaleInputArch, "sm_110a", {.scaleInput = true}},
    {Error::UmmaScaleInput, "sm_100a", {.kind = F8f6f4, .scaleInput = true}},
    {Error::UmmaBlockScale, "sm_100a", {.kind = F8f6f4, .blockScale = true}},
    {Error::UmmaAshiftScaled, "sm_100a", {.kind = Mxf8f6f4, .blockScale = true, .ashift = true}},
    {Error::UmmaStationaryPair, "sm_100a", {.ctas = 2, .weightStationary = true}},
    {Error::UmmaStationaryScaled,
     "sm_100a",
     {.kind = Mxf4, .blockScale = true, .weightStationary = true}},
    {Error::UmmaAshiftCollector, "sm_100a", {.ashift = true, .collectorA = Collector::Use}},
    {Error::UmmaAshiftCollector, "sm_100a", {.ashift = true, .collectorA = Collector::Fill}},
    {Error::UmmaVecMxf8f6f4,
     "sm_100a",
     {.kind = Mxf8f6f4, .blockScale = true, .scaleVec = ScaleVec::X2}},
    {Error::UmmaVecMxf8f6f4,
     "sm_100a",
     {.kind = Mxf8f6f4, .blockScale = true, .scaleVec = ScaleVec::X4}},
    {Error::UmmaVecMxf4nvf4,
     "sm_100a",
     {.kind = Mxf4nvf4, .blockScale = true, .scaleVec = ScaleVec::X1}},
    {Error::UmmaVecMxf4, "sm_100a", {.kind = Mxf4, .blockScale = true, .scaleVec = ScaleVec::X1}},
    {Error::UmmaVecMxf4, "sm_100a", {.kind = Mxf4, .blockScale = true, .scaleVec = ScaleVec::X4}},
};

TEST(UmmaForm, BreaksOneRuleAndNoneBefore) {
  std::set<Error> seen;
  for (const UmmaCase &c : ummaCases) {
    Target target = *Target::parse(c.target);
    std::optional<Reason> refusal = ummaRefusal(c.form, &target);
    ASSERT_TRUE(refusal) << idOf(c.broken) << " on " << c.target;
    EXPECT_EQ(refusal->id, idOf(c.broken)) << refusal->text << " on " << c.target;
    seen.insert(c.broken);
  }
  EXPECT_EQ(ummaRules().size(), 14u); // rule 0 and thirteen more
  for (const UmmaRule &rule : ummaRules())
    EXPECT_TRUE(seen.contains(rule.sentence)) << idOf(rule.sentence) << " has no case";
}

TEST(UmmaForm, RulesOfTheTargetWaitForIt) {
  for (const UmmaRule &rule : ummaRules())
    for (const UmmaCase &c : ummaCases)
      if (c.broken == rule.sentence && rule.ofTarget)
        EXPECT_FALSE(ummaRefusal(c.form)) << idOf(rule.sentence);
}

TEST(UmmaForm, WhatPtxHasIsAccepted) {
  for (std::string_view name : {"sm_100a", "sm_103a", "sm_100f", "sm_110f"}) {
    Target target = *Target::parse(name);
    for (const UmmaForm &form :
         {UmmaForm{}, UmmaForm{.kind = Tf32, .ctas = 2, .sparse = true},
          UmmaForm{.weightStationary = true},
          UmmaForm{.kind = F8f6f4, .ashift = true, .collectorA = Collector::LastUse},
          UmmaForm{.kind = Mxf4, .ctas = 2, .blockScale = true}})
      EXPECT_FALSE(ummaRefusal(form, &target)) << name << ": " << ummaRefusal(form, &target)->text;
  }
  Target own = *Target::parse("sm_100a");
  EXPECT_FALSE(ummaRefusal({.kind = I8}, &own));
  EXPECT_FALSE(ummaRefusal({.scaleInput = true}, &own));
  EXPECT_FALSE(ummaRefusal(
      {.kind = Mxf4nvf4, .sparse = true, .blockScale = true, .scaleVec = ScaleVec::X4}, &own));
}

using enum Element;
struct ScaledCase {
  Error broken;
  ScaledForm form;
};
const ScaledCase scaledCases[] = {
    {Error::ScaledFp4, {.a = e2m1, .b = e2m1, .c = f32, .k = 64}},
    {Error::ScaledTypesDiffer,
     {.a = e2m1,
      .b = e2m1,
      .c = f32,
      .scaleA = ue8m0,
      .scaleB = ue4m3,
      .k = 64,
      .vecA = 16,
      .vecB = 16}},
    {Error::ScaledTypesDiffer,
     {.a = e4m3, .b = e4m3, .c = f32, .scaleA = ue8m0, .k = 32, .vecA = 32}},
    {Error::ScaledAccumulator,
     {.a = e4m3,
      .b = e4m3,
      .c = f16,
      .scaleA = ue8m0,
      .scaleB = ue8m0,
      .k = 32,
      .vecA = 32,
      .vecB = 32}},
    {Error::ScaledVectors,
     {.a = e2m1,
      .b = e2m1,
      .c = f32,
      .scaleA = ue8m0,
      .scaleB = ue8m0,
      .k = 64,
      .vecA = 16,
      .vecB = 32}},
    {Error::ScaledConfiguration,
     {.a = e4m3,
      .b = e4m3,
      .c = f32,
      .scaleA = ue8m0,
      .scaleB = ue8m0,
      .k = 32,
      .vecA = 16,
      .vecB = 16}},
    {Error::ScaledFp4Operands,
     {.a = e4m3,
      .b = e2m1,
      .c = f32,
      .scaleA = ue8m0,
      .scaleB = ue8m0,
      .k = 64,
      .vecA = 16,
      .vecB = 16}},
    {Error::ScaledFp4Scales,
     {.a = e2m1,
      .b = e2m1,
      .c = f32,
      .scaleA = e5m2,
      .scaleB = e5m2,
      .k = 64,
      .vecA = 16,
      .vecB = 16}},
    {Error::ScaledMxf4,
     {.a = e2m1,
      .b = e2m1,
      .c = f32,
      .scaleA = ue4m3,
      .scaleB = ue4m3,
      .k = 64,
      .vecA = 32,
      .vecB = 32}},
    {Error::ScaledMxf4,
     {.a = e2m1,
      .b = e2m3,
      .c = f32,
      .scaleA = ue8m0,
      .scaleB = ue8m0,
      .k = 64,
      .vecA = 32,
      .vecB = 32}},
};

TEST(ScaledForm, BreaksOneRuleAndNoneBefore) {
  std::set<Error> seen;
  for (const ScaledCase &c : scaledCases) {
    std::optional<Reason> refusal = scaledRefusal(c.form);
    ASSERT_TRUE(refusal) << idOf(c.broken);
    EXPECT_EQ(refusal->id, idOf(c.broken)) << refusal->text;
    seen.insert(c.broken);
  }
  // ScaledTypesDiffer comes before and asks the same, so this one is never told: its predicate is
  // called.
  for (const ScaledRule &rule : scaledRules())
    if (rule.sentence == Error::ScaledSameTypes) {
      EXPECT_TRUE(rule.broken({.a = e2m1, .b = e2m1, .c = f32, .scaleA = ue8m0, .scaleB = ue4m3}));
      EXPECT_FALSE(rule.broken({.a = e2m1, .b = e2m1, .c = f32, .scaleA = ue8m0, .scaleB = ue8m0}));
      seen.insert(rule.sentence);
    }
  EXPECT_EQ(scaledRules().size(), seen.size());
}

/// A row's text is that of its form.
TEST(UmmaForm, MnemonicsAreThoseOfTheTable) {
  int checked = 0;
  for (const MmaRow &row : mmaRows())
    if (row.recipe == Recipe::Umma) {
      UmmaForm form{.kind = row.kind,
                    .ctas = row.ctas,
                    .sparse = row.sparsity.isSparse(),
                    .blockScale = row.scale.isScaled(),
                    .weightStationary = row.weightStationary};
      EXPECT_EQ(mnemonic(form, row.scale.vec / (form.sparse ? 2 : 1)), row.mnemonic) << row.name;
      ++checked;
    }
  EXPECT_GT(checked, 600);
}
TEST(UmmaForm, QualifiersOfMnemonics) {
  EXPECT_EQ(mnemonic({.kind = MmaKind::I8, .ashift = true, .collectorA = Collector::LastUse}, 0),
            "tcgen05.mma.cta_group::1.kind::i8.ashift.collector::a::lastuse");
  EXPECT_EQ(mnemonic({.kind = MmaKind::Tf32,
                      .sparse = true,
                      .weightStationary = true,
                      .collectorA = Collector::Fill},
                     0),
            "tcgen05.mma.ws.sp.cta_group::1.kind::tf32.collector::b0::fill");
  EXPECT_EQ(mnemonic({.kind = MmaKind::F16,
                      .weightStationary = true,
                      .collectorA = Collector::LastUse,
                      .collectorBuffer = 3},
                     0),
            "tcgen05.mma.ws.cta_group::1.kind::f16.collector::b3::lastuse");
  EXPECT_EQ(
      mnemonic({.kind = MmaKind::Mxf4nvf4, .ctas = 2, .blockScale = true, .scaleVec = ScaleVec::X4},
               16),
      "tcgen05.mma.cta_group::2.kind::mxf4nvf4.block_scale.scale_vec::4X");
}

/// Every block-scaled instruction of the table passes, with its own scale factors on both sides.
TEST(ScaledForm, InstructionsPass) {
  int checked = 0;
  for (const MmaRow &row : mmaRows()) {
    int halved = row.sparsity.isSparse() ? 2 : 1;
    ScaledForm form{
        .a = row.a.element, .b = row.b.element, .c = row.c.element, .k = row.k / halved};
    if (row.scale.isScaled()) {
      form.scaleA = form.scaleB = row.scale.element;
      form.vecA = form.vecB = row.scale.vec / halved;
      ++checked;
    }
    EXPECT_FALSE(scaledRefusal(form)) << row.name << ": " << scaledRefusal(form)->text;
  }
  EXPECT_GT(checked, 100);
}
} // namespace
