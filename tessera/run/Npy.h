// NumPy's .npy files as arrays of bytes: reading (versions 1.0, 2.0, 3.0) and writing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file is the magic "\x93NUMPY", two version bytes, the header's length (16 bits in 1.0, 32 bits
// else), the header (a Python dict with the keys descr, fortran_order and shape, padded with blanks
// so that the data start at a multiple of 64), and the elements. Little-endian only.
// Source: numpy.lib.format; the writer's bytes are those of numpy 1.24.
#pragma once

#include "tessera/run/Bytes.h"

#include <vector>

namespace tessera::run {

/// The letter of an element type in .npy.
enum class NpyKind : char {
  Bool = 'b',
  Int = 'i',
  Unsigned = 'u',
  Float = 'f',
  Raw = 'V'
};

/// An element type of .npy: f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1, or raw bytes V1 V2 for types that
/// .npy has no name for (ml_dtypes writes bfloat16 as V2 and the 8-bit floats as V1).
struct NpyType {
  NpyKind kind = NpyKind::Float;
  int bytes = 4;
  friend bool operator==(const NpyType &, const NpyType &) = default;
};
/// "f4", "V2".
std::string str(NpyType);

/// An array as the file holds it: elements without gaps, last index fastest, or the first one if
/// `fortranOrder`. Rank 0 (one element) and extents of 0 are possible.
struct NpyArray {
  NpyType type;
  std::vector<int64_t> shape;
  bool fortranOrder = false;
  Bytes data;
};

/// The number of elements of a shape, or nothing if they exceed int64. An extent of 0 makes 0.
Result<int64_t> elementCount(std::span<const int64_t> shape);

/// Reads an array from the bytes of a file. Bytes after the last element are ignored, as numpy
/// does.
Result<NpyArray> parseNpy(std::span<const std::byte> file);
/// The same, from a file; reasons name it.
Result<NpyArray> readNpy(const std::string &path);

/// Magic, version and padded header of the array's file; the data follow unchanged. Version 1.0, or
/// 2.0 if the header needs it.
std::string npyHeader(const NpyArray &);
Status writeNpy(const std::string &path, const NpyArray &);

} // namespace tessera::run
