// The simulator as a device: what a GPU must do (GpuChecks.h), and what it refuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/SimDevice.h"

#include "test/run/Check.h"
#include "test/run/GpuChecks.h"
#include "test/run/TinyCubin.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::run;

class Sim : public testing::TestWithParam<GpuCheck> {};

TEST_P(Sim, DoesWhatAGpuDoes) {
  SimDevice device;
  Result<std::string> result = GetParam().run(device);
  EXPECT_TRUE(result) << result.reason().text;
}

/// Not the first check, which measures a GPU's bandwidth with 35 sums of 2^24 numbers; not TMA,
/// which is not simulated yet; not kernels that do not end, as the simulator is done when a launch
/// returns.
static std::vector<GpuCheck> simulated() {
  std::vector<GpuCheck> checks;
  for (const GpuCheck &check : gpuChecks().subspan(1))
    if (std::string_view name = check.name; name != "tensor maps" && name != "unfinished kernels")
      checks.push_back(check);
  return checks;
}
INSTANTIATE_TEST_SUITE_P(Checks, Sim, testing::ValuesIn(simulated()),
                         [](const testing::TestParamInfo<GpuCheck> &info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

TEST(SimDevice, ReportsFailuresOfKernelsLater) {
  SimDevice device;
  Module module =
      *device.loadModule(bytesOf(".version 8.0\n.target sm_90\n.visible .entry k() { trap; }\n"));
  Kernel kernel = *device.kernel(module.id, "k");
  EXPECT_TRUE(device.launch(kernel.id, {}, {}));
  Status status = device.synchronize();
  ASSERT_FALSE(status);
  EXPECT_EQ(status.reason().id, "Trap");
  EXPECT_TRUE(device.synchronize());
  EXPECT_TRUE(device.unloadModule(module.id));
  EXPECT_EQ(device.launch(kernel.id, {}, {}).reason().id, "DeviceHandle");
  EXPECT_EQ(device.kernel(module.id, "k").reason().id, "DeviceHandle");
}

// cooperative_groups of CUDA 13.0 take the address of their workspace from %envreg1 and %envreg2,
// and trap where it is zero.
TEST(SimDevice, GivesCooperativeLaunchesAWorkspace) {
  SimDevice device;
  Module module = *device.loadModule(bytesOf(R"(.version 8.0
.target sm_90
.visible .entry k() {
.reg .b32 %r<3>;
.reg .pred %p;
mov.b32 %r0, %envreg1;
mov.b32 %r1, %envreg2;
or.b32 %r2, %r0, %r1;
setp.ne.b32 %p, %r2, 0;
@%p exit;
trap;
})"));
  Kernel kernel = *device.kernel(module.id, "k");
  EXPECT_TRUE(device.launch(kernel.id, {.cooperative = true}, {}));
  EXPECT_TRUE(device.synchronize());
  EXPECT_TRUE(device.launch(kernel.id, {}, {}));
  EXPECT_FALSE(device.synchronize());
}

// A launch returns when its kernel is done, so that whatever is recorded has taken place.
TEST(SimDevice, EventsFinishAtOnce) {
  SimDevice device;
  EventId event = *device.createEvent();
  ASSERT_TRUE(device.record(event));
  Result<bool> finished = device.finished(event);
  ASSERT_TRUE(finished);
  EXPECT_TRUE(*finished);
  EXPECT_TRUE(device.destroyEvent(event));
  EXPECT_EQ(device.finished(event).reason().id, "DeviceHandle");
}

TEST(SimDevice, HasNoGraphs) {
  SimDevice device;
  EXPECT_FALSE(device.hasGraphs());
  Result<GraphId> graph = device.capture(*device.createStream(), [] { return Status(Done{}); });
  ASSERT_FALSE(graph);
  EXPECT_EQ(graph.reason().id, "NoGraphs");
  EXPECT_EQ(graph.reason().text,
            cat(device.info().name, " has no graphs of work: expects a CUDA "
                                    "driver of 12.0 or later; leave the graph out"));
  EXPECT_EQ(device.launchGraph(GraphId(1), StreamId::Default).reason().id, "NoGraphs");
  EXPECT_EQ(device.destroyGraph(GraphId(1)).reason().id, "NoGraphs");
}

TEST(SimDevice, TakesPtxOnly) {
  SimDevice device;
  Result<Module> module = device.loadModule(bytesOf(tinyCubin()));
  ASSERT_FALSE(module);
  EXPECT_EQ(module.reason().id, "SimulatorCubin") << module.reason().text;
}
