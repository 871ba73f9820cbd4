// Spread: arrays of callers where a kernel takes pointers and numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Front ends of tile programs pass an array of rank r as 1 + 2 r parameters: its pointer, its
// extents and its strides. A caller gives a tensor for all of them, or for a pointer alone.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tessera::run {

/// An argument, as far as it says which parameters it may be.
struct Given {
  enum class Kind : unsigned char {
    Tensor,
    Pointer,
    Number,
    Any // of the bytes that its parameter has
  };
  Kind kind = Kind::Number;
  size_t rank = 0; // of a tensor
};

/// For each argument, whether it is a tensor that stands for its pointer, extents and strides: the
/// only choice with which pointers and numbers meet the parameters, of which `isPointer` has one
/// each. Without one, or with several, all tensors do, unless there are as many arguments as
/// parameters: then none does.
std::vector<bool> wholeTensors(std::span<const Given>, const std::vector<bool> &isPointer);

} // namespace tessera::run
