// Binding arguments to the parameters of a tile program, and running it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor is an argument for a parameter that is a pointer, or for all that front ends pass of an
// array (run/Spread.h).
#include "tessera/cli/RunTile.h"

#include "tessera/base/Printable.h"
#include "tessera/cli/Cli.h"
#include "tessera/process/Deadline.h"
#include "tessera/program/Source.h"
#include "tessera/run/SimDevice.h"
#include "tessera/run/Spread.h"
#include "tessera/tile_bytecode/Reader.h"
#include "tessera/tile_eval/Interpreter.h"

#include <algorithm>
#include <cstdio>

using namespace tessera;
using namespace tessera::cli;
using run::Parameter;

namespace {

/// What is wrong with a program or with what it is given, before anything of it runs.
bool isBadInput(const Reason &reason) {
  using enum tile_eval::Error;
  for (tile_eval::Error one : {NoKernel, ArgumentCount, ParameterType, Grid, GridSize, Unverified})
    if (reason.id == tile_eval::errors[size_t(one)].id)
      return true;
  return false;
}

/// The compiled program and the kernel of it that runs.
struct Chosen {
  program::Source source;
  size_t kernel = 0;
  const program::Callable &callable() const { return source.compiled.callables[kernel]; }
};
Result<Chosen> chosen(const RunOptions &options, const std::string &content, program::Where where,
                      const run::DeviceInfo *device) {
  program::LoadOptions how;
  how.arch = options.arch;
  how.cacheFolder = "";
  if (where != program::Where::Interpreter && !options.cache.off)
    how.cacheFolder = options.cache.folder;
  how.cacheBytes = options.cache.bytes;
  how.kernel = options.entry;
  how.optLevel = options.optLevel;
  Chosen chosen;
  {
    const Compiling compiling(options.file);
    TESSERA_TRY(chosen.source, program::sourceOf(content, options.file, where, device, how));
  }
  std::vector<std::string> names;
  for (const program::Callable &callable : chosen.source.compiled.callables)
    names.push_back(callable.name);
  TESSERA_TRY(chosen.kernel, driver::chooseName(names, options.entry, "kernel", "--entry"));
  const program::Callable &kernel = chosen.callable();
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    if (kernel.parameters[i].kind == Parameter::Kind::Refused)
      return tile_eval::fail(tile_eval::Error::ParameterType, kernel.name, i,
                             kernel.parameters[i].type);
  llvm::errs() << printable(chosen.source.compiled.said);
  return std::move(chosen);
}

/// The arguments, and their codes for the parameters of a kernel.
class TileArguments {
public:
  /// Where a tensor lies for the kernel.
  using Place = std::function<Result<uint64_t>(size_t argument, run::Tensor &)>;

  explicit TileArguments(const program::Callable &callable)
      : kernel(callable.name), parameters(callable.parameters) {}

  Status bind(RunOptions &options, const Place &place) {
    TESSERA_TRY(arguments, argumentsOf(options));
    tensors.resize(arguments.size());
    std::vector<run::Given> given(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].kind != run::ArgumentKind::Scalar) {
        TESSERA_TRY(tensors[i], run::makeTensor(arguments[i], i));
        given[i] = {run::Given::Kind::Tensor, tensors[i]->shape().size()};
      }
    std::vector<bool> isPointer;
    for (const Parameter &parameter : parameters)
      isPointer.push_back(parameter.kind == Parameter::Kind::Pointer);
    std::vector<bool> whole = run::wholeTensors(given, isPointer);
    size_t count = 0; // of parameters that these are
    for (size_t i = 0; i < arguments.size(); ++i)
      count += whole[i] ? 1 + 2 * given[i].rank : 1;
    if (parameters.size() != count)
      return countRefused(count);
    return bind(whole, place);
  }

  /// By parameter.
  const std::vector<uint64_t> &all() const { return codes; }
  Result<run::Tensor *> tensor(size_t argument) {
    if (!tensors[argument])
      return Reason{"NoTensor", cat("argument ", argument, " is a number, not a tensor")};
    return &*tensors[argument];
  }

private:
  Reason countRefused(size_t whole) const {
    std::string types;
    for (const Parameter &parameter : parameters)
      types += (types.empty() ? "" : ", ") + parameter.type;
    std::string got = cat(arguments.size());
    if (whole != arguments.size())
      got += cat(", or ", whole, " where a tensor is its pointer, extents and strides");
    return {"TileArguments", cat("kernel '", kernel, "' expects ", parameters.size(),
                                 " arguments (", types, "), but got ", got)};
  }

  /// One value for the next parameter.
  Status add(size_t argument, bool isPointer, uint64_t code, std::string_view what) {
    const Parameter &parameter = parameters[codes.size()];
    if ((parameter.kind == Parameter::Kind::Pointer) != isPointer)
      return Reason{"TileArgument", cat("argument ", argument, " (", arguments[argument].text,
                                        "): its ", what, " is for parameter ", codes.size(),
                                        " of kernel '", kernel, "', which is ", parameter.type)};
    codes.push_back(code);
    return Done{};
  }
  /// An extent or a stride.
  Status addNumber(size_t argument, int64_t number, std::string_view what) {
    const Parameter &parameter = parameters[codes.size()];
    const run::Dtype type = parameter.element.dtypes[0];
    const int bits = run::valueBits(type);
    bool fits = run::isInteger(type) && (bits == 64 || number >> (bits - 1) == 0);
    if (parameter.kind == Parameter::Kind::Number && !fits)
      return Reason{"TileArgument", cat("argument ", argument, " (", arguments[argument].text,
                                        "): its ", what, " ", number, " does not fit parameter ",
                                        codes.size(), ", which is ", parameter.type)};
    return add(argument, false, uint64_t(number), what);
  }
  Status checkElement(size_t argument, run::Dtype type) const {
    const Parameter &parameter = parameters[codes.size()];
    if (parameter.element.takes(type))
      return Done{};
    return Reason{"TileArgument",
                  cat("argument ", argument, " (", arguments[argument].text,
                      "): expects elements of type ", parameter.element.text, " for parameter ",
                      codes.size(), " of kernel '", kernel, "', which is ", parameter.type,
                      ", but got ", run::name(type))};
  }

  Status bind(const std::vector<bool> &whole, const Place &place) {
    codes.reserve(parameters.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      const run::Argument &argument = arguments[i];
      if (argument.kind == run::ArgumentKind::Scalar) {
        if (parameters[codes.size()].kind == Parameter::Kind::Number)
          TESSERA_CHECK(checkElement(i, *argument.dtype));
        TESSERA_CHECK(add(i, false, argument.scalar, "number"));
        continue;
      }
      run::Tensor &tensor = *tensors[i];
      if (parameters[codes.size()].kind == Parameter::Kind::Pointer)
        TESSERA_CHECK(checkElement(i, tensor.dtype()));
      TESSERA_TRY(uint64_t address, place(i, tensor));
      TESSERA_CHECK(add(i, true, address, "pointer"));
      if (!whole[i])
        continue;
      for (int64_t extent : tensor.shape())
        TESSERA_CHECK(addNumber(i, extent, "extent"));
      for (int64_t stride : tensor.strides())
        TESSERA_CHECK(addNumber(i, stride, "stride"));
    }
    return Done{};
  }

  const std::string &kernel;
  const std::vector<Parameter> &parameters;
  std::vector<run::Argument> arguments;
  std::vector<std::optional<run::Tensor>> tensors; // by argument; none for numbers
  std::vector<uint64_t> codes;                     // by parameter
};

/// A kernel on a GPU or on the simulator.
class TileKernel final : public Runnable {
public:
  TileKernel(RunOptions &options, const std::string &content)
      : Runnable(options), content(content) {}

  /// Everything before the first launch; an exit code.
  int prepare() {
    if (Status opened = open(); !opened)
      return fail(opened.reason(), NoDevice);
    if (Status compiled = compile(); !compiled)
      return fail(compiled.reason());
    Status ready = load();
    return ready ? 0 : fail(ready.reason());
  }
  Result<TileTrial> attempt(int calls) {
    TESSERA_CHECK(open());
    TESSERA_CHECK(compile());
    TESSERA_CHECK(load());
    TileTrial trial;
    TESSERA_TRY([[maybe_unused]] Execution::Unit done, execution->call(work()));
    for (size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i].size()) {
        TESSERA_TRY(const run::Tensor *there, tensor(i));
        TESSERA_TRY(run::Tensor copy, there->clone());
        trial.tensors.push_back(std::move(copy));
      }
    if (auto *simulator = dynamic_cast<run::SimDevice *>(device.get())) {
      trial.cost = double(simulator->instructions());
      return trial;
    }
    TESSERA_TRY(std::vector<double> times, execution->times(work(), calls));
    trial.cost = times[times.size() / 2];
    return trial;
  }

private:
  Status compile() {
    const auto where = options.device == "sim" ? program::Where::Simulator : program::Where::Gpu;
    TESSERA_TRY(Chosen compiled, chosen(options, content, where, &device->info()));
    kernel.emplace(std::move(compiled));
    return Done{};
  }
  /// The kernel and its arguments on the device.
  Status load() {
    arguments.emplace(kernel->callable());
    auto place = [&](size_t argument, run::Tensor &tensor) { return upload(argument, tensor); };
    TESSERA_CHECK(arguments->bind(options, place));
    execution.emplace(device.get(), options.timeout);
    TESSERA_TRY([[maybe_unused]] Execution::Unit loaded,
                execution->load(kernel->source.compiled.images));
    return Done{};
  }

  Execution::Work work() override {
    const program::Callable &callable = kernel->callable();
    run::LaunchConfig config{.grid = gridOf(options), .block = callable.block, .stream = stream};
    if (callable.cluster.volume())
      config.cluster = callable.cluster;
    std::vector<void *> values;
    for (const uint64_t &code : arguments->all())
      values.push_back(const_cast<uint64_t *>(&code)); // launches only read them
    // One image: that of the program, whose kernels have the module's name.
    return execution->launching(kernel->source.compiled.images.front().module, callable.name,
                                config, std::move(values));
  }

  Result<uint64_t> upload(size_t argument, run::Tensor &tensor) {
    TESSERA_TRY(run::DeviceBuffer buffer, run::DeviceBuffer::make(*device, tensor.bytes().size()));
    TESSERA_CHECK(device->copyToDevice(buffer.address(), tensor.bytes()));
    if (options.sim.log)
      options.sim.log->name(buffer.address(),
                            cat("argument ", argument, " (", options.arguments[argument], ")"));
    buffers.resize(options.arguments.size());
    buffers[argument] = std::move(buffer);
    return buffers[argument].address();
  }

  Result<const run::Tensor *> tensor(size_t argument) override {
    TESSERA_TRY(run::Tensor * tensor, arguments->tensor(argument));
    TESSERA_CHECK(device->copyToHost(tensor->bytes(), buffers[argument].address()));
    return static_cast<const run::Tensor *>(tensor);
  }

  static run::Dim3 gridOf(const RunOptions &options) {
    run::Dim3 grid;
    int64_t *extents[] = {&grid.x, &grid.y, &grid.z};
    for (size_t i = 0; i < options.grid.size(); ++i)
      *extents[i] = options.grid[i];
    return grid;
  }

  const std::string &content;
  std::optional<Chosen> kernel;
  std::optional<TileArguments> arguments;
  std::vector<run::DeviceBuffer> buffers; // by argument
};

} // namespace

int tessera::cli::runTileOnDevice(RunOptions &options, const std::string &content) {
  std::optional<process::Deadline> deadline(
      std::in_place, options.compileTimeout,
      cat("compiling ", options.file, " and reading its arguments"));
  TileKernel kernel(options, content);
  if (int failed = kernel.prepare())
    return failed;
  deadline.reset();
  return kernel.run();
}

Result<TileTrial> tessera::cli::tryTile(RunOptions &options, const std::string &content,
                                        int calls) {
  return TileKernel(options, content).attempt(calls);
}

int tessera::cli::interpretTile(RunOptions &options, const std::string &content,
                                const tile_eval::Options &limits) {
  Result<Chosen> kernel = chosen(options, content, program::Where::Interpreter, nullptr);
  if (!kernel)
    return fail(kernel.reason());
  Result<tile_bytecode::Program> read =
      tile_bytecode::read(run::bytesOf(kernel->source.compiled.tiles));
  if (!read)
    return fail(read.reason());
  tile_eval::Interpreter interpreter(*std::move(read));
  TileArguments arguments(kernel->callable());
  auto place = [&](size_t, run::Tensor &tensor) -> Result<uint64_t> {
    if (!tensor.bytes().empty())
      interpreter.memory().add(tensor.bytes().data(), tensor.bytes().size());
    return reinterpret_cast<uint64_t>(tensor.bytes().data());
  };
  if (Status bound = arguments.bind(options, place); !bound)
    return fail(bound.reason());
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::copy(options.grid.begin(), options.grid.end(), grid.begin());
  Status status = interpreter.launch(kernel->callable().name, grid, arguments.all(), limits);
  std::string printed = interpreter.takeOutput();
  if (const uint64_t most = options.sim.limits.outputBytes; printed.size() > most) {
    size_t more = printed.size() - most;
    printed.resize(most);
    printed += cat("\n[cut off: ", more, " more bytes were printed, and ", most, " are kept]\n");
  }
  llvm::outs() << (llvm::outs().is_displayed() ? printable(printed) : printed);
  llvm::outs().flush();
  if (!status)
    return fail(status.reason(), isBadInput(status.reason()) ? BadInput : KernelFailed);
  Result<bool> right = options.checks.run([&](size_t index) -> Result<const run::Tensor *> {
    TESSERA_TRY(run::Tensor * tensor, arguments.tensor(index));
    return static_cast<const run::Tensor *>(tensor);
  });
  return !right ? fail(right.reason()) : *right ? Right : Differs;
}
