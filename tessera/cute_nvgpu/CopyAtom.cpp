// CopyAtom: functions of copy atoms of all families: the row of a form, layouts, the gates of a
// call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomTypes.h"
#include "tessera/cute_nvgpu/CopyAlignment.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/families/bulk/Bulk.h"

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
  return CopyInstance{row, amount};
}

llvm::hash_code tessera::cute_nvgpu::hash_value(const CopyForm &form) {
  const atom::CopyKey &key = form.key;
  return llvm::hash_combine(key.family, form.valType, form.amount, key.rows, key.columns,
                            key.matrices, key.mode, key.reduction, form.tmaGbasis, form.gStride,
                            form.loadKind, form.pattern);
}

LogicalResult TableCopyAtom::verifyForm(Emitter emitError, const CopyForm &form) {
  Result<CopyInstance> instance = form.instance();
  return instance ? success() : LogicalResult(emitError() << instance.reason().text);
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

/// What an instruction asks of a side in memory: nothing, one run of bytes for each thread, or all
/// of the view in order, which TMA itself swizzles. PTX ISA, cp.async, ldmatrix, stmatrix and
/// cp.async.bulk.tensor.
enum class Order : uint8_t {
  Free,
  Run,
  Whole
};
struct Orders {
  Order src = Order::Free, dst = Order::Free;
};
Orders ordersOf(const atom::CopyKey &key) {
  switch (key.family) {
  case atom::CopyFamily::SimtAsyncCopy: return {Order::Run, Order::Run};
  case atom::CopyFamily::Ldsm: return {.src = Order::Run};
  case atom::CopyFamily::Stsm: return {.dst = Order::Run};
  case atom::CopyFamily::TmaLoad: return {.dst = Order::Whole};
  case atom::CopyFamily::TmaStore:
  case atom::CopyFamily::TmaReduce: return {.src = Order::Whole};
  default: return {};
  }
}

/// Whether some run of `count` elements, as one call takes it, is known not to lie side by side.
/// Dynamic strides are not known; a dynamic offset is taken for a multiple of the run, as the
/// alignment asks.
bool isScattered(CuteMemRefType view, int64_t count) {
  if (layout::Swizzle bytes = view.getPtrType().getSwizzle();
      !bytes.isIdentity() && count * cute::bitsOf(view.getElementType()) > int64_t(8) << bytes.base)
    return true;
  layout::Symbolic arith;
  layout::AnyLayout whole = view.getLayout(), values = whole.outer()[0];
  layout::Int size = layout::size(arith, values.outer());
  if (!size.isStatic())
    return false;
  if (size.value < count)
    return true;
  if (const layout::Composed *all = whole.composed()) {
    layout::Tree offset = all->offset.isStatic() ? all->offset : layout::Tree(0);
    values = layout::Composed{all->inner, std::move(offset), values.outer()};
  }
  auto placeOf = [&](int64_t i) -> std::optional<int64_t> {
    Result<layout::Tree> at = layout::crd2idx(arith, layout::Tree(i), values);
    if (!at || !at->isLeaf() || at->leaf().isBasis() || !at->leaf().value.isStatic())
      return std::nullopt;
    return at->leaf().value.value;
  };
  std::optional<int64_t> before = placeOf(0);
  for (int64_t i = 1; before && i < size.value; ++i) {
    std::optional<int64_t> place = placeOf(i);
    if (place && i % count && *place != *before + 1)
      return true;
    before = place;
  }
  return false;
}

/// Gate of the side of a load or a store that is in tensor memory: the instruction has its own
/// order of lanes and columns.
LogicalResult verifyLanes(Emitter emitError, const CopyInstance &copy, Type atom, StringRef side,
                          Type view) {
  auto memref = dyn_cast<CuteMemRefType>(view);
  if (!memref)
    return success();
  layout::Layout values = memref.getLayout().outer()[0];
  Result<layout::Layout> reached =
      atom::tensorAddresses(*copy.row, copy.amount, cute::bitsOf(memref.getElementType()));
  layout::Symbolic arith;
  if (!reached || !values.isStatic() || layout::coalesce(arith, values) == *reached)
    return success();
  int64_t count = layout::size(arith, *reached).value;
  auto placeOf = [&](const layout::Layout &l, int64_t i) {
    return layout::crd2idx(arith, layout::Tree(i), l);
  };
  for (int64_t i = 0; i < count && i < layout::size(arith, values).value; ++i) {
    Result<layout::Tree> have = placeOf(values, i), want = placeOf(*reached, i);
    if (!have || !want || !(*have == *want))
      return report(emitError, Diag::CopyLanes, side, atom, layout::AnyLayout(*reached),
                    memref.getLayout());
  }
  return success();
}

/// Gate of one side of which the instruction takes `bits` in this order.
LogicalResult verifyOrder(Emitter emitError, Type atom, StringRef side, Type view, Order order,
                          int64_t bits) {
  auto memref = dyn_cast<CuteMemRefType>(view);
  if (!memref || memref.getAddressSpace() == AddressSpace::Rmem || order == Order::Free)
    return success();
  int64_t elements = bits / cute::bitsOf(memref.getElementType());
  if (order == Order::Run) {
    if (!isScattered(memref, elements))
      return success();
  } else {
    layout::Symbolic arith;
    layout::Layout all = layout::coalesce(arith, memref.getLayout().outer()[0]);
    bool several = all.shape.isTuple() && all.shape.rank() > 0; // boxes, or pieces of one
    layout::Layout first = several ? all[0] : all;
    elements = std::min(elements, layout::size(arith, all).value);
    if (!all.isStatic() || elements == 1 ||
        (first.stride.leaf().is(1) && layout::size(arith, first).value % elements == 0))
      return success();
  }
  if (memref.getPtrType().hasSwizzle())
    return report(emitError, Diag::BulkRun, side, atom, elements, view);
  return report(emitError, Diag::BulkRun, side, atom, elements, memref.getLayout());
}

} // namespace

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
      failed(verifySide(emitError, *this, "dst", dst, row.to, alignTo)))
    return failure();
  bool loads = row.key.family == atom::CopyFamily::TmemLoad ||
               row.key.family == atom::CopyFamily::TmemLoadRed;
  if ((loads && failed(verifyLanes(emitError, copy, *this, "src", src))) ||
      (row.key.family == atom::CopyFamily::TmemStore &&
       failed(verifyLanes(emitError, copy, *this, "dst", dst))))
    return failure();
  auto bitsOf = [&](const layout::Layout &side) {
    layout::Symbolic arith;
    return layout::size(arith, side[1]).value * cute::bitsOf(getValueType());
  };
  if (Orders orders = ordersOf(row.key); orders.src != Order::Free || orders.dst != Order::Free) {
    layout::CopyAtomLayouts layouts = getLayouts();
    if (failed(verifyOrder(emitError, *this, "src", src, orders.src, bitsOf(layouts.src))) ||
        failed(verifyOrder(emitError, *this, "dst", dst, orders.dst, bitsOf(layouts.dst))))
      return failure();
  }
  if (!getForm().inRuns)
    return success();
  if (failed(verifyRun(emitError, *this, "src", src, copy.amount)))
    return failure();
  return verifyRun(emitError, *this, "dst", dst, copy.amount);
}
