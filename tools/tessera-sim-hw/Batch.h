// Batch: jobs that are one module on the GPU, without those that its assembler refuses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Job.h"

namespace tessera::hw {

/// Assembles a text: nothing if it takes it, otherwise its complaints.
using Assembler = std::function<std::optional<std::string>(const std::string &)>;
/// A program `ptxas`, for machines without a GPU.
Assembler assembleWith(const std::string &ptxas, const std::string &target);

struct Batch {
  std::string text;
  std::vector<const Job *> accepted, refused;
};
/// `.version`, `.target` and so on.
std::string headerOf(const std::string &target, int64_t ptxVersion);
/// Kernel `kN` of job N of those that are accepted.
Batch batchOf(std::span<const Job> jobs, const std::string &header, const Assembler &);

/// Runs one kernel of a loaded module; its output.
Result<Bytes> runOn(run::Device &, run::ModuleId, const std::string &kernel, const Job &);

} // namespace tessera::hw
