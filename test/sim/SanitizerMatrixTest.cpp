// The sanitizer on matrices: registers and shared memory of wgmma, and fragments of which nobody
// wrote some rows or columns. Each rule by a kernel that breaks it and one that does not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SanitizerHarness.h"

namespace tessera::sim::test {

namespace {

/// A warpgroup multiplies zeros; r10 to r13 are the sums.
std::string product(const std::string &before, const std::string &fence, const std::string &during,
                    const std::string &wait) {
  return start +
         "mul.lo.u32 r43, r1, 16;\nadd.u32 r43, r43, r40;\nst.shared.v4.u32 [r43], {0, 0, 0, "
         "0};\nfence.proxy.async;\nbar.sync 0;\n"
         "mov.b64 d2, 0x0000000800080040;\nsetp.eq.u32 p5, r1, r1;\n" +
         before + "mov.b32 r10, 0;\n" + fence +
         "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {r10, r11, r12, r13}, d2, d2, p5, 1, "
         "1, 0, "
         "0;\nwgmma.commit_group.sync.aligned;\n" +
         during + wait + "mov.b32 r20, r10;\nwgmma.wait_group.sync.aligned 0;\n";
}
const std::string groupFence = "wgmma.fence.sync.aligned;\n",
                  groupWait = "wgmma.wait_group.sync.aligned 0;\n";

TEST(SanitizerMatrix, RegistersOfGroups) {
  auto clean = [](const std::string &body) { expectClean(body, 1, 128); };
  auto report = [](const std::string &body, std::string_view id, const std::string &words) {
    expectReport(body, id, words, 1, 128);
  };
  clean(product("", groupFence, "mov.b32 r21, r9;\n", groupWait));
  report(product("", groupFence, "", ""), "GroupInFlight",
         "wgmma.wait_group is missing between them");
  report(product("", groupFence, "add.f32 r11, r11, r11;\n", groupWait), "GroupInFlight", "");
  report(product("", groupFence, "", "wgmma.wait_group.sync.aligned 1;\n"), "GroupInFlight", "");
  report(product("", "", "", groupWait), "GroupFirstFence", "there is no wgmma.fence before");
  const std::string changed = groupFence + "add.u32 r11, r11, 0;\n", zero = "mov.b32 r10, 0;\n";
  report(product(changed, "", "", groupWait), "GroupFence",
         "wgmma uses a register that was accessed at line");
  // Both sides have their places.
  sanitize::Report found = look(product(changed, "", "", groupWait), 1, 20, 128).reports.at(0);
  EXPECT_TRUE(found.party.place.text.starts_with("wgmma.mma_async")) << found.party.place.text;
  ASSERT_TRUE(found.earlier);
  EXPECT_EQ(found.earlier->access, "an access of the register");
  EXPECT_EQ(found.earlier->place.text, "add.u32 r11, r11, 0;");
  EXPECT_EQ(found.earlier->thread, found.party.thread);
  // Sums of the same shape follow each other without a fence; others do not.
  std::string again = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {r10, r11, r12, r13}, d2, "
                      "d2, p5, 1, 1, 0, 0;\nwgmma.commit_group.sync.aligned;\n";
  clean(product("", groupFence, again, groupWait));
  std::string other = "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {r10, r11, r12, r13}, "
                      "d2, d2, p5, 1, 1;\nwgmma.commit_group.sync.aligned;\n";
  report(product("", groupFence, other, groupWait), "GroupFence", "");
  // A move between fence and product, as of Triton 3.6; after a product it needs another fence.
  clean(product(groupFence, "", "", groupWait));
  report(product("", groupFence, groupWait + zero + again, groupWait), "GroupFence", "");
  clean(product("", groupFence, groupWait + groupFence + zero + again, groupWait));
  clean(product("", groupFence, groupFence + other, groupWait));
}

TEST(SanitizerMatrix, MatricesOfGroups) {
  std::string whole = product("", groupFence, "", groupWait);
  auto cut = [&](const std::string &what) {
    std::string text = whole;
    return text.erase(text.find(what), what.size());
  };
  expectReport(cut("fence.proxy.async;\n"), "ProxyFence", "a read by wgmma", 1, 128);
  expectReport(cut("bar.sync 0;\n"), "Race", "a read by wgmma", 1, 128);
  // What cp.async copied needs no fence of proxies, but has to have ended.
  auto copied = [&](const std::string &ended) {
    std::string text = cut("fence.proxy.async;\n"),
                store = "st.shared.v4.u32 [r43], {0, 0, 0, 0};\n";
    return text.replace(text.find(store), store.size(),
                        "cp.async.cg.shared.global [r43], [in_], 16;\ncp.async.commit_group;\n" +
                            ended);
  };
  expectClean(copied("cp.async.wait_group 0;\n"), 1, 128);
  expectReport(copied(""), "Race", "a read by wgmma", 1, 128);
  // The product may still read.
  std::string store = "st.shared.u32 [r43], 1;\n";
  expectReport(product("", groupFence, store, groupWait), "Race", "races with a read by wgmma", 1,
               128);
  // A warp that has waited knows of the whole product: the group is the warpgroup's.
  expectClean(product("", groupFence, "", groupWait + store), 1, 128);
  // So one thread of a warpgroup may tell another one that a stage is free, as CUTLASS does, and a
  // thread that has not waited may not.
  auto released = [&](const std::string &during, const std::string &after) {
    std::string text = product("", groupFence, during, groupWait + after);
    const std::string last = "wgmma.wait_group.sync.aligned 0;\n";
    text.insert(text.rfind(last) + last.size(), "bra done;\n") +=
        "other: mbarrier.try_wait.parity.shared.b64 p3, [bar], 0;\n@!p3 bra other;\n"
        "st.shared.u32 [r40], 1;\ndone:";
    const std::string sync = "bar.sync 0;\n";
    text.insert(text.find(sync) + sync.size(), "setp.ge.u32 p6, r1, 128;\n@p6 bra other;\n");
    text.insert(text.find("mul.lo.u32 r43"), "@p1 mbarrier.init.shared.b64 [bar], 1;\n");
    return text;
  };
  const std::string tell = "setp.eq.u32 p4, r1, 77;\n@p4 mbarrier.arrive.shared.b64 d3, [bar];\n";
  expectClean(released("", tell), 1, 256);
  expectReport(released(tell, ""), "Race", "races with a read by wgmma", 1, 256);
  // With A in registers the product has ended only after the loads that fill them, so that one
  // thread may tell that these are done, too; not so of loads that a product does not wait for.
  auto filled = [&](std::string text, bool takesRegisters) {
    const std::string load = "ld.shared.u32 r30, [r40];\n", a = "d2, d2, p5, 1, 1, 0, 0;";
    text.insert(text.find(groupFence), load);
    return takesRegisters
               ? text.replace(text.find(a), a.size(), "{r30, r30, r30, r30}, d2, p5, 1, 1, 0;")
               : text;
  };
  expectClean(filled(released("", tell), true), 1, 256);
  expectReport(filled(released("", tell), false), "Race", "races with a read by thread", 1, 256);
  expectReport(filled(released("", "ld.shared.u32 r31, [r40];\n" + tell), true), "Race",
               "races with a read by thread", 1, 256);
  // What lanes learn apart from each other the warp knows once all have.
  auto apart = [&](const std::string &ofEven) {
    std::string text = whole, wait = "mbarrier.try_wait.parity.shared.b64 p3, [bar], 0;\n@!p3 bra ";
    text.insert(text.find("mul.lo.u32 r43"),
                "@p1 mbarrier.init.shared.b64 [bar], 128;\nbar.sync 0;\n");
    std::string sync = "bar.sync 0;\n";
    size_t at = text.find(sync, text.find("fence.proxy.async"));
    return text.replace(at, sync.size(),
                        "mbarrier.arrive.shared.b64 d3, [bar];\nand.b32 r44, r1, 1;\n"
                        "setp.eq.u32 p6, r44, 0;\n@p6 bra even;\nodd: " +
                            wait + "odd;\nbra join;\neven: " + (ofEven.empty() ? "" : wait) +
                            ofEven + "join:\n");
  };
  expectClean(apart("even;\n"), 1, 128);
  expectReport(apart(""), "Race", "a read by wgmma", 1, 128);
}

/// A list of registers.
std::string registers(int first, int count) {
  std::string out = "{";
  for (int k = 0; k < count; ++k)
    out += cat(k ? ", r" : "r", first + k);
  return out + "}";
}

/// ldmatrix of rows and columns outside of a matrix, as CUTLASS's multistage GEMMs load them for
/// tiles at the edge.
TEST(SanitizerMatrix, MatricesOfWhatNobodyWrote) {
  const std::string a = "and.b32 r3, r1, 15;\nmad.lo.u32 r4, r3, 32, r40;\nand.b32 r5, r1, 16;\n"
                        "add.u32 r4, r4, r5;\n",
                    b = "and.b32 r3, r1, 15;\nmad.lo.u32 r6, r3, 16, r40;\n",
                    loads =
                        "bar.warp.sync -1;\nmov.u32 r9, 0;\n"
                        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r10, r11, r12, r13}, [r4];\n"
                        "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {r14, r15}, [r6+512];\n",
                    product =
                        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {r26, r27, r28, r29}, "
                        "{r10, r11, r12, r13}, {r14, r15}, {r9, r9, r9, r9};\n";
  // Rows of A have 32 bytes and are written by four at a time; of B's rows 4 of 8 columns may be.
  auto multiply = [&](int rowsOfA, bool wholeB) {
    std::string out = start + a + b;
    for (int k = 0; k < rowsOfA / 4; ++k)
      out += cat("st.shared.u32 [r42+", 128 * k, "], r1;\n");
    return out + "st.shared.v2.u32 [r6+512], {r9, r9};\n" +
           (wholeB ? "st.shared.v2.u32 [r6+520], {r9, r9};\n" : "") + loads;
  };
  auto keeps = [&](const std::string &sum, const std::string &lanes) {
    return product + "and.b32 r7, r1, 3;\nsetp." + lanes + ";\nselp.b32 r8, " + sum +
           ", r9, p61;\n" + decidesBy("r8");
  };
  const std::string first = "lt.u32 p61, r1, 16", others = "ge.u32 p61, r1, 16";
  expectClean(multiply(16, true) + keeps("r29", others), 1, 32);
  expectClean(multiply(12, true) + keeps("r26", others), 1, 32);
  expectClean(multiply(12, true) + keeps("r29", first), 1, 32); // rows 8 to 11
  expectReport(multiply(12, true) + keeps("r29", others), "Unwritten",
               "a read of 16 bytes at shared address 0x580, but nobody wrote the byte at 0x580", 1,
               32);
  expectClean(multiply(16, false) + keeps("r28", "lt.u32 p61, r7, 2"), 1, 32); // columns 0 to 3
  expectReport(multiply(16, false) + keeps("r28", "ge.u32 p61, r7, 2"), "Unwritten",
               "a read of 16 bytes at shared address 0x6", 1, 32);
  // What is loaded ahead may stay unused, and a fragment is what was loaded last.
  expectClean(multiply(12, false), 1, 32);
  expectClean(multiply(12, false) +
                  "bar.warp.sync -1;\nst.shared.u32 [r42+384], r1;\n"
                  "st.shared.v2.u32 [r6+520], {r9, r9};\n" +
                  loads + keeps("r29", others),
              1, 32);
}

// A matrix of which some rows or columns are not there: what is made of them is thrown away.
TEST(SanitizerMatrix, FragmentsOfWhatNobodyWrote) {
  // Each of these writes four rows of 16 halves.
  auto rows = [](int from, int count) {
    std::string out;
    for (int k = 0; k < count; ++k)
      out += cat("st.shared.u32 [r42+", from + 128 * k, "], r1;\n");
    return out;
  };
  auto product = [&](int rowsOfA, int columnsOfB) {
    return start + rows(0, rowsOfA / 4) + rows(512, columnsOfB / 4) +
           cat("bar.warp.sync -1;\nmov.u32 r9, 0;\n",
               "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 ", registers(10, 8),
               ", [r40], 16;\n", "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 ",
               registers(18, 8), ", [r40+512], 16;\n",
               "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 ", registers(26, 8), ", ",
               registers(10, 8), ", ", registers(18, 8), ", {r9, r9, r9, r9, r9, r9, r9, r9};\n");
  };
  const std::string keep = "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [r40+1024], " +
                           registers(26, 8) + ", 16;\nbar.warp.sync -1;\n";
  auto element = [](int row, int column) {
    return cat("ld.shared.u32 r3, [r40+", 1024 + 64 * row + 4 * column, "];\n") + decidesBy("r3");
  };
  auto clean = [](const std::string &body) { expectClean(body, 1, 32); };
  auto wrong = [](const std::string &body, const std::string &words) {
    expectReport(body, "Unwritten", words, 1, 32);
  };
  clean(product(16, 16) + keep + element(15, 15));
  clean(product(12, 16) + keep + element(11, 15));
  wrong(product(12, 16) + keep + element(12, 0), "a read of 4 bytes at shared address 0xb00");
  clean(product(16, 8) + keep + element(15, 7));
  wrong(product(16, 8) + keep + element(0, 8), "a read of 4 bytes at shared address 0x820");
  // In global memory it is kept; the load is named.
  const std::string out =
      "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [out_], " + registers(26, 8) + ", 16;\n";
  clean(product(16, 16) + out);
  wrong(product(12, 16) + out, "a read of 2 bytes at shared address 0x580, but nobody wrote the "
                               "byte at 0x580");
  // A fragment is what was loaded last.
  clean(product(12, 16) + "bar.warp.sync -1;\n" + rows(384, 1) +
        "bar.warp.sync -1;\nwmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " + registers(10, 8) +
        ", [r40], 16;\nwmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 " + registers(26, 8) + ", " +
        registers(10, 8) + ", " + registers(18, 8) + ", {r9, r9, r9, r9, r9, r9, r9, r9};\n" +
        keep + element(15, 15));
  // Rows 8 to 15 of A are r11 and r13 of mma's fragment, and r28 and r29 of the sums.
  const std::string mma = start +
                          "st.shared.u32 [r42], r1;\nld.shared.u32 r10, [r42];\nmov.u32 r12, r10;\n"
                          "ld.shared.u32 r11, [r42+128];\nmov.u32 r13, r11;\nmov.u32 r9, 0;\n"
                          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " +
                          registers(26, 4) + ", " + registers(10, 4) +
                          ", {r10, r10}, {r9, r9, r9, r9};\n";
  for (const char *kept : {"r26", "r27"})
    clean(mma + decidesBy(kept));
  for (const char *lost : {"r28", "r29"})
    wrong(mma + decidesBy(lost), "a read of 4 bytes at shared address 0x480");
}

} // namespace

} // namespace tessera::sim::test
