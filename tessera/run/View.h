// View: tensors that a caller owns, in DLPack's form, and numbers as values of parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What Binding.h says of shapes holds here too. Elements are taken as they are: nothing is
// converted or copied. Where DLPack or numpy have no name for a format (bf16, tf32, the 8-bit
// floats), unsigned integers of its size are its codes, and f32 is taken for tf32. The stride of a
// mode of one element says nothing, as DLPack leaves it open, nor does any of a tensor without
// elements, and becomes one that the type takes.
#pragma once

#include "tessera/run/Device.h"
#include "tessera/run/Parameter.h"

namespace tessera::run {

/// A DLTensor of dlpack.h, versions 0.2 to 1.x, with its fields' places.
struct DlTensor {
  void *data;
  int32_t deviceType, deviceOrdinal;
  int32_t rank;
  uint8_t code, bits; // of an element
  uint16_t lanes;
  const int64_t *shape;   // `rank` extents
  const int64_t *strides; // in elements; null: compact, the last mode fastest
  uint64_t byteOffset;
};
static_assert(sizeof(DlTensor) == 48);

/// Whether a processor of the host may follow the address, and whether a GPU may.
bool isOnHost(const DlTensor &);
bool isOnGpu(const DlTensor &);
/// None for complex numbers, vectors of lanes and formats that nobody here knows.
std::optional<Dtype> dtypeOf(const DlTensor &);
/// A type as DLPack has it: DLDataTypeCode, and the bits of an element.
struct DlType {
  uint8_t code, bits;
};
/// Those that an argument for such elements may have.
std::vector<DlType> dlTypesOf(const ElementTypes &);
/// "f16 (128, 64):(64, 1) in memory of the host".
std::string str(const DlTensor &);

/// Its extents, and its strides in elements. The rank must be within maxRank (rangeOf).
std::vector<int64_t> shapeOf(const DlTensor &);
std::vector<int64_t> stridesOf(const DlTensor &);

/// What a caller gives for one parameter.
struct CallArgument {
  enum class Kind : uint8_t {
    Tensor,
    Integer,
    Real,
    Address, // for a pointer, unchecked
    Bytes    // the parameter's value as it is, unchecked
  };
  Kind kind = Kind::Integer;
  const DlTensor *tensor = nullptr;
  bool isReadOnly = false; // of a tensor: nobody may write to it
  int64_t integer = 0;
  double real = 0;
  run::Address address = 0;
  std::span<const std::byte> bytes{};
};
std::string str(const CallArgument &);

/// The bytes from the first to the last element of a tensor: [begin, end), empty where it has no
/// element. Fails for negative strides, ranks beyond `maxRank`, formats that are not known, and
/// where elements have no place: a null pointer, or the end of all addresses.
struct ByteRange {
  uint64_t begin = 0, end = 0;
};
constexpr size_t maxRank = 32;
Result<ByteRange> rangeOf(const DlTensor &);

/// Writes the value of a parameter that takes an argument to `out`, which has room for its
/// packing's size. `start` is where the kernel sees element 0 of a tensor. Reasons say which
/// argument (0-based `number`), what was expected and what came.
Status bindCall(const Parameter &, const CallArgument &, size_t number, Address start,
                std::byte *out);

} // namespace tessera::run
