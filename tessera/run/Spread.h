// Spread: arrays of callers for kernels that take pointers and numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Front ends of tile programs pass an array of rank r as 1 + 2 r parameters: its pointer, its
// extents and its strides. A caller passes a tensor for all of them, or for the pointer alone.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tessera::run {

/// An argument, described by the kinds of parameters that it may be.
struct Given {
  enum class Kind : unsigned char {
    Tensor,
    Pointer,
    Number,
    Any // accepts the bytes of any parameter
  };
  Kind kind = Kind::Number;
  size_t rank = 0; // of a tensor
};

/// For each argument, whether it is a tensor that stands for its pointer, extents and strides.
/// Chosen so that pointers and numbers match the parameters, of which `isPointer` has one entry
/// each, if exactly one choice does. Otherwise all tensors do, unless there are as many arguments
/// as parameters: then none does.
std::vector<bool> wholeTensors(std::span<const Given>, const std::vector<bool> &isPointer);

} // namespace tessera::run
