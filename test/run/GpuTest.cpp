// The checks of GpuChecks.h as tests, skipped where there is no GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/CudaDevice.h"

#include "test/run/Check.h"
#include "test/run/GpuChecks.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::run;

class Gpu : public testing::TestWithParam<GpuCheck> {};

TEST_P(Gpu, Check) {
  Result<std::unique_ptr<Device>> device = openCudaDevice();
  if (!device)
    GTEST_SKIP() << device.reason().text;
  Result<std::string> result = GetParam().run(**device);
  EXPECT_TRUE(result) << result.reason().text;
}

INSTANTIATE_TEST_SUITE_P(Checks, Gpu, testing::ValuesIn(gpuChecks().begin(), gpuChecks().end()),
                         [](const testing::TestParamInfo<GpuCheck> &info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });
