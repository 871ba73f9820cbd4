// Options of the simulator, and its results as JSON.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cli/SimOptions.h"

#include "tessera/base/Printable.h"
#include "tessera/cli/Cli.h"
#include "tessera/sanitize/Report.h"
#include "tessera/sanitize/Sanitizer.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace tessera::cli {

void SimOptions::addOptions(CLI::App &command) {
  command.add_flag(
      "--sanitize", sanitizes,
      "look for races, missing fences and waits, and reads of memory that nobody wrote "
      "(docs/simulator.md); the same as --check without a value");
  command
      .add_option("--max-reports", maxReports,
                  "reports of --sanitize after which the kernel is ended")
      ->capture_default_str();
  command.add_option("--json", json,
                     "write reports and statistics to this file as JSON; - is stdout");
  command.add_flag("--late", limits.lateCopies,
                   "do asynchronous work as late as allowed, so that a missing wait shows");
  command.add_option("--shuffle", limits.shuffle,
                     "a seed: run the warps of a block in a random order, each for a random while");
  command.add_option("--max-instructions", limits.instructions, "of one warp")
      ->capture_default_str();
  command
      .add_option("--max-memory", limits.globalBytes,
                  "bytes of global memory, with the local memory of blocks that run")
      ->capture_default_str();
  command
      .add_option("--max-output", limits.outputBytes,
                  "bytes of what kernels print that are kept; how many more there were is said")
      ->capture_default_str();
  command.add_option("--threads", limits.hostThreads, "of this machine; 0: all")
      ->capture_default_str();
  command.add_flag(
      "--stats", limits.counts,
      "print what ran: instructions by class, bytes by space, bank conflicts by line, products");
  command.add_option("--trace", trace, "X,Y,Z:W: print each instruction of warp W of block X,Y,Z");
}

namespace {

void write(llvm::json::OStream &to, const sanitize::CodePlace &place) {
  to.attribute("line", place.line);
  to.attribute("text", place.text);
  if (!place.source.empty())
    to.attribute("source", place.source);
}
void write(llvm::json::OStream &to, const sanitize::Party &party) {
  if (!party.access.empty())
    to.attribute("access", party.access);
  to.attribute("block", party.block);
  to.attribute("thread", party.thread);
  write(to, party.place);
}
void write(llvm::json::OStream &to, const sanitize::Report &report) {
  to.object([&] {
    to.attribute("rule", llvm::StringRef(report.rule));
    to.attribute("kernel", report.kernel);
    write(to, report.party);
    if (!report.space.empty()) {
      to.attribute("space", report.space);
      to.attribute("address", sim::hex(report.address));
    }
    if (report.buffer) {
      to.attribute("offset", int64_t(report.buffer->first));
      to.attribute("bufferBytes", int64_t(report.buffer->second));
    }
    if (report.earlier)
      to.attributeObject("earlier", [&] { write(to, *report.earlier); });
    to.attribute("message", report.text);
  });
}
} // namespace

std::shared_ptr<sim::Observer> SimOptions::observer() const { return sanitizer; }

Result<int> SimOptions::parse() {
  if (sanitizes)
    sanitizer = std::make_shared<sanitize::Sanitizer>(maxReports);
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

int SimOptions::tell(const sim::Statistics &counted, const Reason *ended) const {
  if (limits.counts)
    llvm::outs() << counted.str();
  if (json.empty())
    return Right;
  std::string text;
  llvm::raw_string_ostream file(text);
  llvm::json::OStream to(file, 1);
  to.object([&] {
    to.attribute("kernel", counted.kernel);
    if (ended) {
      to.attribute("error", llvm::StringRef(ended->id));
      to.attribute("message", ended->text);
    }
    to.attributeArray("reports", [&] {
      if (sanitizer)
        for (const sanitize::Report &report : sanitizer->allReports())
          write(to, report);
    });
    to.attributeObject("statistics", [&] {
      to.attribute("warpInstructions", int64_t(counted.warpInstructions));
      to.attribute("threadInstructions", int64_t(counted.threadInstructions));
      to.attribute("products", int64_t(counted.products));
      auto pairs = [&](const char *name, const auto &map, auto f) {
        to.attributeObject(name, [&] {
          for (const auto &[key, value] : map)
            to.attributeArray(cat(key), [&, v = f(value)] {
              to.value(int64_t(v.first)), to.value(int64_t(v.second));
            });
        });
      };
      pairs("classes", counted.classes,
            [](const auto &c) { return std::pair(c.warps, c.threads); });
      pairs("bytes", counted.traffic, [](const auto &t) { return std::pair(t.reads, t.writes); });
      pairs("banks", counted.banks, [](const auto &b) { return std::pair(b.passes, b.needed); });
    });
  });
  file << "\n";
  return writeFile(json, text);
}

} // namespace tessera::cli
