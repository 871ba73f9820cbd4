// Numbers: element types of parameters, and numbers of the command line as their bit patterns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/run/Argument.h"

#include "mlir/IR/Types.h"

namespace tessera::jit {

/// The element types of buffers that a type of the IR takes; the first is the one to name.
struct DtypeRow {
  std::string type; // as MLIR prints it
  std::vector<run::Dtype> dtypes;
  bool takes(run::Dtype) const;
};
/// Nothing for types that no buffer has.
std::optional<DtypeRow> dtypesOf(mlir::Type);

/// A parameter that is one number: its type, and what must divide it.
struct NumberType {
  mlir::Type type;
  int64_t divisor = 1;
};
/// Integers, floating-point numbers, constrained integers, and cute values without a pointer that
/// have one dynamic leaf.
std::optional<NumberType> numberType(mlir::Type parameter);

/// The code of a number argument in the parameter's type. A number that was written without a type
/// takes the parameter's. Fails for another type, a value that it cannot represent, and one that
/// the divisor does not divide. `who` begins the sentences.
Result<uint64_t> numberCode(const std::string &who, const NumberType &, const run::Argument &);

} // namespace tessera::jit
