// TileHints: hints of a tile program as parameters of `tessera tune`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cli/Parameters.h"

#include <memory>
#include <optional>

namespace llvm {
class MemoryBuffer;
}

namespace tessera::cli {

/// `occupancy=1,2`, or `latency@12=2,4` for what is on line 12 of the source. Nothing if the name
/// before `@` or `=` is not that of a hint.
std::optional<Result<Parameter>> hintParameter(std::string_view option);

/// The text of a tile program (text or bytecode, whose name is in messages) with these values of
/// the parameters that are hints: for all GPUs, on each op that takes them. An error if a value is
/// not one of the hint, or no op takes it.
Result<std::string> withHints(const std::string &content, const std::string &name,
                              const std::vector<Parameter> &parameters,
                              const std::vector<size_t> &chosen);

} // namespace tessera::cli
