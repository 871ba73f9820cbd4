// Atoms of a warpgroup: their gate, their fragments, and texts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cute_nvgpu/AtomText.h"
#include "tessera/cute_nvgpu/AtomTypes.h"
#include "tessera/cute_nvgpu/Diagnostics.h"
#include "tessera/cute_nvgpu/families/group/Group.h"

#include "tessera/layout/Domains.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute_nvgpu;
using atom::BitOp;
using atom::Overflow;

LogicalResult tessera::cute_nvgpu::groupGate(Emitter emitError, const MmaForm &form) {
  const atom::MmaRow &row = *form.instance()->row;
  if ((form.negA || form.negB) && !row.negates())
    return emitError() << sentence(Diag::Negate, StringRef(row.name));
  return success();
}

Result<Type> tessera::cute_nvgpu::descriptorFragment(Type partition) {
  auto tensor = dyn_cast<cute::CuteMemRefType>(partition);
  if (!tensor || tensor.getAddressSpace() != cute::AddressSpace::Smem)
    return reason(Diag::FragmentNoTensor, partition);
  layout::AnyLayout whole = tensor.getLayout();
  if (whole.composed() && !whole.composed()->isTrivial())
    return reason(Diag::FragmentComposed, partition);
  layout::Symbolic arith;
  TESSERA_TRY(layout::AnyLayout wide,
              layout::recast(arith, whole.outer(), cute::bitsOf(tensor.getElementType()), 128));
  layout::Layout l = wide.outer();
  l.shape[0] = layout::Tree(1);
  l.stride[0] = layout::Tree(0);
  auto desc = SmemDescType::get(partition.getContext());
  return Type(SmemDescViewType::get(partition.getContext(), desc, l));
}

/// Without `op` the atom has no such option.
static ParseResult parseGroupOptions(AsmParser &parser, Overflow &overflow, bool &negA, bool &negB,
                                     BitOp *op) {
  overflow = Overflow::Wrapped;
  negA = negB = false;
  return parseOptions(parser,
                      [&](StringRef key) -> FailureOr<bool> {
                        if (key == "int_overflow")
                          return parseCase(parser, overflow);
                        if (op && key == "binary_op")
                          return parseCase(parser, *op);
                        bool *flag = key == "a_neg" ? &negA : key == "b_neg" ? &negB : nullptr;
                        if (flag)
                          *flag = true;
                        return flag != nullptr;
                      },
                      {"a_neg", "b_neg"});
}
ParseResult tessera::cute_nvgpu::parseSm90Options(AsmParser &parser, Overflow &overflow, bool &negA,
                                                  bool &negB) {
  return parseGroupOptions(parser, overflow, negA, negB, nullptr);
}
ParseResult tessera::cute_nvgpu::parseSm90Options(AsmParser &parser, Overflow &overflow, bool &negA,
                                                  bool &negB, BitOp &op) {
  op = BitOp::None;
  return parseGroupOptions(parser, overflow, negA, negB, &op);
}
void tessera::cute_nvgpu::printSm90Options(AsmPrinter &printer, Overflow overflow, bool negA,
                                           bool negB, BitOp op) {
  printOverflowOption(printer, overflow);
  if (negA)
    printer << ", a_neg";
  if (negB)
    printer << ", b_neg";
  if (op != BitOp::None)
    printer << ", binary_op = <" << op << ">";
}
