// Types, attributes and interfaces of the `cute_nvgpu` dialect, as C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/atom/Registry.h"
#include "tessera/cute/Evaluate.h"
#include "tessera/cute/Types.h"

#include "llvm/ADT/Hashing.h"

#include <optional>

namespace tessera::cute_nvgpu {

/// Extents of an MMA atom, printed MxNxK.
struct ShapeMnk {
  int64_t m = 0, n = 0, k = 0;
  friend bool operator==(const ShapeMnk &, const ShapeMnk &) = default;
};
inline llvm::hash_code hash_value(const ShapeMnk &s) { return llvm::hash_combine(s.m, s.n, s.k); }

/// A row of the MMA table with its extents filled in.
struct MmaInstance {
  const atom::MmaRow *row;
  int64_t m, n;
};
/// Why a sparse row's instruction has no such selector; empty if it has.
std::string selectorRefusal(const atom::MmaRow &, int32_t selector);

/// A row of the copy table with its amount (bits or repetitions) filled in.
struct CopyInstance {
  const atom::CopyRow *row;
  int64_t amount;
};

using cute::CopyAtomType;
using cute::IteratorType;
using cute::MaybeStaticType;
using cute::MmaAtomType;
using cute::PrefetchAtomType;
using cute::ViewType;

} // namespace tessera::cute_nvgpu

#include "tessera/cute_nvgpu/Dialect.h.inc"
#include "tessera/cute_nvgpu/Enums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tessera/cute_nvgpu/Attrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tessera/cute_nvgpu/Types.h.inc"

namespace tessera::cute_nvgpu {

/// The table's name for an element type; `none` if no atom knows it. i8 and si8 are s8, ui8 is u8,
/// likewise 4 bits; i1 is b1.
atom::Element elementOf(mlir::Type);
/// Likewise of scale factors: f8E4M3FN is read without its sign.
atom::Element scaleElementOf(mlir::Type);
/// What picks the row of a matrix load or store. A mode that is no pair of numbers has the extents
/// 0.
atom::CopyKey ldsmKey(cute::ShapeAttr mode, LdsmSzPattern, int64_t matrices, bool transpose);
atom::CopyKey stsmKey(cute::ShapeAttr mode, int64_t matrices, bool transpose);
/// The row of an atom type, tiled or not; nothing if it is no MMA (copy) atom.
std::optional<MmaInstance> mmaInstanceOf(mlir::Type);
std::optional<CopyInstance> copyInstanceOf(mlir::Type);
/// Which mode of A or B is contiguous, where the atom, tiled or not, takes descriptors.
std::optional<Major> descriptorMajor(mlir::Type atom, layout::MmaOperand);
/// A run-time field of an atom: the attribute that names it, and what it holds.
struct AtomField {
  mlir::Attribute key;
  mlir::Type type;
};
/// The fields of an atom, tiled or not, in the order of its lowered struct.
llvm::SmallVector<AtomField> fieldsOf(mlir::Type atom);
/// Why TMA has no such reduction of elements of a type; empty if it has.
std::string reductionRefusal(ReductionKind, mlir::Type element);
/// The row of a bulk reduction into global memory, or into the shared memory of the cluster.
Result<const atom::CopyRow *> bulkReductionRow(bool toCluster, ReductionKind, mlir::Type element);
/// Whether an atom carries its tensor map: kernels take it by address.
bool carriesTensorMap(mlir::Type atom);
/// The pointer to a tensor map.
cute::PtrType tensorMapPointer(mlir::MLIRContext *);
/// The type of a fragment of `atom`'s operand, see MmaAtomType::fragmentType.
Result<mlir::Type> fragmentType(const MmaInstance &, mlir::Type element, layout::MmaOperand,
                                mlir::Type partition);
/// The partition (V, ...) of an operand without the places in V that are no elements of their own:
/// in a sparse A both of a pair along K are one, a mode of stride 0.
layout::Layout keptLayout(const MmaInstance &, layout::MmaOperand, const layout::Layout &partition);

} // namespace tessera::cute_nvgpu
