// AtomForms: the forms that all MMA and all copy atom types share, and what their rows answer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An atom type states columns (AtomBase.td); the form is their storage, and picks the row. An MMA
// atom of any family is an `TableMmaAtom`, a copy atom a `TableCopyAtom`: generic code asks these
// classes and the row, never a list of types. The interface `TableAtomType` has the facts that the
// row does not state.
#pragma once

#include "tessera/atom/Registry.h"
#include "tessera/atom/TensorMapKeywords.h"
#include "tessera/atom/UmmaForm.h"
#include "tessera/cute/Evaluate.h"
#include "tessera/cute/Types.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/Hashing.h"

#include <optional>

namespace tessera::cute_nvgpu {

using Emitter = llvm::function_ref<mlir::InFlightDiagnostic()>;

using cute::CopyAtomType;
using cute::IteratorType;
using cute::MaybeStaticType;
using cute::MmaAtomType;
using cute::PrefetchAtomType;
using cute::ViewType;

/// Extents of an MMA atom, printed MxNxK.
struct ShapeMnk {
  int64_t m = 0, n = 0, k = 0;
  friend bool operator==(const ShapeMnk &, const ShapeMnk &) = default;
};

/// A row of the MMA table with its extents filled in.
struct MmaInstance {
  const atom::MmaRow *row;
  int64_t m, n;
};
/// A row of the copy table with its amount (bits or repetitions) filled in.
struct CopyInstance {
  const atom::CopyRow *row;
  int64_t amount;
};

//===--- forms --------------------------------------------------------------------------------===//

/// The columns of MMA atom types. Columns that a type does not have keep their defaults.
struct MmaForm {
  ShapeMnk shape;
  mlir::Type a, b, c;
  mlir::Type sf; // scale factors, or null
  mlir::Type e;  // metadata in tensor memory, or null
  bool negA = false, negB = false, useSfLayoutTv = false;
  bool laneMask = false; // field disable_output_lane
  bool ashift = false;   // of A in tensor memory, whose rows move after the product
  atom::Collector collector = atom::Collector::Discard;
  int64_t collectorBuffer = 0; // of B, with weight_stationary
  int64_t cScaleExp = 0;
  int64_t archPromote = 100; // the first target that has the product
  atom::MmaQuery query{};

  using Instance = MmaInstance;
  /// Fills in the parts of the query that follow from the types.
  void complete();
  /// The row, or the reason why there is none.
  Result<MmaInstance> instance() const;
  friend bool operator==(const MmaForm &, const MmaForm &) = default;
  friend llvm::hash_code hash_value(const MmaForm &);
};

/// The columns of copy atom types, likewise.
struct CopyForm {
  mlir::Type valType;
  atom::CopyKey key{};
  int64_t amount = 0;     // bits, or repetitions for tensor memory
  int64_t statedBits = 0; // of a universal copy; 0 if its text leaves them out
  bool byThread =
      false; // a thread moves `amount` bits: sides that the row leaves open are aligned to them
  bool inRuns = false;   // both sides are contiguous bytes
  bool byteMask = false; // a mask says which of every 16 bytes are written
  atom::AccessOptions access;
  std::optional<atom::EvictionPriority> l1Eviction;
  std::optional<cute::AddressSpace> srcSpace, dstSpace; // if a universal copy states them
  atom::SizePattern pattern = atom::SizePattern::U16;
  atom::LaneReduction laneReduction;
  int64_t halfSplit = 0; // columns between the halves of a 16x32bx2; 0: adjacent
  atom::TiledLoad loadKind = atom::TiledLoad::Sm90;
  std::optional<atom::TensorMapType> tmaFormat;
  cute::ShapeAttr matrix;
  cute::LayoutAttr tmaGbasis;
  cute::IntTupleAttr gStride;
  mlir::Type internalValType;

  using Instance = CopyInstance;
  void complete() {}
  Result<CopyInstance> instance() const;
  friend bool operator==(const CopyForm &, const CopyForm &) = default;
  friend llvm::hash_code hash_value(const CopyForm &);
};

llvm::hash_code hash_value(const MmaForm &);
llvm::hash_code hash_value(const CopyForm &);

/// A form and its row, which is looked up once.
template <class Form> struct FormStorage : mlir::TypeStorage {
  using KeyTy = Form;

  explicit FormStorage(const Form &form) : form(form) {
    if (Result<typename Form::Instance> found = form.instance())
      instance = *found;
  }
  bool operator==(const KeyTy &key) const { return form == key; }
  static llvm::hash_code hashKey(const KeyTy &key) { return hash_value(key); }

  Form form;
  std::optional<typename Form::Instance> instance;
};
/// The storage of a type whose parameters make the form.
template <class Concrete, class Form> struct AtomStorage : FormStorage<Form> {
  using FormStorage<Form>::FormStorage;

  template <class... Parameters> static Form getKey(const Parameters &...parameters) {
    return Concrete::formOf(parameters...);
  }
  static AtomStorage *construct(mlir::TypeStorageAllocator &allocator, const Form &form) {
    return new (allocator.allocate<AtomStorage>()) AtomStorage(form);
  }
};

//===--- atoms --------------------------------------------------------------------------------===//

/// An MMA atom of the tables. It answers the interfaces of `cute` from the row, in the same way for
/// all types.
class TableMmaAtom : public mlir::Type {
public:
  using Type::Type;
  static bool classof(mlir::Type);

  const MmaForm &getForm() const { return storage().form; }
  const MmaInstance &getInstance() const { return *storage().instance; }

  layout::MmaAtomLayouts getLayouts() const;
  mlir::Type getOperandType(layout::MmaOperand) const;
  llvm::SmallVector<mlir::Type> getFieldTypes() const;
  bool isStatic() const { return getFieldTypes().empty(); }
  llvm::LogicalResult verifyCall(Emitter, mlir::Type d, mlir::Type a, mlir::Type b,
                                 mlir::Type c) const;
  Result<mlir::Type> fragmentType(layout::MmaOperand, mlir::Type partition) const;

protected:
  /// Whether the form picks a row.
  static llvm::LogicalResult verifyForm(Emitter, const MmaForm &);

private:
  const FormStorage<MmaForm> &storage() const {
    return *static_cast<const FormStorage<MmaForm> *>(impl);
  }
};

/// A copy atom of the tables, likewise.
class TableCopyAtom : public mlir::Type {
public:
  using Type::Type;
  static bool classof(mlir::Type);

  const CopyForm &getForm() const { return storage().form; }
  const CopyInstance &getInstance() const { return *storage().instance; }

  layout::CopyAtomLayouts getLayouts() const;
  mlir::Type getValueType() const { return getForm().valType; }
  llvm::SmallVector<mlir::Type> getFieldTypes() const;
  bool isStatic() const { return getFieldTypes().empty(); }
  llvm::LogicalResult verifyCall(Emitter, mlir::Type src, mlir::Type dst) const;
  layout::Layout getPrefetchLayout() const { return getLayouts().src; }

protected:
  static llvm::LogicalResult verifyForm(Emitter, const CopyForm &);

private:
  const FormStorage<CopyForm> &storage() const {
    return *static_cast<const FormStorage<CopyForm> *>(impl);
  }
};

/// The atom type with this form, of the family that it names; null, after an error, if the form
/// picks no row. In families with several types, the first one that the dialect lists.
mlir::Type typeOfForm(Emitter, mlir::MLIRContext *, const MmaForm &);
mlir::Type typeOfForm(Emitter, mlir::MLIRContext *, const CopyForm &);

//===--- run-time fields ----------------------------------------------------------------------===//

/// A run-time field of an atom: its name, the attribute of that name, and its type; null if nothing
/// lowers it yet.
struct AtomField {
  llvm::StringLiteral name;
  mlir::Attribute key;
  mlir::Type type;
};
/// The types of fields.
struct FieldTypes {
  mlir::MLIRContext *context;

  mlir::Type none() const { return {}; }
  mlir::Type bits(unsigned width) const;
  mlir::Type bitsIf(bool has, unsigned width) const { return has ? bits(width) : none(); }
  /// A pointer to an mbarrier.
  mlir::Type barrier(cute::AddressSpace = cute::AddressSpace::Smem) const;
  mlir::Type tensorMap() const;
  /// A pointer into tensor memory.
  mlir::Type tensor(mlir::Type element) const;
  /// One bit for each lane of D, of all blocks that multiply.
  mlir::Type lanesIf(bool has, int64_t ctas) const;
};

} // namespace tessera::cute_nvgpu

//===--- enums of tessera/atom in texts -------------------------------------------------------===//

namespace tessera::atom {
/// Lets types, attributes and diagnostics print an enum as its keyword.
template <Spelled E> llvm::raw_ostream &operator<<(llvm::raw_ostream &out, E value) {
  return out << keyword(value);
}
} // namespace tessera::atom

namespace mlir {
template <tessera::atom::Spelled E> struct FieldParser<E, E> {
  static FailureOr<E> parse(AsmParser &parser) {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (failed(parser.parseKeyword(&keyword)))
      return failure();
    if (std::optional<E> value = tessera::atom::parseKeyword<E>(keyword))
      return *value;
    return parser.emitError(loc, "expects one of ")
           << tessera::atom::keywords<E>() << ", but got '" << keyword << "'";
  }
};
} // namespace mlir
