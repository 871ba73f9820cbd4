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

/// What f prints to stdout, itself or through the driver.
template <class F> std::string printedBy(F f) {
  std::fflush(stdout);
  int before = ::dup(STDOUT_FILENO);
  std::FILE *file = std::tmpfile();
  if (before < 0 || !file || ::dup2(::fileno(file), STDOUT_FILENO) < 0)
    return f(), "(cannot redirect stdout)";
  f();
  std::fflush(stdout);
  ::dup2(before, STDOUT_FILENO);
  ::close(before);
  std::rewind(file);
  std::string out;
  for (int c; (c = std::fgetc(file)) != EOF;)
    out += char(c);
  std::fclose(file);
  return out;
}

/// Programs of nvcc: both devices against the plain code, bit for bit unless the program has
/// approximations, and against each other. False if the GPU may be of no use any more.
bool runProgram(const Arguments &arguments, run::Device *gpu, const nvcc::Program &program,
                Counts &counts) {
  Count &count = counts.groups[program.tolerance > 0 ? "Programs of nvcc with approximations"
                                                     : "Programs of nvcc"];
  ++count.spellings;
  auto differs = [&](const char *where, const std::string &why) {
    std::printf("DIFFERS program %s on %s: %s\n", program.name.c_str(), where, why.c_str());
  };
  Result<std::vector<Bytes>> want = nvcc::expectedOf(program);
  if (!want)
    return differs("the host", want.reason().text), ++count.differing, true;
  run::SimDevice sim({.hostThreads = 1});
  std::vector<std::vector<Bytes>> all;
  bool ok = true, isRight = true;
  for (run::Device *device : {static_cast<run::Device *>(&sim), gpu}) {
    if (!device)
      continue;
    ++count.cases;
    Result<std::vector<Bytes>> got = Reason{"Program", "it did not run"};
    std::string printed =
        printedBy([&] { got = nvcc::runProgram(program, arguments.programs, *device); });
    std::string why = got ? nvcc::difference(program, *got, *want) : got.reason().text;
    if (why.empty() && printed != program.printed)
      why = cat("it prints '", printed, "' instead of '", program.printed, "'");
    if (!why.empty())
      differs(device == gpu ? "the GPU" : "the simulator", why);
    isRight &= why.empty();
    ok &= got || device != gpu;
    if (got)
      all.push_back(*std::move(got));
  }
  count.differing += !isRight;
  nvcc::Program exact = program;
  exact.tolerance = 0;
  if (std::string why; all.size() == 2 && !(why = nvcc::difference(exact, all[1], all[0])).empty())
    std::printf("BITS of program %s on the GPU and, instead, on the simulator%s: %s\n",
                program.name.c_str(),
                program.tolerance > 0 && isRight ? ", within what approximations may" : "",
                why.c_str());
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
    "  --only TEXT     spellings, atoms or programs that contain it; programs: all of nvcc's\n"
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
  std::vector<nvcc::Program> programs;
  for (const nvcc::Program &program : nvcc::programs())
    if (arguments.only == "programs" || program.name.find(arguments.only) != std::string::npos)
      programs.push_back(program);
  runInProcesses(
      programs.size(), 4, arguments.processes, arguments.seconds,
      [&](size_t first, size_t last) {
        auto gpu = openGpu(arguments);
        Counts mine;
        bool ok = true;
        for (size_t i = first; i < last; ++i)
          ok &= runProgram(arguments, gpu.get(), programs[i], mine);
        std::fputs(mine.text().c_str(), stdout);
        return ok;
      },
      [&](const Outcome &outcome) {
        take("Programs of nvcc", programs[outcome.first].name, outcome);
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
