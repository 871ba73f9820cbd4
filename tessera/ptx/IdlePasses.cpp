// The questions that come before a pass of LLVM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/IdlePasses.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Transforms/IPO/CalledValuePropagation.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"

#include <algorithm>
#include <map>

using namespace llvm;

namespace {

/// What an address is made of, apart from a constant: a pointer, and indices with their strides.
struct Address {
  const Value *pointer = nullptr;
  std::vector<std::pair<const Value *, int64_t>> indices;
  friend auto operator<=>(const Address &, const Address &) = default;
};

/// The address and the constant; nothing if it cannot be said.
std::optional<std::pair<Address, int64_t>> addressOf(const Value *pointer,
                                                     const DataLayout &layout) {
  unsigned width = layout.getIndexTypeSizeInBits(pointer->getType());
  SmallMapVector<Value *, APInt, 4> indices;
  APInt constant(width, 0);
  for (pointer = pointer->stripPointerCastsSameRepresentation(); isa<GEPOperator>(pointer);
       pointer =
           cast<GEPOperator>(pointer)->getPointerOperand()->stripPointerCastsSameRepresentation())
    if (!cast<GEPOperator>(pointer)->collectOffset(layout, width, indices, constant))
      return std::nullopt;
  Address address{pointer, {}};
  for (const auto &[index, stride] : indices)
    address.indices.emplace_back(index, stride.getSExtValue());
  llvm::sort(address.indices);
  return std::pair(std::move(address), constant.getSExtValue());
}

/// Whether the memory is gone, or nobody's any more, where the function returns.
bool endsWithFunction(const Value *pointer) {
  const Value *object = getUnderlyingObject(pointer, /*MaxLookup=*/0);
  auto *argument = dyn_cast<Argument>(object);
  return isa<AllocaInst, CallBase>(object) || (argument && argument->hasByValAttr());
}

struct Range {
  int64_t begin, end;
};

bool overlap(std::vector<Range> &ranges) {
  llvm::sort(ranges, [](const Range &x, const Range &y) { return x.begin < y.begin; });
  return std::ranges::adjacent_find(ranges, [](const Range &x, const Range &y) {
           return x.end > y.begin;
         }) != ranges.end();
}

bool mayChange(StringRef pass, const Any &ir) {
  if (pass == DSEPass::name())
    if (const auto *const *function = any_cast<const Function *>(&ir))
      return tessera::ptx::mayHaveDeadStores(**function);
  if (pass == CalledValuePropagationPass::name())
    if (const auto *const *module = any_cast<const Module *>(&ir))
      return tessera::ptx::callsThroughPointers(**module);
  return true;
}
} // namespace

bool tessera::ptx::mayHaveDeadStores(const Function &function) {
  const DataLayout &layout = function.getDataLayout();
  std::map<Address, std::vector<Range>> ranges;
  for (const Instruction &instruction : instructions(function)) {
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
      if (isa<AnyMemIntrinsic>(call) || call->getIntrinsicID() == Intrinsic::masked_store)
        return true;
    auto *store = dyn_cast<StoreInst>(&instruction);
    if (!store)
      continue;
    const Value *pointer = store->getPointerOperand(), *value = store->getValueOperand();
    auto *load = dyn_cast<LoadInst>(value);
    if ((load && load->getPointerOperand() == pointer) || endsWithFunction(pointer))
      return true;
    auto known = addressOf(pointer, layout);
    if (!known)
      return true;
    auto &[address, constant] = *known;
    ranges[std::move(address)].push_back(
        {constant, constant + int64_t(layout.getTypeStoreSize(value->getType()))});
  }
  return std::ranges::any_of(ranges, [](auto &entry) { return overlap(entry.second); });
}

bool tessera::ptx::callsThroughPointers(const Module &module) {
  for (const Function &function : module)
    for (const Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction); call && call->isIndirectCall())
        return true;
  return false;
}

void tessera::ptx::leaveOutIdlePasses(PassInstrumentationCallbacks &callbacks) {
  callbacks.registerShouldRunOptionalPassCallback(
      [](StringRef pass, Any ir) { return mayChange(pass, ir); });
}
