// Warp: rules of the atoms of a warp beyond their rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/AtomForms.h"

namespace tessera::cute_nvgpu {

/// The key that picks the row of a matrix load or store. A mode that is not a pair of numbers has
/// the extents 0.
atom::CopyKey ldsmKey(cute::ShapeAttr mode, atom::SizePattern, int64_t matrices, bool transpose);
atom::CopyKey stsmKey(cute::ShapeAttr mode, int64_t matrices, bool transpose);

/// The element type of an operand's tensor in registers. If an instruction takes narrow numbers in
/// bytes, the type is i8, since a tensor of f4E2M1FN would pack them.
mlir::Type registerElement(const atom::Operand &, mlir::Type element);

/// `, ab_major = (k, mn), overflow = satfinite, binary_op = xor_popc`, all optional.
mlir::ParseResult parseWarpMmaOptions(mlir::AsmParser &, atom::Major &a, atom::Major &b,
                                      atom::Overflow &, atom::BitOp &);
void printWarpMmaOptions(mlir::AsmPrinter &, atom::Major a, atom::Major b, atom::Overflow,
                         atom::BitOp);
/// `, use_sf_layout_tv`
mlir::ParseResult parseFlagOption(mlir::AsmParser &, bool &useSfLayoutTv);
void printFlagOption(mlir::AsmPrinter &, bool useSfLayoutTv);
/// `t` or `n`
mlir::ParseResult parseTranspose(mlir::AsmParser &, bool &transpose);
void printTranspose(mlir::AsmPrinter &, bool transpose);

} // namespace tessera::cute_nvgpu
