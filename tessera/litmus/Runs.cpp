// Writes a litmus test as a kernel, and runs it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/litmus/Runs.h"

#include "tessera/sanitize/Report.h"
#include "tessera/sanitize/Sanitizer.h"
#include "tessera/sim/Machine.h"

#include <algorithm>
#include <map>

namespace tessera::litmus {

namespace {

/// Blocks in the order of their clusters, and the threads of each.
struct Places {
  uint32_t blocksOfCluster = 0, threadsOfBlock = 0;
  std::vector<std::vector<size_t>> blocks;
};

Result<Places> placesOf(const Program &test) {
  std::map<std::pair<uint32_t, uint32_t>, std::vector<size_t>> threads; // by cluster and block
  std::map<uint32_t, std::set<uint32_t>> clusters;
  for (size_t t = 0; t < test.threads.size(); ++t) {
    const Thread &thread = test.threads[t];
    if (thread.gpu != test.threads[0].gpu)
      return fail(Error::Placement, "it has one GPU");
    threads[{thread.cluster, thread.block}].push_back(t);
    clusters[thread.cluster].insert(thread.block);
  }
  Places out;
  for (const auto &[cluster, blocks] : clusters) {
    if (out.blocksOfCluster && out.blocksOfCluster != blocks.size())
      return fail(Error::Placement, "clusters have the same number of blocks");
    out.blocksOfCluster = uint32_t(blocks.size());
  }
  for (auto &[place, of] : threads) {
    out.threadsOfBlock = std::max(out.threadsOfBlock, uint32_t(of.size()));
    out.blocks.push_back(std::move(of));
  }
  return out;
}

} // namespace

Result<std::string> kernelOf(const Program &test, Lanes lanes) {
  TESSERA_TRY(Places places, placesOf(test));
  std::string out = ".version 8.6\n.target sm_90\n.address_size 64\n";
  for (const Location &location : test.locations)
    out += cat(".global .u32 ", location.name, " = ", location.initial, ";\n");
  out += ".visible .entry litmus(.param .u64 results) {\n  .reg .pred %other;\n"
         "  .reg .b32 %at<2>;\n  .reg .b64 %to;\n  ld.param.u64 %to, [results];\n"
         "  mov.u32 %at0, %ctaid.x;\n  mov.u32 %at1, %tid.x;\n";
  std::vector<size_t> firstRegister; // of each thread, among those of all
  size_t registers = 0;
  for (const Thread &thread : test.threads) {
    firstRegister.push_back(registers);
    registers += thread.registers.size();
  }
  for (size_t b = 0; b < places.blocks.size(); ++b)
    for (size_t i = 0; i < places.blocks[b].size(); ++i) {
      const size_t t = places.blocks[b][i];
      const Thread &thread = test.threads[t];
      out += cat("  setp.ne.u32 %other, %at0, ", b, ";\n  @%other bra not", t,
                 ";\n  setp.ne.u32 %other, %at1, ", lanes == Lanes::OneWarp ? i : i * 32,
                 ";\n  @%other bra not", t, ";\n  {\n");
      for (std::string_view reg : thread.registers)
        out += cat("  .reg .b32 ", reg, ";\n");
      out += thread.text;
      for (size_t r = 0; r < thread.registers.size(); ++r)
        out += cat("\n  st.global.u32 [%to+", (firstRegister[t] + r) * 4, "], ",
                   thread.registers[r], ";");
      out += cat("\n  }\n  ret;\nnot", t, ":\n");
    }
  return out + "  ret;\n}\n";
}

Result<Run> run(const Program &test, const RunOptions &options) {
  TESSERA_TRY(Places places, placesOf(test));
  TESSERA_TRY(std::string text, kernelOf(test, options.lanes));
  std::shared_ptr<sanitize::Sanitizer> sanitizer;
  if (options.sanitize)
    sanitizer = std::make_shared<sanitize::Sanitizer>();
  sim::Limits limits;
  limits.shuffle = options.shuffle;
  limits.hostThreads = options.hostThreads;
  sim::Machine machine(limits, sanitizer);
  TESSERA_TRY(sim::Program parsed, sim::Program::parse(std::move(text)));
  TESSERA_TRY(sim::LoadedProgram loaded,
              machine.load(std::make_shared<const sim::Program>(std::move(parsed))));
  Run out;
  out.outcome.resize(test.names().size());
  const uint64_t bytes = std::max<size_t>(out.outcome.size(), 1) * 4;
  TESSERA_TRY(uint64_t results, machine.memory().allocate(bytes));
  sim::LaunchConfig config{.grid = {uint32_t(places.blocks.size()), 1, 1},
                           .block = {options.lanes == Lanes::OneWarp ? places.threadsOfBlock
                                                                     : places.threadsOfBlock * 32,
                                     1, 1},
                           .cluster = sim::Dim3{places.blocksOfCluster, 1, 1}};
  sim::Status ended =
      machine.launch(loaded, "litmus", config, std::as_bytes(std::span(&results, 1)));
  if (sanitizer)
    for (const sanitize::Report &report : sanitizer->reports())
      out.reports.push_back(cat(report.rule, ": ", report.text));
  if (!ended && out.reports.empty())
    return ended.reason();
  const size_t registers = out.outcome.size() - test.locations.size();
  auto whole = std::as_writable_bytes(std::span(out.outcome));
  TESSERA_CHECK(machine.memory().read(whole.first(registers * 4), results));
  for (size_t l = 0; l < test.locations.size(); ++l) {
    TESSERA_TRY(uint64_t at, machine.address(loaded, test.locations[l].name));
    TESSERA_CHECK(machine.memory().read(whole.subspan((registers + l) * 4, 4), at));
  }
  return out;
}

} // namespace tessera::litmus
