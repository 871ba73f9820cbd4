// Options of the simulator, and where its results go.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/SimOptions.h"

#include "tessera/base/Printable.h"
#include "tessera/cli/Cli.h"
#include "tessera/cli/CommandLine.h"
#include "tessera/cli/CoveragePage.h"

#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace tessera::cli {

void SimOptions::addOptions(CLI::App &command) {
  const size_t before = command.get_options().size();
  command.add_flag(
      "--sanitize", sanitizes,
      "look for races, missing fences and waits, and reads of memory that nobody wrote "
      "(docs/simulator.md); the same as --check without a value");
  command.add_option("--max-reports", maxReports, "how many reports of --sanitize end the kernel")
      ->check(numberFrom(0).description(""))
      ->capture_default_str();
  command.add_option("--json", json,
                     "write reports and statistics to this file as JSON; - is stdout");
  command.add_option("--sarif", sarif,
                     "write reports to this file as SARIF 2.1.0, which GitHub shows beside the "
                     "lines; - is stdout");
  command.add_option("--junit", junit,
                     "write a test case for each launch to this file as JUnit's XML; - is stdout");
  command.add_option(
      "--html", html,
      "write a page to this file that shows, line by line, what threads ran and what none of them "
      "ran, branches, idle lanes, bank conflicts and reports; - is stdout");
  command.add_flag("--late", limits.lateCopies,
                   "do asynchronous work as late as allowed, so that a missing wait shows");
  command
      .add_option("--shuffle", limits.shuffle,
                  "a seed: run the warps of a block in a random order, each for a random while")
      ->check(numberFrom(0).description(""));
  command
      .add_option("--max-instructions", limits.instructions,
                  "the most instructions that one warp may run")
      ->check(numberFrom(0).description(""))
      ->capture_default_str();
  command
      .add_option("--max-memory", limits.globalBytes,
                  "the most bytes of global memory, with the local memory of blocks that run")
      ->check(numberFrom(0).description(""))
      ->capture_default_str();
  command
      .add_option("--max-output", limits.outputBytes,
                  "the most bytes of what kernels print that are kept; the others are counted")
      ->check(numberFrom(0).description(""))
      ->capture_default_str();
  command
      .add_option("--threads", limits.hostThreads,
                  "how many threads of this machine to use; 0: all")
      ->capture_default_str();
  command.add_flag(
      "--stats", limits.counts,
      "print what ran: instructions by class, bytes by space, bank conflicts by line, products");
  command.add_option("--trace", trace, "X,Y,Z:W: print each instruction of warp W of block X,Y,Z");
  const std::vector<CLI::Option *> all = command.get_options();
  options.assign(all.begin() + before, all.end());
}

std::string SimOptions::given() const {
  for (const CLI::Option *option : options)
    if (option->count())
      return option->get_name();
  return {};
}

Result<int> SimOptions::parse(std::vector<Output> outputs) {
  if (sanitizes || !json.empty() || !sarif.empty() || !junit.empty() || !html.empty())
    log = std::make_shared<LaunchLog>(sanitizes ? std::optional(maxReports) : std::nullopt,
                                      !html.empty());
  std::vector<std::string_view> printed;
  for (auto [name, path] :
       {std::pair("--json", &json), {"--sarif", &sarif}, {"--junit", &junit}, {"--html", &html}}) {
    outputs.push_back({name, *path});
    if (*path == "-")
      printed.push_back(name);
  }
  TESSERA_CHECK(differ(outputs));
  if (printed.size() > 1)
    return Reason{"Stdout", cat(printed[0], " and ", printed[1],
                                " both write to stdout: give one of them a file")};
  if (llvm::sys::Process::StandardErrIsDisplayed())
    limits.progress = [](const std::string &text) { llvm::errs() << printable(text) << "\n"; };
  if (trace.empty())
    return 0;
  sim::TracedWarp warp;
  int end = 0;
  if (std::sscanf(trace.c_str(), "%u,%u,%u:%u%n", &warp.block.x, &warp.block.y, &warp.block.z,
                  &warp.warp, &end) != 4 ||
      size_t(end) != trace.size())
    return Reason{
        "Trace",
        cat("--trace expects X,Y,Z:W, a block and a warp of it, such as 0,0,0:2, but got '", trace,
            "'")};
  limits.trace = warp;
  return 0;
}

void SimOptions::tellCounts(const sim::Statistics &counted) const {
  if (limits.counts)
    llvm::outs() << counted.str();
}

int SimOptions::write(SimResults results) const {
  if (log)
    results.launches = log->launches();
  if (log && log->coverage()) {
    results.covers = true;
    results.coverage = log->coverage()->kernels();
  }
  int code = Right;
  for (auto [path, text] : {std::pair(&json, &sim_reports::jsonOf),
                            {&sarif, &sim_reports::sarifOf},
                            {&junit, &sim_reports::junitOf},
                            {&html, &htmlOf}})
    if (!path->empty() && code == Right)
      code = writeFile(*path, text(results));
  return code;
}

} // namespace tessera::cli
