// What a test writes, compiled and run on the simulator with its sanitizer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera::dsl::test {

/// PTX of what is written; empty after a failure of the running test.
std::string ptxOf(const std::function<void()> &write);

/// The IR of what is written; empty after a failure of the running test.
std::string moduleOf(const std::function<void()> &write);

/// Runs a kernel on two arrays of f32, the first given, and gives the second, which is -1 where
/// nothing was written. What the sanitizer finds is a failure too.
std::vector<float> simulate(const std::string &ptx, const char *name, uint32_t blocks,
                            uint32_t threads, uint32_t sharedBytes, const std::vector<float> &input,
                            size_t outputs, std::optional<float> number = {});

} // namespace tessera::dsl::test
