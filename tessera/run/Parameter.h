// Parameter: what a host function or a kernel takes, as plain data that can be kept and asked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made from types of the IR by jit/Parameters.h, or from those of a tile program; Binding.h gives
// it values.
#pragma once

#include "tessera/run/Dtype.h"
#include "tessera/run/Modes.h"

#include <optional>

namespace tessera::run {

/// The element types that a buffer or a number may have; the first is the one to name.
struct ElementTypes {
  std::string text; // as its program prints it
  std::vector<Dtype> dtypes;
  bool takes(Dtype) const;
};

/// The element types of a type of MLIR by its text: of a signless integer all of its size, as CuTe
/// DSL passes bool as i8. Nothing for types that no buffer has.
std::optional<ElementTypes> elementsOf(std::string text);

/// Where the numbers and addresses of a value lie in its bytes.
struct Packing {
  struct Leaf {
    size_t offset = 0; // in bytes
    unsigned bits = 0; // at most 64; little-endian in the bytes that hold them
  };
  size_t size = 0; // in bytes
  std::vector<Leaf> leaves;
};
/// The bytes of a value; of each leaf the low bits are taken. Gaps are zero.
std::vector<std::byte> pack(const Packing &, std::span<const uint64_t> leaves);
/// The same into `size` bytes that exist.
void packInto(std::byte *out, const Packing &, std::span<const uint64_t> leaves);

struct Parameter {
  enum class Kind : uint8_t {
    Nothing, // no content at run time: nothing is passed
    Stream,  // the stream of the call
    Tensor,  // an address, then extents and strides that the type leaves open
    Pointer, // an address
    Number,
    Refused // nobody can give it a value
  };

  Kind kind = Kind::Nothing;
  std::string name{}; // "" where the program says none
  std::string type{}; // as its program prints it
  Packing packing{};
  ElementTypes element{};
  bool onDevice = true;  // Tensor, Pointer: gmem; else memory of the host
  int64_t alignment = 1; // Tensor, Pointer: of element 0, in bytes
  int64_t divisor = 1;   // Number: what must divide it
  Modes modes{};         // Tensor
  // Refused: the row of Errors.def, and what it shows beside the argument.
  Error refusal = Error::BindType;
  std::string refused{};

  bool takesArgument() const { return kind != Kind::Nothing && kind != Kind::Stream; }
  bool isBuffer() const { return kind == Kind::Tensor || kind == Kind::Pointer; }
};

/// "tensor", "pointer", ...: a word for the kind.
std::string_view kindName(Parameter::Kind);
/// What a value must fulfil, in words: "f16 (?{div=8},64):(64,1), aligned to 16 bytes".
std::string constraintOf(const Parameter &);

} // namespace tessera::run
