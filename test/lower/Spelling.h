// How the dialect spells the element types of the tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Element.h"

#include <map>
#include <string>

namespace tessera::lower::test {

/// The dialect's spelling of an element type.
inline std::string spelling(atom::Element element) {
  using enum atom::Element;
  static const std::map<atom::Element, std::string> names = {
      {f64, "f64"},       {f32, "f32"},       {tf32, "tf32"},       {f16, "f16"},
      {bf16, "bf16"},     {e4m3, "f8E4M3FN"}, {e5m2, "f8E5M2"},     {e2m3, "f6E2M3FN"},
      {e3m2, "f6E3M2FN"}, {e2m1, "f4E2M1FN"}, {ue8m0, "f8E8M0FNU"}, {ue4m3, "f8E4M3FN"},
      {s32, "i32"},       {s8, "i8"},         {u8, "ui8"},          {s4, "i4"},
      {u4, "ui4"},        {b1, "i1"}};
  auto it = names.find(element);
  return it == names.end() ? "?" : it->second;
}

} // namespace tessera::lower::test
