// Kernels on devices: code, memory, launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_run/Runners.h"

#include "tessera/ptx_text/Parser.h"
#include "tessera/run/CudaDevice.h"
#include "tessera/run/HostMemory.h"
#include "tessera/run/SimDevice.h"
#include "tessera/tile_bytecode/Writer.h"
#include "tessera/tile_run/Errors.h"

namespace tessera::tile {

using run_errors::Error;
using run_errors::fail;

namespace {

run::ByteRange rangeOf(const detail::Argument &array) {
  auto begin = reinterpret_cast<uint64_t>(array.data);
  return {begin, begin + array.bytes};
}

/// The threads of a block, which the compiler chooses (.reqntid).
Result<run::Dim3> blockOf(const std::string &ptx, std::string_view kernel) {
  TESSERA_TRY(std::unique_ptr<ptx_text::Module> module, ptx_text::parseModule(ptx));
  for (const ptx_text::Function &function : module->functions)
    if (function.isEntry && function.name == kernel && function.required[0])
      return run::Dim3{function.required[0], function.required[1], function.required[2]};
  return run::Dim3{1, 1, 1};
}

/// The memory of all arguments, as far as it is the host's.
Result<std::vector<run::HostMemory::Array>> arraysOf(const Runner::Launch &launch) {
  std::vector<run::HostMemory::Array> all;
  for (size_t i = 0; i < launch.arrays.size(); ++i)
    if (const detail::Argument *array = launch.arrays[i]; array && !array->owner) {
      if (array->data && !array->bytes && array->shape.empty())
        return fail(Error::NoSize, launch.numbers[i]);
      all.push_back({rangeOf(*array), array->isConst, launch.numbers[i]});
    }
  return all;
}

Outcome refused(const Reason &reason) {
  Outcome outcome;
  outcome.diagnostics.push_back({std::string(reason.id), reason.text});
  return outcome;
}

/// Stands for a GPU that is not there.
class NoDevice : public Runner {
public:
  explicit NoDevice(Reason reason) : reason(std::move(reason)) {}
  Outcome run(const Launch &) override { return refused(reason); }

private:
  Reason reason;
};

} // namespace

DeviceRunner::DeviceRunner(std::unique_ptr<run::Device> device, std::string arch, Compile compile)
    : device(std::move(device)), arch(std::move(arch)), compile(std::move(compile)) {}
DeviceRunner::~DeviceRunner() = default;

Result<DeviceRunner::Loaded> DeviceRunner::kernelOf(const Launch &launch) {
  TESSERA_TRY(std::string bytecode, tile_bytecode::write(launch.program));
  std::string key = launch.kernel + '\0' + bytecode;
  if (auto found = kernels.find(key); found != kernels.end())
    return found->second;
  TESSERA_TRY(std::string ptx, compile(bytecode, arch));
  TESSERA_TRY(run::Module module, device->loadModule(std::as_bytes(std::span(ptx))));
  TESSERA_TRY(run::Kernel kernel, device->kernel(module.id, launch.kernel));
  TESSERA_TRY(run::Dim3 block, blockOf(ptx, launch.kernel));
  return kernels.emplace(std::move(key), Loaded{kernel.id, block}).first->second;
}

Outcome DeviceRunner::run(const Launch &launch) {
  std::lock_guard lock(mutex);
  Outcome outcome;
  auto attempt = [&]() -> Status {
    TESSERA_TRY(Loaded kernel, kernelOf(launch));
    TESSERA_TRY(std::vector<run::HostMemory::Array> arrays, arraysOf(launch));
    // Without arrays of the host nobody has to wait.
    bool isQueued = arrays.empty();
    TESSERA_TRY(run::HostMemory memory, run::HostMemory::copy(*device, std::move(arrays)));
    std::vector<uint64_t> values = launch.codes;
    std::vector<void *> arguments;
    for (size_t i = 0; i < values.size(); ++i) {
      if (launch.arrays[i] && !launch.arrays[i]->owner)
        values[i] = memory.onDevice(rangeOf(*launch.arrays[i]));
      arguments.push_back(&values[i]);
    }
    run::LaunchConfig config{.grid = {launch.grid.x, launch.grid.y, launch.grid.z},
                             .block = kernel.block};
    if (isQueued)
      return device->launch(kernel.id, config, arguments);
    if (!timer) {
      TESSERA_TRY(run::EventId start, device->createEvent());
      TESSERA_TRY(run::EventId end, device->createEvent());
      timer = std::pair(start, end);
    }
    TESSERA_CHECK(device->record(timer->first));
    TESSERA_CHECK(device->launch(kernel.id, config, arguments));
    TESSERA_CHECK(device->record(timer->second));
    TESSERA_CHECK(device->synchronize());
    TESSERA_TRY(outcome.milliseconds, device->elapsedMilliseconds(timer->first, timer->second));
    TESSERA_CHECK(memory.copyBack());
    return Done{};
  };
  Status status = attempt();
  return status ? outcome : refused(status.reason());
}
Outcome DeviceRunner::synchronize() {
  std::lock_guard lock(mutex);
  Status status = device->synchronize();
  return status ? Outcome() : refused(status.reason());
}

DeviceRunner &simulator(const std::string &arch) {
  static std::mutex mutex;
  static std::map<std::string, DeviceRunner> targets;
  std::lock_guard lock(mutex);
  return targets.try_emplace(arch, std::make_unique<run::SimDevice>(), arch, compilerProgram())
      .first->second;
}

Runner &cuda_device(int ordinal) {
  static std::mutex mutex;
  static std::map<int, std::unique_ptr<Runner>> targets;
  std::lock_guard lock(mutex);
  std::unique_ptr<Runner> &target = targets[ordinal];
  if (!target) {
    Result<std::unique_ptr<run::Device>> opened = run::openCudaDevice(ordinal);
    if (opened) {
      std::string arch = (*opened)->info().target();
      target = std::make_unique<DeviceRunner>(*std::move(opened), arch, compilerProgram());
    } else
      target = std::make_unique<NoDevice>(opened.reason());
  }
  return *target;
}

} // namespace tessera::tile
