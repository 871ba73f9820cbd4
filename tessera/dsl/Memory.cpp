// Pointers and tensors as operations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Memory.h"

#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/dsl/Call.h"
#include "tessera/layout/Domains.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using layout::TreeKind;

namespace tessera::dsl {

/// Null after a mistake.
static PtrType pointerType(Call &call, Element element, AddressSpace space, int64_t alignment,
                           const layout::Swizzle &swizzle) {
  if (!call.good())
    return {};
  Type of = element.type(call.mlirContext());
  if (alignment == 0)
    alignment = PtrType::naturalAlignment(of);
  return call.collecting([&] {
    return PtrType::getChecked([&] { return emitError(call.location()); }, call.mlirContext(), of,
                               space, alignment, swizzle);
  });
}

Type tensor_type(Element element, const Layout &l, AddressSpace space, int64_t alignment,
                 Place at) {
  Call call("tensor_type", at, l);
  PtrType pointer = pointerType(call, element, space, alignment, {.bits = 0});
  return pointer ? CuteMemRefType::get(call.mlirContext(), pointer, l.get()) : Type();
}

//===--- pointers -----------------------------------------------------------------------------===//

Pointer offset(Pointer pointer, const Coord &elements, Place at) {
  Call call("offset", at, pointer, elements);
  Value distance = call.value(elements, TreeKind::IntTuple);
  return Pointer(call.infer<AddOffsetOp>({pointer.ir(), distance}));
}
Pointer recast_ptr(Pointer pointer, Element element, int64_t alignment, layout::Swizzle swizzle,
                   Place at) {
  Call call("recast_ptr", at, pointer);
  auto from = call.good() ? dyn_cast<PtrType>(pointer.ir().getType()) : PtrType();
  if (call.good() && !from)
    call.fail("expects a pointer to memory");
  PtrType to =
      from ? pointerType(call, element, from.getAddressSpace(), alignment, swizzle) : PtrType();
  auto op = to ? call.create<RecastIterOp>(to, pointer.ir()) : RecastIterOp();
  return Pointer(op ? op->getResult(0) : Value());
}

Num address(Pointer pointer, Place at) {
  Call call("address", at, pointer);
  auto op = call.good() ? call.create<PtrToIntOp>(call.builder().getI64Type(), pointer.ir())
                        : PtrToIntOp();
  return Num(op ? op->getResult(0) : Value());
}
Pointer aligned_ptr(Pointer pointer, int64_t alignment, Place at) {
  Call call("aligned_ptr", at, pointer);
  auto from = call.good() ? dyn_cast<PtrType>(pointer.ir().getType()) : PtrType();
  if (call.good() && !from)
    call.fail("expects a pointer to memory");
  if (!call.good())
    return Pointer(Value());
  auto to = PtrType::get(call.mlirContext(), from.getElementType(), from.getAddressSpace(),
                         alignment, from.getSwizzle());
  Num where = address(pointer, at);
  auto op = call.create<IntToPtrOp>(to, where.ir());
  return Pointer(op ? op->getResult(0) : Value());
}

Pointer map_to_rank(Pointer pointer, Num rank, Place at) {
  Call call("map_to_rank", at, pointer, rank);
  auto from = call.good() ? dyn_cast<PtrType>(pointer.ir().getType()) : PtrType();
  if (call.good() && !from)
    call.fail("expects a pointer to memory");
  if (!call.good())
    return Pointer(Value());
  auto to = PtrType::get(call.mlirContext(), from.getElementType(), AddressSpace::Dsmem,
                         from.getAlignment(), from.getSwizzle());
  auto op = call.create<cute_nvgpu::MapDsmemPtrOp>(to, pointer.ir(), rank.ir());
  return Pointer(op ? op->getResult(0) : Value());
}

//===--- tensors ------------------------------------------------------------------------------===//

Tensor make_tensor(Pointer pointer, const Layout &l, Place at) {
  Call call("make_tensor", at, pointer, l);
  Value view = call.value(l);
  return Tensor(call.infer<MakeViewOp>({pointer.ir(), view}));
}
Tensor make_rmem_tensor(Element element, const Layout &l, Place at) {
  Call call("make_rmem_tensor", at, l);
  if (call.good() && !l.isStatic())
    call.fail(cat("expects a static layout, but got ", layout::str(l.get())));
  PtrType pointer = pointerType(call, element, AddressSpace::Rmem, 32, {.bits = 0});
  if (!pointer)
    return Tensor(Value());
  auto op = call.create<MemRefAllocaOp>(CuteMemRefType::get(call.mlirContext(), pointer, l.get()),
                                        Value());
  return Tensor(op ? op->getResult(0) : Value());
}
Pointer get_iter(Tensor tensor, Place at) {
  Call call("get_iter", at, tensor);
  return Pointer(call.infer<GetIterOp>({tensor.ir()}));
}
Layout get_layout(Tensor tensor, Place at) {
  Call call("get_layout", at, tensor);
  return Layout(call.infer<GetLayoutOp>({tensor.ir()}));
}
Num size(Tensor tensor, int mode, Place at) {
  Call call("size", at, tensor);
  NamedAttrList attrs;
  if (call.good())
    attrs.set("mode", call.builder().getDenseI32ArrayAttr({mode}));
  Value extent = call.infer<SizeOp>({tensor.ir()}, attrs);
  return Num(extent ? call.infer<GetScalarsOp>({extent}) : Value());
}
Tensor group_modes(Tensor tensor, int begin, int end, Place at) {
  Call call("group_modes", at, tensor);
  NamedAttrList attrs;
  if (call.good()) {
    attrs.set("begin", call.builder().getI32IntegerAttr(begin));
    attrs.set("end", call.builder().getI32IntegerAttr(end));
  }
  return Tensor(call.infer<GroupModesOp>({tensor.ir()}, attrs));
}
Tensor local_tile(Tensor tensor, const Tile &tile, const Coord &coord, Place at) {
  Call call("local_tile", at, tensor, tile, coord);
  // In the order in which an author writes them.
  Value where = call.value(coord, TreeKind::Coord), tiler = call.value(tile);
  return Tensor(call.infer<LocalTileOp>({tensor.ir(), tiler, where}));
}
Tensor zipped_divide(Tensor tensor, const Tile &tile, Place at) {
  Call call("zipped_divide", at, tensor, tile);
  Value tiler = call.value(tile);
  return Tensor(call.infer<ZippedDivideOp>({tensor.ir(), tiler}));
}

/// A format by the name that the IR has for its type.
std::optional<Element> element_named(Type type) {
  std::string text;
  if (type)
    llvm::raw_string_ostream(text) << getElementTypeOrSelf(type);
  return Element::named(text);
}
static std::optional<Element> elementOf(Type type) {
  if (auto tensor = dyn_cast_or_null<CuteMemRefType>(type))
    return element_named(tensor.getElementType());
  if (auto pointer = dyn_cast_or_null<PtrType>(type))
    return element_named(pointer.getElementType());
  return std::nullopt;
}
std::optional<Element> element_of(const Tensor &tensor) {
  return tensor.ir() ? elementOf(tensor.ir().getType()) : std::nullopt;
}
static bool isIn(const Tensor &tensor, AddressSpace space) {
  auto type = tensor.ir() ? dyn_cast<CuteMemRefType>(tensor.ir().getType()) : CuteMemRefType();
  return type && type.getAddressSpace() == space;
}
bool is_shared(const Tensor &tensor) { return isIn(tensor, AddressSpace::Smem); }
bool is_in_registers(const Tensor &tensor) { return isIn(tensor, AddressSpace::Rmem); }
static Start startOf(PtrType pointer) {
  llvm::StringRef space = atom::name(pointer.getAddressSpace());
  return {.space = std::string_view(space.data(), space.size()),
          .swizzle = pointer.hasSwizzle() ? pointer.getSwizzle() : layout::Swizzle{.bits = 0},
          .alignment = pointer.getAlignment()};
}
Start start_of(const Tensor &tensor) {
  Type type = tensor.ir() ? tensor.ir().getType() : Type();
  if (auto coords = dyn_cast_or_null<CoordTensorType>(type))
    return {.space = "", .coord = coords.getStart()};
  auto memory = dyn_cast_or_null<CuteMemRefType>(type);
  return memory ? startOf(memory.getPtrType()) : Start{.space = ""};
}
Start start_of(const Pointer &pointer) {
  auto type = pointer.ir() ? dyn_cast<PtrType>(pointer.ir().getType()) : PtrType();
  return type ? startOf(type) : Start{.space = ""};
}
std::optional<Element> element_of(const Num &number) { return element_named(number.type()); }
std::optional<Element> element_of(const Pointer &pointer) {
  return pointer.ir() ? elementOf(pointer.ir().getType()) : std::nullopt;
}
Tensor with_layout(Tensor tensor, const Layout &l, Place at) {
  Call call("with_layout", at, tensor, l);
  Value start = call.infer<GetIterOp>({tensor.ir()}), view = call.value(l);
  return Tensor(call.infer<MakeViewOp>({start, view}));
}

//===--- elements -----------------------------------------------------------------------------===//

/// The type of a tensor in memory; null after a mistake.
static CuteMemRefType inMemory(Call &call, const Tensor &tensor) {
  if (!call.good())
    return {};
  auto type = dyn_cast<CuteMemRefType>(tensor.ir().getType());
  if (!type)
    call.fail("expects a tensor in memory");
  return type;
}
Num load(Tensor tensor, const Coord &coord, Place at) {
  Call call("load", at, tensor, coord);
  CuteMemRefType type = inMemory(call, tensor);
  Value where = call.value(coord, TreeKind::Coord);
  auto op =
      type ? call.create<MemRefLoadOp>(type.getElementType(), tensor.ir(), where) : MemRefLoadOp();
  return Num(op ? op->getResult(0) : Value());
}
void store(Num element, Tensor tensor, const Coord &coord, Place at) {
  Call call("store", at, element, tensor, coord);
  inMemory(call, tensor);
  Value where = call.value(coord, TreeKind::Coord);
  call.create<MemRefStoreOp>(tensor.ir(), where, element.ir());
}
Num load_vec(Tensor tensor, Place at) {
  Call call("load_vec", at, tensor);
  CuteMemRefType type = inMemory(call, tensor);
  if (type && !type.getLayout().shape().isStatic())
    call.fail(
        cat("expects a tensor of a static shape, but got ", layout::str(type.getLayout().shape())));
  if (!call.good())
    return Num(Value());
  layout::Const arith;
  int64_t elements = layout::product(arith, type.getLayout().shape()).value;
  auto op =
      call.create<MemRefLoadVecOp>(VectorType::get({elements}, type.getElementType()), tensor.ir());
  return Num(op ? op->getResult(0) : Value());
}
void store_vec(Num vector, Tensor tensor, Place at) {
  Call call("store_vec", at, vector, tensor);
  inMemory(call, tensor);
  call.create<MemRefStoreVecOp>(vector.ir(), tensor.ir());
}

//===--- between blocks -----------------------------------------------------------------------===//

void fence_device(Place at) {
  Call call("fence_device", at);
  call.create<LLVM::FenceOp>(LLVM::AtomicOrdering::acq_rel, "device");
}
static LLVM::AtomicBinOp updateOf(Atomic what, Type type) {
  bool isFloat = isa<FloatType>(type), isUnsigned = type.isUnsignedInteger();
  switch (what) {
  case Atomic::Add: return isFloat ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add;
  case Atomic::Sub: return LLVM::AtomicBinOp::sub;
  case Atomic::Min: return isUnsigned ? LLVM::AtomicBinOp::umin : LLVM::AtomicBinOp::min;
  case Atomic::Max: return isUnsigned ? LLVM::AtomicBinOp::umax : LLVM::AtomicBinOp::max;
  case Atomic::And: return LLVM::AtomicBinOp::_and;
  case Atomic::Or: return LLVM::AtomicBinOp::_or;
  case Atomic::Xor: return LLVM::AtomicBinOp::_xor;
  case Atomic::Exchange: return LLVM::AtomicBinOp::xchg;
  }
  llvm_unreachable("no such update");
}
/// The address of an element as LLVM's, where numbers of this type are updated; null after a
/// mistake.
static Value addressOf(Call &call, Tensor tensor, const Coord &coord, Num value, bool takesFloats,
                       Place at) {
  CuteMemRefType type = inMemory(call, tensor);
  if (!type)
    return {};
  Pointer where = offset(get_iter(tensor, at), crd2idx(coord, get_layout(tensor, at), at), at);
  auto pointer = where.ir() ? dyn_cast<PtrType>(where.ir().getType()) : PtrType();
  if (!pointer)
    return {};
  constexpr unsigned deviceMemory = 1, sharedMemory = 3, clusterMemory = 7;
  unsigned space = pointer.getAddressSpace() == AddressSpace::Gmem    ? deviceMemory
                   : pointer.getAddressSpace() == AddressSpace::Smem  ? sharedMemory
                   : pointer.getAddressSpace() == AddressSpace::Dsmem ? clusterMemory
                                                                      : 0;
  bool isFloat = isa<FloatType>(value.type());
  if (!space)
    call.fail("expects an element of global or shared memory");
  else if (value.type() != type.getElementType()) {
    std::string words;
    llvm::raw_string_ostream(words) << "expects a number of the element type "
                                    << type.getElementType() << ", but got " << value.type();
    call.fail(words);
  } else if (isFloat ? !takesFloats || value.type().getIntOrFloatBitWidth() < 16
                     : value.type().getIntOrFloatBitWidth() < 32)
    call.fail("expects integers of 32 or 64 bits; floats of 16 to 64 bits can be added");
  if (!call.good())
    return {};
  auto llvmPointer = LLVM::LLVMPointerType::get(call.mlirContext(), space);
  auto cast =
      call.create<UnrealizedConversionCastOp>(TypeRange(llvmPointer), ValueRange(where.ir()));
  if (!cast || !pointer.hasSwizzle())
    return cast ? cast.getResult(0) : Value();
  // A swizzle exchanges bits of the byte's address: those above with those that are `shift` lower.
  const layout::Swizzle &swizzle = pointer.getSwizzle();
  Type word = IntegerType::get(call.mlirContext(), 64);
  auto plain = call.create<LLVM::PtrToIntOp>(word, cast.getResult(0));
  if (!plain)
    return {};
  Num address(plain->getResult(0));
  auto moved = [&](int64_t shift) {
    int64_t low = ((int64_t(1) << swizzle.bits) - 1) << swizzle.base;
    return shift >= 0 ? address & i64(low << shift, at) : address & i64(low, at);
  };
  int64_t shift = swizzle.shift;
  Num bits = shift >= 0 ? moved(shift) >> i64(shift, at) : moved(shift) << i64(-shift, at);
  auto swizzled = call.create<LLVM::IntToPtrOp>(llvmPointer, (address ^ bits).ir());
  return swizzled ? swizzled->getResult(0) : Value();
}
/// The bits of a number without a sign as a number that has one, as LLVM's operations take it.
static Num withSign(const Num &x, Place at) {
  constexpr unsigned wide = 64;
  return x.type() && x.type().isUnsignedInteger()
             ? bitcast(x, x.type().getIntOrFloatBitWidth() == wide ? i64 : i32, at)
             : x;
}
/// The bits as a number of the type that another one has.
static Num likewise(const Num &bits, const Num &other, Place at) {
  return bits.ir() && bits.type() != other.type() ? bitcast(bits, *element_of(other), at) : bits;
}
Num atomic(Atomic what, Tensor tensor, const Coord &coord, Num value, Place at) {
  Call call("atomic", at, value, tensor, coord);
  Value address = addressOf(call, tensor, coord, value, what == Atomic::Add, at);
  if (!address)
    return Num(Value());
  auto op = call.create<LLVM::AtomicRMWOp>(updateOf(what, value.type()), address,
                                           withSign(value, at).ir(),
                                           LLVM::AtomicOrdering::monotonic, "device");
  return likewise(Num(op ? op->getResult(0) : Value()), value, at);
}
Num atomic_cas(Tensor tensor, const Coord &coord, Num expected, Num desired, Place at) {
  Call call("atomic_cas", at, expected, desired, tensor, coord);
  Value address = addressOf(call, tensor, coord, expected, false, at);
  if (address && desired.type() != expected.type())
    call.fail("expects two numbers of one type");
  if (!address || !call.good())
    return Num(Value());
  constexpr auto order = LLVM::AtomicOrdering::monotonic;
  auto op = call.create<LLVM::AtomicCmpXchgOp>(address, withSign(expected, at).ir(),
                                               withSign(desired, at).ir(), order, order, "device");
  if (!op)
    return Num(Value());
  auto before = call.create<LLVM::ExtractValueOp>(op->getResult(0), int64_t(0));
  return likewise(Num(before ? before->getResult(0) : Value()), expected, at);
}
Num atomic_inc_wrap(Pointer pointer, Num last, Place at) {
  Call call("atomic_inc_wrap", at, pointer, last);
  if (!call.good())
    return Num(Value());
  constexpr unsigned deviceMemory = 1;
  auto cast = call.create<UnrealizedConversionCastOp>(
      TypeRange(LLVM::LLVMPointerType::get(call.mlirContext(), deviceMemory)),
      ValueRange(pointer.ir()));
  if (!cast)
    return Num(Value());
  auto op = call.create<LLVM::AtomicRMWOp>(LLVM::AtomicBinOp::uinc_wrap, cast.getResult(0),
                                           last.ir(), LLVM::AtomicOrdering::monotonic, "device");
  return Num(op ? op->getResult(0) : Value());
}

} // namespace tessera::dsl
