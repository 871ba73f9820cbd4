// Tensor memory ops: forms and rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/CuteNvgpu.h"
#include "tessera/cute_nvgpu/Diagnostics.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera::cute_nvgpu;
using tessera::cute::AddressSpace;
using tessera::cute::PtrType;

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

static LogicalResult verifySpace(Operation *op, StringRef what, Value pointer, AddressSpace space) {
  auto type = cast<PtrType>(pointer.getType());
  return type.getAddressSpace() == space
             ? success()
             : refuse(op, Diag::PointerSpace, what, tessera::cute::stringifyAddressSpace(space),
                      type);
}
/// What is allocated at once. Source: PTX ISA 9.7.16.7.1, tcgen05.alloc.
static LogicalResult verifyColumns(Operation *op, Value columns) {
  APInt count;
  if (!matchPattern(columns, m_ConstantInt(&count)))
    return success();
  int64_t n = count.getSExtValue();
  return n >= 32 && n <= tmemColumns && llvm::isPowerOf2_64(uint64_t(n))
             ? success()
             : refuse(op, Diag::TmemColumns, n);
}
LogicalResult AllocTmemOp::verify() {
  if (failed(verifySpace(*this, "the place of the address", getSmem(), AddressSpace::smem)))
    return failure();
  return verifyColumns(*this, getNumColumns());
}
LogicalResult DeallocTmemOp::verify() {
  if (failed(verifySpace(*this, "what is freed", getTmem(), AddressSpace::tmem)))
    return failure();
  return verifyColumns(*this, getNumColumns());
}
LogicalResult RetrieveTmemPtrOp::verify() {
  if (failed(verifySpace(*this, "the place of the address", getSmem(), AddressSpace::smem)))
    return failure();
  return verifySpace(*this, "the address", getResult(), AddressSpace::tmem);
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
#include "tessera/cute_nvgpu/families/tensor/Tmem.cpp.inc"
