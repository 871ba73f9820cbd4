// The state of the fake libcuda: what it shall answer, and what it was asked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/CudaTypes.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace tessera::run::fake {

/// A kernel that any module "contains".
struct KernelModel {
  std::map<cuda::FunctionAttribute, int> attributes;
  std::vector<std::pair<size_t, size_t>> parameters; // offset, bytes
  bool tellsParameters = true;
};

/// One call of cuModuleLoadDataEx.
struct Load {
  std::string image; // up to its NUL if it is text
  std::map<cuda::JitOption, uint64_t> options;
};

/// One call of cuLaunchKernelEx, with the values of the arguments.
struct Launch {
  std::string kernel;
  cuda::LaunchConfig config;
  std::vector<cuda::LaunchAttribute> attributes;
  std::vector<std::string> arguments;
};

struct State {
  std::map<std::string, cuda::Code> failures; // symbol -> the code that it returns
  int version = 12040;
  int devices = 1;
  std::map<cuda::DeviceAttribute, int> deviceAttributes;
  std::map<std::string, KernelModel> kernels;
  std::string infoLog, errorLog; // what the JIT says
  size_t memory = size_t(80) << 30;
  cuda::TensorMap tensorMap;      // what it encodes any map as
  std::string cubin = "no cubin"; // what its compiler makes of any PTX

  std::vector<std::string> calls; // every symbol, in order
  std::vector<Load> loads;
  std::vector<Launch> launches;
  std::vector<atom::TensorMap> tensorMaps;
  std::vector<std::pair<std::string, std::pair<cuda::FunctionAttribute, int>>> attributesSet;
  std::map<uint64_t, std::vector<char>> allocations; // device address -> its bytes
  std::set<void *> modules, streams, events, graphs, links;
  int contexts = 0; // retained
  bool contextCurrent = false;
};

/// A machine with one H100, on which nothing has happened.
State freshState();

struct CodeName {
  int code;
  const char *name, *text;
};
/// What the driver calls a code; null if it does not know it.
const CodeName *findCode(cuda::Code);

/// Puts a text where the options of a load say that its log goes, as far as there is room.
void writeLog(const Load &, cuda::JitOption buffer, cuda::JitOption size, const std::string &text);

} // namespace tessera::run::fake

// Exported by the fake library.
extern "C" tessera::run::fake::State *fakeCudaState();
/// A machine with one H100, on which nothing has happened.
extern "C" void fakeCudaReset();
