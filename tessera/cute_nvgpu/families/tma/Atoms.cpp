// TMA ops: forms, and which run-time fields an atom has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Assembly.h"
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/families/tma/TensorMaps.h"

#include "tessera/atom/TmaTiling.h"

#include "tessera/layout/Domains.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using cute::Data;
using cute::Datum;
using cute::Domain;
using cute::Opaque;
using cute::View;

//===--- <{kind = <sm_90> num_multicast = 1 internal_type = tf32}> ----------------------------===//

static ParseResult parseTmaLoadOptions(OpAsmParser &parser, TiledTmaLoadAttr &kind,
                                       IntegerAttr &multicast, TmaDataFormatAttr &format,
                                       TypeAttr &internal) {
  if (parser.parseLess() || parser.parseLBrace())
    return failure();
  Builder &b = parser.getBuilder();
  while (failed(parser.parseOptionalRBrace())) {
    StringRef key;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    int32_t count;
    Type type;
    if (key == "kind") {
      kind = dyn_cast_or_null<TiledTmaLoadAttr>(TiledTmaLoadAttr::parse(parser, {}));
      if (!kind)
        return failure();
    } else if (key == "num_multicast") {
      if (parser.parseInteger(count))
        return failure();
      multicast = b.getI32IntegerAttr(count);
    } else if (key == "tma_format") {
      // CuTe DSL 4.4 writes the attribute with its name here.
      Attribute named;
      OptionalParseResult read = parser.parseOptionalAttribute(named);
      if (read.has_value() && failed(*read))
        return failure();
      format = dyn_cast_or_null<TmaDataFormatAttr>(
          read.has_value() ? named : TmaDataFormatAttr::parse(parser, {}));
      if (!format)
        return read.has_value() ? parser.emitError(loc, "expects a tma_data_format") : failure();
    } else if (key == "internal_type") {
      if (parser.parseType(type))
        return failure();
      internal = TypeAttr::get(type);
    } else {
      return parser.emitError(loc,
                              "expects kind, num_multicast, tma_format or internal_type, but got '")
             << key << "'";
    }
  }
  if (!kind)
    return parser.emitError(parser.getCurrentLocation(), "expects the kind of TMA load");
  if (!multicast)
    multicast = b.getI32IntegerAttr(1);
  return parser.parseGreater();
}

static void printTmaLoadOptions(OpAsmPrinter &printer, Operation *, TiledTmaLoadAttr kind,
                                IntegerAttr multicast, TmaDataFormatAttr format,
                                TypeAttr internal) {
  printer << "<{kind = ";
  kind.print(printer);
  printer << " num_multicast = " << multicast.getInt();
  if (format) {
    printer << " tma_format = ";
    format.print(printer);
  }
  if (internal)
    printer << " internal_type = " << internal.getValue();
  printer << "}>";
}

//===--- fields -------------------------------------------------------------------------------===//

/// Whether a value can be a field's: pointers have their own alignment and element.
static bool isOfField(Type value, Type field) {
  auto pointer = dyn_cast<cute::PtrType>(value), expected = dyn_cast<cute::PtrType>(field);
  if (!pointer || !expected)
    return value == field;
  cute::AddressSpace space = pointer.getAddressSpace(), wanted = expected.getAddressSpace();
  return space == wanted ||
         (space == cute::AddressSpace::Gmem && wanted == cute::AddressSpace::Generic);
}

/// `(%atom, %value : V) {field = ...} : A`, and for a value that is read `(%atom : A) {field = ...}
/// : V`: the last operand has its type beside it, and the result after it.
static ParseResult parseFieldAccess(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand, 2> operands;
  SMLoc loc = parser.getCurrentLocation();
  Type last, type;
  if (failed(parser.parseOptionalLParen())) {
    cute::ParsedOp op;
    OptionalParseResult other =
        cute::askSpellings(parser, result, cute::Departure::Operands, op, loc);
    return other.has_value() ? *other : parser.parseLParen();
  }
  if (parser.parseOperandList(operands) || parser.parseColonType(last) || parser.parseRParen() ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type))
    return failure();
  SmallVector<Type, 2> types(operands.size(), type);
  if (!types.empty())
    types.back() = last;
  result.addTypes(type);
  return parser.resolveOperands(operands, types, loc, result.operands);
}
static void printFieldAccess(OpAsmPrinter &printer, Operation *op) {
  printer << "(" << op->getOperands() << " : " << op->getOperands().back().getType() << ")";
  printer.printOptionalAttrDict(op->getAttrs());
  printer << " : " << op->getResult(0).getType();
}
ParseResult AtomSetValueOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFieldAccess(parser, result);
}
void AtomSetValueOp::print(OpAsmPrinter &printer) { printFieldAccess(printer, *this); }
ParseResult AtomGetValueOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFieldAccess(parser, result);
}
void AtomGetValueOp::print(OpAsmPrinter &printer) { printFieldAccess(printer, *this); }

LogicalResult AtomSetValueOp::verify() {
  if (!knowsField(getAtom().getType(), getField()))
    return refuse(*this, Diag::AtomField, getAtom().getType(), getField());
  auto product = dyn_cast<Sm100MmaType>(cute::untiled(getAtom().getType()));
  if (auto field = dyn_cast<MmaFieldSm100Attr>(getField());
      product && field && field.getValue() == MmaFieldSm100::disable_output_lane &&
      !product.getLaneMask())
    return refuse(*this, Diag::NoLaneMask, product);
  for (const AtomField &field : fieldsOf(getAtom().getType()))
    if (field.key == getField() && !isOfField(getValue().getType(), field.type))
      return refuse(*this, Diag::AtomFieldValue, field.type, getField(), getValue().getType());
  return success();
}
LogicalResult AtomGetValueOp::verify() {
  return knowsField(getAtom().getType(), getField())
             ? success()
             : refuse(*this, Diag::AtomField, getAtom().getType(), getField());
}

/// The value that was set last, or else that the atom was made of. Setting another field changes
/// nothing, so the fold looks through it.
OpFoldResult AtomGetValueOp::fold(FoldAdaptor) {
  auto ifOfType = [&](Value value) { return value.getType() == getType() ? value : Value(); };
  if (auto set = getAtom().getDefiningOp<AtomSetValueOp>()) {
    if (set.getField() == getField())
      return ifOfType(set.getValue());
    getAtomMutable().assign(set.getAtom());
    return getResult();
  }
  if (auto make = getAtom().getDefiningOp<cute::MakeAtomOp>())
    for (auto [field, value] : llvm::zip(fieldsOf(make.getType()), make.getFields()))
      if (field.key == getField())
        return ifOfType(value);
  return {};
}

//===--- executable atoms ---------------------------------------------------------------------===//

LogicalResult MakeExecTmaOp::verify() {
  Type carrier = getAtom().getType(), exec = getType();
  std::optional<CopyInstance> from = copyInstanceOf(carrier), to = copyInstanceOf(exec);
  if (!from || !carriesTensorMap(carrier))
    return refuse(*this, Diag::NoTensorMap, carrier);
  if (!to || carriesTensorMap(exec) || !(to->row->key == from->row->key) ||
      to->amount != from->amount)
    return refuse(*this, Diag::ExecTma, carrier, exec);
  return success();
}

//===--- tensor maps --------------------------------------------------------------------------===//

/// Gives a map sound extents and strides in place of run-time ones, whose limits are checked at
/// launch.
static void putSoundTensor(atom::TensorMap &map, size_t rank) {
  constexpr uint64_t extent = 1 << 12;
  map.rank = uint32_t(rank);
  for (size_t i = 0; i < rank; ++i) {
    map.dims[i] = extent;
    if (i)
      map.strides[i - 1] = extent * 32;
  }
}

LogicalResult MakeTmaDescTiledOp::verify() {
  size_t rank = getExtents().size();
  if (rank < 1 || rank > 5)
    return refuse(*this, Diag::TmaRank, rank);
  if (getStrides().size() + 1 != rank)
    return refuse(*this, Diag::TmaStrides, rank - 1, rank, getStrides().size());
  if (getBox().size() != rank)
    return refuse(*this, Diag::TmaBoxRank, rank, getBox().size());
  atom::TensorMap map{.type = getFormat()};
  putSoundTensor(map, rank);
  llvm::copy(getBox(), map.box.begin());
  map.swizzle = getSwizzle();
  std::optional<Reason> broken = atom::check(map, *atom::Target::parse("sm_100a"));
  return broken ? refuse(*this, Diag::NoSuchMap, StringRef(broken->text)) : success();
}

/// Checks the attributes against the limits of maps.
LogicalResult MakeTmaDescIm2colOp::verify() {
  using enum atom::TmaMode;
  size_t rank = getExtents().size();
  atom::TmaMode mode = getMode().value_or(Im2col);
  bool wide = mode == Im2colW || mode == Im2colW128;
  if (!wide && mode != Im2col)
    return refuse(*this, Diag::Im2colMode, StringRef(atom::keyword(mode)));
  if (rank < 3 || rank > 5)
    return refuse(*this, Diag::Im2colRank, rank);
  if (getStrides().size() + 1 != rank)
    return refuse(*this, Diag::TmaStrides, rank - 1, rank, getStrides().size());
  size_t corners = wide ? 1 : rank - 2;
  if (getLower().size() != corners || getUpper().size() != corners || getSteps().size() != rank)
    return refuse(*this, Diag::Im2colCorners, corners, rank, getLower().size(), getUpper().size(),
                  getSteps().size());
  atom::TensorMap map;
  map.kind = wide ? atom::TensorMapKind::Im2colWide : atom::TensorMapKind::Im2col;
  map.type = getFormat();
  putSoundTensor(map, rank);
  for (size_t i = 0; i < rank; ++i)
    map.steps[i] = uint32_t(getSteps()[i]);
  llvm::copy(getLower(), map.lower.begin());
  llvm::copy(getUpper(), map.upper.begin());
  map.channels = uint32_t(getChannels());
  map.pixels = uint32_t(getPixels());
  map.swizzle = getSwizzle();
  std::optional<Reason> broken = atom::check(map, *atom::Target::parse(wide ? "sm_100a" : "sm_90"));
  return broken ? refuse(*this, Diag::NoSuchMap, StringRef(broken->text)) : success();
}

/// The atom must carry a tensor map, and the copy be where TMA and generic stores reach it.
template <class Op> static LogicalResult verifyMapInMemory(Op op, Value pointer) {
  if (!carriesTensorMap(op.getAtom().getType()))
    return refuse(op, Diag::NoTensorMap, op.getAtom().getType());
  auto type = cast<cute::PtrType>(pointer.getType());
  constexpr int64_t alignment = 64; // PTX ISA 9.0, 5.5.8
  if (type.getAlignment() % alignment != 0)
    return refuse(op, Diag::TensorMapAlignment, alignment, type);
  return success();
}
LogicalResult CopyTmaDescOp::verify() { return verifyMapInMemory(*this, getDst()); }
LogicalResult UpdateTmaDescOp::verify() {
  if (failed(verifyMapInMemory(*this, getDesc())))
    return failure();
  std::optional<TensorMapPlan> plan = planOf(getAtom().getType(), getTensor().getType());
  if (!plan)
    return refuse(*this, Diag::NoTensorMap, getAtom().getType());
  cute::AddressSpace space = getTensor().getType().getAddressSpace();
  if (space != cute::AddressSpace::Gmem && space != cute::AddressSpace::Generic)
    return refuse(*this, Diag::PointerSpace, StringRef("the tensor"),
                  atom::name(cute::AddressSpace::Gmem), atom::name(space));
  layout::AnyLayout tensor = getTensor().getType().getLayout();
  if (!tensor.affine())
    return refuse(*this, Diag::TmaGmemLayout, tensor);
  plan->request.gmem = tensor.outer();
  layout::Symbolic arith;
  Result<std::vector<atom::TmaExtent>> modes =
      atom::tmaModes(arith, plan->request, plan->tiling.basis);
  return modes ? success() : refuse(*this, Diag::TmaBasis, tensor, StringRef(modes.reason().text));
}

//===--- partition ----------------------------------------------------------------------------===//

Result<Data> TmaPartitionOp::evaluateOn(Domain &d, ArrayRef<Datum> in) {
  auto atom = dyn_cast<cute::CopyAtomType>(in[0].as<Opaque>()->type);
  std::optional<CopyInstance> copy = copyInstanceOf(atom);
  if (!copy || copy->row->key.mode == atom::TmaMode::None)
    return Reason{"TmaPartitionAtom", sentence(Diag::TmaPartitionAtom, Type(atom))};
  atom::TmaPartition p;
  p.ctaCoord = *in[1].tree();
  p.ctaLayout = *in[2].anyLayout()->affine();
  p.smem = in[3].as<View>()->layout;
  p.elements = copy->amount / cute::bitsOf(atom.getValueType());
  for (const Datum &target : in.drop_front(4))
    p.targets.push_back(target.as<View>()->layout);
  TESSERA_TRY(std::vector<layout::Sliced> shares, atom::tmaPartition(d.arith(), p));
  Data out;
  for (auto [datum, share] : llvm::zip(in.drop_front(3), shares)) {
    TESSERA_TRY(cute::Iterator iterator, d.advance(datum.as<View>()->iterator, share.offset));
    out.push_back(Datum(View{std::move(iterator), std::move(share.layout)}));
  }
  return out;
}

/// Every box starts at a multiple of 16 bytes of shared memory.
static LogicalResult verifyBoxStrides(TmaPartitionOp op) {
  auto smem = dyn_cast<cute::CuteMemRefType>(op.getSmem().getType());
  if (!smem)
    return success();
  constexpr int64_t alignment = 128; // bits
  int64_t element = cute::bitsOf(smem.getElementType());
  const layout::Layout l = smem.getLayout().outer();
  for (size_t i = 1; i < l.rank(); ++i)
    for (const layout::Leaf &stride : l.stride[i].leaves())
      if (stride.isStatic() && stride.value.value * element % alignment != 0)
        return refuse(op, Diag::TmaBoxStride, i, stride.value.value * element, element,
                      stride.value.value);
  return success();
}

LogicalResult TmaPartitionOp::verify() {
  cute::TypeDomain domain;
  Data in;
  for (Type type : getOperandTypes())
    in.push_back(cute::datumOf(type));
  if (!in[0].as<Opaque>())
    return refuse(*this, Diag::TmaPartitionAtom, getAtom().getType());
  if (failed(verifyBoxStrides(*this)))
    return failure();
  Result<Data> out = evaluateWith(domain, in);
  if (!out)
    return emitOpError() << out.reason().text;
  SmallVector<Type> types;
  for (const Datum &datum : *out)
    types.push_back(cute::typeOf(getContext(), datum));
  if (TypeRange(types) != getResultTypes())
    return refuse(*this, Diag::TmaPartitionTypes, TypeRange(types), getResultTypes());
  return success();
}

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/families/tma/Atoms.cpp.inc"
