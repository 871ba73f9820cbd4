// tessera sim: runs one kernel of a PTX file on the simulator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/Cli.h"

#include "tessera/base/Printable.h"
#include "tessera/cli/Checks.h"
#include "tessera/cli/CommandLine.h"
#include "tessera/cli/Content.h"
#include "tessera/cli/SimOptions.h"
#include "tessera/cli/Usage.h"
#include "tessera/ptx_text/Lexer.h"
#include "tessera/run/KernelArgument.h"
#include "tessera/sim/Machine.h"

#include <CLI/CLI.hpp>

#include <filesystem>

using namespace tessera;
using namespace tessera::cli;

namespace {

struct Options {
  std::string file, kernel;
  std::vector<uint32_t> grid{1}, block{1}, cluster;
  uint32_t shared = 0;
  std::vector<std::string> arguments;
  Checks checks;
  SimOptions sim;
  double timeout = 0; // seconds; 0 for none
};

sim::Dim3 extents(const std::vector<uint32_t> &given) {
  sim::Dim3 out;
  uint32_t *to[] = {&out.x, &out.y, &out.z};
  for (size_t i = 0; i < given.size(); ++i)
    *to[i] = given[i];
  return out;
}

constexpr std::string_view timeId = sim::errors[size_t(sim::Error::Time)].id;

class Simulation {
public:
  explicit Simulation(Options &options)
      : options(options), machine(options.sim.limits, options.sim.log) {}

  /// The files of reports are written even if no kernel starts.
  int run() {
    Ending ending = simulate();
    if (kernel)
      results.statistics.kernel = kernel->name;
    if (ending.reason)
      ending.code = exitOf(*ending.reason, ending.code);
    results.file = options.file;
    results.isPtx = true;
    results.exit = ending.code;
    results.ended = ending.reason;
    if (int code = options.sim.write(std::move(results)))
      return code;
    return ending.reason && !ending.isSaid ? fail(*ending.reason, ending.code) : ending.code;
  }

private:
  struct Ending {
    int code;
    std::optional<Reason> reason{};
    bool isSaid = false; // on stderr
  };

  Ending simulate() {
    std::unique_ptr<llvm::MemoryBuffer> input = readInput(options.file);
    if (!input)
      return {BadInput, Reason{"Unreadable", cat("cannot read ", options.file)}, true};
    if (std::string why = notPtx(input->getBuffer()); !why.empty())
      return {BadInput, Reason{"NotPtx", cat(options.file, ": ", why)}};
    std::string text = input->getBuffer().str();
    if (Result<int> prepared = prepare(text); !prepared) {
      if (int line = ptx_text::lineSaid(prepared.reason()))
        results.place = ptx_text::placeOf(text, line);
      return {BadInput, prepared.reason()};
    }
    sim::LaunchConfig config{.grid = extents(options.grid),
                             .block = extents(options.block),
                             .dynamicShared = options.shared};
    if (!options.cluster.empty())
      config.cluster = extents(options.cluster);
    sim::Status status = machine.launch(program, kernel->name, config, parameters);
    std::string printed = machine.takeOutput();
    llvm::outs() << (llvm::outs().is_displayed() ? printable(printed) : printed);
    llvm::outs().flush();
    if (options.sim.limits.counts)
      tellOccupancy(config);
    options.sim.tellCounts(machine.statistics());
    results.statistics = machine.statistics();
    if (!status) {
      Reason reason = status.reason();
      if (Status saved = options.checks.save([&](size_t index) { return tensor(index); }); !saved)
        reason.text += "\n" + saved.reason().text;
      return {reason.id == timeId ? TimedOut : KernelFailed, std::move(reason)};
    }
    Result<bool> right = options.checks.run([&](size_t index) { return tensor(index); });
    if (!right)
      return {BadInput, right.reason()};
    results.differs = !*right;
    return {*right ? Right : Differs};
  }

  void tellOccupancy(const sim::LaunchConfig &config) const {
    Result<atom::Target> target = atom::Target::parse(program.program->target);
    if (!target)
      return;
    const int64_t threads = int64_t(config.block.volume());
    llvm::outs() << target->str() << ", registers aside: "
                 << heldText(
                        atom::occupancyOf(*target, {.threads = threads,
                                                    .sharedBytes = int64_t(kernel->sharedBytes) +
                                                                   config.dynamicShared}),
                        threads)
                 << "\n";
  }

  Result<int> prepare(std::string text) {
    TESSERA_TRY(sim::Program parsed, sim::Program::parse(std::move(text)));
    TESSERA_TRY(program, machine.load(std::make_shared<const sim::Program>(std::move(parsed))));
    std::vector<std::string> names;
    for (std::string_view name : program.program->kernels())
      names.emplace_back(name);
    TESSERA_TRY(size_t chosen, driver::chooseName(names, options.kernel, "kernel", "--kernel"));
    kernel = program.program->findKernel(names[chosen]);
    TESSERA_TRY(run::KernelArguments given, run::parseKernelArguments(options.arguments));
    TESSERA_CHECK(options.checks.parse(given.buffers.size()));
    if (std::string missing = options.checks.missingFile(); !missing.empty())
      return Reason{"Missing", cat("cannot read ", missing, ": there is no such file")};
    for (const run::Argument &buffer : given.buffers) {
      TESSERA_TRY(run::Tensor made, run::makeTensor(buffer, buffers.size()));
      TESSERA_TRY(uint64_t address, machine.memory().allocate(made.bytes().size()));
      if (buffer.kind != run::ArgumentKind::Output ||
          !options.sim.sanitizes) // nobody has written what the kernel makes
        TESSERA_CHECK(machine.memory().write(address, made.bytes()));
      if (options.sim.log)
        options.sim.log->name(address, cat("buffer ", buffers.size(), " (", buffer.text, ")"));
      buffers.push_back(std::move(made));
      addresses.push_back(address);
    }
    return bind(given);
  }

  Result<int> bind(const run::KernelArguments &given) {
    const auto &expected = kernel->parameters;
    if (given.arguments.size() != expected.size())
      return run::fail(run::Error::KernelArgumentCount, kernel->name, expected.size(),
                       given.arguments.size());
    parameters.resize(kernel->parameterBytes);
    for (size_t i = 0; i < expected.size(); ++i) {
      TESSERA_TRY(std::vector<std::byte> bytes, run::bytesOf(given.arguments[i], addresses));
      if (bytes.size() != expected[i].size)
        return run::fail(run::Error::KernelArgumentSize, options.arguments[i], bytes.size(),
                         expected[i].name, expected[i].size);
      std::copy(bytes.begin(), bytes.end(), parameters.begin() + expected[i].offset);
    }
    return 0;
  }

  Result<const run::Tensor *> tensor(size_t index) {
    TESSERA_CHECK(machine.memory().read(buffers[index].bytes(), addresses[index]));
    return static_cast<const run::Tensor *>(&buffers[index]);
  }

  Options &options;
  SimResults results;
  sim::Machine machine;
  sim::LoadedProgram program;
  const sim::Function *kernel = nullptr;
  std::vector<run::Tensor> buffers;
  std::vector<uint64_t> addresses;
  std::vector<std::byte> parameters;
};

} // namespace

void tessera::cli::addSim(CLI::App &app, int &exit) {
  auto options = std::make_shared<Options>();
  CLI::App *command =
      app.add_subcommand("sim", "Runs a kernel of a PTX file on the CPU (docs/simulator.md)");
  command->footer(
      "Example: tessera sim k.ptx --grid 4,4 --block 128 --arg ptr=A.npy --arg i32:64 "
      "--arg ptr=out:f32:64 --check 1=C.npy\n"
      "Exit code: 0 ran, and the numbers agree; 1 numbers differ; 2 bad input; 4 not finished in "
      "time; 5 the kernel ended with an error; 6 this machine has no more memory, threads or open "
      "files; 7 a "
      "file "
      "could not be written");
  command->add_option("FILE", options->file, "PTX; - reads stdin")->required();
  command->add_option("--kernel", options->kernel, "kernel to run; any unique part of its name");
  auto dims = [&](const char *name, std::vector<uint32_t> &to, const char *what) {
    command->add_option(name, to, what)->delimiter(',')->expected(1, 3);
  };
  dims("--grid", options->grid, "X,Y,Z: blocks");
  dims("--block", options->block, "X,Y,Z: threads of a block");
  dims("--cluster", options->cluster, "X,Y,Z: blocks of a cluster; default: the kernel's own");
  command->add_option("--smem", options->shared, "bytes of dynamic shared memory");
  command
      ->add_option("--arg", options->arguments,
                   "a parameter, in order: ptr=BUFFER with a buffer as in tessera run, i32:5, "
                   "struct{ptr=A.npy,i32:5}, "
                   "tmap:f16:64x128::64x8:128B@A.npy; buffers are numbered from 0, and #0 is the "
                   "first again")
      ->take_all()
      ->allow_extra_args(false);
  options->checks.addOptions(*command, "buffer");
  options->sim.addOptions(*command);
  // The launch ends by itself, with what it printed and its reports; the rest gets a little longer.
  addTimeout(*command, &options->timeout, /*grace=*/2);
  command->callback([options, &exit] {
    if (options->timeout > 0)
      options->sim.limits.deadline =
          std::chrono::steady_clock::now() +
          std::chrono::duration_cast<std::chrono::steady_clock::duration>(
              std::chrono::duration<double>(options->timeout));
    std::vector<Output> outputs;
    options->checks.addOutputs(outputs);
    if (Result<int> read = options->sim.parse(std::move(outputs)); !read) {
      exit = fail(read.reason());
      return;
    }
    exit = Simulation(*options).run();
  });
}
