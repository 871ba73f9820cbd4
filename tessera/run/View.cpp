// Tensors of DLPack and numbers as bytes of parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/View.h"

#include "tessera/run/Binding.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tessera::run {

namespace {

/// DLDeviceType, from dlpack.h 1.1.
enum DlDevice : int32_t {
  cpu = 1,
  cuda = 2,
  cudaHost = 3,
  cudaManaged = 13
};

/// DLDataTypeCode with the bits of an element, from dlpack.h 1.1.
struct DlFormat {
  uint8_t code, bits;
  Dtype dtype;
};
constexpr DlFormat formats[] = {
    {0, 4, Dtype::s4},     {0, 8, Dtype::s8},    {0, 16, Dtype::s16},  {0, 32, Dtype::s32},
    {0, 64, Dtype::s64},   {1, 8, Dtype::u8},    {1, 16, Dtype::u16},  {1, 32, Dtype::u32},
    {1, 64, Dtype::u64},   {2, 16, Dtype::f16},  {2, 32, Dtype::f32},  {2, 64, Dtype::f64},
    {4, 16, Dtype::bf16},  {6, 8, Dtype::b1},    {10, 8, Dtype::e4m3}, {12, 8, Dtype::e5m2},
    {14, 8, Dtype::ue8m0}, {15, 6, Dtype::e2m3}, {16, 6, Dtype::e3m2}, {17, 4, Dtype::e2m1},
    {0, 2, Dtype::s2},     {1, 4, Dtype::u4},    {1, 2, Dtype::u2},    {1, 1, Dtype::u1},
};

/// Whether a tensor with elements of type `came` may be passed.
bool takes(const ElementTypes &types, Dtype came) {
  if (types.takes(came))
    return true;
  Dtype wanted = types.dtypes[0];
  bool named = wanted == Dtype::f16 || wanted == Dtype::f32 || wanted == Dtype::f64;
  if (!isFloat(wanted) || named)
    return false;
  bool codes =
      number::kindOf(came) == number::Kind::Unsigned && storageBits(came) == storageBits(wanted);
  return codes || (wanted == Dtype::tf32 && came == Dtype::f32);
}

/// An argument of a call in sentences.
class Given final : public Whose {
public:
  Given(size_t number, const CallArgument &argument, const Parameter &parameter)
      : number(number), argument(argument), parameter(parameter) {}
  std::string who() const override {
    std::string name = parameter.name.empty() ? "" : cat(" '", parameter.name, "'");
    return cat("argument ", number, name, " (", str(argument), ") for ", parameter.type);
  }
  std::string strideAdvice(const std::string &fits) const override {
    return cat("strides ", fits, " would fit");
  }

private:
  size_t number;
  const CallArgument &argument;
  const Parameter &parameter;
};

using Numbers = std::array<int64_t, maxRank>;

/// Strides in elements. A stride that no element depends on, such as that of extent 1, is replaced
/// by one that the modes take.
std::span<const int64_t> stridesOf(const DlTensor &t, const Modes *modes, Numbers &out) {
  int64_t compact = 1;
  std::span<const int64_t> shape(t.shape, size_t(t.rank));
  const bool isEmpty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  for (size_t i = size_t(t.rank); i-- > 0;) {
    out[i] = t.strides ? t.strides[i] : compact;
    if (__builtin_mul_overflow(compact, std::max<int64_t>(t.shape[i], 1), &compact))
      compact = INT64_MAX; // rangeOf refuses it, where there are elements at all
    if (!modes || (t.shape[i] > 1 && !isEmpty) || i >= modes->count())
      continue;
    const layout::Int &leaf = modes->steps[i];
    if (leaf.isStatic())
      out[i] = leaf.value;
    else // 0 is a multiple too
      out[i] = out[i] > INT64_MAX - leaf.div ? 0 : (out[i] + leaf.div - 1) / leaf.div * leaf.div;
  }
  return {out.data(), size_t(t.rank)};
}

Status checkElement(const Given &given, const Parameter &parameter, const DlTensor &tensor) {
  std::optional<Dtype> came = dtypeOf(tensor);
  if (came && (parameter.element.dtypes.empty() || takes(parameter.element, *came)))
    return Done{};
  return fail(
      Error::BindElement, given.who(), parameter.element.text,
      came ? std::string(name(*came))
           : cat("type code ", tensor.code, " of ", tensor.bits, " bits, ", tensor.lanes, " lanes"),
      "convert the tensor");
}

Status bindTensor(const Given &given, const Parameter &parameter, const DlTensor &tensor,
                  Address start, std::byte *out) {
  TESSERA_CHECK(checkElement(given, parameter, tensor));
  if (parameter.alignment > 1 && start % uint64_t(parameter.alignment))
    return fail(Error::CallAlignment, given.who(), parameter.alignment, hex(start));
  std::array<uint64_t, 1 + 2 * maxRank> leaves;
  leaves[0] = start;
  if (parameter.kind == Parameter::Kind::Pointer) {
    packInto(out, parameter.packing, leaves);
    return Done{};
  }
  Numbers numbers;
  const Modes &modes = parameter.modes;
  std::span<const int64_t> shape(tensor.shape, size_t(tensor.rank));
  std::span<const int64_t> strides = stridesOf(tensor, &modes, numbers);
  TESSERA_CHECK(checkShape(given, modes, shape));
  TESSERA_CHECK(checkStrides(given, modes, shape, strides));
  size_t at = 1;
  eachDynamicLeaf(modes, shape, strides, [&](int64_t leaf) { leaves[at++] = uint64_t(leaf); });
  packInto(out, parameter.packing, leaves);
  return Done{};
}

/// The code of a number in the first of the types that has it.
Result<uint64_t> codeOf(const Given &given, const Parameter &parameter,
                        const CallArgument &argument) {
  const ElementTypes &types = parameter.element;
  bool isReal = argument.kind == CallArgument::Kind::Real;
  for (Dtype type : types.dtypes) {
    if (isFloat(type)) {
      double value = isReal ? argument.real : double(argument.integer);
      uint64_t code = fromDouble(type, value);
      if (std::isfinite(value) && !std::isfinite(toDouble(type, code)))
        break;
      return code;
    }
    auto [low, high] = integerRange(type);
    bool above = argument.integer > 0 && uint64_t(argument.integer) > uint64_t(high);
    if (isReal || argument.integer < low || above)
      continue;
    TESSERA_CHECK(checkDivisor(given.who(), parameter.divisor, argument.integer));
    return uint64_t(argument.integer);
  }
  return fail(Error::CallNumber, given.who(), types.text);
}

} // namespace

bool isOnHost(const DlTensor &t) {
  return t.deviceType == cpu || t.deviceType == cudaHost || t.deviceType == cudaManaged;
}
bool isOnGpu(const DlTensor &t) {
  return t.deviceType != cpu && (isOnHost(t) || t.deviceType == cuda);
}

std::optional<Dtype> dtypeOf(const DlTensor &t) {
  for (const DlFormat &format : formats)
    if (format.code == t.code && format.bits == t.bits && t.lanes == 1)
      return format.dtype;
  return std::nullopt;
}

std::vector<DlType> dlTypesOf(const ElementTypes &types) {
  std::vector<DlType> found;
  for (const DlFormat &format : formats)
    if (takes(types, format.dtype))
      found.push_back({format.code, format.bits});
  return found;
}

std::vector<int64_t> shapeOf(const DlTensor &t) { return {t.shape, t.shape + t.rank}; }
std::vector<int64_t> stridesOf(const DlTensor &t) {
  Numbers numbers;
  std::span<const int64_t> strides = stridesOf(t, nullptr, numbers);
  return {strides.begin(), strides.end()};
}

std::string str(const DlTensor &t) {
  std::optional<Dtype> dtype = dtypeOf(t);
  if (t.rank < 0 || size_t(t.rank) > maxRank)
    return cat("a tensor of rank ", t.rank);
  Numbers numbers;
  std::string place = isOnHost(t)  ? "memory of the host"
                      : isOnGpu(t) ? "memory of a GPU"
                                   : "foreign memory";
  return cat(dtype ? name(*dtype) : "tensor", " ", tuple({t.shape, size_t(t.rank)}), ":",
             tuple(stridesOf(t, nullptr, numbers)), " in ", place);
}

std::string str(const CallArgument &argument) {
  switch (argument.kind) {
  case CallArgument::Kind::Tensor: return str(*argument.tensor);
  case CallArgument::Kind::Integer: return cat(argument.integer);
  case CallArgument::Kind::Real: return decimal(argument.real);
  case CallArgument::Kind::Address: return hex(argument.address);
  case CallArgument::Kind::Bytes: return cat(argument.bytes.size(), " bytes");
  }
  return "";
}

Result<ByteRange> rangeOf(const DlTensor &t) {
  if (t.rank < 0 || size_t(t.rank) > maxRank)
    return fail(Error::CallRank, t.rank, maxRank);
  if (t.rank && !t.shape)
    return fail(Error::CallShape, t.rank);
  std::optional<Dtype> dtype = dtypeOf(t);
  if (!dtype)
    return fail(Error::CallElement, t.code, t.bits, t.lanes);
  Numbers numbers;
  std::span<const int64_t> strides = stridesOf(t, nullptr, numbers);
  uint64_t begin = reinterpret_cast<uint64_t>(t.data) + t.byteOffset;
  auto tooFar = [&] {
    return fail(Error::StrideOverflow, tuple({t.shape, strides.size()}), tuple(strides));
  };
  int64_t last = 0;
  bool isEmpty = false;
  for (size_t i = 0; i < strides.size(); ++i) {
    int64_t step;
    isEmpty |= t.shape[i] == 0;
    if (t.shape[i] < 0)
      return fail(Error::ShapeNegative, tuple({t.shape, strides.size()}));
    if (strides[i] < 0 && t.shape[i] > 1)
      return fail(Error::StrideNegative, tuple(strides));
    if (t.shape[i] > 1 && (__builtin_mul_overflow(t.shape[i] - 1, strides[i], &step) ||
                           __builtin_add_overflow(last, step, &last)))
      return tooFar();
  }
  if (isEmpty)
    return ByteRange{begin, begin};
  if (!t.data)
    return fail(Error::CallNull, tuple({t.shape, strides.size()}));
  if (last == INT64_MAX)
    return tooFar();
  TESSERA_TRY(int64_t bytes, storageBytes(*dtype, last + 1));
  uint64_t end;
  if (__builtin_add_overflow(begin, uint64_t(bytes), &end) || t.byteOffset > begin)
    return tooFar();
  return ByteRange{begin, end};
}

Status bindCall(const Parameter &parameter, const CallArgument &argument, size_t number,
                Address start, std::byte *out) {
  using Kind = CallArgument::Kind;
  Given given(number, argument, parameter);
  if (argument.kind == Kind::Bytes) {
    if (argument.bytes.size() != parameter.packing.size)
      return fail(Error::CallBytes, given.who(), parameter.packing.size);
    std::copy(argument.bytes.begin(), argument.bytes.end(), out);
    return Done{};
  }
  if (parameter.kind == Parameter::Kind::Refused)
    return fail(parameter.refusal, given.who(), parameter.refused);
  if (parameter.kind == Parameter::Kind::Number) {
    if (argument.kind != Kind::Integer && argument.kind != Kind::Real)
      return fail(Error::CallNotNumber, given.who());
    TESSERA_TRY(uint64_t code, codeOf(given, parameter, argument));
    packInto(out, parameter.packing, {&code, 1});
    return Done{};
  }
  // A pointer without a type may be an integer as well.
  bool isUntyped = parameter.element.dtypes.empty();
  bool isInteger = argument.kind == Kind::Integer && isUntyped;
  if (parameter.kind == Parameter::Kind::Pointer && (argument.kind == Kind::Address || isInteger)) {
    uint64_t code = isInteger ? uint64_t(argument.integer) : argument.address;
    packInto(out, parameter.packing, {&code, 1});
    return Done{};
  }
  if (argument.kind != Kind::Tensor)
    return fail(Error::CallNotTensor, given.who());
  return bindTensor(given, parameter, *argument.tensor, start, out);
}

} // namespace tessera::run
