// Argument: one `--arg` of the command line `tessera run`, which describes a kernel's argument.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   argument ::= file | fill | scalar
//   file     ::= [ type ':' ] PATH '.npy' [ option ]         A.npy   bf16:A.npy   A.npy:stride=1,64
//   fill     ::= word ':' type ':' shape { option }          rand:f16:4096x4096:seed=1
//   word     ::= 'rand' | 'zeros' | 'out'                    zeros:f32:128x64   out:bf16:128x64
//   scalar   ::= [ type ':' ] number                         i32:5   f32:-0.5   7   0.5   true
//   shape    ::= extent { 'x' extent }                       extents are positive
//   option   ::= ':stride=' step { ',' step }                in elements, one for each mode
//              | ':seed=' N                                  of rand, 0 .. 2^64-1
//
// A bare integer is i32, or i64 if it does not fit; a bare number with a point or an exponent is
// f32; true and false are i1. Integers may be hexadecimal (0x10). `out` is filled with 0xFF bytes
// before the run. fromNpy (Tensor.h) explains a type before a file.
#pragma once

#include "tessera/run/Tensor.h"

namespace tessera::run {

enum class ArgumentKind : uint8_t {
  File,
  Random,
  Zeros,
  Output,
  Scalar
};

struct Argument {
  std::string text; // as written
  ArgumentKind kind = ArgumentKind::Scalar;
  std::optional<Dtype> dtype;                  // none: the file's own type
  std::string file;                            // File
  std::vector<int64_t> shape;                  // Random, Zeros, Output
  std::optional<std::vector<int64_t>> strides; // in elements; none: compact, last mode fastest
  std::optional<uint64_t> seed;                // Random
  uint64_t scalar = 0;                         // Scalar: the code of its value in `dtype`
};

/// Reads one argument. A reason quotes the text, names the wrong part with its position (from 1),
/// says what was expected and shows an example. The file is not opened.
Result<Argument> parseArgument(std::string_view text);

/// The tensor of an argument that is not a scalar: reads and converts the file, or makes and fills
/// the buffer. `defaultSeed` (the argument's number, for example) is the seed of a `rand` that
/// names none, so that two random arguments are not equal by accident.
Result<Tensor> makeTensor(const Argument &, uint64_t defaultSeed = 0);

} // namespace tessera::run
