// A file is compiled when the program runs, and its kernel launched.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program.h"

#include <cstdio>

int main() {
  tessera::Device simulator("sim");
  TesseraLoadOptions options{};
  options.arch = "sm_80";
  tessera::Program program(simulator, KERNEL, options);
  std::vector<float> x(256, 1.5f), y(256);
  int64_t extent = 256;
  TesseraTensor in{x.data(), 1, 0, 1, 2, 32, 1, &extent, nullptr, 0}, out = in;
  out.data = y.data();
  program.kernel("main")(nullptr, {in, out});
  program.kernel("twice")(nullptr, TesseraLaunch{{1, 1, 1}, {256, 1, 1}, {}, 0}, {out, in});
  std::printf("%g %g\n", double(y[255]), double(x[255]));
}
