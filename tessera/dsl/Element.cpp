// The formats that programs can be written with, as types of the IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Element.h"

#include "mlir/IR/BuiltinTypes.h"

#include <algorithm>

using namespace mlir;
using namespace tessera;
using namespace tessera::dsl;

static constexpr Element all[] = {i1,   i2,   u2,  i4,  u4,       f6E2M3FN, f6E3M2FN,  i8,
                                  u8,   i16,  u16, i32, u32,      i64,      u64,       f16,
                                  bf16, tf32, f32, f64, f8E4M3FN, f8E5M2,   f8E8M0FNU, f4E2M1FN};

std::optional<Element> Element::named(std::string_view name) {
  const Element *found = std::ranges::find(all, name, &Element::name);
  return found == std::end(all) ? std::nullopt : std::optional(*found);
}

Type Element::type(MLIRContext *context) const {
  using enum number::Format;
  switch (which) {
  case f16: return Float16Type::get(context);
  case bf16: return BFloat16Type::get(context);
  case tf32: return FloatTF32Type::get(context);
  case f32: return Float32Type::get(context);
  case f64: return Float64Type::get(context);
  case e4m3: return Float8E4M3FNType::get(context);
  case e5m2: return Float8E5M2Type::get(context);
  case e2m1: return Float4E2M1FNType::get(context);
  case e2m3: return Float6E2M3FNType::get(context);
  case e3m2: return Float6E3M2FNType::get(context);
  case ue8m0: return Float8E8M0FNUType::get(context);
  default: // integers; signed ones have no letter in the IR
    return IntegerType::get(context, bits(),
                            number::kindOf(which) == number::Kind::Unsigned
                                ? IntegerType::Unsigned
                                : IntegerType::Signless);
  }
}
