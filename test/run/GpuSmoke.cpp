// tessera-gpu-smoke: a stand-alone program that checks and times small kernels on the first GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/CudaDevice.h"

#include "test/run/GpuChecks.h"

#include <cstdio>

using namespace tessera;
using namespace tessera::run;

int main() {
  Result<std::unique_ptr<Device>> device = openCudaDevice();
  if (!device) {
    std::fprintf(stderr, "%s\n", device.reason().text.c_str());
    return 2;
  }
  const DeviceInfo &info = (*device)->info();
  std::printf("%s (%s), driver for CUDA %s, %lld SMs at up to %lld MHz, %lld MiB, %lld bytes of "
              "shared memory per block\n",
              info.name.c_str(), info.target().c_str(), info.driverVersionText().c_str(),
              (long long)info.multiprocessors, (long long)info.clockRate / 1000,
              (long long)(info.globalBytes >> 20), (long long)info.sharedPerBlockOptin);
  int failures = 0;
  for (const GpuCheck &check : gpuChecks()) {
    Result<std::string> result = check.run(**device);
    failures += !result;
    std::printf("%-6s %s: %s\n", result ? "ok" : "FAILED", check.name,
                result ? result->c_str() : result.reason().text.c_str());
  }
  std::printf("%s\n", failures ? "FAILED" : "all ok");
  return failures ? 1 : 0;
}
