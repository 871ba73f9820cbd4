// Runs jobs, counts, and shows the first differences of each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comparison.h"

#include "tessera/run/SimDevice.h"

#include <cstdio>
#include <sstream>

namespace tessera::hw {

namespace {

constexpr size_t shown = 3;
constexpr std::string_view countMark = "#count\t", acceptedMark = "#accepted\t";

void show(const Job &job, size_t thread, const Field &field, const std::byte *mine,
          const std::byte *theirs) {
  std::printf("  %s thread %zu: %s = %s on the simulator, %s on the GPU", job.name.c_str(), thread,
              field.name.c_str(), hexOf(mine, field.bytes).c_str(),
              hexOf(theirs, field.bytes).c_str());
  const std::byte *in = job.input->data() + thread * job.inputRecord;
  for (size_t at = 0; at + 16 <= job.inputRecord; at += 16)
    std::printf("%s%s", at ? " " : "; in: ", hexOf(in + at, 8).c_str());
  std::printf("\n");
}

} // namespace

std::string Counts::text() const {
  std::string out;
  for (const auto &[name, c] : groups)
    out += cat(countMark, c.spellings, "\t", c.refused, "\t", c.cases, "\t", c.undefined, "\t",
               c.differing, "\t", c.differences, "\t", name, "\n");
  for (const auto &[form, n] : accepted)
    out += cat(acceptedMark, n, "\t", form, "\n");
  return out;
}

std::string Counts::add(const std::string &text) {
  std::istringstream lines(text);
  std::string rest;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(std::min(line.size(), line.find('\t'))));
    auto name = [&] {
      std::string out;
      std::getline(words >> std::ws, out);
      return out;
    };
    if (line.starts_with(countMark)) {
      Count c;
      words >> c.spellings >> c.refused >> c.cases >> c.undefined >> c.differing >> c.differences;
      Count &to = groups[name()];
      to = {to.spellings + c.spellings, to.refused + c.refused,     to.cases + c.cases,
            to.undefined + c.undefined, to.differing + c.differing, to.differences + c.differences};
    } else if (line.starts_with(acceptedMark)) {
      size_t n = 0;
      words >> n;
      accepted[name()] += n;
    } else
      rest += line + "\n";
  }
  return rest;
}

Comparison::Comparison(run::Device *gpu, const std::string &target, const std::string &ptxas,
                       bool lists)
    : gpu(gpu), lists(lists) {
  std::string name = !target.empty() ? target
                     : gpu ? gpu->info().target() + (gpu->info().computeMajor >= 9 ? "a" : "")
                           : "sm_90a";
  // CUDA 12.n has PTX 8.n, CUDA 13.n has 9.n.
  int64_t version =
      gpu ? (gpu->info().driverVersion / 1000 - 4) * 10 + gpu->info().driverVersion % 1000 / 10
          : 90;
  header = headerOf(name, std::min<int64_t>(version, 90));
  assemble = gpu ? Assembler([this](const std::string &text) { return load(text); })
                 : assembleWith(ptxas, name);
}

bool Comparison::run(std::span<const Job> jobs) {
  Batch batch = batchOf(jobs, header, assemble);
  for (const Job &job : jobs)
    if (job.row)
      counts.accepted.emplace(job.row->form, 0);
  for (const Job *job : batch.refused)
    ++counts.groups[job->group].refused;
  for (size_t i = 0; i < batch.accepted.size(); ++i)
    if (!compare(*batch.accepted[i], cat("k", i)))
      return false;
  unload();
  return true;
}

std::optional<std::string> Comparison::load(const std::string &text) {
  unload();
  Result<run::Module> module = gpu->loadModule(std::as_bytes(std::span(text)), {.verbose = false});
  if (!module)
    return module.reason().text;
  loaded = module->id;
  return std::nullopt;
}
void Comparison::unload() {
  if (loaded)
    (void)gpu->unloadModule(*loaded);
  loaded.reset();
}

void Comparison::differs(const Job &job, const std::string &what) {
  std::printf("DIFFERS %s: %s\n", job.name.c_str(), what.c_str());
  ++counts.groups[job.group].differing;
}

bool Comparison::compare(const Job &job, const std::string &kernel) {
  ++counts.groups[job.group].spellings;
  if (job.row)
    ++counts.accepted[std::string(job.row->form)];
  if (lists && !gpu)
    std::printf("%s\n", job.name.c_str());
  run::SimDevice sim({.hostThreads = 1});
  std::string text = cat(header, ".visible .entry k", job.kernel);
  Result<run::Module> module = sim.loadModule(std::as_bytes(std::span(text)));
  if (!module)
    return differs(job, cat("the simulator refuses it: ", module.reason().text)), true;
  Result<Bytes> mine = runOn(sim, module->id, "k", job);
  if (!mine)
    return differs(job, cat("the simulator: ", mine.reason().text)), true;
  if (!gpu)
    return true;
  Result<Bytes> theirs = runOn(*gpu, *loaded, kernel, job);
  if (!theirs)
    return differs(job, cat("the GPU: ", theirs.reason().text)), false;
  if (lists)
    std::printf("%s\t%016llx\n", job.name.c_str(),
                static_cast<unsigned long long>(hashOf(*theirs)));
  compare(job, *mine, *theirs);
  return true;
}

void Comparison::compare(const Job &job, const Bytes &mine, const Bytes &theirs) {
  Count &count = counts.groups[job.group];
  size_t found = 0;
  for (size_t t = 0; t < job.threads; ++t) {
    if (job.isDefined && !job.isDefined(job.input->data() + t * job.inputRecord)) {
      ++count.undefined;
      continue;
    }
    ++count.cases;
    for (const Field &field : job.fields) {
      const std::byte *a = &mine[t * job.outputRecord + field.offset],
                      *b = &theirs[t * job.outputRecord + field.offset];
      if (agree(field, job.bound, a, b))
        continue;
      if (++found <= shown)
        show(job, t, field, a, b);
      break;
    }
  }
  count.differences += found;
  if (found)
    differs(job, cat(found, " of ", job.threads, " cases"));
}

} // namespace tessera::hw
