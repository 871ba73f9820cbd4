// The table of number formats. Source: PTX ISA 9.0, section 5.2 (fundamental and alternate types).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/atom/Element.h"

#include "tessera/atom/Errors.h"

namespace tessera::atom {

namespace {
using enum Element;
constexpr ElementRow table[] = {
    {none, "none", "", 0, NumberKind::None},
    {f64, "f64", "F64", 64, NumberKind::Float},
    {f32, "f32", "F32", 32, NumberKind::Float},
    {tf32, "tf32", "TF32", 32, NumberKind::Float},
    {f16, "f16", "F16", 16, NumberKind::Float},
    {bf16, "bf16", "BF16", 16, NumberKind::Float},
    {e4m3, "e4m3", "E4M3", 8, NumberKind::Float},
    {e5m2, "e5m2", "E5M2", 8, NumberKind::Float},
    {e2m3, "e2m3", "E2M3", 6, NumberKind::Float},
    {e3m2, "e3m2", "E3M2", 6, NumberKind::Float},
    {e2m1, "e2m1", "E2M1", 4, NumberKind::Float},
    {ue8m0, "ue8m0", "UE8M0", 8, NumberKind::Float},
    {ue4m3, "ue4m3", "UE4M3", 8, NumberKind::Float},
    {s32, "s32", "S32", 32, NumberKind::Signed},
    {s8, "s8", "S8", 8, NumberKind::Signed},
    {u8, "u8", "U8", 8, NumberKind::Unsigned},
    {s4, "s4", "S4", 4, NumberKind::Signed},
    {u4, "u4", "U4", 4, NumberKind::Unsigned},
    {b1, "b1", "U1", 1, NumberKind::Bits},
};

constexpr bool inEnumOrder() {
  for (size_t i = 0; i < std::size(table); ++i)
    if (table[i].element != Element(i))
      return false;
  return std::size(table) == size_t(b1) + 1;
}
static_assert(inEnumOrder());
} // namespace

std::span<const ElementRow> elements() { return table; }

const ElementRow &row(Element element) { return table[size_t(element)]; }

Result<Element> parseElement(std::string_view text) {
  std::string known;
  for (const ElementRow &candidate : std::span(table).subspan(1)) {
    if (candidate.ptx == text)
      return candidate.element;
    known += cat(known.empty() ? "" : ", ", candidate.ptx);
  }
  return fail(Error::UnknownElement, text, known);
}

} // namespace tessera::atom
