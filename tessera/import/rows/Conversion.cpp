// Rows: conversions between f32, f16, bf16 and narrow floats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/rows/Rows.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tessera::import {

namespace {
/// An element type, and the ops of LLVM 22 that convert two f32 to a word of two elements, and such
/// a word to two f16.
struct Narrow {
  bool (*matches)(Type);
  StringLiteral convert, widen;
  unsigned wordBits;
};
template <class T> bool is(Type type) { return isa<T>(type); }
constexpr Narrow narrowTypes[] = {
    {is<Float8E4M3FNType>, "nvvm.convert.f32x2.to.f8x2", "nvvm.convert.f8x2.to.f16x2", 16},
    {is<Float8E5M2Type>, "nvvm.convert.f32x2.to.f8x2", "nvvm.convert.f8x2.to.f16x2", 16},
    {is<Float4E2M1FNType>, "nvvm.convert.f32x2.to.f4x2", "nvvm.convert.f4x2.to.f16x2", 8},
};
} // namespace

/// One word of two elements: operand 0 of the conversion goes to the upper half.
static Value convertPair(ForeignOp &op, const Narrow &narrow, Value source, unsigned pair) {
  Builder &b = op.build();
  auto at = [&](int64_t position) {
    return op.value("vector.extract", b.getF32Type(), source,
                    b.getNamedAttr("static_position", b.getDenseI64ArrayAttr(position)));
  };
  Value low = at(2 * pair), high = at(2 * pair + 1);
  auto element = cast<VectorType>(op.resultType()).getElementType();
  NamedAttrList properties(b.getNamedAttr("dstTy", TypeAttr::get(element)));
  if (narrow.wordBits == 16) {
    properties.push_back(op.property("rnd", "#nvvm.fp_rnd_mode<rn>"));
    properties.push_back(op.property("sat", "#nvvm.sat_mode<satfinite>"));
  }
  return op.value(narrow.convert, b.getIntegerType(narrow.wordBits), {high, low}, properties);
}

/// nvgpu.cvt_fptrunc: to nearest, and what is too large becomes the largest number
/// (vendor_llvm.mlir of the corpus: rnd = rn, sat = satfinite). arith.truncf would give NaN there.
/// `compact` leaves no gaps.
static LogicalResult narrow(ForeignOp &op) {
  for (auto [property, mnemonic, value] :
       {std::tuple("rnd", "rnd", "rn"),
        std::tuple("packed_kind", "subbytes_packedkind", "compact")}) {
    FailureOr<StringRef> given = op.takeEnumerator(property, mnemonic, value);
    if (failed(given))
      return failure();
    if (*given != value)
      return op.refuse(Diag::PropertyValue, property, value, *given);
  }
  auto from = dyn_cast<VectorType>(op.operand(0).getType());
  auto to = dyn_cast<VectorType>(op.resultType());
  // Nothing is too large for f16 and bf16 but what becomes infinite in both readings.
  if (to && (to.getElementType().isF16() || to.getElementType().isBF16()))
    return op.replace(op.value("arith.truncf", to, op.operand(0)));
  const Narrow *found = std::end(narrowTypes);
  if (from && to && from.getRank() == 1 && from.getShape() == to.getShape() &&
      isa<Float32Type, Float16Type, BFloat16Type>(from.getElementType()))
    found =
        llvm::find_if(narrowTypes, [&](const Narrow &n) { return n.matches(to.getElementType()); });
  if (found == std::end(narrowTypes))
    return op.refuse(Diag::NoConversion, op.operand(0).getType(), op.resultType());
  unsigned length = from.getNumElements();
  if (length % 2)
    return op.refuse(Diag::VectorLength, from, length);
  Value source = op.operand(0);
  if (!from.getElementType().isF32())
    source = op.value("arith.extf", from.clone(op.build().getF32Type()), source); // exact
  SmallVector<Value> words;
  for (unsigned pair = 0; pair < length / 2; ++pair)
    words.push_back(convertPair(op, *found, source, pair));
  auto packed = VectorType::get(length / 2, op.build().getIntegerType(found->wordBits));
  return op.replace(
      op.value("vector.bitcast", to, op.value("vector.from_elements", packed, words)));
}

/// nvgpu.cvt_fpext: exact. Two f8 or f4 become two f16 at once; from there on `arith` goes on.
static LogicalResult widen(ForeignOp &op) {
  auto from = dyn_cast<VectorType>(op.operand(0).getType());
  auto to = dyn_cast<VectorType>(op.resultType());
  Builder &b = op.build();
  const Narrow *found = std::end(narrowTypes);
  if (from && to && from.getRank() == 1 && from.getShape() == to.getShape() &&
      isa<Float32Type, Float16Type, BFloat16Type>(to.getElementType())) {
    if (from.getElementType().isF16() || from.getElementType().isBF16())
      return op.replace(op.value("arith.extf", to, op.operand(0)));
    found = llvm::find_if(narrowTypes,
                          [&](const Narrow &n) { return n.matches(from.getElementType()); });
  }
  if (found == std::end(narrowTypes))
    return op.refuse(Diag::NoConversion, op.operand(0).getType(), op.resultType());
  int64_t length = from.getNumElements();
  if (length % 2)
    return op.refuse(Diag::VectorLength, from, length);
  auto words = VectorType::get(length / 2, b.getIntegerType(found->wordBits));
  Value packed = op.value("vector.bitcast", words, op.operand(0));
  auto pairType = VectorType::get(2, b.getF16Type());
  SmallVector<Value> halves;
  for (int64_t pair = 0; pair < length / 2; ++pair) {
    auto at = [&](Value vector, Type type, int64_t position) {
      return op.value("vector.extract", type, vector,
                      b.getNamedAttr("static_position", b.getDenseI64ArrayAttr(position)));
    };
    Value word = at(packed, words.getElementType(), pair);
    if (found->wordBits == 16)
      word = op.value("vector.bitcast", VectorType::get(2, b.getI8Type()),
                      op.value("vector.from_elements", VectorType::get(1, b.getI16Type()), word));
    Value two = op.value(found->widen, pairType, word,
                         b.getNamedAttr("srcType", TypeAttr::get(from.getElementType())));
    halves.push_back(at(two, b.getF16Type(), 0));
    halves.push_back(at(two, b.getF16Type(), 1));
  }
  Value result = op.value("vector.from_elements", VectorType::get(length, b.getF16Type()), halves);
  if (to.getElementType().isF16())
    return op.replace(result);
  result = op.value("arith.extf", VectorType::get(length, b.getF32Type()), result);
  if (to.getElementType().isBF16()) // exact: bf16 has all values of f8 and f4
    result = op.value("arith.truncf", to, result);
  return op.replace(result);
}

/// nvvm.cvt.packfloat.f32: two f32 as a word of two narrow floats, operand 0 in its upper half, in
/// the low bits of an i32. What the third operand is merged into is not public; all that is seen is
/// zero (vendor_llvm.mlir of the corpus).
static LogicalResult packFloat(ForeignOp &op) {
  for (auto [property, mnemonic, value] :
       {std::tuple("rnd", "rnd", "rn"), std::tuple("sat", "sat", "satfinite")}) {
    FailureOr<StringRef> given = op.takeEnumerator(property, mnemonic);
    if (failed(given))
      return failure();
    if (*given != value)
      return op.refuse(Diag::PropertyValue, property, value, *given);
  }
  FailureOr<StringRef> to = op.takeEnumerator("to", "packfloat_type");
  FailureOr<bool> relu = op.takeFlag("relu", false), high = op.takeFlag("extractHi", false);
  if (failed(to) || failed(relu) || failed(high))
    return failure();
  if (*high)
    return op.refuse(Diag::PropertyValue, "extractHi", "false", "true");
  Builder &b = op.build();
  Type element = llvm::StringSwitch<Type>(*to)
                     .Case("e4m3x2", Float8E4M3FNType::get(op.context()))
                     .Case("e5m2x2", Float8E5M2Type::get(op.context()))
                     .Case("e2m1x2", Float4E2M1FNType::get(op.context()))
                     .Default(Type());
  if (!element)
    return op.refuse(Diag::PropertyValue, "to", "e4m3x2, e5m2x2 or e2m1x2", *to);
  if (!matchPattern(op.operand(2), m_Zero()))
    return op.refuse(Diag::OperandType, 2, "the constant 0", op.operand(2).getType());
  const Narrow &narrow =
      *llvm::find_if(narrowTypes, [&](const Narrow &n) { return n.matches(element); });
  NamedAttrList properties(b.getNamedAttr("dstTy", TypeAttr::get(element)));
  if (*relu)
    properties.push_back(b.getNamedAttr("relu", b.getBoolAttr(true)));
  if (narrow.wordBits == 16) {
    properties.push_back(op.property("rnd", "#nvvm.fp_rnd_mode<rn>"));
    properties.push_back(op.property("sat", "#nvvm.sat_mode<satfinite>"));
  }
  Value word = op.value(narrow.convert, b.getIntegerType(narrow.wordBits),
                        {op.operand(0), op.operand(1)}, properties);
  return op.replace(op.value("arith.extui", b.getI32Type(), word));
}

using enum Slot;

static constexpr Row table[] = {
    {.name = "nvvm.cvt.packfloat.f32",
     .operands = {F32, F32, I32},
     .result = I32,
     .rewrite = packFloat,
     .witness = Witness::Family},
    {.name = "nvgpu.cvt_fptrunc",
     .form = "$ attr-dict : types to results",
     .operands = {Any},
     .result = Any,
     .rewrite = narrow},
    {.name = "nvgpu.cvt_fpext",
     .form = "$ attr-dict : types to results",
     .operands = {Any},
     .result = Any,
     .rewrite = widen,
     .witness = Witness::Family},
};

llvm::ArrayRef<Row> conversionRows() { return table; }

} // namespace tessera::import
