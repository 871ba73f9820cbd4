// Bulk atoms: what can be reduced, and runs of bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomTypes.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/families/bulk/Bulk.h"

#include "tessera/layout/Domains.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;

atom::ReducedType tessera::cute_nvgpu::reducedOf(atom::Reduction reduction, Type type) {
  using enum atom::ReducedType;
  if (auto integer = dyn_cast<IntegerType>(type)) {
    bool wide = integer.getWidth() == 64, isSigned = !integer.isUnsigned();
    if (!wide && integer.getWidth() != 32)
      return None;
    if (reduction >= atom::Reduction::And)
      return wide ? B64 : B32;
    if (wide)
      return isSigned && reduction != atom::Reduction::Add ? S64 : U64;
    return isSigned ? S32 : U32;
  }
  return TypeSwitch<Type, atom::ReducedType>(type)
      .Case([](Float64Type) { return F64; })
      .Case([](Float32Type) { return F32; })
      .Case([](Float16Type) { return F16; })
      .Case([](BFloat16Type) { return BF16; })
      .Default(None);
}

Result<const atom::CopyRow *>
tessera::cute_nvgpu::bulkReductionRow(bool toCluster, atom::Reduction reduction, Type element) {
  using atom::CopyFamily;
  return atom::find(
      atom::CopyKey{.family = toCluster ? CopyFamily::BulkReduceS2S : CopyFamily::BulkReduceS2G,
                    .reduction = reduction,
                    .reduced = reducedOf(reduction, element)});
}

LogicalResult tessera::cute_nvgpu::verifyRun(Emitter emitError, Type atom, StringRef side,
                                             Type view, int64_t bits) {
  auto memref = dyn_cast<cute::CuteMemRefType>(view);
  if (!memref || memref.getAddressSpace() == cute::AddressSpace::Rmem)
    return success();
  if (memref.getPtrType().hasSwizzle() || memref.getLayout().composed())
    return emitError() << sentence(Diag::BulkSwizzle, side, atom, view);
  layout::Symbolic arith;
  const int64_t elementBits = cute::bitsOf(memref.getElementType()), elements = bits / elementBits;
  if (elements == 1)
    return success();
  if (elements == 0)
    return emitError() << sentence(Diag::CopyPart, side, atom, elementBits, bits);
  layout::Layout run = layout::coalesce(arith, memref.getLayout().outer()[0]);
  const layout::Int extent =
      run.shape.isLeaf() ? run.shape.leaf().value : run.shape[0].leaf().value;
  const layout::Leaf stride = run.stride.isLeaf() ? run.stride.leaf() : run.stride[0].leaf();
  if (extent.isStatic() && extent.value % elements == 0 && !stride.isBasis() && stride.value.is(1))
    return success();
  return emitError() << sentence(Diag::BulkRun, side, atom, elements, memref.getLayout());
}

ParseResult tessera::cute_nvgpu::parseByteMask(AsmParser &parser, bool &mask) {
  mask = succeeded(parser.parseOptionalKeyword("mask"));
  return mask ? ParseResult(failure(parser.parseEqual() || parser.parseKeyword("true")))
              : ParseResult(success());
}
void tessera::cute_nvgpu::printByteMask(AsmPrinter &printer, bool mask) {
  if (mask)
    printer << " mask = true";
}
