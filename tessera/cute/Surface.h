// The specification's spellings (types-and-ops.md): read here, printed as everything else is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clang-format off
//
//   !cute.shape<3>               a rank: `?` for each mode, an i32 (int_tuple, coord, shape, stride,
//                                layout, tile)
//   !cute.layout<<8:1, 4:8>>     shape:stride of each mode; with one mode, that of the layout
//   !cute.ptr<f16, 3>            an address space by its number
//   make_shape [%m, %n] : (index, index) -> T, make_int_tuple %m, %n : T, and so every constructor
//   make_layout(shape = (%m, 8), stride = (1, %s)) : T
//   make_layout shape = <8 : i32>, stride = <1 : i32> : T
//   make_composed_layout(outer = %l, swizzle = swizzle<2, 4, 3>, offset = (0, 0)) : T
//   make_swizzle 2, 4, 3 : T
//
// clang-format on
#pragma once

#include "tessera/cute/Types.h"

#include "mlir/IR/OpImplementation.h"

namespace tessera::cute {

/// How a value of a given rank is written: "(?,?)", "(?,?):(?,?)", "[?:1;?:1]", or not at all.
enum class RankForm : uint8_t {
  Tuple,
  Layout,
  Tile,
  None
};

/// The text of a value inside of `<` and `>`: a quoted string, or a spelling of the
/// specification turned into one.
mlir::ParseResult parseValueText(mlir::AsmParser &, RankForm, std::string &text);

/// `smem`, or its number.
mlir::FailureOr<AddressSpace> parseAddressSpace(mlir::AsmParser &);

/// Ops whose operands are the dynamic leaves of their result.
mlir::ParseResult parseConstructor(mlir::OpAsmParser &, mlir::OperationState &);
void printConstructor(mlir::Operation *, mlir::OpAsmPrinter &);

/// An op with its parts in place, after its name and `(`, if `open`. Nothing where another
/// spelling follows.
using InPlaceParser = mlir::OptionalParseResult (*)(mlir::OpAsmParser &, mlir::OperationState &,
                                                    bool open);
mlir::OptionalParseResult parseLayoutInPlace(mlir::OpAsmParser &, mlir::OperationState &,
                                             bool open);
mlir::OptionalParseResult parseComposedInPlace(mlir::OpAsmParser &, mlir::OperationState &,
                                               bool open);

/// The in-place spelling of `Op`, if it has one: specialised by its group.
template <class Op> inline constexpr InPlaceParser inPlaceForm = nullptr;

} // namespace tessera::cute
