// Types, attributes and interfaces of the `cute_nvgpu` dialect, as C++.
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

/// The table's name for an element type; `none` if no atom knows it. i8 and si8 are s8, ui8 is u8,
/// likewise 4 bits; i1 is b1.
atom::Element elementOf(mlir::Type);
/// Likewise of scale factors: f8E4M3FN is read without its sign.
atom::Element scaleElementOf(mlir::Type);
/// The row of an atom type, tiled or not; nothing if the tables have no such MMA (copy) atom.
std::optional<MmaInstance> mmaInstanceOf(mlir::Type);
std::optional<CopyInstance> copyInstanceOf(mlir::Type);
/// Why a sparse row's instruction has no such selector; empty if it has.
std::string selectorRefusal(const atom::MmaRow &, int32_t selector);
/// Why a row's instruction cannot negate an operand.
std::string negateRefusal(const atom::MmaRow &);
/// Which mode of A or B is contiguous, where the atom, tiled or not, takes descriptors.
std::optional<atom::Major> descriptorMajor(mlir::Type atom, layout::MmaOperand);
/// The fields that an atom, tiled or not, carries at run time, in the order of its lowered struct.
llvm::SmallVector<AtomField> fieldsOf(mlir::Type atom);
/// Whether an atom, tiled or not, has a field of this name, carried or not.
bool knowsField(mlir::Type atom, mlir::Attribute field);
/// Whether an atom carries its tensor map: kernels take it by address.
bool carriesTensorMap(mlir::Type atom);
/// The pointer to a tensor map.
cute::PtrType tensorMapPointer(mlir::MLIRContext *);
/// The type of a fragment of an operand, see MmaAtomType::fragmentType.
Result<mlir::Type> fragmentType(const MmaInstance &, mlir::Type element, layout::MmaOperand,
                                mlir::Type partition);
/// The partition (V, ...) of an operand without the places in V that are not elements of their own:
/// in a sparse A both of a pair along K are one, a mode of stride 0.
layout::Layout keptLayout(const MmaInstance &, layout::MmaOperand, const layout::Layout &partition);

} // namespace tessera::cute_nvgpu
