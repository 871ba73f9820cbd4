// Parameter: the description of a parameter of a host function or kernel, as plain data.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jit/Parameters.h makes it from types of the IR; for tile programs it is made from their types.
// Binding.h gives it values.
#pragma once

#include "tessera/run/Dtype.h"
#include "tessera/run/Modes.h"

#include <optional>

namespace tessera::run {

/// The element types that a buffer or a number may have; messages name the first.
struct ElementTypes {
  std::string text; // as printed by its program
  std::vector<Dtype> dtypes;
  bool takes(Dtype) const;
};

/// The element types for the text of an MLIR type. For a signless integer all types of its size,
/// since CuTe DSL passes bool as i8. Nothing for types that no buffer has.
std::optional<ElementTypes> elementsOf(std::string text);
/// Likewise of an array in the memory of a kernel, where the bits of i1 are packed.
std::optional<ElementTypes> arrayElementsOf(std::string text);

/// The places of numbers and addresses in the bytes of a value.
struct Packing {
  struct Leaf {
    size_t offset = 0; // in bytes
    unsigned bits = 0; // at most 64; little-endian in the bytes that hold them
  };
  size_t size = 0; // in bytes
  std::vector<Leaf> leaves;
};
/// The bytes of a value; the low bits of each leaf are used. Gaps are zero.
std::vector<std::byte> pack(const Packing &, std::span<const uint64_t> leaves);
/// The same, written to `size` bytes at `out`.
void packInto(std::byte *out, const Packing &, std::span<const uint64_t> leaves);

struct Parameter {
  enum class Kind : uint8_t {
    Nothing, // no content at run time: nothing is passed
    Stream,  // the stream of the call
    Tensor,  // an address, then extents and strides that the type leaves open
    Pointer, // an address
    Number,
    Refused // no value can be passed
  };

  Kind kind = Kind::Nothing;
  std::string name{}; // "" if the program has none
  std::string type{}; // as printed by its program
  Packing packing{};
  ElementTypes element{};
  bool onDevice = true;  // Tensor, Pointer: gmem; else memory of the host
  int64_t alignment = 1; // Tensor, Pointer: of element 0, in bytes
  int64_t divisor = 1;   // Number: its divisor
  Modes modes{};         // Tensor
  // Refused: the row of Errors.def, and its pieces besides the argument.
  Error refusal = Error::BindType;
  std::string refused{};

  bool takesArgument() const { return kind != Kind::Nothing && kind != Kind::Stream; }
  bool isBuffer() const { return kind == Kind::Tensor || kind == Kind::Pointer; }
};

/// "tensor", "pointer", ...: a word for the kind.
std::string_view kindName(Parameter::Kind);
/// The conditions on a value, in words: "f16 (?{div=8},64):(64,1), aligned to 16 bytes".
std::string constraintOf(const Parameter &);

} // namespace tessera::run
