// Assembles jobs together, again without what is refused, and runs one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Batch.h"

#include "tessera/files/Program.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>

namespace tessera::hw {

Assembler assembleWith(const std::string &ptxas, const std::string &target) {
  return [=](const std::string &text) -> std::optional<std::string> {
    Result<files::ScratchFolder> folder = files::ScratchFolder::make();
    if (!folder)
      return folder.reason().text;
    if (Status written = folder->write("jobs.ptx", text); !written)
      return written.reason().text;
    Result<files::Ended> ended = files::runProgram(
        ptxas, {"-O0", "-arch=" + target, "-o", "/dev/null", "jobs.ptx"}, *folder);
    if (!ended)
      return ended.reason().text;
    return ended->succeeded() ? std::nullopt : std::optional(ended->said);
  };
}

std::string headerOf(const std::string &target, int64_t ptxVersion) {
  return cat(".version ", ptxVersion / 10, ".", ptxVersion % 10, "\n.target ", target,
             "\n.address_size 64\n");
}

Batch batchOf(std::span<const Job> jobs, const std::string &header, const Assembler &assemble) {
  Batch batch;
  for (const Job &job : jobs)
    batch.accepted.push_back(&job);
  while (!batch.accepted.empty()) {
    batch.text = header;
    std::vector<size_t> firstLines;
    size_t line = 1 + size_t(std::count(header.begin(), header.end(), '\n'));
    for (size_t i = 0; i < batch.accepted.size(); ++i) {
      firstLines.push_back(line);
      std::string kernel = cat(".visible .entry k", i, batch.accepted[i]->kernel);
      line += size_t(std::count(kernel.begin(), kernel.end(), '\n'));
      batch.text += kernel;
    }
    std::optional<std::string> log = assemble(batch.text);
    if (!log)
      return batch;
    // "ptxas application ptx input, line 9; error   : ..."
    std::set<size_t> wrong;
    std::istringstream lines(*log);
    for (std::string complaint; std::getline(lines, complaint);) {
      size_t at = complaint.find(", line ");
      if (at == complaint.npos || complaint.find("warning") != complaint.npos)
        continue;
      auto after = std::upper_bound(firstLines.begin(), firstLines.end(),
                                    size_t(std::atoll(complaint.c_str() + at + 7)));
      if (after != firstLines.begin())
        wrong.insert(size_t(after - firstLines.begin()) - 1);
    }
    if (wrong.empty()) { // who is to blame cannot be seen: halves
      if (batch.accepted.size() == 1)
        wrong.insert(0);
      else {
        Batch parts[2] = {batchOf(jobs.first(jobs.size() / 2), header, assemble),
                          batchOf(jobs.subspan(jobs.size() / 2), header, assemble)};
        std::erase_if(batch.accepted, [&](const Job *job) {
          return std::none_of(std::begin(parts), std::end(parts), [&](const Batch &part) {
            return std::find(part.accepted.begin(), part.accepted.end(), job) !=
                   part.accepted.end();
          });
        });
        batch.refused = parts[0].refused;
        batch.refused.insert(batch.refused.end(), parts[1].refused.begin(), parts[1].refused.end());
        continue;
      }
    }
    std::vector<const Job *> rest;
    for (size_t i = 0; i < batch.accepted.size(); ++i)
      (wrong.count(i) ? batch.refused : rest).push_back(batch.accepted[i]);
    batch.accepted = std::move(rest);
  }
  return batch;
}

Result<Bytes> runOn(run::Device &device, run::ModuleId module, const std::string &name,
                    const Job &job) {
  TESSERA_TRY(run::Kernel kernel, device.kernel(module, name));
  TESSERA_TRY(run::DeviceBuffer in, run::DeviceBuffer::make(device, job.input->size()));
  Bytes output(size_t(job.threads) * job.outputRecord);
  TESSERA_TRY(run::DeviceBuffer out, run::DeviceBuffer::make(device, output.size()));
  run::Address addresses[] = {in.address(), out.address()};
  void *arguments[] = {&addresses[0], &addresses[1]};
  run::LaunchConfig config{.grid = {job.threads / job.block},
                           .block = {job.block},
                           .dynamicSharedBytes = job.sharedBytes};
  for (const auto &step :
       {std::function<run::Status()>([&] { return device.copyToDevice(in.address(), *job.input); }),
        {[&] { return device.copyToDevice(out.address(), output); }},
        {[&] { return device.launch(kernel.id, config, arguments); }},
        {[&] { return device.synchronize(); }},
        {[&] { return device.copyToHost(output, out.address()); }}})
    if (run::Status status = step(); !status)
      return std::move(status).reason();
  return output;
}

} // namespace tessera::hw
