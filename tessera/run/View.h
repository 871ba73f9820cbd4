// View: tensors that a caller owns, in DLPack's form, and numbers, as values of parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules for shapes in Binding.h hold here too. Elements are used as they are: nothing is
// converted or copied. For a format that DLPack or numpy have no name for (bf16, tf32, the 8-bit
// floats), unsigned integers of its size are taken as its codes, and f32 as tf32. DLPack leaves the
// stride of a mode with one element open, as well as all strides of a tensor without elements. They
// are replaced by strides that the type accepts.
#pragma once

#include "tessera/run/Device.h"
#include "tessera/run/Parameter.h"
#include "tessera/run/Ranges.h"

namespace tessera::run {

/// The DLTensor of dlpack.h, versions 0.2 to 1.x, with the same field offsets.
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

/// Whether the host's processor may use the address, and whether a GPU may.
bool isOnHost(const DlTensor &);
bool isOnGpu(const DlTensor &);
/// None for complex numbers, vectors of lanes and unknown formats.
std::optional<Dtype> dtypeOf(const DlTensor &);
/// A type in DLPack: DLDataTypeCode, and the bits of an element.
struct DlType {
  uint8_t code, bits;
};
/// The DLPack types that an argument with such elements may have.
std::vector<DlType> dlTypesOf(const ElementTypes &);
/// "f16 (128, 64):(64, 1) in memory of the host".
std::string str(const DlTensor &);

/// The extents of a tensor, and its strides in elements. The rank must be within maxRank (rangeOf).
std::vector<int64_t> shapeOf(const DlTensor &);
std::vector<int64_t> stridesOf(const DlTensor &);

/// What a caller passes for one parameter.
struct CallArgument {
  enum class Kind : uint8_t {
    Tensor,
    Integer,
    Real,
    Address, // for a pointer, unchecked
    Bytes    // the parameter's value itself, unchecked
  };
  Kind kind = Kind::Integer;
  const DlTensor *tensor = nullptr;
  bool isReadOnly = false; // of a tensor: it must not be written
  int64_t integer = 0;
  double real = 0;
  run::Address address = 0;
  std::span<const std::byte> bytes{};
};
std::string str(const CallArgument &);

/// The bytes from the first to the last element of a tensor, none without elements.
/// Fails for negative strides, ranks beyond `maxRank`, unknown formats, and if elements have no
/// place: a null pointer, or an overflow of the address.
constexpr size_t maxRank = 32;
Result<ByteRange> rangeOf(const DlTensor &);

/// Writes the value of a parameter that takes an argument to `out`, which has room for its
/// packing's size. `start` is the address of a tensor's element 0 in the kernel. Reasons name the
/// argument (0-based `number`), what was expected and what came.
Status bindCall(const Parameter &, const CallArgument &, size_t number, Address start,
                std::byte *out);

} // namespace tessera::run
