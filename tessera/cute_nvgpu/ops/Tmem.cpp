// Tensor memory ops: forms and rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace tessera::cute_nvgpu;

/// `[ cta_1]` or `[cta_2]`.
static ParseResult parseCtaGroup(OpAsmParser &parser, UnitAttr &isTwoCta) {
  StringRef group;
  SMLoc loc;
  if (parser.parseLSquare() || parser.getCurrentLocation(&loc) || parser.parseKeyword(&group) ||
      parser.parseRSquare())
    return failure();
  if (group != "cta_1" && group != "cta_2")
    return parser.emitError(loc, "expects cta_1 or cta_2, but got '") << group << "'";
  if (group == "cta_2")
    isTwoCta = parser.getBuilder().getUnitAttr();
  return success();
}
static void printCtaGroup(OpAsmPrinter &printer, Operation *, UnitAttr isTwoCta) {
  printer << (isTwoCta ? "[cta_2]" : "[ cta_1]");
}

LogicalResult MakeTmemCopyOp::verify() {
  auto copy = tessera::cute_nvgpu::copyInstanceOf(getAtom().getType());
  bool tmem = copy && (copy->row->from == tessera::atom::Space::Tmem ||
                       copy->row->to == tessera::atom::Space::Tmem);
  if (!tmem)
    return emitOpError() << "expects an atom that copies to or from tensor memory, but got "
                         << getAtom().getType();
  return success();
}

#define GET_OP_CLASSES
#include "tessera/cute_nvgpu/ops/Tmem.cpp.inc"
