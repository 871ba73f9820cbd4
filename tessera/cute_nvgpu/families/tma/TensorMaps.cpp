// The ladder of make_non_exec_tiled_tma_*: eleven rules, of which the first broken one is reported.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/families/tma/TensorMaps.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/families/tma/Tma.h"

#include "tessera/layout/Domains.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using cute::ComposedLayoutType;
using cute::CoordTensorType;
using cute::CuteMemRefType;

namespace {
/// The common parts of the two ops, and the results of the rules.
struct Ladder {
  Type tensor, smem, map;        // operands
  Type atom, coords;             // results
  TmaDataFormatAttr format = {}; // stated by the op, or null
  Type internal = {};            // likewise
  std::optional<atom::TiledLoad> kind = {};
  int64_t multicast = 1;

  TensorMapPlan plan = {};
  layout::Symbolic arith = {};

  using Step = std::optional<std::string> (Ladder::*)();
  std::optional<std::string> operandKinds();
  std::optional<std::string> smemLayoutKind();
  std::optional<std::string> gmemLayoutKind();
  std::optional<std::string> integerStrides();
  std::optional<std::string> swizzled();
  std::optional<std::string> staticLayouts();
  std::optional<std::string> sameShapes();
  std::optional<std::string> basis();
  std::optional<std::string> validBox();
  std::optional<std::string> tensorType();
  std::optional<std::string> multicasts();
  std::optional<std::string> atomType();

private:
  template <class... Pieces> static std::string say(Diag diag, const Pieces &...pieces) {
    return sentence(diag, pieces...);
  }
  layout::AnyLayout gmem() const { return cast<CuteMemRefType>(tensor).getLayout(); }
  layout::Layout vMap() const { return cast<cute::LayoutType>(map).getValue(); }
  int64_t bytes(int64_t elements) const { return elements * plan.request.internalBits / 8; }
};

/// Swizzles of shared memory and what tensor maps call them, with the bytes in which they permute.
struct SwizzleRow {
  layout::Swizzle swizzle;
  atom::TensorMapSwizzle code;
  int64_t span;
};
constexpr SwizzleRow swizzleRows[] = {
    {{1, 4, 3}, atom::TensorMapSwizzle::B32, 32},
    {{2, 4, 3}, atom::TensorMapSwizzle::B64, 64},
    {{3, 4, 3}, atom::TensorMapSwizzle::B128, 128},
    {{2, 5, 2}, atom::TensorMapSwizzle::B128Atom32, 128},
    {{1, 6, 1},
     atom::TensorMapSwizzle::B128Atom64,
     128}, // CUTLASS has {2, 6, ...}, which crosses lines
};

/// The format for elements of a type. Integers and 8-bit floats are moved as bits. Source: CUTLASS
/// include/cute/arch/copy_sm90_desc.hpp, to_CUtensorMapDataType.
std::optional<atom::TensorMapType> formatOf(Type type) {
  using enum atom::TensorMapType;
  if (type.isF16())
    return F16;
  if (type.isBF16())
    return BF16;
  if (type.isF32())
    return F32;
  if (type.isF64())
    return F64;
  if (type.isTF32())
    return TF32;
  bool isUnsigned = type.isUnsignedInteger();
  switch (cute::bitsOf(type)) {
  case 8: return U8;
  case 16: return U16;
  case 32: return isUnsigned ? U32 : S32;
  case 64: return isUnsigned ? U64 : S64;
  default: return std::nullopt;
  }
}

//===--- the rules ----------------------------------------------------------------------------===//

std::optional<std::string> Ladder::operandKinds() {
  auto memref = dyn_cast<CuteMemRefType>(tensor);
  using enum cute::AddressSpace;
  bool global = memref && (memref.getAddressSpace() == Gmem || memref.getAddressSpace() == Generic);
  if (global && isa<cute::LayoutType>(map))
    return std::nullopt;
  return say(Diag::TmaOperands, tensor, map);
}
std::optional<std::string> Ladder::smemLayoutKind() {
  if (isa<cute::LayoutType, ComposedLayoutType>(smem))
    return std::nullopt;
  return say(Diag::TmaSmemLayout, smem);
}
std::optional<std::string> Ladder::gmemLayoutKind() {
  return gmem().affine() ? std::nullopt : std::optional(say(Diag::TmaGmemLayout, gmem()));
}
std::optional<std::string> Ladder::integerStrides() {
  plan.request.smem = *cute::datumOf(smem).anyLayout();
  plan.request.gmem = *gmem().affine();
  if (!plan.request.gmem.stride.hasBasis() && !plan.request.smem.outer().stride.hasBasis())
    return std::nullopt;
  return say(Diag::TmaIntegerStrides, gmem(), plan.request.smem);
}
std::optional<std::string> Ladder::swizzled() {
  const layout::Composed *composed = plan.request.smem.composed();
  if (composed && !composed->swizzle())
    return say(Diag::TmaSwizzleOnly, plan.request.smem);
  return std::nullopt;
}
std::optional<std::string> Ladder::staticLayouts() {
  plan.request.ctaVMap = vMap();
  if (plan.request.smem.isStatic() && plan.request.ctaVMap.isStatic())
    return std::nullopt;
  return say(Diag::TmaStatic, plan.request.smem, layout::AnyLayout(plan.request.ctaVMap));
}
/// Modes of equal sizes; another grouping of as many elements is taken as well, as CuTe C++ does.
std::optional<std::string> Ladder::sameShapes() {
  const layout::Tree &a = plan.request.smem.shape(), &b = plan.request.ctaVMap.shape;
  bool same = layout::product(arith, a) == layout::product(arith, b);
  for (size_t i = 0; same && a.rank() == b.rank() && i < a.rank(); ++i)
    same = layout::product(arith, a[i]) == layout::product(arith, b[i]);
  return same ? std::nullopt : std::optional(say(Diag::TmaShapes, a, b));
}
std::optional<std::string> Ladder::basis() {
  Type element = cast<CuteMemRefType>(tensor).getElementType();
  Type type = internal ? internal : element;
  std::optional<atom::TensorMapType> known =
      format ? std::optional(format.getValue()) : formatOf(type);
  plan.request.elementBits = cute::bitsOf(element);
  plan.request.internalBits = internal ? cute::bitsOf(internal) : bitsIn(known, element);
  plan.request.multicast = multicast;
  if (!known)
    return say(Diag::TmaBasis, type, "no format of tensor maps has its elements");
  plan.format = *known;
  Result<atom::TmaTiling> tiling = atom::tmaTiling(arith, plan.request);
  if (!tiling)
    return say(Diag::TmaBasis, plan.request.smem, StringRef(tiling.reason().text));
  plan.tiling = *std::move(tiling);
  return std::nullopt;
}
/// Hardware's requirements on a box (PTX ISA 9.0, 5.5; CUDA driver API, cuTensorMapEncodeTiled).
std::optional<std::string> Ladder::validBox() {
  auto invalid = [&](const std::string &why) {
    return say(Diag::TmaLayout, layout::AnyLayout(plan.tiling.basis), StringRef(why));
  };
  Result<std::vector<atom::TmaExtent>> modes =
      atom::tmaModes(arith, plan.request, plan.tiling.basis);
  if (!modes)
    return invalid(modes.reason().text);
  // A stride that may be 1 is looked at where the map is made, unless another mode's is known to
  // be.
  layout::Int first = modes->front().stride;
  bool maybe = first.isStatic() ? first.is(1) : first.div == 1;
  bool other = llvm::any_of(llvm::drop_begin(*modes), [](const atom::TmaExtent &mode) {
    return mode.stride.is(1) && !mode.extent.is(1);
  });
  if (!maybe || (!first.isStatic() && other))
    return invalid("Majorness of smem doesn't match majorness of gmem: its first mode is not "
                   "contiguous in the tensor");
  plan.swizzle = atom::TensorMapSwizzle::None;
  int64_t span = 0;
  if (const layout::Composed *composed = plan.request.smem.composed()) {
    const auto *row = llvm::find_if(
        swizzleRows, [&](const SwizzleRow &row) { return row.swizzle == *composed->swizzle(); });
    if (row == std::end(swizzleRows) && !composed->swizzle()->isIdentity())
      return invalid("TMA has no swizzle " + layout::str(*composed->swizzle()));
    if (row != std::end(swizzleRows)) {
      plan.swizzle = row->code;
      span = row->span;
    }
  }
  for (int64_t extent : plan.tiling.box)
    if (extent < 1 || extent > 256)
      return invalid(cat("a box takes 1 to 256 elements in each mode, but got ", extent));
  int64_t inner = bytes(plan.tiling.box.front());
  if (inner % 16 != 0)
    return invalid(cat("the first mode of a box takes a multiple of 16 bytes, but got ", inner));
  // Hardware begins each row of a swizzled box a span after the one before (docs/simulator.md,
  // "Compared with an H100"); a layout has its rows next to each other.
  if (bool manyRows = plan.tiling.elements() > plan.tiling.box.front();
      span && (inner > span || (manyRows && inner < span)))
    return invalid(
        cat("the first mode of the box has the swizzle's ", span, " bytes, but got ", inner));
  for (size_t i = 1; i < modes->size(); ++i) {
    const layout::Int stride = (*modes)[i].stride;
    if (stride.isStatic() && bytes(stride.value) % 16 != 0)
      return invalid(cat("strides of the tensor are multiples of 16 bytes, but mode ", i, " has ",
                         bytes(stride.value)));
  }
  return std::nullopt;
}
std::optional<std::string> Ladder::tensorType() {
  Result<layout::Layout> l = atom::tmaCoordinates(arith, plan.request, plan.tiling.basis);
  if (!l)
    return say(Diag::TmaTensorType, StringRef(l.reason().text));
  auto declared = dyn_cast<CoordTensorType>(coords);
  if (declared && declared.getLayout() == layout::AnyLayout(*l))
    return std::nullopt;
  return say(Diag::TmaTensorType, StringRef("it has the layout " + layout::str(*l)));
}
std::optional<std::string> Ladder::multicasts() {
  if (!kind)
    return std::nullopt;
  bool many = atom::isMulticast(*kind);
  // Two SMs load together, and may multicast to no one else.
  const int64_t least = many && atom::ctas(*kind) == 1 ? 2 : 1;
  constexpr int64_t most = 16; // bits of the mask
  if (many ? least <= multicast && multicast <= most : multicast == 1)
    return std::nullopt;
  return say(many ? Diag::TmaMulticast : Diag::TmaNoMulticast, multicast,
             StringRef(atom::keyword(*kind)));
}

/// The atom that the op says it makes.
std::optional<std::string> Ladder::atomType() {
  int64_t bits = plan.tiling.elements() * plan.request.internalBits;
  auto copy = dyn_cast<TableCopyAtom>(atom);
  bool same = copy && carriesTensorMap(atom) && copy.getForm().key.mode == atom::TmaMode::Tiled &&
              copy.getForm().tmaGbasis.getValue() == plan.tiling.basis &&
              copy.getForm().amount == bits;
  return same ? std::nullopt
              : std::optional(say(Diag::TmaAtom, bits, layout::AnyLayout(plan.tiling.basis), atom));
}

constexpr Ladder::Step steps[] = {
    &Ladder::operandKinds,   &Ladder::smemLayoutKind, &Ladder::gmemLayoutKind,
    &Ladder::integerStrides, &Ladder::swizzled,       &Ladder::staticLayouts,
    &Ladder::sameShapes,     &Ladder::basis,          &Ladder::validBox,
    &Ladder::tensorType,     &Ladder::multicasts,     &Ladder::atomType,
};
constexpr size_t stepsOnOperands = 9; // the others compare results

Result<TensorMapPlan> climb(Ladder &ladder, size_t count) {
  for (Ladder::Step step : ArrayRef(steps).take_front(count))
    if (std::optional<std::string> broken = (ladder.*step)())
      return Reason{"TmaLadder", std::move(*broken)};
  return ladder.plan;
}
Result<TensorMapPlan> climb(Ladder ladder) { return climb(ladder, std::size(steps)); }

/// The types of results that pass the other steps; `makeAtom(element, bits, basis, format)`.
template <class MakeAtom> Result<TensorMapTypes> typesOf(Ladder ladder, MakeAtom makeAtom) {
  TESSERA_TRY(TensorMapPlan plan, climb(ladder, stepsOnOperands));
  TESSERA_TRY(layout::Layout l,
              atom::tmaCoordinates(ladder.arith, plan.request, plan.tiling.basis));
  if (std::optional<std::string> broken = ladder.multicasts())
    return Reason{"TmaLadder", std::move(*broken)};
  auto memref = cast<CuteMemRefType>(ladder.tensor);
  MLIRContext *context = memref.getContext();
  Type atom = makeAtom(memref.getElementType(), plan.tiling.elements() * plan.request.internalBits,
                       cute::LayoutAttr::get(context, plan.tiling.basis), plan.format);
  layout::Tree start =
      layout::repeat(layout::Leaf(0), std::max<size_t>(2, plan.tiling.basis.rank()));
  if (plan.tiling.basis.rank() == 1)
    start = layout::Tree::of({layout::Int(0)});
  return TensorMapTypes{atom,
                        CoordTensorType::get(context, std::move(start), layout::AnyLayout(l))};
}

template <class Op> Ladder ladderOf(Op op) {
  return {op.getTensor().getType(), op.getSmemLayout().getType(), op.getCtaTiler().getType(),
          op.getAtom().getType(), op.getCoords().getType()};
}
Ladder loadLadder(MakeNonExecTiledTmaLoadOp op) {
  Ladder ladder = ladderOf(op);
  ladder.format = op.getTmaFormatAttr();
  ladder.internal = op.getInternalType().value_or(Type());
  ladder.kind = op.getKind();
  ladder.multicast = int32_t(op.getNumMulticast());
  return ladder;
}
} // namespace

Result<TensorMapPlan> tessera::cute_nvgpu::planOf(MakeNonExecTiledTmaLoadOp op) {
  return climb(loadLadder(op));
}
Result<TensorMapPlan> tessera::cute_nvgpu::planOf(MakeNonExecTiledTmaStoreOp op) {
  return climb(ladderOf(op));
}
Result<TensorMapPlan> tessera::cute_nvgpu::planOf(MakeNonExecTiledTmaReduceOp op) {
  return climb(ladderOf(op));
}

std::optional<TensorMapPlan> tessera::cute_nvgpu::planOf(Type atom, CuteMemRefType tensor) {
  auto carrier = dyn_cast<TableCopyAtom>(cute::untiled(atom));
  if (!carrier || !carriesTensorMap(carrier) || carrier.getForm().key.mode != atom::TmaMode::Tiled)
    return std::nullopt;
  const CopyForm &form = carrier.getForm();
  TensorMapPlan plan;
  plan.request.elementBits = cute::bitsOf(tensor.getElementType());
  plan.request.internalBits = bitsInMap(form);
  plan.tiling.basis = form.tmaGbasis.getValue();
  return plan;
}

Result<TensorMapTypes> tessera::cute_nvgpu::loadTypes(Type tensor, Type smem, Type tiler,
                                                      atom::TiledLoad kind, int64_t multicast,
                                                      Type internal) {
  Ladder ladder{tensor, smem, tiler, {}, {}};
  ladder.kind = kind;
  ladder.multicast = multicast;
  ladder.internal = internal;
  return typesOf(std::move(ladder), [&](Type element, int64_t bits, cute::LayoutAttr basis,
                                        atom::TensorMapType format) {
    return NonExecTiledTmaLoadType::get(tensor.getContext(), kind, element, bits, basis, format,
                                        Type());
  });
}
Result<TensorMapTypes> tessera::cute_nvgpu::storeTypes(Type tensor, Type smem, Type tiler) {
  return typesOf({tensor, smem, tiler, {}, {}}, [&](Type element, int64_t bits,
                                                    cute::LayoutAttr basis,
                                                    atom::TensorMapType format) {
    return NonExecTiledTmaStoreType::get(tensor.getContext(), element, bits, basis, format, Type());
  });
}

/// As the op, of an atom of type `Stated`; `remake(stated, ...)` has the parameters of its `get`.
template <class Stated, class Op, class Remake>
static Result<TensorMapTypes> followingAs(Op op, Ladder ladder, Remake remake) {
  auto stated = dyn_cast<Stated>(op.getAtom().getType());
  if (!stated)
    return reason(Diag::NoTensorMap, op.getAtom().getType());
  Type internal = ladder.internal;
  return typesOf(
      std::move(ladder),
      [&](Type element, int64_t bits, cute::LayoutAttr basis, atom::TensorMapType format) -> Type {
        return remake(stated, element, bits, basis,
                      stated.getTmaFormat() ? std::optional(format) : std::nullopt,
                      !stated.getInternalValType() ? Type()
                      : internal                   ? internal
                                                   : element);
      });
}
Result<TensorMapTypes> tessera::cute_nvgpu::followingTypes(MakeNonExecTiledTmaLoadOp op) {
  return followingAs<NonExecTiledTmaLoadType>(op, loadLadder(op), [&](auto, auto... columns) {
    return NonExecTiledTmaLoadType::get(op.getContext(), op.getKind(), columns...);
  });
}
Result<TensorMapTypes> tessera::cute_nvgpu::followingTypes(MakeNonExecTiledTmaStoreOp op) {
  return followingAs<NonExecTiledTmaStoreType>(op, ladderOf(op), [&](auto, auto... columns) {
    return NonExecTiledTmaStoreType::get(op.getContext(), columns...);
  });
}
Result<TensorMapTypes> tessera::cute_nvgpu::followingTypes(MakeNonExecTiledTmaReduceOp op) {
  return followingAs<NonExecTiledTmaReduceType>(
      op, ladderOf(op), [&](auto stated, auto... columns) {
        return NonExecTiledTmaReduceType::get(op.getContext(), stated.getKind(), columns...);
      });
}

namespace {

/// Makes atoms without a tensor map that move what one with it, of this form, does.
struct Executable {
  const CopyForm &form;
  atom::TmaMode mode;
  cute::IntTupleAttr stride; // g_stride

  MLIRContext *context() const { return stride.getContext(); }
  Type load() const {
    return TmaLoadType::get(context(), form.valType, form.amount, mode, int32_t(form.key.ctas),
                            stride, form.key.multicast, form.tmaGbasis);
  }
  Type store() const {
    return TmaStoreType::get(context(), form.valType, form.amount, mode, stride, form.tmaGbasis);
  }
  Type reduce(atom::Reduction kind) const {
    return TmaReduceType::get(context(), form.valType, form.amount, mode, kind, stride,
                              form.tmaGbasis);
  }
};

} // namespace

Type tessera::cute_nvgpu::executableLike(Type carrier, Type stated) {
  auto from = dyn_cast<TableCopyAtom>(carrier);
  if (!from)
    return stated;
  auto like = [&](auto type) {
    return Executable{from.getForm(), type.getMode(), type.getGStride()};
  };
  return TypeSwitch<Type, Type>(stated)
      .Case([&](TmaLoadType type) { return like(type).load(); })
      .Case([&](TmaStoreType type) { return like(type).store(); })
      .Case([&](TmaReduceType type) { return like(type).reduce(type.getKind()); })
      .Default(stated);
}
Type tessera::cute_nvgpu::executableOf(Type carrier) {
  auto from = dyn_cast<TableCopyAtom>(carrier);
  if (!from)
    return {};
  auto none =
      cute::IntTupleAttr::get(carrier.getContext(), layout::Tree(std::vector<layout::Tree>()));
  Executable runs{from.getForm(), atom::TmaMode::Tiled, none};
  return TypeSwitch<Type, Type>(carrier)
      .Case([&](NonExecTiledTmaLoadType) { return runs.load(); })
      .Case([&](NonExecTiledTmaStoreType) { return runs.store(); })
      .Case([&](NonExecTiledTmaReduceType type) { return runs.reduce(type.getKind()); })
      .Default(Type());
}

template <class Op> static LogicalResult verifyTensorMap(Op op) {
  Result<TensorMapPlan> plan = planOf(op);
  return plan ? success() : LogicalResult(op.emitOpError() << plan.reason().text);
}
LogicalResult MakeNonExecTiledTmaLoadOp::verify() { return verifyTensorMap(*this); }
LogicalResult MakeNonExecTiledTmaStoreOp::verify() { return verifyTensorMap(*this); }
LogicalResult MakeNonExecTiledTmaReduceOp::verify() { return verifyTensorMap(*this); }
