// Programs: CUDA C++ kernels of ours as PTX that nvcc made, each with a plain function that does
// the same on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A row is a manifest: how NAME.ptx is launched, its arguments as `tessera sim --arg` writes them
// (rand: of integers has all bits), and what its buffers hold afterwards. Tests run it on the
// simulator, tessera-sim-hw on a GPU.
#pragma once

#include "tessera/run/Device.h"

#include <string>
#include <vector>

namespace tessera::nvcc {

using Bytes = std::vector<std::byte>;
/// The buffers in the order of the arguments; the function turns what goes in into what comes out.
using Plain = void (*)(std::vector<Bytes> &);

struct Program {
  std::string name; // of the file and of the kernel
  run::Dim3 grid, block;
  std::vector<std::string> arguments;
  Plain plain;
  double tolerance = 0; // |a - b| <= tolerance * max(1, |b|) of f32; 0: bit for bit
  int64_t sharedBytes = 0;
  run::Dim3 cluster{0, 0, 0};
  std::string printed{};
  Plain prepare = nullptr;    // where random numbers of the buffers must fit together
  bool isCooperative = false; // all blocks resident at once
};
const std::vector<Program> &programs();

/// What the buffers hold after a run; `from` is the folder of the PTX, or a file.
Result<std::vector<Bytes>> runProgram(const Program &, const std::string &from, run::Device &);
/// What they should hold.
Result<std::vector<Bytes>> expectedOf(const Program &);
/// "" where two runs agree, otherwise the first places where they do not.
std::string difference(const Program &, const std::vector<Bytes> &got,
                       const std::vector<Bytes> &want);

} // namespace tessera::nvcc
