// Registration of the `cuda_tile` dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/CudaTile.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera::cuda_tile;

#include "tessera/cuda_tile/Dialect.cpp.inc"
#include "tessera/cuda_tile/OpInterfaces.cpp.inc"

namespace {
/// Parts of debug information are printed once, under names.
struct AliasInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &out) const final {
    StringRef name = TypeSwitch<Attribute, StringRef>(attr)
                         .Case<DIFileAttr, DICompileUnitAttr, DISubprogramAttr, DILexicalBlockAttr>(
                             [](auto own) { return own.getMnemonic(); })
                         .Case<DILocAttr>([](auto) { return "loc"; })
                         .Default([](Attribute) { return ""; });
    if (name.empty())
      return AliasResult::NoAlias;
    out << name;
    return AliasResult::OverridableAlias;
  }
};
} // namespace

void tessera::cuda_tile::nameResults(Operation *op, StringRef text, OpAsmSetValueNameFn name) {
  if (op->getNumResults())
    name(op->getResult(0), text);
}

void CudaTileDialect::initialize() {
  registerTypes();
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "tessera/cuda_tile/ops/Arithmetic.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cuda_tile/ops/Atomics.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cuda_tile/ops/ControlFlow.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cuda_tile/ops/Conversion.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cuda_tile/ops/Memory.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cuda_tile/ops/Mma.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cuda_tile/ops/Module.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cuda_tile/ops/Reduction.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cuda_tile/ops/Shape.cpp.inc"
      ,
#define GET_OP_LIST
#include "tessera/cuda_tile/ops/Views.cpp.inc"
      >();
  addInterfaces<AliasInterface>();
}

Operation *CudaTileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                                Location loc) {
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, loc, elements);
}
