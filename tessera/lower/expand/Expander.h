// Expander: what the steps of expansion and the recipes of atoms build code with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expansion is a row of passes (Steps.h). Some rewrite a function in place (`Reader`), one builds
// it again (`Rebuilder`); both say what the values of the function are as data of the algebra, and
// build the same code from them.
#pragma once

#include "tessera/cute/Emit.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tessera::lower {

class Expander {
public:
  virtual ~Expander() = default;

  mlir::OpBuilder b;
  cute::Emit emit;
  /// Where the op that is being expanded stands.
  mlir::Location loc() const { return emit.loc; }

  //===--- what values are --------------------------------------------------------------------===//

  /// The datum of a cute value, integer or other value of the function.
  virtual cute::Datum datum(mlir::Value) = 0;
  /// The value itself where code is built.
  virtual mlir::Value value(mlir::Value) = 0;
  const cute::View view(mlir::Value v) { return *datum(v).as<cute::View>(); }
  /// The number that an integer is known to be.
  std::optional<int64_t> number(mlir::Value);

  /// An atom by its run-time fields: what is only known as a value is taken apart.
  cute::Opaque atom(mlir::Value);
  /// Field `i` of an atom; null where it is not set.
  mlir::Value field(const cute::Opaque &atom, size_t i);

  //===--- what is built ----------------------------------------------------------------------===//

  /// The pointer `elements` elements further.
  cute::Iterator advanced(const cute::Iterator &, int64_t elements);
  /// One value of `type` (a scalar or a vector of adjacent elements) at an address. Bytes of
  /// alignment: what the pointer's type promises for it, unless stated.
  mlir::Value load(const cute::Iterator &, mlir::Type type, int64_t alignment = 0);
  void store(const cute::Iterator &, mlir::Value value, int64_t alignment = 0);

  /// The same for the element of 1, 2 or 4 bits that is `index` elements further: elements fill a
  /// byte from its lowest bit on. A store reads the byte and writes it again, so two threads must
  /// not write elements of one byte.
  mlir::Value loadBits(const cute::Iterator &, layout::Int index, mlir::Type type);
  void storeBits(const cute::Iterator &, layout::Int index, mlir::Value value);
  /// Whether such an element begins a byte, for all that is known.
  bool startsOnByte(const cute::Iterator &);
  /// Whether elements of a type are reached so.
  static bool isInBits(mlir::Type element);

  /// The elements of a vector, or the value itself.
  llvm::SmallVector<mlir::Value> elements(mlir::Value);
  /// Scalars as a vector; one scalar stays.
  mlir::Value pack(mlir::ValueRange scalars);
  /// The same bits as another type.
  mlir::Value bitcast(mlir::Value, mlir::Type type);

  /// A datum with the facts and static leaves of a declared type.
  cute::Datum conformed(cute::Datum, mlir::Type declared);

private:
  /// A byte, as a pointer to i8, and where in it an element begins.
  struct BitPlace {
    cute::Iterator byte;
    mlir::Value shift; // i8; null where it begins with the byte
  };
  /// The pointer from which all steps of elements are counted, and how many those are.
  std::pair<mlir::Value, layout::Int> countedFrom(const cute::Iterator &);
  BitPlace placeOfBits(const cute::Iterator &, layout::Int index, int64_t bits);

protected:
  /// Constants and registers go to the start of `entry`.
  Expander(mlir::MLIRContext *, mlir::Block *entry);
};

} // namespace tessera::lower
