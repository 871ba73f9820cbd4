// Expander: the base with which the steps of expansion and the recipes of atoms build code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expansion is a sequence of passes (Steps.h). Some rewrite a function in place (`Reader`), one
// builds it again (`Rebuilder`). Both describe the values of the function as data of the algebra,
// and build the same code from them.
#pragma once

#include "tessera/cute/Emit.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tessera::lower {

class Expander {
public:
  virtual ~Expander() = default;

  mlir::OpBuilder b;
  cute::Emit emit;
  /// The location of the op that is being expanded.
  mlir::Location loc() const { return emit.loc; }

  //===--- what values are --------------------------------------------------------------------===//

  /// The datum of a cute value, integer or other value of the function.
  virtual cute::Datum datum(mlir::Value) = 0;
  /// The value to use in the code that is built.
  virtual mlir::Value value(mlir::Value) = 0;
  const cute::View view(mlir::Value v) { return *datum(v).as<cute::View>(); }
  /// The constant value of an integer, if it is known.
  std::optional<int64_t> number(mlir::Value);

  /// An atom as its run-time fields; a value is split into them.
  cute::Opaque atom(mlir::Value);
  /// Field `i` of an atom; null if it is not set.
  mlir::Value field(const cute::Opaque &atom, size_t i);

  //===--- what is built ----------------------------------------------------------------------===//

  /// The pointer `elements` elements further.
  cute::Iterator advanced(const cute::Iterator &, int64_t elements);
  /// Loads one value of `type` (a scalar or a vector of adjacent elements) from an address.
  /// `alignment` is in bytes; 0: what the pointer's type promises.
  mlir::Value load(const cute::Iterator &, mlir::Type type, int64_t alignment = 0);
  void store(const cute::Iterator &, mlir::Value value, int64_t alignment = 0);

  /// The same for an element of 1, 2 or 4 bits that is `index` elements further. Elements fill a
  /// byte from its lowest bit on. A store reads and rewrites the whole byte, so two threads must
  /// not write elements of the same byte.
  mlir::Value loadBits(const cute::Iterator &, layout::Int index, mlir::Type type);
  void storeBits(const cute::Iterator &, layout::Int index, mlir::Value value);
  /// Whether such an element is known to begin a byte.
  bool startsOnByte(const cute::Iterator &);
  /// Whether elements of a type are accessed this way.
  static bool isInBits(mlir::Type element);

  /// The elements of a vector, or the value itself.
  llvm::SmallVector<mlir::Value> elements(mlir::Value);
  /// Scalars as a vector; a single scalar stays.
  mlir::Value pack(mlir::ValueRange scalars);
  /// The same bits as another type.
  mlir::Value bitcast(mlir::Value, mlir::Type type);

  /// A datum with the facts and static leaves of a declared type.
  cute::Datum conformed(cute::Datum, mlir::Type declared);
  /// The results of an op for these operands, each with those of its type.
  Result<cute::Data> asStated(cute::AlgebraOpInterface, cute::Data operands);

private:
  /// A byte, as a pointer to i8, and the position of an element in it.
  struct BitPlace {
    cute::Iterator byte;
    mlir::Value shift; // i8; null if the element begins with the byte
  };
  /// The pointer from which elements are counted, and the number of elements from there.
  std::pair<mlir::Value, layout::Int> countedFrom(const cute::Iterator &);
  BitPlace placeOfBits(const cute::Iterator &, layout::Int index, int64_t bits);

protected:
  /// Constants and registers go to the start of `entry`.
  Expander(mlir::MLIRContext *, mlir::Block *entry);
};

} // namespace tessera::lower
