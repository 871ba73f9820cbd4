// The model against what is published about PTX: which outcomes are allowed and which are not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verdicts are not ours. Sources, by the first word of a name:
//   ISA    the litmus tests of PTX ISA 9.0, 8.10 and 8.11, and what their texts say of variants
//   POP    Goens, Chakraborty, Sarkar, Agarwal, Oswald, Nagarajan: Compound Memory Models, PLDI
//   2023,
//          whose artefact lists tests of PTX with their verdicts
//   shape  classical shapes (Alglave, Maranget, Tautschnig: Herding Cats, TOPLAS 2014), whose
//   verdict
//          follows from a sentence of the ISA that the name gives
#include "Notation.h"

namespace tessera::litmus::test {

const std::vector<Line> &published() {
  static const std::vector<Line> lines = {
      // PTX ISA 8.10.3: atomic operations.
      {"ISA 1: two atoms that are morally strong",
       "A.relaxed.sys.add x 1 0 | A.relaxed.sys.add x 1 0", "", "", false},
      {"ISA 1: the sum", "A.relaxed.sys.add x 1 0 | A.relaxed.sys.add x 1 1", "", "x 2", true},
      {"ISA 2: of which one has a scope that is too small",
       "A.relaxed.cta.add x 1 0 | A.relaxed.gpu.add x 1 0", "0 1", "x 1", true},
      {"ISA 2: the sum", "A.relaxed.cta.add x 1 0 | A.relaxed.gpu.add x 1 1", "0 1", "x 2", true},
      {"ISA 2: in one block both are morally strong",
       "A.relaxed.cta.add x 1 0 | A.relaxed.gpu.add x 1 0", "0 0", "", false},
      // 8.10.4.
      {"ISA LB without dependencies", "r x 1; w y 1 | r y 1; w x 1", "", "x 1 y 1", true},
      // 8.10.5.
      {"ISA CoRR", "W x 1 | R x 1; R x 0", "", "", false},
      // 8.10.6.
      {"ISA MP with fences", "w x 1; F.acq_rel.sys; W y 1 | R y 1; F.acq_rel.sys; r x 0", "", "",
       false},
      {"ISA MP: the flag is not seen", "w x 1; F.acq_rel.sys; W y 1 | R y 0; F.acq_rel.sys; r x 0",
       "", "", true},
      {"ISA SB with fence.sc", "w x 1; F.sc.sys; r y 0 | w y 1; F.sc.sys; r x 0", "", "", false},
      {"ISA SB with fence.acq_rel", "w x 1; F.acq_rel.sys; r y 0 | w y 1; F.acq_rel.sys; r x 0", "",
       "", true},
      // 8.11.1.
      {"ISA MP with red", "w x 42; W.release.gpu y 1 | D.relaxed.sys.add y 1; F.acquire.gpu; r x 0",
       "", "y 2", true},
      {"ISA MP with atom instead",
       "w x 42; W.release.gpu y 1 | A.relaxed.sys.add y 1 1; F.acquire.gpu; r x 0", "", "y 2",
       false},

      {"POP IRIW", "W x 1 | R x 1; R y 0 | R y 1; R x 0 | W y 1", "", "", true},
      {"POP IRIW relacq",
       "W.release.sys x 1 | R.acquire.sys x 1; R.acquire.sys y 0 | R.acquire.sys y 1; "
       "R.acquire.sys x "
       "0 | W.release.sys y 1",
       "", "", true},
      {"POP IRIW fences", "W x 1 | R x 1; F.sc.sys; R y 0 | R y 1; F.sc.sys; R x 0 | W y 1", "", "",
       false},
      {"POP IRIW 3ctas", "W x 1 | R x 1; F.sc.cta; R y 0 | R y 1; F.sc.cta; R x 0 | W y 1",
       "0 1 1 2", "", false},
      {"POP IRIW 4ctas",
       "W x 1 | R.relaxed.cta x 1; F.sc.sys; R.relaxed.cta y 0 | R.relaxed.cta y 1; F.sc.sys; R x "
       "0 | W "
       "y 1",
       "", "", true},
      {"POP IRIW 3ctas, a write of the block",
       "W.relaxed.cta x 1 | R x 1; F.sc.cta; R y 0 | R y 1; F.sc.cta; R x 0 | W y 1", "0 1 1 2", "",
       true},
      {"POP IRIW 3ctas, a read of the block",
       "W x 1 | R.relaxed.cta x 1; F.sc.cta; R y 0 | R y 1; F.sc.cta; R x 0 | W y 1", "0 1 1 2", "",
       true},
      {"POP IRIW 3ctas, reads of the block after",
       "W x 1 | R x 1; F.sc.cta; R.relaxed.cta y 0 | R y 1; F.sc.cta; R.relaxed.cta x 0 | W y 1",
       "0 1 1 2", "", false},
      {"POP IRIW 2ctas", "W x 1 | R x 1; F.sc.cta; R y 0 | R y 1; F.sc.cta; R x 0 | W y 1",
       "0 1 0 1", "", true},
      {"POP IRIW acq fences",
       "W x 1 | R x 1; F.acquire.sys; R y 0 | R y 1; F.acquire.sys; R x 0 | W y 1", "", "", true},
      {"POP IRIW acqrel fences",
       "W x 1 | R x 1; F.acq_rel.sys; R y 0 | R y 1; F.acq_rel.sys; R x 0 | W y 1", "", "", true},
      {"POP IRIW sc and acqrel fence",
       "W x 1 | R x 1; F.sc.sys; R y 0 | R y 1; F.acq_rel.sys; R x 0 | W y 1", "", "", true},
      {"POP simple rf", "W.relaxed.cta x 1 | R.relaxed.cta x 1", "", "", true},
      {"POP MP", "W x 1; W y 1 | R y 1; R x 0", "", "", true},
      {"POP MP fence1", "W x 1; F.sc.sys; W y 1 | R y 1; R x 0", "", "", true},
      {"POP MP fence2", "W x 1; W y 1 | R y 1; F.sc.sys; R x 0", "", "", true},
      {"POP MP fence", "W x 1; F.sc.sys; W y 1 | R y 1; F.sc.sys; R x 0", "", "", false},
      {"POP MP fence cta", "W x 1; F.sc.cta; W y 1 | R y 1; F.sc.cta; R x 0", "0 1", "", true},
      {"POP MP fence rel acq", "W x 1; F.release.sys; W y 1 | R y 1; F.acquire.sys; R x 0", "", "",
       false},
      {"POP MP rel acq", "W x 1; W.release.sys y 1 | R.acquire.sys y 1; R x 0", "", "", false},
      {"POP MP rel seq", "W x 1; W.release.sys y 1; W y 2 | R.acquire.sys y 2; R x 0", "", "",
       false},
      {"POP MP fence cta, one", "W x 1; F.sc.sys; W y 1 | R y 1; F.sc.cta; R x 0", "", "", true},
      {"POP N7", "W x 1; R x 1; R y 0 | W y 1; R y 1; R x 0", "", "", true},
      {"POP dekkers", "W x 1; R y 0 | W y 1; R x 0", "", "", true},
      {"POP dekkers fence", "W x 1; F.sc.sys; R y 0 | W y 1; F.sc.sys; R x 0", "", "", false},
      {"POP dekkers acqrel",
       "W.release.sys x 1; R.acquire.sys y 0 | W.release.sys y 1; R.acquire.sys x 0", "", "", true},
      {"POP dekkers acqrelfence", "W x 1; F.acq_rel.sys; R y 0 | W y 1; F.acq_rel.sys; R x 0", "",
       "", true},
      {"POP dekkers relfence", "W x 1; F.release.sys; R y 0 | W y 1; F.acq_rel.sys; R x 0", "", "",
       true},
      {"POP dekkers acqfence", "W x 1; F.acquire.sys; R y 0 | W y 1; F.acq_rel.sys; R x 0", "", "",
       true},
      {"POP WRC acqrel",
       "W x 1 | R.acquire.sys x 1; W.release.sys y 1 | R.acquire.sys y 1; R.acquire.sys x 0", "",
       "", false},
      {"POP WRC no dep", "W x 1 | R.acquire.sys x 1; W y 1 | R y 1; R x 0", "", "", true},
      {"POP WRC rel first", "W.release.sys x 1 | R.acquire.sys x 1; W y 1 | R y 1; R x 0", "", "",
       true},
      {"POP WRC acq", "W x 1 | R.acquire.sys x 1; W y 1 | R.acquire.sys y 1; R x 0", "", "", true},
      {"POP WRC sc dep", "W x 1 | R x 1; F.sc.sys; W y 1 | R y 1; R x 0", "", "", true},
      {"POP WRC cta 1 2",
       "W x 1 | R x 1; F.release.sys; W.relaxed.cta y 1 | R.relaxed.cta y 1; F.acquire.sys; R x 0",
       "0 1 1", "", false},
      {"POP WRC cta 1 2 acqrel",
       "W x 1 | R x 1; F.acq_rel.sys; W.relaxed.cta y 1 | R.relaxed.cta y 1; F.acq_rel.sys; R x 0",
       "0 1 1", "", false},
      {"POP WRC cta 2 1",
       "W x 1 | R x 1; F.release.sys; W.relaxed.cta y 1 | R.relaxed.cta y 1; F.acquire.sys; R x 0",
       "0 0 1", "", true},
      {"POP WRC cta 2 1'",
       "W.relaxed.cta x 1 | R.relaxed.cta x 1; F.release.sys; W y 1 | R y 1; F.acquire.sys; R x 0",
       "0 0 1", "", false},
      {"POP WRC rel mid", "W x 1 | R x 1; F.release.sys; W y 1 | R y 1; F.acquire.sys; R x 0", "",
       "", false},
      {"POP WRC rel mid no fence", "W x 1 | R x 1; W.release.sys y 1 | R y 1; F.acquire.sys; R x 0",
       "", "", false},
      {"POP WRC acq mid", "W x 1 | R.acquire.sys x 1; W y 1 | R y 1; F.acquire.sys; R x 0", "", "",
       true},
      {"POP WRC cta 2 1 acqrel",
       "W.relaxed.cta x 1 | R.relaxed.cta x 1; F.acq_rel.sys; W y 1 | R y 1; F.acquire.sys; R x 0",
       "0 0 1", "", false},
      {"POP WRC cta 1 1 1, right",
       "W x 1 | R x 1; F.acq_rel.sys; W.relaxed.cta y 1 | R.relaxed.cta y 1; F.acquire.sys; R x 0",
       "", "", true},
      {"POP WRC cta 1 1 1, left",
       "W x 1 | R.relaxed.cta x 1; F.acq_rel.sys; W y 1 | R y 1; F.acquire.sys; R x 0", "", "",
       true},
      {"POP WRC cta 1 1 1, the write",
       "W.relaxed.cta x 1 | R x 1; F.acq_rel.sys; W y 1 | R y 1; F.acquire.sys; R x 0", "", "",
       true},
      {"POP WRC cta 1 1 1, the write, sc",
       "W.relaxed.cta x 1 | R x 1; F.sc.sys; W y 1 | R y 1; F.sc.sys; R x 0", "", "", true},
      {"POP MP3", "W x 1; W y 1 | R y 1; W z 1 | R z 1; R x 0", "", "", true},
      {"POP MP3 acqrel",
       "W.release.cta x 1; W.release.cta y 1 | R.acquire.cta y 1; W.release.cta z 1 | "
       "R.acquire.cta z 1; "
       "R.acquire.cta x 0",
       "0 0 0", "", false},
      {"POP MP3 scoped",
       "W.release.cta x 1; W.release.cta y 1 | R.acquire.cta y 1; W.release.cta z 1 | "
       "R.acquire.cta z 1; "
       "R.acquire.cta x 0",
       "0 1 1", "", true},
      {"POP MP3 fences",
       "W x 1; F.release.sys; W y 1 | R y 1; F.acquire.sys; W z 1 | R z 1; F.acquire.sys; R x 0",
       "", "", true},
      {"POP MP3 fences rel",
       "W x 1; F.release.sys; W y 1 | R y 1; F.release.sys; W z 1 | R z 1; F.acquire.sys; R x 0",
       "", "", true},
      {"POP MP3 fences'",
       "W x 1; F.release.sys; W y 1 | R y 1; F.acq_rel.sys; W z 1 | R z 1; F.acquire.sys; R x 0",
       "", "", false},
      {"POP three variables",
       "W x 1; F.acq_rel.sys; W y 1 | W y 2; F.acq_rel.sys; W z 1 | R z 1; F.acq_rel.sys; R x 0",
       "", "", true},
      {"POP 2+2W",
       "W.release.sys x 1; W.release.sys y 2; R.acquire.sys y 1 | W.release.sys y 1; W.release.sys "
       "x 2; "
       "R.acquire.sys x 1",
       "", "", true},
      {"POP 2+2W relaxed", "W x 1; W y 2; R y 1 | W y 1; W x 2; R x 1", "", "", true},
      {"POP co two threads", "W x 1; R x 2 | W x 2; R x 1", "", "", false},
      {"POP co four threads", "W x 1 | R x 1; R x 2 | R x 2; R x 1; W x 2", "", "", false},
      {"POP write serialisation", "W x 1; W x 2 | R x 2; R x 1", "", "", false},
      {"POP write serialisation, other block",
       "W.relaxed.cta x 1; W.relaxed.cta x 2 | R.relaxed.cta x 1; R.relaxed.cta x 2 | "
       "R.relaxed.cta x 2; "
       "R.relaxed.cta x 1",
       "0 0 1", "", true},
      {"POP write serialisation, one block",
       "W.relaxed.cta x 1; W.relaxed.cta x 2 | R.relaxed.cta x 1; R.relaxed.cta x 2 | "
       "R.relaxed.cta x 2; "
       "R.relaxed.cta x 1",
       "0 0 0", "", false},

      // 8.5: a scope is the block, the cluster, the GPU, or all.
      {"shape MP: scope of the block, in it (8.7)",
       "w x 1; W.release.cta y 1 | R.acquire.cta y 1; r x 0", "0 0", "", false},
      {"shape MP: scope of the block, outside (8.7)",
       "w x 1; W.release.cta y 1 | R.acquire.cta y 1; r x 0", "0 1", "", true},
      {"shape MP: one scope is too small (8.7)",
       "w x 1; W.release.gpu y 1 | R.acquire.cta y 1; r x 0", "0 1", "", true},
      {"shape MP: scope of the cluster, in it (8.7)",
       "w x 1; W.release.cluster y 1 | R.acquire.cluster y 1; r x 0", "0c0 1c0", "", false},
      {"shape MP: scope of the cluster, outside (8.7)",
       "w x 1; W.release.cluster y 1 | R.acquire.cluster y 1; r x 0", "0c0 1c1", "", true},
      {"shape MP: scope of the GPU, on it (8.7)",
       "w x 1; W.release.gpu y 1 | R.acquire.gpu y 1; r x 0", "0 1", "", false},
      {"shape MP: scope of the GPU, on two (8.7)",
       "w x 1; W.release.gpu y 1 | R.acquire.gpu y 1; r x 0", "0g0 1g1", "", true},
      {"shape MP: all, on two GPUs (8.7)", "w x 1; W.release.sys y 1 | R.acquire.sys y 1; r x 0",
       "0g0 1g1", "", false},
      {"shape MP: a weak flag makes no release pattern (8.8)",
       "w x 1; F.acq_rel.sys; w y 1 | r y 1; F.acq_rel.sys; r x 0", "", "", true},
      {"shape MP: fence.sc orders weak accesses (8.9.3, 8.10.6)",
       "w x 1; F.sc.sys; w y 1 | r y 1; F.sc.sys; r x 0", "", "", false},
      {"shape MP: an acquire after a strong read (8.8, 2)",
       "w x 1; W.release.sys y 1 | R y 1; R.acquire.sys y 1; r x 0", "", "", false},
      {"shape MP: through an atomic operation (8.9.2)",
       "w x 1; W.release.sys y 1 | A.relaxed.sys.add y 1 1 | R.acquire.sys y 2; r x 0", "", "",
       false},
      {"shape MP: through an atomic operation of too small a scope (8.9.2)",
       "w x 1; W.release.sys y 1 | A.relaxed.cta.add y 1 1 | R.acquire.sys y 2; r x 0", "0 1 2", "",
       true},
      {"shape MP: through a store by another, which ends the sequence (8.9.2)",
       "w x 1; W.release.sys y 1 | R y 1; W y 2 | R.acquire.sys y 2; r x 0", "", "", true},
      {"shape MP: through barriers (8.9.4, 2)", "w x 1; B 0 | B 0; r x 0", "0 0", "", false},
      {"shape MP: barriers of two blocks (8.9.4, 2)", "w x 1; B 0 | B 0; r x 0", "0 1", "", true},
      {"shape SB: through barriers (8.9.4, 2)", "w x 1; B 0; r y 0 | w y 1; B 0; r x 0", "0 0", "",
       false},
      {"shape SB: fence.sc of blocks (8.9.3)", "w x 1; F.sc.cta; r y 0 | w y 1; F.sc.cta; r x 0",
       "0 1", "", true},
      {"shape SB: fence.sc in a block (8.9.3)", "w x 1; F.sc.cta; r y 0 | w y 1; F.sc.cta; r x 0",
       "0 0", "", false},
      {"shape S (8.10.1)", "w x 2; W.release.sys y 1 | R.acquire.sys y 1; w x 1", "", "x 2", false},
      {"shape S relaxed (8.9.6)", "W x 2; W y 1 | R y 1; W x 1", "", "x 2", true},
      {"shape R with fence.sc (8.10.1, 8.10.6)", "w x 1; F.sc.sys; w y 1 | w y 2; F.sc.sys; r x 0",
       "", "y 2", false},
      {"shape R with fence.acq_rel (8.9.4)",
       "w x 1; F.acq_rel.sys; W y 1 | W y 2; F.acq_rel.sys; r x 0", "", "y 2", true},
      {"shape 2+2W with fence.sc (8.10.1)", "w x 1; F.sc.sys; w y 2 | w y 1; F.sc.sys; w x 2", "",
       "x 1 y 1", false},
      {"shape 2+2W with releases (8.9.4)", "W x 1; W.release.sys y 2 | W y 1; W.release.sys x 2",
       "", "x 1 y 1", true},
      {"shape LB relaxed (8.10.4)", "R x 1; W y 1 | R y 1; W x 1", "", "", true},
      {"shape LB with releases and acquires (8.10.6, 1)",
       "R.acquire.sys x 1; W.release.sys y 1 | R.acquire.sys y 1; W.release.sys x 1", "", "",
       false},
      {"shape LB with fence.acq_rel (8.10.6, 1)",
       "R x 1; F.acq_rel.sys; W y 1 | R y 1; F.acq_rel.sys; W x 1", "", "", false},
      {"shape LB with acquires alone (8.9.4)",
       "R.acquire.sys x 1; W y 1 | R.acquire.sys y 1; W x 1", "", "", true},
      {"shape ISA2 (8.9.5)",
       "w x 1; W.release.gpu y 1 | R.acquire.gpu y 1; W.release.gpu z 1 | R.acquire.gpu z 1; r x 0",
       "", "", false},
      {"shape ISA2: the last acquires not (8.9.4)",
       "w x 1; W.release.gpu y 1 | R.acquire.gpu y 1; W.release.gpu z 1 | R z 1; r x 0", "", "",
       true},
      {"shape RWC with fence.sc (8.10.6)",
       "W x 1 | R x 1; F.sc.sys; R y 0 | W y 1; F.sc.sys; R x 0", "", "", false},
      {"shape RWC with fence.acq_rel (8.9.4)",
       "W x 1 | R x 1; F.acq_rel.sys; R y 0 | W y 1; F.acq_rel.sys; R x 0", "", "", true},
      {"shape CoWW weak (8.10.1)", "w x 1; w x 2", "", "x 1", false},
      {"shape CoRW weak (8.10.6, 1)", "r x 1; w x 1", "", "", false},
      {"shape CoRW of two threads (8.10.5)", "R x 1; W x 2 | W x 1", "", "x 1", false},
      {"shape CoRW of two threads, weak (8.9.6)", "r x 1; w x 2 | w x 1", "", "x 1", true},
      {"shape CoWR weak (8.10.6, 2)", "w x 1; r x 0", "", "", false},
      {"shape CoWR of two threads (8.10.6, 2)", "W x 1; R x 2 | W x 2", "", "x 1", false},
      {"shape CoWR of two threads, weak (8.9.6)", "w x 1; r x 2 | w x 2", "", "x 1", true},
      {"shape CoRR weak (8.10.5)", "w x 1 | r x 1; r x 0", "", "", true},
  };
  return lines;
}

namespace {

TEST(Model, SaysWhatIsPublished) {
  for (const Line &line : published()) {
    std::unique_ptr<Program> test = testOf(line);
    Verdict verdict = *judge(*test);
    bool isAllowed = false;
    for (const Outcome &outcome : verdict.allowed)
      isAllowed |= isAsked(line, *test, outcome);
    EXPECT_EQ(isAllowed, line.isAllowed) << line.name << "\n" << textOf(line);
    EXPECT_FALSE(verdict.allowed.empty()) << line.name; // some execution always is
  }
}

Verdict verdictOf(const std::string &text) {
  Result<std::unique_ptr<Program>> test = parse(text);
  EXPECT_TRUE(test) << test.reason().text;
  return test ? *judge(**test) : Verdict();
}

// 8.10.4: a value may not follow from itself alone; what an implementation sees to be constant does
// not follow from what was read.
TEST(Model, ValuesDoNotComeOutOfThinAir) {
  const std::string first = "x = 0; y = 0\nblock 0 { ld.global.u32 a, [x]; ",
                    second = " }\nblock 1 { ld.global.u32 b, [y]; st.global.u32 [x], b; }";
  EXPECT_EQ(verdictOf(first + "st.global.u32 [y], a;" + second).allowed,
            (std::set<Outcome>{{0, 0, 0, 0}}));
  EXPECT_EQ(verdictOf(first + "xor.b32 c, a, a; add.u32 c, c, 1; st.global.u32 [y], c;" + second)
                .allowed.count({1, 1, 1, 1, 1}),
            1u);
  EXPECT_EQ(verdictOf(first + "add.u32 c, a, 1; st.global.u32 [y], c;" + second)
                .allowed.count({1, 2, 1, 1, 2}),
            0u);
}

// What atomic operations give and write, PTX ISA 9.7.13.13; one that does not write orders nothing.
TEST(Model, ComputesAtomicOperations) {
  auto one = [](const std::string &op, uint32_t old) {
    return verdictOf(cat("x = ", old, "\nblock 0 { atom.global.", op, "; }")).allowed;
  };
  EXPECT_EQ(one("add.u32 a, [x], 5", 7), (std::set<Outcome>{{7, 12}}));
  EXPECT_EQ(one("exch.b32 a, [x], 5", 7), (std::set<Outcome>{{7, 5}}));
  EXPECT_EQ(one("cas.b32 a, [x], 7, 9", 7), (std::set<Outcome>{{7, 9}}));
  EXPECT_EQ(one("cas.b32 a, [x], 8, 9", 7), (std::set<Outcome>{{7, 7}}));
  EXPECT_EQ(one("inc.u32 a, [x], 7", 7), (std::set<Outcome>{{7, 0}}));
  EXPECT_EQ(one("inc.u32 a, [x], 8", 7), (std::set<Outcome>{{7, 8}}));
  EXPECT_EQ(one("min.u32 a, [x], 5", 7), (std::set<Outcome>{{7, 5}}));
  EXPECT_EQ(one("xor.b32 a, [x], 5", 7), (std::set<Outcome>{{7, 2}}));
  // Two threads take a lock: one gets it.
  const std::string lock = " { atom.acquire.gpu.global.cas.b32 a, [x], 0, 1; }\n";
  EXPECT_EQ(verdictOf("x = 0\nblock 0" + lock + "block 1" + lock).allowed,
            (std::set<Outcome>{{0, 1, 1}, {1, 0, 1}}));
}

TEST(Model, SaysWhereThereAreTooManyCandidates) {
  std::string text = "x = 0\nblock 0 { st.global.u32 [x], 1; }\nblock 1 {\n";
  for (int i = 0; i < 25; ++i)
    text += cat("  ld.global.u32 r", i, ", [x];\n");
  Reason reason = judge(**parse(text + "}")).reason();
  EXPECT_EQ(reason.id, "TooMany");
  EXPECT_EQ(reason.text, "a litmus test has at most 2^24 candidates, but this one has 2^25");
  text = "";
  for (int i = 0; i < 12; ++i)
    text += cat("block ", i, " { fence.sc.gpu; }\n");
  EXPECT_EQ(judge(**parse(text)).reason().id, "TooMany");
}

// 8.7.1: conflicts that nothing orders, unless both sides are morally strong.
TEST(Model, FindsRaces) {
  auto races = [](const std::string &code, const std::string &places) {
    return judge(*testOf({"race", code, places, "", true}))->hasRace;
  };
  EXPECT_TRUE(races("w x 1 | r x 0", ""));
  EXPECT_TRUE(races("w x 1 | w x 1", ""));
  EXPECT_FALSE(races("r x 0 | r x 0", ""));
  EXPECT_FALSE(races("w x 1 | r y 0", ""));
  EXPECT_FALSE(races("W x 1 | R x 0", ""));
  EXPECT_TRUE(races("W x 1 | r x 0", ""));
  EXPECT_TRUE(races("W.relaxed.cta x 1 | R.relaxed.cta x 0", "0 1"));
  EXPECT_FALSE(races("W.relaxed.cta x 1 | R.relaxed.cta x 0", "0 0"));
  EXPECT_TRUE(races("w x 1; W.release.gpu y 1 | R.acquire.gpu y 1; r x 0", "")); // where y is 0
  EXPECT_FALSE(races("w x 1; B 0 | B 0; r x 0", "0 0"));
  EXPECT_TRUE(races("w x 1; B 0 | B 0; r x 0", "0 1"));
}

} // namespace

} // namespace tessera::litmus::test
