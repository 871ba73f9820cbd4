// Registration of the `cute` dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute/Cute.h"
#include "tessera/cute/Diagnostics.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tessera::cute;

#include "tessera/cute/Dialect.cpp.inc"
#include "tessera/cute/OpInterfaces.cpp.inc"

void CuteDialect::initialize() {
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "tessera/cute/ops/Access.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute/ops/Algebra.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute/ops/Atom.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute/ops/Construct.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute/ops/Debug.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute/ops/Descriptor.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute/ops/Divide.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute/ops/Index.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute/ops/Memory.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute/ops/Partition.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute/ops/Product.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cute/ops/Tuple.cpp.inc"
      >();
}

static ParseResult refuseName(OpAsmParser &parser, OperationState &state) {
  return parser.emitError(parser.getNameLoc())
         << sentence(Diag::OtherSpelling, "the name of an op of the dialect cute");
}
std::optional<Dialect::ParseOpHook> CuteDialect::getParseOperationHook(StringRef name) const {
  if (const Spellings *spellings = Spellings::of(getContext()))
    return spellings->opNamed(name);
  return ParseOpHook(refuseName);
}

Operation *CuteDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  if (auto typeAttr = dyn_cast<TypeAttr>(value); typeAttr && typeAttr.getValue() == type)
    return StaticOp::create(builder, loc, type);
  if (isa<IntegerAttr>(value))
    return arith::ConstantOp::materialize(builder, value, type, loc);
  return nullptr;
}
