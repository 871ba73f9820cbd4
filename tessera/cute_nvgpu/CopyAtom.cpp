// CopyAtom: functions of copy atoms of all families: the row of a form, layouts, the gates of a
// call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomTypes.h"
#include "tessera/cute_nvgpu/CopyAlignment.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/families/bulk/Bulk.h"
#include "tessera/cute_nvgpu/families/tma/Tma.h"

#include "tessera/atom/Errors.h"
#include "tessera/atom/TensorMemory.h"
#include "tessera/layout/Domains.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using cute::AddressSpace;
using cute::CuteMemRefType;

//===--- the row ------------------------------------------------------------------------------===//

Result<CopyInstance> CopyForm::instance() const {
  TESSERA_TRY(const atom::CopyRow *row, atom::find(key));
  Result<layout::CopyAtomLayouts> layouts = atom::bitLayouts(*row, amount);
  if (!layouts)
    return std::move(layouts).reason();
  // Where an instruction has one width, bitLayouts takes none for that; the text must state it.
  if (byThread && amount == 0)
    return atom::fail(atom::Error::AmountNotLegal, row->name, row->amounts.str(), amount);
  return CopyInstance{row, amount};
}

llvm::hash_code tessera::cute_nvgpu::hash_value(const CopyForm &form) {
  const atom::CopyKey &key = form.key;
  return llvm::hash_combine(key.family, form.valType, form.amount, key.rows, key.columns,
                            key.matrices, key.mode, key.reduction, form.tmaGbasis, form.gStride,
                            form.loadKind, form.pattern);
}

int64_t tessera::cute_nvgpu::bitsIn(std::optional<atom::TensorMapType> format, Type element) {
  // Where shared memory has padding the format tells the bits of global memory.
  return format && !atom::row(*format).padded ? atom::row(*format).bits : cute::bitsOf(element);
}
int64_t tessera::cute_nvgpu::bitsInMap(const CopyForm &form) {
  return form.internalValType ? cute::bitsOf(form.internalValType)
                              : bitsIn(form.tmaFormat, form.valType);
}

/// An instruction of TMA moves the box that the basis has: every element of it, in as many bits as
/// it has in shared memory, where numbers of less than a byte may be in bytes. An executable atom
/// does not say in how wide elements its tensor map takes the tensor's. Of four rows that are
/// gathered or scattered copy_bits may be one.
static LogicalResult verifyBox(Emitter emitError, const CopyForm &form) {
  layout::Symbolic arith;
  layout::Int elements = layout::product(arith, form.tmaGbasis.getValue().shape);
  const int64_t bits = bitsInMap(form);
  const bool says = form.internalValType || form.tmaFormat;
  const bool wider = !says && elements.isStatic() && elements.value > 0 &&
                     llvm::any_of(llvm::ArrayRef<int64_t>{16, 32, 64}, [&](int64_t width) {
                       return width > bits && elements.value * width == form.amount;
                     });
  bool rows = form.key.mode == atom::TmaMode::Gather4 || form.key.mode == atom::TmaMode::Scatter4;
  if (rows || wider || !elements.isStatic() || elements.value * bits == form.amount ||
      (bits < 8 && elements.value * 8 == form.amount))
    return success();
  return emitError() << sentence(Diag::TmaBits, elements.value, form.valType, elements.value * bits,
                                 form.amount);
}

LogicalResult TableCopyAtom::verifyForm(Emitter emitError, const CopyForm &form) {
  Result<CopyInstance> instance = form.instance();
  if (!instance)
    return emitError() << instance.reason().text;
  return form.tmaGbasis ? verifyBox(emitError, form) : success();
}

bool TableCopyAtom::classof(Type type) {
  return isa<TableAtomType>(type) && isa<CopyAtomType>(type);
}

std::optional<CopyInstance> tessera::cute_nvgpu::copyInstanceOf(Type type) {
  auto copy = dyn_cast<TableCopyAtom>(cute::untiled(type));
  return copy ? std::optional(copy.getInstance()) : std::nullopt;
}

//===--- answers ------------------------------------------------------------------------------===//

layout::CopyAtomLayouts TableCopyAtom::getLayouts() const {
  const CopyInstance &copy = getInstance();
  Result<layout::CopyAtomLayouts> layouts =
      atom::layouts(*copy.row, copy.amount, cute::bitsOf(getValueType()));
  if (!layouts) // runs that are not a whole number of values; seen as bits
    layouts = atom::bitLayouts(*copy.row, copy.amount);
  return *std::move(layouts);
}

SmallVector<Type> TableCopyAtom::getFieldTypes() const {
  return llvm::map_to_vector(fieldsOf(*this), [](const AtomField &field) { return field.type; });
}

//===--- the gates of a call ------------------------------------------------------------------===//

namespace {
template <class... Pieces>
LogicalResult report(Emitter emitError, Diag diag, const Pieces &...pieces) {
  return emitError() << sentence(diag, pieces...);
}

bool isIn(AddressSpace have, AddressSpace want) {
  switch (want) {
  case AddressSpace::Generic: return have != AddressSpace::Tmem;
  case AddressSpace::Gmem:
  case AddressSpace::Smem: return have == want || have == AddressSpace::Generic;
  case AddressSpace::Dsmem: // its window has the block's own
    return have == AddressSpace::Dsmem || have == AddressSpace::Smem;
  case AddressSpace::Rmem:
  case AddressSpace::Tmem: return have == want;
  }
  return false;
}

/// Gate of one side: where it is, then how its pointer is aligned. Registers have no alignment.
LogicalResult verifySide(Emitter emitError, Type atom, StringRef side, Type view,
                         AddressSpace space, int64_t alignBits) {
  auto memref = dyn_cast<CuteMemRefType>(view);
  if (!memref)
    return success(); // coordinates and descriptors have their own rules
  if (!isIn(memref.getAddressSpace(), space))
    return report(emitError, Diag::CopySpace, side, atom, StringRef(atom::name(space)),
                  atom::name(memref.getAddressSpace()));
  bool inMemory = memref.getAddressSpace() != AddressSpace::Rmem &&
                  memref.getAddressSpace() != AddressSpace::Tmem;
  int64_t have = memref.getPtrType().getAlignment() * 8;
  if (inMemory && have < alignBits)
    return report(emitError, Diag::CopyAlignment, side, have, alignBits, atom);
  return success();
}

/// Where the elements of one call lie, from the first one. A dynamic offset of a composed layout is
/// taken for one that its swizzle leaves alone.
layout::AnyLayout placesOf(CuteMemRefType view) {
  layout::AnyLayout whole = view.getLayout(), values = whole.outer()[0];
  if (const layout::Composed *all = whole.composed()) {
    layout::Tree offset = all->offset.isStatic() ? all->offset : layout::Tree(0);
    values = layout::Composed{all->inner, std::move(offset), values.outer()};
  }
  return values;
}

/// The place of an element, if it is known.
std::optional<int64_t> placeOf(const layout::AnyLayout &values, int64_t i) {
  layout::Symbolic arith;
  Result<layout::Tree> at = layout::crd2idx(arith, layout::Tree(i), values);
  if (!at || !at->isLeaf() || at->leaf().isBasis() || !at->leaf().value.isStatic())
    return std::nullopt;
  return at->leaf().value.value;
}

/// Whether some run of `count` elements, as one call takes it, is known not to lie side by side.
/// Dynamic strides are not known; the alignment asks for an offset that is a multiple of the run.
bool isScattered(CuteMemRefType view, int64_t count) {
  if (layout::Swizzle bytes = view.getPtrType().getSwizzle();
      !bytes.isIdentity() && count * cute::bitsOf(view.getElementType()) > int64_t(8) << bytes.base)
    return true;
  layout::Symbolic arith;
  layout::AnyLayout values = placesOf(view);
  layout::Int size = layout::size(arith, values.outer());
  if (!size.isStatic())
    return false;
  if (size.value < count)
    return true;
  std::optional<int64_t> before = placeOf(values, 0);
  for (int64_t i = 1; before && i < size.value; ++i) {
    std::optional<int64_t> place = placeOf(values, i);
    if (place && i % count && *place != *before + 1)
      return true;
    before = place;
  }
  return false;
}

/// Whether the boxes of `count` elements that TMA writes or reads are known not to lie in order.
/// What the view swizzles, TMA does by itself.
bool isReordered(CuteMemRefType view, int64_t count) {
  layout::Symbolic arith;
  layout::Layout all = layout::coalesce(arith, view.getLayout().outer()[0]);
  bool several = all.shape.isTuple() && all.shape.rank() > 0; // boxes, or pieces of one
  layout::Layout first = several ? all[0] : all;
  return all.isStatic() && count != 1 &&
         !(first.stride.leaf().is(1) && layout::size(arith, first).value % count == 0);
}

/// Whether a view in tensor memory is known to go through it in another order than the instruction,
/// which reaches the elements `reached`.
bool isElsewhere(CuteMemRefType view, const layout::Layout &reached) {
  layout::Symbolic arith;
  layout::AnyLayout values = placesOf(view);
  if (!values.outer().isStatic() ||
      (!values.composed() && layout::coalesce(arith, values.outer()) == reached))
    return false;
  int64_t count =
      std::min(layout::size(arith, reached).value, layout::size(arith, values.outer()).value);
  std::optional<int64_t> first = placeOf(values, 0);
  for (int64_t i = 0; i < count; ++i) {
    std::optional<int64_t> place = placeOf(values, i);
    if (!first || !place || *place - *first != placeOf(reached, i))
      return true;
  }
  return false;
}

/// Gate of one side of which a call takes `bits` in this order.
LogicalResult verifyOrder(Emitter emitError, const CopyInstance &copy, Type atom, StringRef side,
                          Type view, atom::MemoryOrder order, int64_t bits) {
  auto memref = dyn_cast<CuteMemRefType>(view);
  if (!memref || memref.getAddressSpace() == AddressSpace::Rmem || order == atom::MemoryOrder::Free)
    return success();
  int64_t elementBits = cute::bitsOf(memref.getElementType());
  if (order == atom::MemoryOrder::Lanes) {
    Result<layout::Layout> reached = atom::tensorAddresses(*copy.row, copy.amount, elementBits);
    return reached && isElsewhere(memref, *reached)
               ? report(emitError, Diag::CopyLanes, side, atom, layout::AnyLayout(*reached),
                        memref.getLayout())
               : success();
  }
  layout::Symbolic arith;
  layout::Int size = layout::size(arith, memref.getLayout().outer()[0]);
  int64_t elements = bits / elementBits;
  if (!elements)
    return report(emitError, Diag::CopyPart, side, atom, elementBits, bits);
  if (order == atom::MemoryOrder::Whole && size.isStatic())
    elements = std::min(elements, size.value);
  bool fits = elements && (order == atom::MemoryOrder::Run ? !isScattered(memref, elements)
                                                           : !isReordered(memref, elements));
  if (fits)
    return success();
  return memref.getPtrType().hasSwizzle()
             ? report(emitError, Diag::BulkRun, side, atom, elements, view)
             : report(emitError, Diag::BulkRun, side, atom, elements, memref.getLayout());
}

} // namespace

/// Whether elements arrive as they were: not what ldmatrix unpacks, or TMA.
static bool movesBits(const CopyForm &form) {
  return form.byThread || form.key.family == atom::CopyFamily::Stsm ||
         (form.key.family == atom::CopyFamily::Ldsm &&
          atom::packedFormat(form.pattern) == atom::PackedFormat::None);
}
/// Both sides have elements of one width. Where lanes share the elements of a matrix, it is that of
/// the atom, which counts them.
static LogicalResult verifyWidths(Emitter emitError, TableCopyAtom atom, Type src, Type dst) {
  auto from = dyn_cast<CuteMemRefType>(src), to = dyn_cast<CuteMemRefType>(dst);
  if (!from || !to)
    return success();
  int64_t fromBits = cute::bitsOf(from.getElementType()),
          toBits = cute::bitsOf(to.getElementType());
  if (fromBits != toBits)
    return report(emitError, Diag::CopyConverts, Type(atom), from.getElementType(),
                  to.getElementType());
  if (!atom.getForm().byThread && fromBits != cute::bitsOf(atom.getValueType()))
    return report(emitError, Diag::CopyValueWidth, Type(atom), atom.getValueType(),
                  from.getElementType());
  return success();
}

/// A side whose space the type of the atom states.
static LogicalResult verifyStated(Emitter emitError, Type atom, StringRef side, Type view,
                                  std::optional<AddressSpace> stated) {
  auto memref = dyn_cast<CuteMemRefType>(view);
  if (!stated || !memref || memref.getAddressSpace() == *stated)
    return success();
  return report(emitError, Diag::CopySpace, side, atom, atom::name(*stated),
                atom::name(memref.getAddressSpace()));
}

std::pair<int64_t, int64_t> tessera::cute_nvgpu::alignmentsOf(TableCopyAtom atom) {
  const CopyInstance &copy = atom.getInstance();
  // Where the row leaves it open, a side is aligned to what a thread moves at once.
  int64_t moved = atom.getForm().byThread && copy.amount ? copy.amount : 8;
  return {copy.row->alignFrom ? copy.row->alignFrom : moved,
          copy.row->alignTo ? copy.row->alignTo : moved};
}
LogicalResult TableCopyAtom::verifyCall(Emitter emitError, Type src, Type dst) const {
  if (failed(verifyStated(emitError, *this, "src", src, getForm().srcSpace)) ||
      failed(verifyStated(emitError, *this, "dst", dst, getForm().dstSpace)))
    return failure();
  const CopyInstance &copy = getInstance();
  const atom::CopyRow &row = *copy.row;
  auto [alignFrom, alignTo] = alignmentsOf(*this);
  if (failed(verifySide(emitError, *this, "src", src, row.from, alignFrom)) ||
      failed(verifySide(emitError, *this, "dst", dst, row.to, alignTo)) ||
      (movesBits(getForm()) && failed(verifyWidths(emitError, *this, src, dst))))
    return failure();
  auto bitsOf = [&](const layout::Layout &side) {
    layout::Symbolic arith;
    return layout::size(arith, side[1]).value * cute::bitsOf(getValueType());
  };
  if (atom::MemoryOrders orders = atom::memoryOrders(row.key.family); orders.any()) {
    layout::CopyAtomLayouts layouts = getLayouts();
    if (failed(verifyOrder(emitError, copy, *this, "src", src, orders.src, bitsOf(layouts.src))) ||
        failed(verifyOrder(emitError, copy, *this, "dst", dst, orders.dst, bitsOf(layouts.dst))))
      return failure();
  }
  if (!getForm().inRuns)
    return success();
  if (failed(verifyRun(emitError, *this, "src", src, copy.amount)))
    return failure();
  return verifyRun(emitError, *this, "dst", dst, copy.amount);
}
