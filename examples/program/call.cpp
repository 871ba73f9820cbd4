// A dump called from C++, on the simulator; with tessera::Device device("gpu") on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <tessera/program.h>

#include <cstdio>
#include <vector>

int main() {
  try {
    tessera::Device device("sim");
    tessera::Program program(device, KERNEL, {.arch = "sm_80"});
    tessera::Kernel twice = program.kernel();
    for (const TesseraParameter &p : twice.parameters())
      if (p.takes_argument)
        std::printf("%s %s\n", p.kind, p.constraint);

    std::vector<float> x(256), y(256);
    for (int i = 0; i < 256; ++i)
      x[i] = float(i);
    int64_t extent = 256;
    // What DLPack calls a DLTensor: f32 (kind 2, 32 bits) on the host (device 1), rank 1.
    TesseraTensor tx{x.data(), 1, 0, 1, 2, 32, 1, &extent, nullptr, 0}, ty = tx;
    ty.data = y.data();
    twice(nullptr, {tx, ty});
    std::printf("%g %g %g\n", y[0], y[1], y[255]);

    twice(nullptr, {tx, 5}); // a number where a tensor is expected
  } catch (const tessera::Error &error) {
    std::printf("%s: %s\n", error.id().c_str(), error.what());
  }
}
