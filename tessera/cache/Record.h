// Record: several texts as one, the content of something in the cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::cache {

/// The parts, each preceded by its length.
std::string pack(const std::vector<std::string_view> &parts);
/// The parts of a text that pack() made; none for any other text.
std::optional<std::vector<std::string>> unpack(std::string_view);

} // namespace tessera::cache
