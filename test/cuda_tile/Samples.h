// One text or more for each op of `cuda_tile`, in the form that it prints in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written by hand from the grammar of the public dialect (NVIDIA/cuda-tile, v13.3.2) and, for 13.4,
// from what cuTile Python 1.6 writes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::cuda_tile::test {

/// Values that the texts use, as the arguments of one function: name and type.
extern const std::vector<std::pair<std::string_view, std::string_view>> arguments;

/// Where a text stands: in a module, a function, a loop of two values (i32 and token), or a
/// reduction of f32.
enum class Place {
  Module,
  Function,
  Loop,
  Reduction
};
struct Sample {
  std::string_view text;
  Place place = Place::Function;
};
extern const std::vector<Sample> samples;

/// The name of the op of a sample: `cuda_tile.addi`.
std::string_view opOf(const Sample &sample);
/// A module with the sample alone in a function, an `entry` or `testing$func`.
std::string moduleWith(const Sample &sample, std::string_view function = "testing$func");
/// The text with the names of arguments as the printer gives them, `%arg0`, and blanks one by one.
std::string normalized(std::string_view text);

} // namespace tessera::cuda_tile::test
