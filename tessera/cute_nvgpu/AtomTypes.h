// Types, attributes and interfaces of the `cute_nvgpu` dialect, in C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute_nvgpu/AtomForms.h"

#include "tessera/atom/UmmaForm.h"

#include "tessera/cute_nvgpu/Dialect.h.inc"
#include "tessera/cute_nvgpu/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tessera/cute_nvgpu/Attrs.h.inc"

#include "tessera/cute_nvgpu/Interfaces.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tessera/cute_nvgpu/Types.h.inc"

namespace tessera::cute_nvgpu {

/// The table's name for an element type; `none` if no atom has it. i8 and si8 are s8, ui8 is u8,
/// and the same for 4 bits; i1 is b1.
atom::Element elementOf(mlir::Type);
/// The same for scale factors: f8E4M3FN is read without its sign.
atom::Element scaleElementOf(mlir::Type);
/// The row of an atom type, tiled or not; nothing if the tables have no such MMA (copy) atom.
std::optional<MmaInstance> mmaInstanceOf(mlir::Type);
std::optional<CopyInstance> copyInstanceOf(mlir::Type);
/// Why the instruction of a sparse row does not have this selector; empty if it does.
std::string selectorRefusal(const atom::MmaRow &, int32_t selector);
/// Why a row's instruction cannot negate an operand.
std::string negateRefusal(const atom::MmaRow &);
/// The contiguous mode of A or B, if the atom, tiled or not, takes descriptors.
std::optional<atom::Major> descriptorMajor(mlir::Type atom, layout::MmaOperand);
/// The fields of an atom, tiled or not, at run time, in the order of its lowered struct.
llvm::SmallVector<AtomField> fieldsOf(mlir::Type atom);
/// The place of a field in the lowered struct of an atom that has it at run time.
size_t placeOfField(mlir::Type atom, llvm::StringRef name);
/// Whether an atom, tiled or not, has a field of this name, present at run time or not.
bool knowsField(mlir::Type atom, mlir::Attribute field);
/// Whether an atom contains its tensor map, so that kernels take it by address.
bool carriesTensorMap(mlir::Type atom);
/// The pointer to a tensor map.
cute::PtrType tensorMapPointer(mlir::MLIRContext *);
/// The type of a fragment of an operand, see MmaAtomType::fragmentType.
Result<mlir::Type> fragmentType(const MmaInstance &, mlir::Type element, layout::MmaOperand,
                                mlir::Type partition);
/// The partition (V, ...) of an operand without places in V that are not elements of their own: in
/// a sparse A the two elements of a pair along K are one, a mode of stride 0.
layout::Layout keptLayout(const MmaInstance &, layout::MmaOperand, const layout::Layout &partition);

} // namespace tessera::cute_nvgpu
