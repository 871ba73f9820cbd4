// Waiting with a limit, on a device whose launches finish or do not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeDevice.h"

#include "tessera/jit/Errors.h"
#include "tessera/jit/Runtime.h"

#include <gtest/gtest.h>

#include <atomic>

namespace tessera::jit::test {
namespace {

class LaunchLogTest : public testing::Test {
protected:
  LaunchLogTest() {
    runtime.log().useEvents(true);
    for (const char *name : {"load", "sum", "store"})
      runtime.add("kernels", name, kernelNamed(1, name));
  }
  void launch(const char *name, const run::LaunchConfig &config = {}) {
    ASSERT_EQ(runtime.launch("kernels", name, config, {}), 0);
  }
  std::string waiting(double seconds = 0.02) {
    run::Status status = runtime.log().wait(Seconds(seconds));
    return status ? "(finished)" : status.reason().text;
  }

  FakeDevice device;
  Runtime runtime{device};
};

TEST_F(LaunchLogTest, WhatFinishesIsWaitedFor) {
  EXPECT_EQ(waiting(), "(finished)");
  launch("load");
  launch("sum");
  EXPECT_EQ(waiting(), "(finished)");
  EXPECT_EQ(device.synchronized, 2); // what failed in a kernel is reported there
}

TEST_F(LaunchLogTest, TheKernelThatDoesNotFinishIsNamed) {
  launch("load");
  launch("sum", {.grid = {8, 4, 1},
                 .block = {128, 1, 1},
                 .cluster = run::Dim3{2, 1, 1},
                 .dynamicSharedBytes = 49152});
  launch("store");
  launch("store");
  device.hangs = 1;
  run::Status status = runtime.log().wait(Seconds(0.02));
  ASSERT_FALSE(status);
  EXPECT_EQ(status.reason().id, "LaunchUnfinished");
  EXPECT_EQ(status.reason().text, "kernel @kernels::@sum, grid (8, 4, 1), block (128, 1, 1), "
                                  "cluster (2, 1, 1), 49152 bytes of dynamic shared "
                                  "memory: did not finish within 0.02 seconds; 2 launches wait "
                                  "after it; if it only needs longer, give it "
                                  "more with --timeout");
  EXPECT_EQ(device.synchronized, 0);
}

TEST_F(LaunchLogTest, LaunchesThatWereWaitedForAreForgotten) {
  launch("load");
  EXPECT_EQ(waiting(), "(finished)");
  launch("sum");
  device.hangs = 1;
  EXPECT_TRUE(waiting().starts_with(
      "kernel @kernels::@sum, grid (1, 1, 1), block (1, 1, 1), cluster none, 0 bytes"));
}

TEST_F(LaunchLogTest, EventsAreUsedAgain) {
  for (int round = 0; round < 100; ++round) {
    launch("load");
    launch("sum");
    EXPECT_EQ(waiting(), "(finished)");
  }
  EXPECT_EQ(device.recorded.size(), 3u); // two launches, and the end
  for (int i = 0; i < 5000; ++i)
    launch("load");
  EXPECT_LE(device.recorded.size(), 1100u);
  EXPECT_EQ(waiting(), "(finished)");
}

TEST_F(LaunchLogTest, MeasurementsHaveNoEvents) {
  runtime.log().useEvents(false);
  launch("load");
  launch("sum");
  EXPECT_TRUE(device.recorded.empty());
  run::EventId end = *device.createEvent();
  ASSERT_TRUE(device.record(end, run::StreamId::Default));
  EXPECT_TRUE(runtime.log().wait(end, Seconds(0.02)));
  launch("store");
  ASSERT_TRUE(device.record(end, run::StreamId::Default));
  device.hangs = 0;
  run::Status status = runtime.log().wait(end, Seconds(0.02));
  ASSERT_FALSE(status);
  EXPECT_TRUE(status.reason().text.starts_with("kernel @kernels::@store")) << status.reason().text;
}

TEST_F(LaunchLogTest, TheLastLaunch) {
  EXPECT_EQ(runtime.log().last(), "");
  launch("load");
  launch("sum");
  EXPECT_TRUE(runtime.log().last().starts_with("kernel @kernels::@sum, grid"));
}

} // namespace
} // namespace tessera::jit::test
