// Every program on the simulator, at once, with asynchronous work as late as may be, and under the
// sanitizer, which has no report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Programs.h"

#include "tessera/run/SimDevice.h"
#include "tessera/sanitize/Sanitizer.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace tessera::nvcc {

namespace {

class Nvcc : public testing::TestWithParam<Program> {};
TEST_P(Nvcc, DoesWhatPlainCodeDoes) {
  const Program &program = GetParam();
  Result<std::vector<Bytes>> want = expectedOf(program);
  ASSERT_TRUE(want) << want.reason().text;
  struct {
    sim::Limits limits;
    std::shared_ptr<sim::Observer> observer;
  } const machines[] = {{{}, nullptr},
                        {{.lateCopies = true}, nullptr},
                        {{}, std::make_shared<sanitize::Sanitizer>()}};
  for (const auto &[limits, observer] : machines) {
    run::SimDevice device(limits, observer);
    testing::internal::CaptureStdout();
    Result<std::vector<Bytes>> got = runProgram(program, TESSERA_NVCC_PROGRAMS, device);
    std::string printed = testing::internal::GetCapturedStdout();
    ASSERT_TRUE(got) << got.reason().text;
    EXPECT_EQ(difference(program, *got, *want), "");
    EXPECT_EQ(printed, program.printed);
  }
}
INSTANTIATE_TEST_SUITE_P(Programs, Nvcc, testing::ValuesIn(programs()),
                         [](const auto &info) { return info.param.name; });

TEST(NvccTable, NamesEveryFile) {
  std::set<std::string> files, rows;
  for (const auto &entry : std::filesystem::directory_iterator(TESSERA_NVCC_PROGRAMS))
    if (entry.path().extension() == ".ptx")
      files.insert(entry.path().stem());
  for (const Program &program : programs())
    rows.insert(program.name);
  EXPECT_EQ(files, rows);
}

TEST(NvccTable, SeesADifference) {
  const Program &program = programs().front();
  std::vector<Bytes> want = *expectedOf(program), got = want;
  got[1][5] ^= std::byte(1);
  EXPECT_NE(difference(program, got, want).find("buffer 1, byte 4"), std::string::npos);
}

} // namespace

} // namespace tessera::nvcc
