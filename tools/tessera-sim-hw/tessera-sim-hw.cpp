// tessera-sim-hw: runs the same PTX on a GPU and on the simulator, and compares what comes out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comparison.h"
#include "Pool.h"

#include "../../test/sim/nvcc/Programs.h"

#include "tessera/process/Plain.h"
#include "tessera/run/CudaDevice.h"
#include "tessera/run/SimDevice.h"
#include "tools/version/Version.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <unistd.h>

using namespace tessera;
using namespace tessera::hw;

namespace {

struct Arguments : Options {
  std::string ptxas, target, programs = "test/sim/nvcc", timeout = "0";
  unsigned processes = 8, seconds = 60;
  bool lists = false;
};

/// The GPU, or null with --ptxas; opened in each process, as CUDA does not survive a fork.
std::unique_ptr<run::Device> openGpu(const Arguments &arguments) {
  if (!arguments.ptxas.empty())
    return nullptr;
  Result<std::unique_ptr<run::Device>> opened = run::openCudaDevice();
  if (opened)
    return *std::move(opened);
  std::printf("%s\n", opened.reason().text.c_str());
  std::fflush(stdout);
  _exit(2);
}

/// Programs of nvcc: both against the plain code, bit for bit unless the program has
/// approximations.
bool runPrograms(const Arguments &arguments, run::Device *gpu, size_t first, size_t last,
                 Counts &counts) {
  bool ok = true;
  for (size_t i = first; i < last; ++i) {
    const nvcc::Program &program = nvcc::programs()[i];
    Count &count = counts.groups["Programs of nvcc"];
    ++count.spellings;
    Result<std::vector<Bytes>> want = nvcc::expectedOf(program);
    run::SimDevice sim({.hostThreads = 1});
    for (run::Device *device : {static_cast<run::Device *>(&sim), gpu}) {
      if (!device || !want)
        continue;
      ++count.cases;
      Result<std::vector<Bytes>> got = nvcc::runProgram(program, arguments.programs, *device);
      std::string why = got ? nvcc::difference(program, *got, *want) : got.reason().text;
      if (why.empty())
        continue;
      std::printf("DIFFERS program %s on %s: %s\n", program.name.c_str(),
                  device == gpu ? "the GPU" : "the simulator", why.c_str());
      ++count.differing;
      ok &= got || device != gpu;
    }
  }
  return ok;
}

/// The table; how many spellings differ.
size_t report(const Counts &counts) {
  std::printf("\n%-42s %9s %9s %10s %9s %11s\n", "group", "spellings", "refused", "cases",
              "differing", "differences");
  Count all;
  auto line = [](const std::string &name, const Count &c) {
    std::printf("%-42s %9zu %9zu %10zu %9zu %11zu\n", name.c_str(), c.spellings, c.refused, c.cases,
                c.differing, c.differences);
  };
  for (const auto &[name, c] : counts.groups) {
    line(name, c);
    all = {all.spellings + c.spellings, all.refused + c.refused,
           all.cases + c.cases,         all.undefined + c.undefined,
           all.differing + c.differing, all.differences + c.differences};
  }
  line("all", all);
  std::printf(
      "refused: spellings that the target does not have; %zu cases more have no defined result\n",
      all.undefined);
  for (const auto &[form, spellings] : counts.accepted)
    if (!spellings)
      std::printf("the target has none of %s\n", form.c_str());
  return all.differing;
}

constexpr const char *usage =
    "tessera-sim-hw: runs the same PTX on a GPU and on the simulator, and compares the results\n"
    "  --only TEXT     spellings, atoms or programs that contain it\n"
    "  --cases N       threads, and so random cases, of each spelling (2048)\n"
    "  --seed N        of the operands (1)\n"
    "  --target NAME   what to assemble for (the GPU's)\n"
    "  --processes N   that run at once (8)\n"
    "  --seconds N     after which a piece of work counts as endless (60)\n"
    "  --timeout N     seconds after which all of it ends with 4; 0: never (0)\n"
    "  --ptxas FILE    without a GPU: assemble with FILE and run on the simulator only\n"
    "  --programs DIR  the PTX of nvcc's programs (test/sim/nvcc)\n"
    "  --version       print version, commit and kind of build\n"
    "  --help          print this\n"
    "  --list          name each spelling, with a hash of what the GPU gave, and the rows without "
    "any\n";

Result<uint64_t> numberOf(std::string_view option, std::string_view text, uint64_t most) {
  const char *last = text.data() + text.size();
  uint64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), last, number);
  if (error == std::errc() && end == last && number <= most)
    return number;
  return Reason{"Number",
                cat(option, " expects a number from 0 to ", most, ", but got '", text, "'")};
}

Status parse(int argc, char **argv, Arguments &to) {
  constexpr uint64_t mostCases = 1 << 24, mostProcesses = 1 << 10, mostSeconds = 1'000'000;
  for (int i = 1; i < argc; ++i) {
    std::string_view option = argv[i];
    if (option == "--list") {
      to.lists = true;
      continue;
    }
    if (i + 1 == argc)
      return Reason{"Option", cat("expects options with values, but ends with '", option, "'")};
    std::string value = argv[++i];
    uint64_t number = 0;
    for (auto [name, most] : {std::pair("--cases", mostCases),
                              {"--seed", UINT64_MAX},
                              {"--processes", mostProcesses},
                              {"--seconds", mostSeconds}})
      if (option == name) {
        TESSERA_TRY(number, numberOf(option, value, most));
      }
    if (option == "--only")
      to.only = value;
    else if (option == "--cases")
      to.threads = std::max(1u, uint32_t(number) / 256) * 256;
    else if (option == "--seed")
      to.seed = number;
    else if (option == "--target")
      to.target = value;
    else if (option == "--processes")
      to.processes = std::max(1u, unsigned(number));
    else if (option == "--seconds")
      to.seconds = unsigned(number);
    else if (option == "--timeout")
      to.timeout = value;
    else if (option == "--ptxas")
      to.ptxas = value;
    else if (option == "--programs")
      to.programs = value;
    else
      return Reason{"Option", cat("there is no option '", option, "'")};
  }
  return Done{};
}

int program(int argc, char **argv) {
  if (saidVersion(argc, argv, "tessera-sim-hw"))
    return 0;
  if (std::find(argv + 1, argv + argc, std::string_view("--help")) != argv + argc)
    return std::fputs(usage, stdout), 0;
  Arguments arguments;
  if (Status read = parse(argc, argv, arguments); !read)
    return process::failPlain(cat(read.reason().text, "; see --help"));
  if (!process::endPlainWithin(arguments.timeout, "tessera-sim-hw"))
    return process::BadInput;
  std::setvbuf(stdout, nullptr, _IOLBF, 1 << 16);
  auto start = std::chrono::steady_clock::now();
  std::vector<const sim::InstructionRow *> without;
  std::vector<Job> jobs = jobsOfRows(arguments, without);
  for (auto more : {jobsOfProducts, jobsOfTensors})
    for (Job &job : more(arguments))
      jobs.push_back(std::move(job));
  Counts counts;
  auto take = [&](const std::string &group, const std::string &name, const Outcome &outcome) {
    std::fputs(counts.add(outcome.printed).c_str(), stdout);
    if (outcome.failure.empty())
      return;
    std::printf("DIFFERS %s: its process ended: %s\n", name.c_str(), outcome.failure.c_str());
    ++counts.groups[group].differing;
  };
  bool hasDevice = true, showsProgress = isatty(STDERR_FILENO);
  runInProcesses(
      1, 1, 1, arguments.seconds,
      [&](size_t, size_t) {
        if (auto gpu = openGpu(arguments))
          std::printf("%s, driver %s\n", gpu->info().name.c_str(),
                      gpu->info().driverVersionText().c_str());
        return true;
      },
      [&](const Outcome &outcome) {
        std::fputs(outcome.printed.c_str(), stdout);
        hasDevice = outcome.failure.empty();
      });
  if (!hasDevice)
    return 2;
  auto timed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  runInProcesses(
      jobs.size(), 256, arguments.processes, arguments.seconds,
      [&](size_t first, size_t last) {
        auto gpu = openGpu(arguments);
        Comparison comparison(gpu.get(), arguments.target, arguments.ptxas, arguments.lists);
        bool ok = comparison.run(std::span(jobs).subspan(first, last - first));
        std::fputs(comparison.counts.text().c_str(), stdout);
        return ok;
      },
      [&](const Outcome &outcome) {
        take(jobs[outcome.first].group, jobs[outcome.first].name, outcome);
        if (showsProgress)
          std::fprintf(stderr, "\r%.0f s: %zu of %zu spellings", timed(), outcome.last,
                       jobs.size());
      });
  if (showsProgress)
    std::fprintf(stderr, "\n");
  size_t programs =
      arguments.only.empty() || arguments.only == "programs" ? nvcc::programs().size() : 0;
  runInProcesses(
      programs, 4, arguments.processes, arguments.seconds,
      [&](size_t first, size_t last) {
        auto gpu = openGpu(arguments);
        Counts mine;
        bool ok = runPrograms(arguments, gpu.get(), first, last, mine);
        std::fputs(mine.text().c_str(), stdout);
        return ok;
      },
      [&](const Outcome &outcome) {
        take("Programs of nvcc", nvcc::programs()[outcome.first].name, outcome);
      });
  size_t differing = report(counts);
  std::printf("%zu rows of the table have no operands that this program could make up\n",
              without.size());
  if (arguments.lists)
    for (const sim::InstructionRow *row : without)
      std::printf("  %.*s\n", int(row->form.size()), row->form.data());
  std::printf("%.0f seconds\n", timed());
  return differing ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) { return process::runPlain(argc, argv, program); }
