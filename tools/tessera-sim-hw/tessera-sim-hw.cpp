// tessera-sim-hw: runs the same PTX on a GPU and on the simulator, and compares what comes out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Batch.h"

#include "../../test/sim/nvcc/Programs.h"

#include "tessera/run/CudaDevice.h"
#include "tessera/run/SimDevice.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>

using namespace tessera;
using namespace tessera::hw;

namespace {

constexpr size_t perBatch = 256, shown = 3;

struct Arguments : Options {
  std::string ptxas, target, programs = "test/sim/nvcc";
  bool lists = false;
};

struct Count {
  size_t spellings = 0, refused = 0, cases = 0, undefined = 0, differing = 0, differences = 0;
};

class Comparison {
public:
  Comparison(const Arguments &arguments, run::Device *gpu) : arguments(arguments), gpu(gpu) {
    std::string target = arguments.target;
    if (target.empty())
      target = gpu ? gpu->info().target() + (gpu->info().computeMajor >= 9 ? "a" : "") : "sm_90a";
    int64_t version = gpu ? gpu->info().driverVersion / 10 - 40 : 90; // CUDA 13.0 has PTX 9.0
    header = headerOf(target, std::min<int64_t>(version >= 0 ? version / 10 * 10 + version % 10 : 84, 90));
    assemble = gpu ? Assembler([this](const std::string &text) { return load(text); }) : assembleWith(arguments.ptxas, target);
  }

  void run(std::span<const Job> jobs) {
    for (; !jobs.empty(); jobs = jobs.subspan(std::min(perBatch, jobs.size()))) {
      Batch batch = batchOf(jobs.first(std::min(perBatch, jobs.size())), header, assemble);
      for (const Job &job : jobs.first(std::min(perBatch, jobs.size())))
        accepted.emplace(job.row, 0);
      for (const Job *job : batch.refused)
        ++counts[job->group].refused;
      for (size_t i = 0; i < batch.accepted.size(); ++i)
        compare(*batch.accepted[i], cat("k", i));
      unload();
    }
  }

  /// Programs of nvcc: both against the plain code, bit for bit unless the program has approximations.
  void runPrograms() {
    for (const nvcc::Program &program : nvcc::programs()) {
      if (program.name.find(arguments.only) == program.name.npos)
        continue;
      Count &count = counts["Programs of nvcc"];
      ++count.spellings;
      Result<std::vector<Bytes>> want = nvcc::expectedOf(program);
      run::SimDevice sim;
      for (run::Device *device : {static_cast<run::Device *>(&sim), gpu}) {
        if (!device || !want)
          continue;
        ++count.cases;
        Result<std::vector<Bytes>> got = nvcc::runProgram(program, arguments.programs, *device);
        std::string why = got ? nvcc::difference(program, *got, *want) : got.reason().text;
        if (why.empty())
          continue;
        std::printf("DIFFERS program %s on %s: %s\n", program.name.c_str(), device == gpu ? "the GPU" : "the simulator", why.c_str());
        ++count.differing;
      }
    }
  }

  /// The table; how many spellings differ.
  size_t report() const {
    std::printf("\n%-42s %9s %9s %10s %9s %11s\n", "group", "spellings", "refused", "cases", "differing", "differences");
    Count all;
    auto line = [](const std::string &name, const Count &c) {
      std::printf("%-42s %9zu %9zu %10zu %9zu %11zu\n", name.c_str(), c.spellings, c.refused, c.cases, c.differing, c.differences);
    };
    for (const auto &[name, c] : counts) {
      line(name, c);
      all.spellings += c.spellings;
      all.refused += c.refused;
      all.cases += c.cases;
      all.undefined += c.undefined;
      all.differing += c.differing;
      all.differences += c.differences;
    }
    line("all", all);
    std::printf("refused: spellings that the target does not have; %zu cases more have no defined result\n", all.undefined);
    for (auto [row, spellings] : accepted)
      if (row && !spellings)
        std::printf("the target has none of %.*s\n", int(row->form.size()), row->form.data());
    return all.differing;
  }

private:
  std::optional<std::string> load(const std::string &text) {
    Result<run::Module> module = gpu->loadModule(std::as_bytes(std::span(text)), {.verbose = false});
    if (!module)
      return module.reason().text;
    loaded = module->id;
    return std::nullopt;
  }
  void unload() {
    if (loaded)
      (void)gpu->unloadModule(*loaded);
    loaded.reset();
  }

  void differs(const Job &job, Count &count, const std::string &what) {
    std::printf("DIFFERS %s: %s\n", job.name.c_str(), what.c_str());
    ++count.differing;
  }
  void compare(const Job &job, const std::string &kernel) {
    Count &count = counts[job.group];
    ++count.spellings;
    ++accepted[job.row];
    if (arguments.lists)
      std::printf("%s\n", job.name.c_str());
    run::SimDevice sim;
    std::string text = cat(header, ".visible .entry k", job.kernel);
    Result<run::Module> module = sim.loadModule(std::as_bytes(std::span(text)));
    if (!module)
      return differs(job, count, cat("the simulator refuses it: ", module.reason().text));
    Result<Bytes> mine = runOn(sim, module->id, "k", job);
    if (!mine)
      return differs(job, count, cat("the simulator: ", mine.reason().text));
    if (!gpu)
      return;
    Result<Bytes> theirs = runOn(*gpu, *loaded, kernel, job);
    if (!theirs)
      return differs(job, count, cat("the GPU: ", theirs.reason().text));
    compare(job, count, *mine, *theirs);
  }
  void compare(const Job &job, Count &count, const Bytes &mine, const Bytes &theirs) {
    size_t found = 0;
    for (size_t t = 0; t < job.threads; ++t) {
      const std::byte *in = job.input->data() + t * job.inputRecord;
      if (job.isDefined && !job.isDefined(in)) {
        ++count.undefined;
        continue;
      }
      ++count.cases;
      for (const Field &field : job.fields) {
        const std::byte *a = &mine[t * job.outputRecord + field.offset], *b = &theirs[t * job.outputRecord + field.offset];
        if (agree(field, job.bound, a, b))
          continue;
        if (++found <= shown)
          show(job, t, field, a, b);
        break;
      }
    }
    count.differences += found;
    if (found)
      differs(job, count, cat(found, " of ", job.threads, " cases"));
  }
  static void show(const Job &job, size_t thread, const Field &field, const std::byte *mine, const std::byte *theirs) {
    std::printf("  %s thread %zu: %s = %s on the simulator, %s on the GPU", job.name.c_str(), thread, field.name.c_str(),
                hexOf(mine, field.bytes).c_str(), hexOf(theirs, field.bytes).c_str());
    const std::byte *in = job.input->data() + thread * job.inputRecord;
    for (size_t at = 0; at + 16 <= job.inputRecord; at += 16)
      std::printf("%s%s", at ? " " : "; in: ", hexOf(in + at, 8).c_str());
    std::printf("\n");
  }

  const Arguments &arguments;
  run::Device *gpu;
  std::string header;
  Assembler assemble;
  std::optional<run::ModuleId> loaded;
  std::map<std::string, Count> counts;
  std::map<const sim::InstructionRow *, size_t> accepted; // spellings of each row that has jobs
};

constexpr const char *usage =
    "tessera-sim-hw: runs the same PTX on a GPU and on the simulator, and compares the results\n"
    "  --only TEXT     spellings (or atoms) that contain it\n"
    "  --cases N       threads, and so random cases, of each spelling (2048)\n"
    "  --seed N        of the operands (1)\n"
    "  --target NAME   what to assemble for (the GPU's)\n"
    "  --ptxas FILE    without a GPU: assemble with FILE and run on the simulator only\n"
    "  --programs DIR  the PTX of nvcc's programs (test/sim/nvcc)\n"
    "  --list          name each spelling\n";

bool parse(int argc, char **argv, Arguments &to) {
  for (int i = 1; i < argc; ++i) {
    std::string_view option = argv[i];
    if (option == "--list") {
      to.lists = true;
      continue;
    }
    if (i + 1 == argc)
      return false;
    const char *value = argv[++i];
    if (option == "--only")
      to.only = value;
    else if (option == "--cases")
      to.threads = std::max(1u, uint32_t(std::strtoul(value, nullptr, 0)) / 256) * 256;
    else if (option == "--seed")
      to.seed = std::strtoull(value, nullptr, 0);
    else if (option == "--target")
      to.target = value;
    else if (option == "--programs")
      to.programs = value;
    else if (option == "--ptxas")
      to.ptxas = value;
    else
      return false;
  }
  return true;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments))
    return std::fputs(usage, stderr), 2;
  std::unique_ptr<run::Device> gpu;
  if (arguments.ptxas.empty()) {
    Result<std::unique_ptr<run::Device>> opened = run::openCudaDevice();
    if (!opened)
      return std::fprintf(stderr, "%s\n", opened.reason().text.c_str()), 2;
    gpu = *std::move(opened);
    std::printf("%s, driver %s\n", gpu->info().name.c_str(), gpu->info().driverVersionText().c_str());
  }
  auto start = std::chrono::steady_clock::now();
  std::vector<const sim::InstructionRow *> without;
  Comparison comparison(arguments, gpu.get());
  comparison.run(jobsOfRows(arguments, without));
  comparison.run(jobsOfProducts(arguments));
  comparison.runPrograms();
  size_t differing = comparison.report();
  std::printf("%zu rows of the table have no operands that this program could make up\n", without.size());
  if (arguments.lists)
    for (const sim::InstructionRow *row : without)
      std::printf("  %.*s\n", int(row->form.size()), row->form.data());
  std::printf("%.0f seconds\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  return differing ? 1 : 0;
}
