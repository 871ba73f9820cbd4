// Reads bindings of kernel parameters, and lays them out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/KernelArgument.h"

#include "tessera/base/Scanner.h"

#include <algorithm>
#include <cstring>

namespace tessera::run {

namespace {

struct MapType {
  Dtype dtype;
  atom::TensorMapType type;
};
constexpr MapType mapTypes[] = {
    {Dtype::u8, atom::TensorMapType::U8},   {Dtype::s8, atom::TensorMapType::U8},
    {Dtype::e4m3, atom::TensorMapType::U8}, {Dtype::e5m2, atom::TensorMapType::U8},
    {Dtype::u16, atom::TensorMapType::U16}, {Dtype::s16, atom::TensorMapType::U16},
    {Dtype::u32, atom::TensorMapType::U32}, {Dtype::s32, atom::TensorMapType::S32},
    {Dtype::u64, atom::TensorMapType::U64}, {Dtype::s64, atom::TensorMapType::S64},
    {Dtype::f16, atom::TensorMapType::F16}, {Dtype::bf16, atom::TensorMapType::BF16},
    {Dtype::f32, atom::TensorMapType::F32}, {Dtype::tf32, atom::TensorMapType::TF32},
    {Dtype::f64, atom::TensorMapType::F64},
};
/// Words in the order of the driver's enums.
constexpr std::string_view swizzles[] = {"none", "32B", "64B", "128B"},
                           interleaves[] = {"none", "16B", "32B"}, fills[] = {"zeros", "nan"};

class Parser {
public:
  Result<KernelArguments> parse(const std::vector<std::string> &texts) {
    for (const std::string &text : texts) {
      whole = text;
      TESSERA_TRY(KernelArgument argument, binding(text));
      out.arguments.push_back(std::move(argument));
    }
    return std::move(out);
  }

private:
  Reason wrong(std::string_view piece, std::string_view expected) const {
    return fail(Error::KernelArgument, whole, piece, expected);
  }

  Result<KernelArgument> binding(std::string_view text) {
    KernelArgument argument;
    if (text.starts_with("struct{"))
      return members(text);
    if (text.starts_with("tmap:"))
      return tensorMap(text);
    if (text.starts_with("ptr=")) {
      argument.kind = KernelArgument::Pointer;
      argument.size = argument.alignment = sizeof(uint64_t);
      TESSERA_TRY(argument.buffer, buffer(text.substr(4)));
      return argument;
    }
    TESSERA_TRY(Argument scalar, parseArgument(text));
    if (scalar.kind != ArgumentKind::Scalar)
      return wrong(text, "ptr= before a buffer");
    argument.scalar = scalar.scalar;
    argument.size = argument.alignment =
        std::max<size_t>(1, size_t(storageBits(*scalar.dtype)) / 8);
    return argument;
  }

  Result<size_t> buffer(std::string_view text) {
    if (text.starts_with('#')) {
      Scanner scanner(text.substr(1));
      std::optional<int64_t> number = scanner.takeInteger();
      if (!number || *number < 0 || size_t(*number) >= out.buffers.size() || !scanner.atEnd())
        return wrong(text, cat("the number of a buffer before it (there are ", out.buffers.size(),
                               ", from #0)"));
      return size_t(*number);
    }
    TESSERA_TRY(Argument argument, parseArgument(text));
    if (argument.kind == ArgumentKind::Scalar)
      return wrong(text, "a buffer such as A.npy, rand:f16:64x64, out:f32:64 or #0");
    out.buffers.push_back(std::move(argument));
    return out.buffers.size() - 1;
  }

  /// Members are separated by commas outside inner braces; the strides of `stride=64,1` stay
  /// together.
  Result<KernelArgument> members(std::string_view text) {
    if (!text.ends_with('}') || ++depth > 8)
      return wrong(text, "struct{binding,...}, at most 8 deep");
    KernelArgument argument;
    argument.kind = KernelArgument::Struct;
    std::string_view left = text.substr(7, text.size() - 8);
    while (!left.empty()) {
      size_t end = 0;
      int open = 0;
      auto parts = [&] {
        size_t next = left.find_first_not_of("0123456789", end + 1);
        bool steps = left.substr(0, end).rfind("stride=") != left.npos || left.starts_with("tmap:");
        bool number =
            next == left.npos || left[next] == ',' || left[next] == ':' || left[next] == '@';
        return !open && left[end] == ',' && !(steps && number && next != end + 1);
      };
      for (; end < left.size() && !parts(); ++end)
        open += (left[end] == '{') - (left[end] == '}');
      TESSERA_TRY(KernelArgument member, binding(left.substr(0, end)));
      argument.alignment = std::max(argument.alignment, member.alignment);
      argument.size = (argument.size + member.alignment - 1) / member.alignment * member.alignment +
                      member.size;
      argument.members.push_back(std::move(member));
      left.remove_prefix(std::min(end + 1, left.size()));
    }
    argument.size =
        (argument.size + argument.alignment - 1) / argument.alignment * argument.alignment;
    --depth;
    return argument;
  }

  template <class T, size_t N>
  std::optional<uint32_t> numbers(std::string_view text, std::string_view separator,
                                  std::array<T, N> &to) {
    Scanner scanner(text);
    uint32_t count = 0;
    do {
      std::optional<int64_t> number = scanner.takeInteger();
      if (!number || *number < 0 || count == N)
        return std::nullopt;
      to[count++] = T(*number);
    } while (scanner.take(separator));
    return scanner.atEnd() ? std::optional(count) : std::nullopt;
  }
  template <class E, size_t N>
  Result<E> word(std::string_view text, const std::string_view (&words)[N]) {
    auto found = std::find(std::begin(words), std::end(words), text);
    if (found != std::end(words))
      return E(found - std::begin(words));
    std::string all;
    for (std::string_view each : words)
      all += cat(all.empty() ? "" : ", ", each);
    return wrong(text, cat("one of ", all));
  }

  Result<KernelArgument> tensorMap(std::string_view text) {
    KernelArgument argument;
    argument.kind = KernelArgument::TensorMap;
    argument.size = sizeof(atom::TensorMapImage);
    argument.alignment = 64;
    size_t at = text.find('@');
    std::vector<std::string_view> pieces;
    for (std::string_view left = text.substr(0, at);;) {
      size_t end = left.find(':');
      pieces.push_back(left.substr(0, end));
      if (end == left.npos)
        break;
      left.remove_prefix(end + 1);
    }
    if (at == text.npos || (pieces.size() != 6 && pieces.size() != 8))
      return wrong(text, "tmap:TYPE:EXTENTS:STRIDES:BOX:SWIZZLE[:INTERLEAVE:FILL]@BUFFER");
    TESSERA_TRY(Dtype dtype, parseDtype(pieces[1]));
    auto type = std::find_if(std::begin(mapTypes), std::end(mapTypes),
                             [&](const MapType &t) { return t.dtype == dtype; });
    if (type == std::end(mapTypes))
      return wrong(pieces[1], "a type that tensor maps have");
    atom::TensorMap &map = argument.map;
    map.type = type->type;
    std::optional<uint32_t> rank = numbers(pieces[2], "x", map.dims);
    if (!rank)
      return wrong(pieces[2], "one to five extents such as 64x128");
    map.rank = *rank;
    if (numbers(pieces[4], "x", map.box) != map.rank)
      return wrong(pieces[4], cat("a box of ", map.rank, " extents"));
    TESSERA_TRY(map.swizzle, word<atom::TensorMapSwizzle>(pieces[5], swizzles));
    if (pieces.size() == 8) {
      TESSERA_TRY(map.interleave, word<atom::TensorMapInterleave>(pieces[6], interleaves));
      TESSERA_TRY(map.fill, word<atom::TensorMapFill>(pieces[7], fills));
    }
    if (pieces[3].empty()) {
      uint64_t stride = map.dims[0] * atom::innerStride(map);
      for (uint32_t mode = 1; mode < map.rank; stride *= map.dims[mode++])
        map.strides[mode - 1] = stride;
    } else if (numbers(pieces[3], ",", map.strides) != map.rank - 1)
      return wrong(pieces[3], cat(map.rank - 1, " strides in bytes, or none"));
    TESSERA_TRY(argument.buffer, buffer(text.substr(at + 1)));
    return argument;
  }

  std::string_view whole;
  int depth = 0;
  KernelArguments out;
};

} // namespace

Result<KernelArguments> parseKernelArguments(const std::vector<std::string> &texts) {
  return Parser().parse(texts);
}

Result<std::vector<std::byte>> bytesOf(const KernelArgument &argument,
                                       std::span<const uint64_t> addresses) {
  std::vector<std::byte> out(argument.size);
  auto put = [&](const auto &value, size_t at = 0, size_t bytes = 0) {
    std::memcpy(out.data() + at, &value, bytes ? bytes : sizeof(value));
  };
  switch (argument.kind) {
  case KernelArgument::Pointer: put(addresses[argument.buffer]); break;
  case KernelArgument::Scalar: put(argument.scalar, 0, argument.size); break;
  case KernelArgument::TensorMap: {
    atom::TensorMap map = argument.map;
    map.address = addresses[argument.buffer];
    TESSERA_TRY(atom::TensorMapImage image, atom::encode(map));
    put(image);
    break;
  }
  case KernelArgument::Struct:
    size_t at = 0;
    for (const KernelArgument &member : argument.members) {
      at = (at + member.alignment - 1) / member.alignment * member.alignment;
      TESSERA_TRY(std::vector<std::byte> bytes, bytesOf(member, addresses));
      std::copy(bytes.begin(), bytes.end(), out.begin() + std::ptrdiff_t(at));
      at += bytes.size();
    }
  }
  return out;
}

} // namespace tessera::run
