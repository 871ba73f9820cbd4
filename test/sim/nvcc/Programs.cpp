// Runs programs on a device, and compares buffers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Buffers.h"

#include "tessera/run/KernelArgument.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

namespace tessera::nvcc {

namespace {

Result<Bytes> contentOf(const run::Argument &argument, size_t index) {
  TESSERA_TRY(run::Tensor tensor, run::makeTensor(argument, index));
  Bytes out(tensor.bytes().begin(), tensor.bytes().end());
  if (argument.kind == run::ArgumentKind::Random && !run::isFloat(*argument.dtype))
    for (size_t i = 0; i < out.size(); ++i)
      out[i] = std::byte(run::splitMix64(index + 1, i) >> 32);
  return out;
}

Result<std::vector<Bytes>> inputsOf(const Program &program, const run::KernelArguments &arguments) {
  std::vector<Bytes> out;
  for (const run::Argument &buffer : arguments.buffers) {
    TESSERA_TRY(Bytes content, contentOf(buffer, out.size()));
    out.push_back(std::move(content));
  }
  if (program.prepare)
    program.prepare(out);
  return out;
}

} // namespace

const std::vector<Program> &programs() {
  static const std::vector<Program> all = [] {
    std::vector<Program> out;
    for (auto part : {firstPrograms, warpPrograms, structurePrograms, integerPrograms,
                      stencilPrograms, tensorPrograms, copyPrograms, languagePrograms})
      for (Program &program : part())
        out.push_back(std::move(program));
    return out;
  }();
  return all;
}

Result<std::vector<Bytes>> expectedOf(const Program &program) {
  TESSERA_TRY(run::KernelArguments arguments, run::parseKernelArguments(program.arguments));
  TESSERA_TRY(std::vector<Bytes> buffers, inputsOf(program, arguments));
  program.plain(buffers);
  return buffers;
}

Result<std::vector<Bytes>> runProgram(const Program &program, const std::string &from,
                                      run::Device &device) {
  TESSERA_TRY(run::KernelArguments arguments, run::parseKernelArguments(program.arguments));
  TESSERA_TRY(std::vector<Bytes> buffers, inputsOf(program, arguments));
  std::ifstream file(from.ends_with(".ptx") ? from : from + "/" + program.name + ".ptx");
  std::stringstream text;
  text << file.rdbuf();
  std::string image = text.str();
  TESSERA_TRY(run::Module module,
              device.loadModule(std::as_bytes(std::span(image)), {.verbose = false}));
  TESSERA_TRY(run::Kernel kernel, device.kernel(module.id, program.name));
  std::vector<run::DeviceBuffer> memory;
  std::vector<uint64_t> addresses;
  for (const Bytes &content : buffers) {
    TESSERA_TRY(run::DeviceBuffer made, run::DeviceBuffer::make(device, content.size()));
    TESSERA_CHECK(device.copyToDevice(made.address(), content));
    addresses.push_back(made.address());
    memory.push_back(std::move(made));
  }
  std::vector<Bytes> values;
  for (const run::KernelArgument &argument : arguments.arguments) {
    TESSERA_TRY(Bytes bytes, run::bytesOf(argument, addresses));
    values.push_back(std::move(bytes));
  }
  std::vector<void *> pointers;
  for (Bytes &value : values)
    pointers.push_back(value.data());
  run::LaunchConfig config{
      .grid = program.grid, .block = program.block, .dynamicSharedBytes = program.sharedBytes};
  if (program.cluster.x)
    config.cluster = program.cluster;
  config.cooperative = program.isCooperative;
  TESSERA_CHECK(device.launch(kernel.id, config, pointers));
  TESSERA_CHECK(device.synchronize());
  for (size_t i = 0; i < buffers.size(); ++i)
    TESSERA_CHECK(device.copyToHost(buffers[i], addresses[i]));
  TESSERA_CHECK(device.unloadModule(module.id));
  return buffers;
}

std::string difference(const Program &program, const std::vector<Bytes> &got,
                       const std::vector<Bytes> &want) {
  std::string out;
  size_t found = 0;
  for (size_t buffer = 0; buffer < want.size(); ++buffer)
    for (size_t at = 0; at + 4 <= want[buffer].size(); at += 4) {
      uint32_t a, b;
      float x, y;
      std::memcpy(&a, &got[buffer][at], 4), std::memcpy(&b, &want[buffer][at], 4);
      std::memcpy(&x, &a, 4), std::memcpy(&y, &b, 4);
      bool isNear = program.tolerance > 0 &&
                    std::fabs(x - y) <= program.tolerance * std::fmax(1, std::fabs(y));
      if (a != b && !isNear && ++found <= 4)
        out += cat("buffer ", buffer, ", byte ", at, ": ", a, " (", x, ") instead of ", b, " (", y,
                   "); ");
    }
  return found ? cat(found, " words differ: ", out) : "";
}

} // namespace tessera::nvcc
