// Loading programs and calling what is in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program/Program.h"

#include "tessera/driver/Compiler.h"
#include "tessera/jit/Runtime.h"
#include "tessera/program/Errors.h"
#include "tessera/program/Loading.h"
#include "tessera/program/Parameters.h"
#include "tessera/program/Staging.h"
#include "tessera/ptx/Fatal.h"
#include "tessera/run/Binding.h"
#include "tessera/run/Spread.h"
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_eval/Interpreter.h"

#include <array>
#include <cstdio>
#include <utility>

namespace tessera::program {

using run::CallArgument;
using run::Parameter;

namespace {

/// Values of parameters side by side, each aligned for any of them. Few need no memory of their
/// own, as a call takes a microsecond.
class Values {
public:
  explicit Values(std::span<const Parameter> parameters) {
    size_t size = 0;
    for (const Parameter &parameter : parameters)
      size += rounded(parameter.packing.size);
    if (size > few.size())
      many.resize(size);
    free = size > few.size() ? many.data() : few.data();
  }
  Values(const Values &) = delete;

  /// Room for the value of the next parameter, of which there may be as many as were given.
  std::byte *next(const Parameter &parameter) {
    return std::exchange(free, free + rounded(parameter.packing.size));
  }

private:
  static constexpr size_t alignment = 16; // of what operator new gives
  static size_t rounded(size_t size) { return (size + alignment - 1) / alignment * alignment; }

  alignas(alignment) std::array<std::byte, 512> few;
  std::vector<std::byte> many;
  std::byte *free;
};

/// The arguments of a call where its kernel sees them. The device is held until they are gone.
struct Bound {
  Bound(Device &device, std::span<const Parameter> parameters)
      : lock(device.mutex), staging(device), parameters(parameters), values(parameters) {}

  /// One argument for each parameter that takes one.
  Status take(std::span<const CallArgument> arguments, run::StreamId stream);

  std::lock_guard<std::mutex> lock;
  Staging staging;
  std::span<const Parameter> parameters;
  Values values;
  std::vector<void *> pointers; // to the values of parameters that have content
};

Status Bound::take(std::span<const CallArgument> arguments, run::StreamId stream) {
  TESSERA_CHECK(staging.take(arguments, parameters));
  pointers.reserve(parameters.size());
  size_t number = 0;
  for (const Parameter &parameter : parameters) {
    if (parameter.kind == Parameter::Kind::Nothing)
      continue;
    std::byte *value = values.next(parameter);
    if (parameter.kind == Parameter::Kind::Stream) {
      uint64_t handle = uint64_t(stream);
      run::packInto(value, parameter.packing, {&handle, 1});
    } else {
      const CallArgument &argument = arguments[number];
      run::Address start = argument.kind == CallArgument::Kind::Tensor
                               ? staging.addressOf(*argument.tensor, parameter)
                               : 0;
      TESSERA_CHECK(run::bindCall(parameter, argument, number++, start, value));
    }
    pointers.push_back(value);
  }
  return Done{};
}

/// What an argument tells about the parameters that it may be.
run::Given givenOf(const CallArgument &argument) {
  using Kind = CallArgument::Kind;
  using run::Given;
  switch (argument.kind) {
  case Kind::Tensor: return {Given::Kind::Tensor, run::shapeOf(*argument.tensor).size()};
  case Kind::Address: return {Given::Kind::Pointer};
  case Kind::Bytes: return {Given::Kind::Any};
  default: return {Given::Kind::Number};
  }
}

/// Tensors as their pointers, extents and strides.
Result<std::vector<CallArgument>> spread(std::span<const CallArgument> arguments,
                                         std::span<const Parameter> parameters) {
  for (const CallArgument &argument : arguments)
    if (argument.kind == CallArgument::Kind::Tensor)
      TESSERA_CHECK(run::rangeOf(*argument.tensor)); // its rank too
  std::vector<run::Given> given;
  std::vector<bool> isPointer;
  for (const CallArgument &argument : arguments)
    given.push_back(givenOf(argument));
  for (const Parameter &parameter : parameters)
    isPointer.push_back(parameter.kind == Parameter::Kind::Pointer);
  std::vector<bool> whole = run::wholeTensors(given, isPointer);
  std::vector<CallArgument> out;
  for (size_t i = 0; i < arguments.size(); ++i) {
    out.push_back(arguments[i]);
    if (!whole[i])
      continue;
    for (int64_t extent : run::shapeOf(*arguments[i].tensor))
      out.push_back({.integer = extent});
    for (int64_t stride : run::stridesOf(*arguments[i].tensor))
      out.push_back({.integer = stride});
  }
  return out;
}

Reason countRefused(const Callable &callable, size_t given, size_t whole) {
  std::string types;
  for (const Parameter &parameter : callable.parameters)
    types += cat(types.empty() ? "" : ", ", parameter.type);
  return fail(Error::KernelArguments, callable.name, callable.parameters.size(), types, given,
              whole == given
                  ? ""
                  : cat(", or ", whole, " where a tensor is its pointer, extents and strides"));
}

} // namespace

struct Program::State {
  std::shared_ptr<Device> device;
  Compiled compiled;
  std::optional<jit::HostCode> host;
  std::unique_ptr<jit::Runtime> runtime;           // of a GPU or the simulator
  std::vector<std::optional<run::Kernel>> kernels; // one for each callable
  std::vector<run::ModuleId> modules;
  std::optional<tile_eval::Interpreter> interpreter;

  /// All that the code needs of the device.
  Status loadCode();
  Status callHost(const Callable &, std::span<const CallArgument>, const Launch &);
  Status callKernel(size_t index, std::span<const CallArgument>, const Launch &);
  Status interpret(const Callable &, std::span<const CallArgument>, const Launch &);
  Result<run::LaunchConfig> configOf(const Callable &, const Launch &) const;
  /// Where the caller's work has to be done when a call returns.
  Status finish(Staging &);
};

//===--- loading

Program::Program(std::unique_ptr<State> state) : state(std::move(state)) {}

Program::~Program() {
  if (!state->device || !state->device->device())
    return;
  std::lock_guard lock(state->device->mutex);
  for (run::ModuleId module : state->modules) // a failed kernel was reported before
    (void)state->device->device()->unloadModule(module);
}

Status Program::State::loadCode() {
  std::lock_guard lock(device->mutex);
  kernels.resize(compiled.callables.size());
  if (device->where() == Where::Interpreter) {
    TESSERA_TRY(tile_bytecode::Program program, tile_bytecode::read(run::bytesOf(compiled.tiles)));
    interpreter.emplace(std::move(program));
    return Done{};
  }
  runtime = std::make_unique<jit::Runtime>(*device->device());
  for (const DeviceImage &image : compiled.images) {
    TESSERA_TRY(Loaded loaded, program::load(*device->device(), image));
    if (!loaded.kernels.empty())
      modules.push_back(loaded.module.id);
    for (run::Kernel &kernel : loaded.kernels) {
      runtime->add(image.module, kernel.info.name, kernel);
      for (size_t i = 0; i < compiled.callables.size(); ++i) {
        Callable &callable = compiled.callables[i];
        bool isThis = !callable.isHost && callable.name == kernel.info.name;
        if (!isThis || kernels[i])
          continue;
        kernels[i] = kernel;
        if (callable.parameters.empty()) // a cubin
          callable.parameters = parametersOf(kernel.info);
      }
    }
  }
  return Done{};
}

Result<std::shared_ptr<Program>> Program::load(std::shared_ptr<Device> device,
                                               const std::string &content, const std::string &name,
                                               const LoadOptions &options) {
  TESSERA_TRY(Source source, ptx::withinMemory([&] {
                const run::Device *on = device->device();
                return sourceOf(content, name, device->where(), on ? &on->info() : nullptr,
                                options);
              }));
  auto state = std::make_unique<State>();
  state->device = std::move(device);
  state->compiled = std::move(source.compiled);
  state->host = std::move(source.host);
  std::shared_ptr<Program> program(new Program(std::move(state)));
  TESSERA_CHECK(program->state->loadCode());
  return program;
}

Result<std::shared_ptr<Program>> Program::loadFile(std::shared_ptr<Device> device,
                                                   const std::string &path,
                                                   const LoadOptions &options) {
  TESSERA_TRY(run::Bytes bytes, run::readFile(path, run::mostProgramBytes));
  std::string content(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  return load(std::move(device), content, path, options);
}

Result<std::string> Program::printedIr(const std::string &content, const std::string &name,
                                       const LoadOptions &options) {
  return ptx::withinMemory([&] { return program::printedIr(content, name, options); });
}

//===--- questions

const std::shared_ptr<Device> &Program::device() const { return state->device; }
const std::string &Program::arch() const { return state->compiled.arch; }
const std::vector<DeviceImage> &Program::images() const { return state->compiled.images; }
const std::string &Program::said() const { return state->compiled.said; }
const std::vector<Callable> &Program::callables() const { return state->compiled.callables; }

Result<size_t> Program::find(const std::string &part) const {
  std::vector<std::string> names;
  for (const Callable &callable : callables())
    if (!part.empty() || callable.isHost)
      names.push_back(callable.name);
  if (names.empty()) // kernels only
    for (const Callable &callable : callables())
      names.push_back(callable.name);
  return driver::chooseName(names, part, "host function or kernel", "kernel=");
}

std::optional<run::KernelInfo> Program::info(size_t callable) const {
  const std::optional<run::Kernel> &kernel = state->kernels[callable];
  return kernel ? std::optional(kernel->info) : std::nullopt;
}

Result<atom::Occupancy> Program::occupancy(size_t callable, int64_t threads,
                                           int64_t dynamicShared) const {
  const Callable &of = callables()[callable];
  if (of.isHost)
    return fail(Error::OccupancyOfHost, of.name);
  std::optional<run::KernelInfo> known = info(callable);
  if (device()->where() != Where::Gpu || !known)
    return fail(Error::OccupancyWithoutGpu, of.name, device()->hardware());
  if (!threads)
    threads = int64_t(of.block.volume());
  if (threads < 1)
    return fail(Error::OccupancyThreads, of.name);
  // Of the GPU, not of the code: that of sm_80 runs on sm_89 too, whose multiprocessors hold fewer.
  Result<atom::Target> target = atom::Target::parse(device()->device()->info().target());
  if (!target)
    return target.reason();
  return atom::occupancyOf(*target, {.registers = known->registers,
                                     .threads = threads,
                                     .sharedBytes = known->staticSharedBytes + dynamicShared});
}

//===--- calls

/// Whether a caller says something of a grid, block or cluster, and whether it can be one.
static bool isGiven(const run::Dim3 &extents) { return extents.x || extents.y || extents.z; }
static bool isPositive(const run::Dim3 &extents) {
  return extents.x > 0 && extents.y > 0 && extents.z > 0;
}

Status Program::State::finish(Staging &staging) {
  if (device->where() == Where::Gpu)
    return Done{};
  TESSERA_CHECK(device->device()->synchronize());
  return staging.bringBack();
}

Status Program::State::callHost(const Callable &callable, std::span<const CallArgument> arguments,
                                const Launch &launch) {
  if (isGiven(launch.grid) || isGiven(launch.block) || isGiven(launch.cluster) ||
      launch.dynamicSharedBytes)
    return fail(Error::HostLaunch, callable.name);
  TESSERA_CHECK(run::checkCount(callable.parameters, arguments.size()));
  Bound bound(*device, callable.parameters);
  TESSERA_CHECK(bound.take(arguments, launch.stream));
  device->beginCall();
  jit::CurrentRuntime current(*runtime);
  runtime->clearErrors();
  Result<int32_t> result = host->call(callable.name, bound.pointers);
  // Also where it failed: what it launched before has to end before its memory goes.
  Status finished = finish(bound.staging);
  if (!result)
    return result.reason();
  if (!runtime->errors().empty())
    return runtime->errors().front();
  TESSERA_CHECK(finished);
  return *result ? Status(fail(Error::EntryFailed, callable.name, *result)) : Status(Done{});
}

Result<run::LaunchConfig> Program::State::configOf(const Callable &callable,
                                                   const Launch &launch) const {
  if (!isGiven(launch.grid))
    return fail(Error::NeedsGrid, callable.name);
  run::LaunchConfig config{.grid = launch.grid,
                           .block = callable.block,
                           .dynamicSharedBytes = launch.dynamicSharedBytes,
                           .stream = launch.stream};
  if (!callable.block.volume() && !launch.block.volume())
    return fail(Error::NeedsBlock, callable.name);
  if (!callable.block.volume())
    config.block = launch.block;
  else if (launch.block.volume() && !(launch.block == callable.block))
    return fail(Error::OtherBlock, callable.name, run::str(callable.block), run::str(launch.block));
  if (callable.cluster.volume() && launch.cluster.volume() && !(launch.cluster == callable.cluster))
    return fail(Error::OtherCluster, callable.name, run::str(callable.cluster),
                run::str(launch.cluster));
  run::Dim3 cluster = callable.cluster.volume() ? callable.cluster : launch.cluster;
  if (cluster.volume())
    config.cluster = cluster;
  return config;
}

Status Program::State::callKernel(size_t index, std::span<const CallArgument> arguments,
                                  const Launch &launch) {
  const Callable &callable = compiled.callables[index];
  TESSERA_TRY(run::LaunchConfig config, configOf(callable, launch));
  Bound bound(*device, callable.parameters);
  TESSERA_CHECK(bound.take(arguments, launch.stream));
  device->beginCall();
  Status launched = device->device()->launch(kernels[index]->id, config, bound.pointers);
  Status finished = finish(bound.staging);
  return launched ? finished : launched;
}

Status Program::State::interpret(const Callable &callable, std::span<const CallArgument> arguments,
                                 const Launch &launch) {
  if (!isGiven(launch.grid))
    return fail(Error::NeedsGrid, callable.name);
  Bound bound(*device, callable.parameters);
  TESSERA_CHECK(bound.take(arguments, launch.stream));
  std::vector<uint64_t> codes(bound.pointers.size());
  for (size_t i = 0; i < codes.size(); ++i)
    std::memcpy(&codes[i], bound.pointers[i], callable.parameters[i].packing.size);
  for (const run::ByteRange &range : bound.staging.ranges())
    interpreter->memory().add(reinterpret_cast<void *>(range.begin), range.end - range.begin);
  std::array<uint32_t, 3> grid = {uint32_t(launch.grid.x), uint32_t(launch.grid.y),
                                  uint32_t(launch.grid.z)};
  Status done = interpreter->launch(callable.name, grid, codes, {.deadline = device->beginCall()});
  for (const run::ByteRange &range : bound.staging.ranges())
    interpreter->memory().remove(range.begin);
  std::string printed = interpreter->takeOutput();
  std::fwrite(printed.data(), 1, printed.size(), stdout);
  Status broughtBack = bound.staging.bringBack();
  return done ? broughtBack : done;
}

Status Program::call(size_t index, std::span<const CallArgument> arguments, const Launch &launch) {
  const Callable &callable = callables()[index];
  const std::pair<const char *, run::Dim3> extents[] = {
      {"grid", launch.grid}, {"block", launch.block}, {"cluster", launch.cluster}};
  for (auto [name, extent] : extents)
    if (isGiven(extent) && !isPositive(extent))
      return fail(Error::LaunchExtents, callable.name, name, run::str(extent));
  if (state->device->where() == Where::Gpu && launch.stream != run::StreamId::Default) {
    std::lock_guard lock(state->device->mutex);
    state->device->device()->acceptStream(launch.stream);
  }
  Launch asked = launch;
  if (state->device->where() != Where::Gpu)
    asked.stream = run::StreamId::Default; // there is one order of all work
  if (callable.isHost)
    return state->callHost(callable, arguments, asked);
  std::vector<CallArgument> whole;
  if (arguments.size() != callable.parameters.size()) {
    TESSERA_TRY(whole, spread(arguments, callable.parameters));
    if (whole.size() != callable.parameters.size())
      return countRefused(callable, arguments.size(), whole.size());
    arguments = whole;
  }
  return state->interpreter ? state->interpret(callable, arguments, asked)
                            : state->callKernel(index, arguments, asked);
}

Status Program::synchronize(run::StreamId stream) {
  if (state->device->where() != Where::Gpu)
    return Done{};
  std::lock_guard lock(state->device->mutex);
  if (stream != run::StreamId::Default)
    state->device->device()->acceptStream(stream);
  return state->device->device()->synchronize(stream);
}

} // namespace tessera::program
