// Compiled: a file after compilation, as plain data that can be kept and loaded without MLIR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Device.h"
#include "tessera/run/Parameter.h"

#include <optional>
#include <string>
#include <vector>

namespace tessera::program {

/// The code of one `gpu.module`, and what ptxas said when it was compiled.
struct DeviceImage {
  std::string module;
  std::string code; // a cubin or PTX
  std::string log;
};

/// Something that can be called: a host function, which launches kernels itself, or a kernel.
struct Callable {
  bool isHost = false;
  std::string module{}, name{};
  std::vector<run::Parameter> parameters{};
  // For a kernel: the block and cluster that it was compiled for; zeros if its caller chooses.
  run::Dim3 block{0, 0, 0}, cluster{0, 0, 0};
};

struct Compiled {
  std::string arch;                // target of the device code; "" for a cubin
  std::vector<Callable> callables; // host functions, then kernels, in their order
  std::vector<DeviceImage> images;
  std::vector<std::string> host; // parts of a jit::HostImage; empty without host functions
  std::string tiles;             // bytecode, of a tile program
  std::string said;              // warnings
};

/// As one text, and back in the same build; none for a text that is not from pack().
std::string pack(const Compiled &);
std::optional<Compiled> unpack(std::string_view);

} // namespace tessera::program
