// Real files, if TESSERA_CORPUS names a folder of them: one folder a kernel, `input*.mlir` and
// `input*.mlir.xz` in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/files/Corpus.h"
#include "Session.h"

#include "tessera/import/Row.h"

#include <gtest/gtest.h>

namespace tessera::import::test {

using namespace tessera::test;

TEST(Corpus, IsImported) {
  if (!corpus())
    GTEST_SKIP() << "TESSERA_CORPUS is not set: no real files were imported";
  std::vector<std::filesystem::path> files = corpusFiles({".mlir", ".xz"});
  unsigned imported = 0, foreignOps = 0;
  std::map<std::string, unsigned> ops;
  double seconds = 0;
  for (const auto &file : files) {
    Session session;
    std::string source = textOf(file);
    ASSERT_FALSE(source.empty()) << file;
    bool good = session.read(source);
    std::string message =
        good || session.diagnostics().empty() ? "" : session.diagnostics().front();
    imported += good;
    EXPECT_TRUE(good) << file << "\n" << message;
    // What comes out is our spelling: it is read without the others, and printed again as it was.
    Session again(/*withSpellings=*/false);
    if (good && again.read(session.text())) {
      EXPECT_EQ(again.report().foreign, 0) << file;
      EXPECT_TRUE(again.text() == session.text()) << file;
    } else if (good) {
      ADD_FAILURE() << file << "\n" << again.diagnostics().front();
    }
    const Report &report = session.report();
    seconds += report.direct + report.foreign + report.rewrite + report.handOver;
    for (const auto &[name, count] : report.ops) {
      ops[name] += count;
      foreignOps += count;
    }
  }
  // The table says which ops it knows from there.
  for (const Row &row : rows())
    if (row.witness == Witness::Corpus)
      EXPECT_TRUE(ops.contains(row.name.str())) << row.name.str() << " does not occur";
  for (const auto &[name, count] : ops)
    std::printf("%6u %s\n", count, name.c_str());
  std::printf("%u of %zu files imported in %.2f s, %u foreign ops of %zu names\n", imported,
              files.size(), seconds, foreignOps, ops.size());
}

} // namespace tessera::import::test
