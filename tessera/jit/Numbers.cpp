// Element types and numbers of parameters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/jit/Numbers.h"

#include "tessera/cute/Evaluate.h"
#include "tessera/jit/Errors.h"
#include "tessera/number/Format.h"

using namespace mlir;

namespace tessera::jit {

bool DtypeRow::takes(run::Dtype dtype) const { return llvm::is_contained(dtypes, dtype); }

std::optional<DtypeRow> dtypesOf(Type type) {
  using enum run::Dtype;
  DtypeRow row;
  llvm::raw_string_ostream(row.type) << type;
  bool isSignless = isa<IndexType>(type) || type.isSignlessInteger();
  std::optional<run::Dtype> first = isa<IndexType>(type) ? s64 : number::findMlir(row.type);
  if (!first || !run::storageBits(*first))
    return std::nullopt;
  row.dtypes.push_back(*first);
  // Signless integers are either's. CuTe DSL passes bool as i8, a byte each.
  for (const number::Row &other : number::formats())
    if (isSignless && other.format != *first && run::isInteger(other.format) && *first != b1 &&
        other.bufferBits == run::storageBits(*first))
      row.dtypes.push_back(other.format);
  return row;
}

std::optional<NumberType> numberType(Type parameter) {
  if (dtypesOf(parameter))
    return NumberType{parameter};
  if (isa<cute::PtrType, cute::CuteMemRefType>(parameter))
    return std::nullopt;
  std::vector<layout::Int> leaves;
  cute::Datum datum = cute::datumOf(parameter);
  datum.forEachDynamicLeaf([&](layout::Int &leaf) { leaves.push_back(leaf); });
  if (leaves.size() != 1)
    return std::nullopt;
  unsigned bits = leaves[0].width == layout::Width::I64 ? 64 : 32;
  return NumberType{IntegerType::get(parameter.getContext(), bits), leaves[0].div};
}

/// The argument as one of the parameter's type, if it was written without.
static Result<run::Argument> typed(const std::string &who, const DtypeRow &row,
                                   const run::Argument &argument) {
  if (argument.text.find(':') != std::string::npos)
    return argument;
  // Read again, so that 5 becomes 5.0 and what does not fit gets its sentence.
  Result<run::Argument> read =
      run::parseArgument(cat(run::name(row.dtypes[0]), ":", argument.text));
  if (!read)
    return fail(Error::BindScalarValue, who, read.reason().text);
  return read;
}

/// The argument with another type, or an example where that type has no such number.
static std::string withType(std::string_view type, const run::Argument &argument) {
  std::string text = cat(type, ":", argument.text.substr(argument.text.find(':') + 1));
  return run::parseArgument(text) ? text : cat(type, ":1");
}

Result<uint64_t> numberCode(const std::string &who, const NumberType &number,
                            const run::Argument &argument) {
  const DtypeRow row = *dtypesOf(number.type);
  std::string_view wanted = run::name(row.dtypes[0]);
  if (argument.kind != run::ArgumentKind::Scalar)
    return fail(Error::BindNotScalar, who,
                cat(wanted, ":", run::isFloat(row.dtypes[0]) ? "0.5" : "1"));
  TESSERA_TRY(run::Argument given, typed(who, row, argument));
  if (!row.takes(*given.dtype))
    return fail(Error::BindScalarType, who, row.type, run::name(*given.dtype),
                withType(wanted, argument));
  int64_t value = number.divisor > 1 ? run::toInteger(*given.dtype, given.scalar) : 0;
  if (value % number.divisor) {
    int64_t below = value - ((value % number.divisor) + number.divisor) % number.divisor;
    return fail(Error::BindScalarDivisor, who, number.divisor, value, below,
                below + number.divisor);
  }
  return given.scalar;
}

} // namespace tessera::jit
