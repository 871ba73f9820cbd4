// TMA ops: forms, and which run-time fields an atom has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tessera::cute_nvgpu;

//===--- <{kind = <sm_90> num_multicast = 1 internal_type = tf32}> --------------------------------------------===//

static ParseResult parseTmaLoadOptions(OpAsmParser &parser, TiledTmaLoadAttr &kind, IntegerAttr &multicast,
                                       TmaDataFormatAttr &format, TypeAttr &internal) {
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
      format = dyn_cast_or_null<TmaDataFormatAttr>(TmaDataFormatAttr::parse(parser, {}));
      if (!format)
        return failure();
    } else if (key == "internal_type") {
      if (parser.parseType(type))
        return failure();
      internal = TypeAttr::get(type);
    } else {
      return parser.emitError(loc, "expects kind, num_multicast, tma_format or internal_type, but got '")
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
                                IntegerAttr multicast, TmaDataFormatAttr format, TypeAttr internal) {
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

//===--- fields -------------------------------------------------------------------------------------------===//

/// Whether atoms of this type have fields of this attribute's kind.
static bool hasField(Type atom, Attribute field) {
  if (isa<CopyFieldTmaLoadAttr>(field))
    return isa<TmaLoadType>(atom);
  if (isa<CopyFieldTmaStoreAttr>(field))
    return isa<TmaStoreType, TmaReduceType>(atom);
  if (isa<CopyFieldNonExecTmaLoadAttr>(field))
    return isa<NonExecTiledTmaLoadType>(atom);
  if (isa<CopyFieldNonExecTmaStoreAttr>(field))
    return isa<NonExecTiledTmaStoreType, NonExecTiledTmaReduceType>(atom);
  if (auto tiled = dyn_cast<tessera::cute::TiledMmaType>(atom))
    atom = tiled.getAtom();
  if (isa<MmaFieldSm80SparseAttr>(field))
    return isa<Sm80SparseMmaType>(atom);
  if (isa<MmaFieldSm90Attr>(field))
    return isa<Sm90MmaType>(atom);
  if (isa<MmaFieldSm100Attr>(field))
    return isa<Sm100MmaType, Sm100MmaSpType, Sm100MmaBsType, Sm100MmaBsSpType>(atom);
  if (isa<MmaFieldSm120Attr>(field))
    return isa<Sm120MmaBsType>(atom);
  return false;
}

LogicalResult AtomSetValueOp::verify() {
  return hasField(getAtom().getType(), getField())
             ? success()
             : refuse(*this, Diag::AtomField, getAtom().getType(), getField());
}
LogicalResult AtomGetValueOp::verify() {
  return hasField(getAtom().getType(), getField())
             ? success()
             : refuse(*this, Diag::AtomField, getAtom().getType(), getField());
}

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/ops/Tma.cpp.inc"
