// Values of parameters as bytes, and parameters in words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Parameter.h"

#include "tessera/number/Format.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tessera::run {

bool ElementTypes::takes(Dtype dtype) const {
  return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}

std::optional<ElementTypes> elementsOf(std::string text) {
  using enum Dtype;
  bool isIndex = text == "index", isSignless = isIndex || text.starts_with('i');
  std::optional<Dtype> first = isIndex ? s64 : number::findMlir(text);
  if (!first || !storageBits(*first))
    return std::nullopt;
  ElementTypes types{std::move(text), {*first}};
  for (const number::Row &other : number::formats())
    if (isSignless && other.format != *first && isInteger(other.format) && *first != b1 &&
        other.bufferBits == storageBits(*first))
      types.dtypes.push_back(other.format);
  return types;
}

std::optional<ElementTypes> arrayElementsOf(std::string text) {
  if (text != "i1")
    return elementsOf(std::move(text));
  return ElementTypes{"u1", {Dtype::u1}};
}

void packInto(std::byte *out, const Packing &packing, std::span<const uint64_t> leaves) {
  for (size_t i = 0; i < packing.leaves.size(); ++i) {
    auto [offset, bits] = packing.leaves[i];
    uint64_t value = bits < 64 ? leaves[i] & ((uint64_t(1) << bits) - 1) : leaves[i];
    std::memcpy(out + offset, &value, std::bit_ceil((bits + 7) / 8));
  }
}

std::vector<std::byte> pack(const Packing &packing, std::span<const uint64_t> leaves) {
  std::vector<std::byte> out(packing.size);
  packInto(out.data(), packing, leaves);
  return out;
}

std::string_view kindName(Parameter::Kind kind) {
  constexpr std::string_view names[] = {"nothing", "stream", "tensor",
                                        "pointer", "number", "refused"};
  return names[size_t(kind)];
}

std::string constraintOf(const Parameter &parameter) {
  std::string text = parameter.element.text;
  if (parameter.kind == Parameter::Kind::Tensor)
    text += cat(" ", parameter.modes.text);
  if (parameter.isBuffer() && !parameter.onDevice)
    text += ", in memory of the host";
  if (parameter.isBuffer() && parameter.alignment > 1)
    text += cat(", aligned to ", parameter.alignment, " bytes");
  if (parameter.divisor > 1)
    text += cat(", a multiple of ", parameter.divisor);
  return text;
}

} // namespace tessera::run
