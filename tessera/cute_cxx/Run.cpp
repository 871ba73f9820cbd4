// Devices, and programs on them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_cxx/Programs.h"
#include "tessera/files/OutputFile.h"
#include "tessera/jit/Runtime.h"
#include "tessera/run/CudaDevice.h"
#include "tessera/run/HostMemory.h"
#include "tessera/run/ModuleImage.h"
#include "tessera/run/SimDevice.h"
#include "tessera/sanitize/Report.h"
#include "tessera/sanitize/Sanitizer.h"

#include <algorithm>
#include <cstdlib>
#include <map>

using namespace tessera;

namespace tessera::cute {

/// A device with the programs that were loaded to it.
class Device {
public:
  Device(std::unique_ptr<run::Device> device, std::shared_ptr<sanitize::Sanitizer> sanitizer = {})
      : device(std::move(device)), sanitizer(std::move(sanitizer)) {}
  explicit Device(Reason missing) : missing(std::move(missing)) {}

  Outcome run(std::shared_ptr<TracedProgram>, std::span<const detail::Argument>);

private:
  Result<jit::Runtime *> load(const std::shared_ptr<TracedProgram> &);
  Status call(const std::shared_ptr<TracedProgram> &, std::span<const detail::Argument>);

  std::unique_ptr<run::Device> device;
  std::shared_ptr<sanitize::Sanitizer> sanitizer;
  std::optional<Reason> missing;
  struct Loaded {
    std::shared_ptr<TracedProgram> program; // names of kernels live as long as the runtime
    std::unique_ptr<jit::Runtime> runtime;
  };
  std::map<const TracedProgram *, Loaded> loaded;
};

Result<jit::Runtime *> Device::load(const std::shared_ptr<TracedProgram> &program) {
  auto [at, isNew] = loaded.try_emplace(program.get());
  if (!isNew)
    return at->second.runtime.get();
  auto runtime = std::make_unique<jit::Runtime>(*device);
  auto loads = [&]() -> Status {
    for (const driver::DeviceCode &code : program->code) {
      auto image = std::as_bytes(std::span(code.ptx));
      TESSERA_TRY(run::ModuleImage inspected, run::inspectImage(image));
      TESSERA_TRY(run::Module module, device->loadModule(image));
      for (const std::string &name : inspected.kernels) {
        TESSERA_TRY(run::Kernel kernel, device->kernel(module.id, name));
        runtime->add(code.module, name, kernel);
      }
    }
    return Done{};
  };
  if (Status status = loads(); !status) {
    loaded.erase(at);
    return status.reason();
  }
  at->second = {program, std::move(runtime)};
  return at->second.runtime.get();
}

namespace {
/// The bytes from the first to the last element of an array.
run::ByteRange rangeOf(const detail::Argument &a) {
  auto begin = reinterpret_cast<uint64_t>(a.data);
  int64_t last = 0;
  for (size_t i = 0; i < a.shape.size(); ++i) {
    if (a.shape[i] <= 0)
      return {begin, begin};
    last += (a.shape[i] - 1) * a.strides[i];
  }
  return {begin, begin + (uint64_t(last + 1) * uint64_t(bitsOfElement(a)) + 7) / 8};
}
std::vector<run::HostMemory::Array> arraysOf(std::span<const detail::Argument> arguments) {
  std::vector<run::HostMemory::Array> all;
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].isArray)
      all.push_back({rangeOf(arguments[i]), arguments[i].isConst, i + 1});
  return all;
}
/// An argument as the host function takes it.
std::vector<std::byte> passed(const detail::Argument &a, const run::HostMemory &memory,
                              const run::Packing &packing) {
  std::vector<uint64_t> leaves{a.code};
  if (a.isArray) {
    leaves = {memory.onDevice(rangeOf(a))};
    for (int64_t extent : a.shape)
      leaves.push_back(uint64_t(extent));
    // The last stride of 1 is static.
    size_t one = a.strides.size();
    for (size_t i = 0; i < a.strides.size(); ++i)
      one = a.strides[i] == 1 ? i : one;
    for (size_t i = 0; i < a.strides.size(); ++i)
      if (i != one)
        leaves.push_back(uint64_t(a.strides[i]));
  }
  return run::pack(packing, leaves);
}
} // namespace

Status Device::call(const std::shared_ptr<TracedProgram> &program,
                    std::span<const detail::Argument> arguments) {
  TESSERA_TRY(jit::Runtime * runtime, load(program));
  runtime->clearErrors();
  TESSERA_TRY(run::HostMemory memory, run::HostMemory::copy(*device, arraysOf(arguments)));
  std::vector<std::vector<std::byte>> packed;
  for (size_t i = 0; i < arguments.size(); ++i)
    packed.push_back(passed(arguments[i], memory, program->parameters[i]));
  std::vector<void *> values;
  for (std::vector<std::byte> &one : packed)
    values.push_back(one.data());
  run::StreamId stream = run::StreamId::Default;
  values.push_back(&stream);
  {
    jit::CurrentRuntime current(*runtime);
    TESSERA_TRY(int32_t result, program->host->call(program->name, values));
    if (!runtime->errors().empty())
      return runtime->errors().front();
    if (result)
      return Reason{"LaunchFailed", cat(program->name, " returned ", result, ", expected 0")};
  }
  TESSERA_CHECK(device->synchronize());
  TESSERA_CHECK(memory.copyBack());
  return Done{};
}

/// Where the author wrote the launch that a device refused.
static void addPlace(const Place &place, Diagnostic &to) {
  to.file = place.file_name();
  to.line = place.line(), to.column = place.column();
}

Outcome Device::run(std::shared_ptr<TracedProgram> program,
                    std::span<const detail::Argument> arguments) {
  Outcome out;
  if (missing)
    out.diagnostics.push_back({.id = std::string(missing->id), .text = missing->text});
  else if (Status status = call(program, arguments); !status)
    out.diagnostics.push_back(
        {.id = std::string(status.reason().id), .text = status.reason().text});
  if (auto at = loaded.find(program.get()); !out && at != loaded.end())
    if (auto launch = program->launches.find(at->second.runtime->refusedKernel());
        launch != program->launches.end())
      addPlace(launch->second, out.diagnostics.back());
  return out;
}

Device &simulator(SimulatorOptions options) {
  static auto watching = std::make_shared<sanitize::Sanitizer>();
  static Device watched(std::make_unique<run::SimDevice>(sim::Limits{}, watching), watching);
  static Device plain(std::make_unique<run::SimDevice>());
  return options.sanitize ? watched : plain;
}
Device &cuda_device() {
  static Device device = [] {
    Result<std::unique_ptr<run::Device>> opened = run::openCudaDevice();
    return opened ? Device(*std::move(opened)) : Device(opened.reason());
  }();
  return device;
}

//===--- kernels ------------------------------------------------------------------------------===//

/// Where $TESSERA_CUTE_KEEP names a folder: NAME.mlir and NAME.ptx of a program.
static void keep(TracedProgram &program) {
  const char *folder = std::getenv("TESSERA_CUTE_KEEP");
  if (!folder || !*folder)
    return;
  std::string stem = cat(folder, "/", program.name), ptx;
  for (const driver::DeviceCode &code : program.code)
    ptx += code.ptx;
  for (const Status &written :
       {files::writeFile(stem + ".mlir", {program.ir}), files::writeFile(stem + ".ptx", {ptx})})
    if (!written)
      program.diagnostics.push_back({.id = "Keep", .text = written.reason().text});
}

struct detail::KernelCore::State {
  std::string name, arch;
  Body body;
  std::vector<bool> arrays;
  Place at;
  std::map<std::string, std::shared_ptr<TracedProgram>> programs = {};

  /// Null where the arguments are wrong, which the outcome says.
  std::shared_ptr<TracedProgram> programFor(std::span<const Argument> arguments, Outcome &out) {
    out.diagnostics = wrongArguments(arguments, arrays);
    if (!out)
      return nullptr;
    std::string key = keyOf(arguments);
    auto found = programs.find(key);
    if (found == programs.end()) {
      // Kept only after it is traced: the function may throw.
      std::shared_ptr<TracedProgram> made = traced(name, arch, body, arguments, at);
      keep(*made);
      found = programs.emplace(std::move(key), std::move(made)).first;
    }
    out.diagnostics = found->second->diagnostics;
    return found->second;
  }
};
detail::KernelCore::KernelCore(std::string name, std::string arch, Body body,
                               std::vector<bool> arrays, Place at)
    : state(std::make_shared<State>(
          State{std::move(name), std::move(arch), std::move(body), std::move(arrays), at})) {}
Outcome detail::KernelCore::run(Device &device, std::span<const Argument> arguments) {
  Outcome out;
  std::shared_ptr<TracedProgram> program = state->programFor(arguments, out);
  return out ? device.run(program, arguments) : out;
}
Outcome detail::KernelCore::text(std::string &text, std::span<const Argument> arguments, bool ptx) {
  Outcome out;
  text.clear();
  std::shared_ptr<TracedProgram> program = state->programFor(arguments, out);
  if (program && !ptx)
    text = program->ir;
  else if (program)
    for (const driver::DeviceCode &code : program->code)
      text += code.ptx;
  return out;
}
size_t detail::KernelCore::traces() const { return state->programs.size(); }

} // namespace tessera::cute
