// Constants, arithmetic and comparisons.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Scalars.h"

#include "tessera/dsl/Call.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::dsl;

static bool isFloat(Type type) { return type && isa<FloatType>(getElementTypeOrSelf(type)); }

/// The result of an operation; poisoned where it was refused.
template <class Op> static Num result(Op op) { return Num(op ? op->getResult(0) : Value()); }

//===--- unsigned integers --------------------------------------------------------------------===//

// A u32 is a ui32 of the IR, so that tensors, parameters and what loops carry know that it has no
// sign. Operations of the IR take i32 and say themselves how they read it.
static bool isUnsigned(Type type) { return type && getElementTypeOrSelf(type).isUnsignedInteger(); }
/// The type that operations take for numbers of this type.
static Type plain(Type type) {
  if (!isUnsigned(type))
    return type;
  Type one = getElementTypeOrSelf(type),
       bits = IntegerType::get(type.getContext(), one.getIntOrFloatBitWidth());
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(bits)) : bits;
}
/// The same bits as a value of another type.
static Value as(Call &call, Value bits, Type type) {
  if (!bits || bits.getType() == type)
    return bits;
  auto cast = call.create<UnrealizedConversionCastOp>(TypeRange(type), ValueRange(bits));
  return cast ? cast.getResult(0) : Value();
}
static Value plain(Call &call, const Num &x) { return as(call, x.ir(), plain(x.type())); }

//===--- constants ----------------------------------------------------------------------------===//

/// Of an integer or floating-point type.
static Num constantOf(Call &call, Type type, int64_t whole, double floating) {
  if (!call.good())
    return Num(Value());
  OpBuilder &b = call.builder();
  TypedAttr value;
  if (auto integer = dyn_cast<IntegerType>(plain(type)))
    value = integer.getWidth() == 1
                ? b.getBoolAttr(whole)
                : b.getIntegerAttr(integer, APInt(integer.getWidth(), uint64_t(whole), true, true));
  else
    value = b.getFloatAttr(type, floating);
  return Num(as(call, result(call.create<arith::ConstantOp>(value)).ir(), type));
}
Num dsl::detail::constant(Element e, int64_t value, Place at) {
  Call call("constant", at);
  if (!call.good())
    return Num(Value());
  auto type = e.type(call.mlirContext());
  auto floating = dyn_cast<FloatType>(type);
  if (!floating)
    return constantOf(call, type, value, 0);
  APFloat nearest(floating.getFloatSemantics());
  constexpr unsigned bits = 64;
  nearest.convertFromAPInt(APInt(bits, uint64_t(value), true), true, APFloat::rmNearestTiesToEven);
  return result(call.create<arith::ConstantOp>(FloatAttr::get(floating, nearest)));
}
Num dsl::detail::constant(Element e, double value, Place at) {
  Call call("constant", at);
  if (call.good() && !e.isFloat())
    call.fail(cat("expects an integer for an ", e.name(), ", but got ", value));
  return call.good() ? constantOf(call, e.type(call.mlirContext()), 0, value) : Num(Value());
}

Num Operand::as(const Num *like) const {
  if (const Num *n = number())
    return *n;
  if (like && like->poisoned())
    return *like;
  Call call("literal", at);
  const int64_t *whole = std::get_if<int64_t>(&what);
  double floating = whole ? double(*whole) : std::get<double>(what);
  Type type = like ? like->type() : Type();
  if (!type && call.good())
    type = (whole ? i32 : f32).type(call.mlirContext());
  Type one = type ? getElementTypeOrSelf(type) : type;
  if (call.good() && !whole && !isFloat(one))
    call.fail(cat("expects an integer literal next to an integer, but got ", floating));
  // Of either sign: ~0u is a mask beside an i32.
  if (auto integer = dyn_cast_or_null<IntegerType>(one); integer && whole)
    if (unsigned bits = integer.getWidth();
        bits < 64 && (*whole < -(int64_t(1) << (bits - 1)) || *whole >> bits > 0))
      call.fail(cat("expects a number of ", bits, " bits beside one, but got ", *whole,
                    "; convert the other number to 64 bits"));
  Num scalar = constantOf(call, one, whole ? *whole : 0, floating);
  auto vector = dyn_cast_or_null<VectorType>(type);
  return vector && scalar.ir() ? broadcast(scalar, vector.getNumElements(), at) : scalar;
}

//===--- arithmetic ---------------------------------------------------------------------------===//

namespace {
/// Both operands as numbers, the left one first.
struct Pair {
  Num x, y;
  Place at;
  Pair(const Operand &left, const Operand &right)
      : x(left.as(right.number())), y(right.as(left.number() ? left.number() : &x)),
        at(left.place()) {}
};
std::string str(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}
/// A call whose operands are of one type.
struct Alike : Call {
  Alike(const char *name, const Num &x, const Num &y, Place at) : Call(name, at, x, y) {
    if (good() && x.type() != y.type())
      fail(cat("expects operands of one type, but got ", str(x.type()), " and ", str(y.type())));
  }
};
/// The operation on signed integers, on unsigned ones, or on floating-point numbers, as the
/// operands are.
template <class Signed, class Unsigned, class Floating>
Num arithmetic(const char *name, const Pair &p) {
  Alike call(name, p.x, p.y, p.at);
  if (isFloat(p.x.type()))
    return result(call.create<Floating>(p.x.ir(), p.y.ir(), arith::FastMathFlags::contract));
  Value x = plain(call, p.x), y = plain(call, p.y);
  Num bits = isUnsigned(p.x.type()) ? result(call.create<Unsigned>(x, y))
                                    : result(call.create<Signed>(x, y));
  return Num(as(call, bits.ir(), p.x.type()));
}
template <class Signed, class Unsigned = Signed> Num bitwise(const char *name, const Pair &p) {
  Alike call(name, p.x, p.y, p.at);
  if (call.good() && isFloat(p.x.type()))
    call.fail(cat("expects integers, but got ", str(p.x.type())));
  Value x = plain(call, p.x), y = plain(call, p.y);
  Num bits = isUnsigned(p.x.type()) ? result(call.create<Unsigned>(x, y))
                                    : result(call.create<Signed>(x, y));
  return Num(as(call, bits.ir(), p.x.type()));
}
Num compare(const char *name, const Pair &p, arith::CmpIPredicate withSign,
            arith::CmpIPredicate without, arith::CmpFPredicate floating) {
  Alike call(name, p.x, p.y, p.at);
  if (isFloat(p.x.type()))
    return result(call.create<arith::CmpFOp>(floating, p.x.ir(), p.y.ir()));
  return result(call.create<arith::CmpIOp>(isUnsigned(p.x.type()) ? without : withSign,
                                           plain(call, p.x), plain(call, p.y)));
}
} // namespace

namespace tessera::dsl {

#define TESSERA_ARITHMETIC(OP, WHOLE, FLOATING)                                                    \
  Num operator OP(Operand x, Operand y) {                                                          \
    return arithmetic<arith::WHOLE, arith::WHOLE, arith::FLOATING>("operator" #OP, {x, y});        \
  }
TESSERA_ARITHMETIC(+, AddIOp, AddFOp)
TESSERA_ARITHMETIC(-, SubIOp, SubFOp)
TESSERA_ARITHMETIC(*, MulIOp, MulFOp)
TESSERA_ARITHMETIC(/, DivUIOp, DivFOp)
#undef TESSERA_ARITHMETIC
#define TESSERA_BITWISE(CALL, NAME, ...)                                                           \
  Num CALL(Operand x, Operand y) { return bitwise<__VA_ARGS__>(NAME, {x, y}); }
TESSERA_BITWISE(operator%, "operator%", arith::RemUIOp)
TESSERA_BITWISE(quotient, "operator/", arith::DivSIOp, arith::DivUIOp)
TESSERA_BITWISE(remainder, "operator%", arith::RemSIOp, arith::RemUIOp)
TESSERA_BITWISE(operator&, "operator&", arith::AndIOp)
TESSERA_BITWISE(operator|, "operator|", arith::OrIOp)
TESSERA_BITWISE(operator^, "operator^", arith::XOrIOp)
TESSERA_BITWISE(operator<<, "operator<<", arith::ShLIOp)
TESSERA_BITWISE(operator>>, "operator>>", arith::ShRSIOp, arith::ShRUIOp)
#undef TESSERA_BITWISE

#define TESSERA_COMPARISON(OP, SIGNED, UNSIGNED, FLOATING)                                         \
  Num operator OP(Operand x, Operand y) {                                                          \
    return compare("operator" #OP, {x, y}, arith::CmpIPredicate::SIGNED,                           \
                   arith::CmpIPredicate::UNSIGNED, arith::CmpFPredicate::FLOATING);                \
  }
TESSERA_COMPARISON(<, slt, ult, OLT)
TESSERA_COMPARISON(<=, sle, ule, OLE)
TESSERA_COMPARISON(>, sgt, ugt, OGT)
TESSERA_COMPARISON(>=, sge, uge, OGE)
TESSERA_COMPARISON(==, eq, eq, OEQ)
TESSERA_COMPARISON(!=, ne, ne, UNE)
#undef TESSERA_COMPARISON

Num min(Operand x, Operand y) {
  return arithmetic<arith::MinSIOp, arith::MinUIOp, arith::MinNumFOp>("min", {x, y});
}
Num max(Operand x, Operand y) {
  return arithmetic<arith::MaxSIOp, arith::MaxUIOp, arith::MaxNumFOp>("max", {x, y});
}

/// An operation on floating-point numbers of one type.
template <class Op>
static Num onFloats(const char *name, Num x, Num y, Place at,
                    arith::FastMathFlags flags = arith::FastMathFlags::none) {
  Alike call(name, x, y, at);
  if (call.good() && !isFloat(x.type()))
    call.fail(cat("expects floating-point numbers, but got ", str(x.type())));
  return result(call.create<Op>(x.ir(), y.ir(), flags));
}
Num add_rn(Num x, Num y, Place at) { return onFloats<arith::AddFOp>("add_rn", x, y, at); }
Num mul_rn(Num x, Num y, Place at) { return onFloats<arith::MulFOp>("mul_rn", x, y, at); }
Num maximum(Num x, Num y, Place at) { return onFloats<arith::MaximumFOp>("maximum", x, y, at); }
Num divide_approx(Num x, Num y, Place at) {
  return onFloats<arith::DivFOp>("divide_approx", x, y, at, arith::FastMathFlags::afn);
}
Num select(Num condition, Num yes, Num no, Place at) {
  Call call("select", at, condition, yes, no);
  if (call.good() && yes.type() != no.type())
    call.fail(cat("expects alternatives of one type, but got ", str(yes.type()), " and ",
                  str(no.type())));
  if (call.good() && !getElementTypeOrSelf(condition.type()).isInteger(1))
    call.fail(cat("expects a condition of i1, but got ", str(condition.type())));
  return result(call.create<arith::SelectOp>(condition.ir(), yes.ir(), no.ir()));
}

//===--- functions ----------------------------------------------------------------------------===//

template <class Op> static Num approximation(const char *name, Num x, Place at) {
  Call call(name, at, x);
  if (call.good() && !isFloat(x.type()))
    call.fail(cat("expects floating-point numbers, but got ", str(x.type())));
  return result(call.create<Op>(x.ir(), arith::FastMathFlags::afn));
}
Num exp2(Num x, Place at) { return approximation<math::Exp2Op>("exp2", x, at); }
Num log2(Num x, Place at) { return approximation<math::Log2Op>("log2", x, at); }
Num rsqrt(Num x, Place at) { return approximation<math::RsqrtOp>("rsqrt", x, at); }
/// An operation on floating-point numbers, exact as the lowering has it.
template <class Op> static Num function(const char *name, Num x, Place at) {
  Call call(name, at, x);
  if (call.good() && !isFloat(x.type()))
    call.fail(cat("expects floating-point numbers, but got ", str(x.type())));
  return result(call.create<Op>(x.ir()));
}
Num apply(Function which, Num x, Place at) {
  switch (which) {
  case Function::Abs: {
    Call call("abs", at, x);
    if (isFloat(x.type()))
      return result(call.create<math::AbsFOp>(x.ir()));
    if (call.good() && isUnsigned(x.type()))
      return x;
    return result(call.create<math::AbsIOp>(x.ir()));
  }
  case Function::Ceil: return function<math::CeilOp>("ceil", x, at);
  case Function::Cos: return function<math::CosOp>("cos", x, at);
  case Function::Erf: return function<math::ErfOp>("erf", x, at);
  case Function::Exp: return function<math::ExpOp>("exp", x, at);
  case Function::Floor: return function<math::FloorOp>("floor", x, at);
  case Function::Log: return function<math::LogOp>("log", x, at);
  case Function::Log10: return function<math::Log10Op>("log10", x, at);
  case Function::Log1p: return function<math::Log1pOp>("log1p", x, at);
  case Function::Round: return function<math::RoundEvenOp>("round", x, at);
  case Function::Sin: return function<math::SinOp>("sin", x, at);
  case Function::Sqrt: return function<math::SqrtOp>("sqrt", x, at);
  case Function::Tan: return function<math::TanOp>("tan", x, at);
  case Function::Tanh: return function<math::TanhOp>("tanh", x, at);
  case Function::Trunc: return function<math::TruncOp>("trunc", x, at);
  }
  return Num(Value());
}
Num power(Num x, Num y, Place at) {
  Alike call("pow", x, y, at);
  if (call.good() && !isFloat(x.type()))
    call.fail(cat("expects floating-point numbers, but got ", str(x.type())));
  return result(call.create<math::PowFOp>(x.ir(), y.ir()));
}
Num fma(Num x, Num y, Num z, Place at) {
  Call call("fma", at, x, y, z);
  if (call.good() && (!isFloat(x.type()) || x.type() != y.type() || x.type() != z.type()))
    call.fail(cat("expects three floating-point numbers of one type, but got ", str(x.type()), ", ",
                  str(y.type()), " and ", str(z.type())));
  return result(call.create<math::FmaOp>(x.ir(), y.ir(), z.ir()));
}

/// f32 in a format of 8 bits, of which the GPU makes two at once: a lone number is half of a pair.
static Num narrowed(Call &call, Num x, Type to) {
  if (!getElementTypeOrSelf(x.type()).isF32() || to.getIntOrFloatBitWidth() != 8)
    call.fail(cat("expects f32 for a format of 8 bits, but got ", str(x.type()), " and ", str(to)));
  if (!isa<VectorType>(x.type())) {
    Num pair = narrowed(call, broadcast(x, 2, call.place()), to);
    return result(pair.ir() ? call.create<vector::ExtractOp>(pair.ir(), int64_t(0))
                            : vector::ExtractOp());
  }
  int64_t numbers = count(x);
  if (numbers % 2)
    call.fail(cat("expects an even count of numbers for ", str(to), ", but got ", numbers));
  SmallVector<Value> words;
  for (int64_t i = 0; i + 1 < numbers && call.good(); i += 2) {
    Value low = call.create<vector::ExtractOp>(x.ir(), i),
          high = call.create<vector::ExtractOp>(x.ir(), i + 1);
    words.push_back(call.create<NVVM::ConvertF32x2ToF8x2Op>(
        call.builder().getI16Type(), high, low, NVVM::FPRoundingMode::RN,
        NVVM::SaturationMode::SATFINITE, /*relu=*/false, to));
  }
  if (!call.good())
    return Num(Value());
  auto packed = VectorType::get(int64_t(words.size()), call.builder().getI16Type());
  Value all = call.create<vector::FromElementsOp>(packed, words);
  return result(call.create<vector::BitCastOp>(VectorType::get(numbers, to), all));
}
Num convert(Num x, Element element, Place at) {
  Call call("convert", at, x);
  if (!call.good())
    return Num(Value());
  Type from = getElementTypeOrSelf(x.type()), one = element.type(call.mlirContext()), to = one;
  if (auto vector = dyn_cast<VectorType>(x.type()))
    to = vector.clone(one);
  if (from == one)
    return x;
  unsigned before = from.getIntOrFloatBitWidth(), after = one.getIntOrFloatBitWidth();
  constexpr unsigned narrow = 8;
  if (isFloat(from) && isFloat(one)) {
    if (before == after)
      call.fail(cat("expects formats of different widths, but got ", str(from), " and ", str(one)));
    if (after == narrow)
      return narrowed(call, x, one);
    return before > after ? result(call.create<arith::TruncFOp>(to, x.ir()))
                          : result(call.create<arith::ExtFOp>(to, x.ir()));
  }
  // What these formats hold, an f32 holds too.
  if ((isFloat(one) && after <= narrow) || (isFloat(from) && before <= narrow))
    return convert(convert(x, f32, at), element, at);
  Value bits = plain(call, x);
  bool hasSign = !isUnsigned(from) && !from.isInteger(1);
  if (isFloat(one))
    return hasSign ? result(call.create<arith::SIToFPOp>(to, bits))
                   : result(call.create<arith::UIToFPOp>(to, bits));
  if (one.isInteger(1)) {
    return Operand(x, at) != Operand(0, at);
  }
  Type whole = plain(to);
  Num out(bits);
  if (isFloat(from))
    out = isUnsigned(one) ? result(call.create<arith::FPToUIOp>(whole, bits))
                          : result(call.create<arith::FPToSIOp>(whole, bits));
  else if (before > after)
    out = result(call.create<arith::TruncIOp>(whole, bits));
  else if (before < after)
    out = hasSign ? result(call.create<arith::ExtSIOp>(whole, bits))
                  : result(call.create<arith::ExtUIOp>(whole, bits));
  return Num(as(call, out.ir(), to));
}
Num bitcast(Num x, Element element, Place at) {
  Call call("bitcast", at, x);
  if (!call.good())
    return Num(Value());
  Type one = element.type(call.mlirContext()), to = one;
  if (auto vector = dyn_cast<VectorType>(x.type()))
    to = vector.clone(one);
  Value bits = plain(call, x);
  if (plain(x.type()) != plain(to))
    bits = result(call.create<arith::BitcastOp>(plain(to), bits)).ir();
  return Num(as(call, bits, to));
}
Num count_bits(BitCount which, Num x, Place at) {
  Call call("count_bits", at, x);
  if (call.good() && isFloat(x.type()))
    call.fail(cat("expects an integer, but got ", str(x.type())));
  Value bits = plain(call, x);
  Num count = which == BitCount::Ones ? result(call.create<math::CtPopOp>(bits))
              : which == BitCount::LeadingZeros
                  ? result(call.create<math::CountLeadingZerosOp>(bits))
                  : result(call.create<math::CountTrailingZerosOp>(bits));
  return Num(as(call, count.ir(), x.type()));
}
Num byte_perm(Num x, Num y, Num selector, Place at) {
  Call call("byte_perm", at, x, y, selector);
  for (const Num *word : {&x, &y, &selector})
    if (call.good() && !word->type().isInteger(32))
      call.fail(cat("expects numbers of i32, but got ", str(word->type())));
  if (!call.good())
    return Num(Value());
  return result(call.create<NVVM::PermuteOp>(call.builder().getI32Type(), plain(call, x),
                                             plain(call, y), plain(call, selector),
                                             NVVM::PermuteMode::DEFAULT));
}
Num wide(Num x, Place at) {
  Call call("wide", at, x);
  if (call.good() && !x.type().isInteger(32))
    call.fail(cat("expects an i32, but got ", str(x.type())));
  return call.good()
             ? result(call.create<arith::ExtUIOp>(call.builder().getI64Type(), plain(call, x)))
             : Num(Value());
}

//===--- vectors ------------------------------------------------------------------------------===//

int64_t count(const Num &x) {
  auto vector = dyn_cast_or_null<VectorType>(x.type());
  return vector ? vector.getNumElements() : 1;
}
Num broadcast(Num x, int64_t count, Place at) {
  Call call("broadcast", at, x);
  if (call.good() && (isa<VectorType>(x.type()) || count < 1))
    call.fail(
        cat("expects one number and a positive count, but got ", str(x.type()), " and ", count));
  return call.good()
             ? result(call.create<vector::BroadcastOp>(VectorType::get({count}, x.type()), x.ir()))
             : Num(Value());
}
Num vector_of(ArrayRef<int32_t> values, Place at) {
  Call call("vector_of", at);
  return call.good()
             ? result(call.create<arith::ConstantOp>(call.builder().getI32VectorAttr(values)))
             : Num(Value());
}
Num vector_of(ArrayRef<Num> values, Place at) {
  Call call("vector_of", at);
  SmallVector<Value> all;
  for (const Num &value : values) {
    Call each("vector_of", at, value);
    if (!each.good())
      return Num(Value());
    all.push_back(value.ir());
  }
  if (call.good() && all.empty())
    call.fail("expects at least one number");
  if (!call.good())
    return Num(Value());
  return result(call.create<vector::FromElementsOp>(
      VectorType::get(int64_t(all.size()), all.front().getType()), all));
}
Num reduce(Num vector, const std::function<Num(Num, Num)> &combine, Place at) {
  Call call("reduce", at, vector);
  if (call.good() && !isa<VectorType>(vector.type()))
    call.fail(cat("expects a vector, but got ", str(vector.type())));
  if (!call.good())
    return Num(Value());
  SmallVector<Num> rest;
  for (int64_t i = 0, n = count(vector); i < n; ++i)
    rest.push_back(result(call.create<vector::ExtractOp>(vector.ir(), i)));
  for (; rest.size() > 1; rest.resize((rest.size() + 1) / 2))
    for (size_t i = 0, half = (rest.size() + 1) / 2; i + half < rest.size(); ++i)
      rest[i] = combine(rest[i], rest[i + half]);
  return rest.front();
}

} // namespace tessera::dsl
