// Kernels: options and IR of ready kernels, for `tessera generate` and `tessera tune`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/choice/GemmModel.h"

namespace CLI {
class App;
}

namespace tessera::cli {

/// --ab, --a, --b, --d and --major: the types and layouts of the operands.
void addGemmTypes(CLI::App &, kernels::GemmConfig &);
/// --arch: what the kernel is for.
void addArch(CLI::App &, atom::Target &,
             const char *targets = "sm_90a, sm_100a, sm_103a or sm_110a");
/// The subcommands of generate that make attention; `exit` is the code of the program.
void addAttentions(CLI::App &generate, int &exit);

/// The built-in table, or that of a file. A reason names the file.
Result<kernels::GemmTable> readGemmTable(const std::string &file);

/// The model's numbers for a GPU: from a file that `tessera calibrate` wrote, or without a file the
/// built-in row of the GPU with this name, or of another. A reason names the file.
Result<kernels::GpuRates> gemmRates(const std::string &file, const std::string &gpu);

/// The IR of a configuration that is not refused.
Result<std::string> gemmText(const kernels::GemmConfig &);

} // namespace tessera::cli
