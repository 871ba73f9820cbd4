// Verifiers of accesses through pointers, of tokens and of messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_tile/Assembly.h"
#include "tessera/cuda_tile/Hints.h"
#include "tessera/cuda_tile/MemoryOrder.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tessera::cuda_tile;

#define GET_OP_CLASSES
#include "tessera/cuda_tile/ops/Memory.cpp.inc"

//===-- Orderings --===//

LogicalResult tessera::cuda_tile::verifyOrder(Operation *op, StringRef what,
                                              MemoryOrderingSemantics order,
                                              std::optional<MemoryScope> scope,
                                              MemoryOrderingSemantics third) {
  bool known = order == MemoryOrderingSemantics::Weak ||
               order == MemoryOrderingSemantics::Relaxed || order == third;
  if (!known)
    return refuse(op, Diag::OrderOneOf,
                  "weak, relaxed, or " + stringifyMemoryOrderingSemantics(third).str(),
                  stringifyMemoryOrderingSemantics(order));
  if (order == MemoryOrderingSemantics::Weak) {
    if (scope)
      return refuse(op, Diag::WeakScope, what);
  } else if (!scope) {
    return refuse(op, Diag::ScopeRequired, what, stringifyMemoryOrderingSemantics(order));
  }
  return success();
}
void tessera::cuda_tile::addLoadEffects(
    MemoryOrderingSemantics order,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  // Other tile blocks may see when an ordered load happens.
  if (order != MemoryOrderingSemantics::Weak)
    effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult LoadPtrTkoOp::verify() {
  if (failed(verifyOrder(*this, "load", getMemoryOrderingSemantics(), getMemoryScope(),
                         MemoryOrderingSemantics::Acquire)))
    return failure();
  return hints::verify(*this, getOptimizationHintsAttr(), hints::Pointer);
}
void LoadPtrTkoOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  addLoadEffects(getMemoryOrderingSemantics(), effects);
}
LogicalResult StorePtrTkoOp::verify() {
  if (failed(verifyOrder(*this, "store", getMemoryOrderingSemantics(), getMemoryScope(),
                         MemoryOrderingSemantics::Release)))
    return failure();
  return hints::verify(*this, getOptimizationHintsAttr(), hints::Pointer);
}
LogicalResult AllocaOp::verify() {
  uint64_t alignment = getAlignment();
  if (!llvm::isPowerOf2_64(alignment))
    return refuse(*this, Diag::AlignmentPower);
  Type element = pointeeOf(getType());
  unsigned bits = isa<Float8E5M3FNUType>(element) ? 8 : element.getIntOrFloatBitWidth();
  // tf32 has 19 bits in registers and 4 bytes in memory.
  uint64_t natural = llvm::PowerOf2Ceil(llvm::divideCeil(bits, 8));
  if (alignment < natural)
    return refuse(*this, Diag::AlignmentNatural, alignment, natural, element);
  return success();
}
LogicalResult JoinTokensOp::verify() {
  if (getTokens().size() < 2)
    return refuse(*this, Diag::JoinTwo);
  return success();
}

//===-- print_tko --===//

/// How many formats of C's printf a text has; none if one does not end.
static std::optional<size_t> countFormats(StringRef text) {
  size_t count = 0;
  while (true) {
    text = text.drop_front(std::min(text.find('%'), text.size()));
    if (text.empty())
      return count;
    text = text.drop_front();
    if (text.consume_front("%"))
      continue;
    // Flags, width, precision, length, and what makes it a format.
    text = text.drop_while([](char c) { return StringRef("-+ #0").contains(c); });
    text = text.drop_while([](char c) { return isdigit(uint8_t(c)); });
    if (text.consume_front("."))
      text = text.drop_while([](char c) { return isdigit(uint8_t(c)); });
    text = text.drop_while([](char c) { return StringRef("hlLqjzt").contains(c); });
    if (text.empty() || !StringRef("diouxXeEfFgGaAcsSpn").contains(text.front()))
      return std::nullopt;
    text = text.drop_front();
    ++count;
  }
}
LogicalResult PrintTkoOp::verify() {
  std::optional<size_t> formats = countFormats(getStr());
  if (!formats)
    return refuse(*this, Diag::PrintFormat);
  if (*formats != getArgs().size())
    return refuse(*this, Diag::PrintCount, *formats, getArgs().size());
  return success();
}
