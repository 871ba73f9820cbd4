// Fences and waits around products whose registers are in memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/ptx/StoredProducts.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace tessera::ptx {
namespace {

bool isProduct(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  const auto *text = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return text && text->getAsmString().contains("wgmma.mma_async");
}

bool isWait(const Instruction &instruction) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return intrinsic && intrinsic->getIntrinsicID() == Intrinsic::nvvm_wgmma_wait_group_sync_aligned;
}

/// Fragments are allocas, which have generic addresses until code is generated.
bool isInMemory(unsigned addressSpace) { return addressSpace == 0 || addressSpace == 5; }

/// Whether a result of `product` is stored to memory of the thread before the next wait.
bool isStored(const Instruction &product) {
  SmallVector<const Instruction *> open = {&product};
  SmallPtrSet<const Instruction *, 32> results;
  while (!open.empty())
    for (const User *user : open.pop_back_val()->users())
      if (const auto *next = dyn_cast<Instruction>(user);
          next && results.insert(next).second &&
          isa<ExtractValueInst, InsertElementInst, ShuffleVectorInst, CastInst>(next))
        open.push_back(next);
  for (const Instruction *next = product.getNextNode(); next && !isWait(*next);
       next = next->getNextNode())
    if (const auto *store = dyn_cast<StoreInst>(next);
        store && results.contains(store) && isInMemory(store->getPointerAddressSpace()))
      return true;
  return false;
}

/// Leads values through inline PTX that reads and writes them; what it gives in their place.
SmallVector<Value *> led(IRBuilder<> &code, ArrayRef<Value *> values, StringRef ptx) {
  std::string outputs, inputs;
  SmallVector<Type *> types;
  for (auto [i, value] : enumerate(values)) {
    types.push_back(value->getType());
    outputs += (i ? ",=" : "=") + std::string(value->getType()->isFloatTy() ? "f" : "r");
    inputs += "," + std::to_string(i);
  }
  Type *result = types.size() == 1 ? types[0] : StructType::get(code.getContext(), types);
  CallInst *call = code.CreateCall(InlineAsm::get(FunctionType::get(result, types, false), ptx,
                                                  outputs + inputs, /*hasSideEffects=*/true),
                                   values);
  call->setConvergent();
  SmallVector<Value *> after;
  for (unsigned i = 0; i < types.size(); ++i)
    after.push_back(types.size() == 1 ? call : code.CreateExtractValue(call, i));
  return after;
}

/// f32, i32, or two elements of 16 bits.
bool isRegister(Type *type) { return type->getPrimitiveSizeInBits() == 32; }

void beginWithFence(CallInst *product) {
  SmallVector<unsigned> numbers;
  SmallVector<Value *> loaded;
  bool any = false;
  for (auto [i, operand] : enumerate(product->args())) {
    if (!isRegister(operand->getType()) || isa<Constant>(operand))
      continue;
    numbers.push_back(unsigned(i));
    loaded.push_back(operand);
    auto *load = dyn_cast<LoadInst>(operand);
    any |= load && isInMemory(load->getPointerAddressSpace());
  }
  if (!any)
    return;
  IRBuilder<> code(product);
  for (auto [number, value] : zip(numbers, led(code, loaded, "wgmma.fence.sync.aligned;")))
    product->setArgOperand(number, value);
}

void waitAtOnce(CallInst *product) {
  SmallVector<Use *> uses(make_pointer_range(product->uses()));
  IRBuilder<> code(product->getNextNode());
  code.SetCurrentDebugLocation(product->getDebugLoc());
  auto *all = dyn_cast<StructType>(product->getType());
  SmallVector<Value *> results;
  for (unsigned i = 0; i < (all ? all->getNumElements() : 1); ++i)
    results.push_back(all ? code.CreateExtractValue(product, i) : product);
  SmallVector<Value *> after =
      led(code, results, "wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;");
  Value *whole = all ? cast<Value>(PoisonValue::get(all)) : after[0];
  for (unsigned i = 0; all && i < after.size(); ++i)
    whole = code.CreateInsertValue(whole, after[i], i);
  for (Use *use : uses)
    use->set(whole);
}

} // namespace

bool hasProducts(const Module &module) {
  return any_of(module,
                [](const Function &function) { return any_of(instructions(function), isProduct); });
}

void endStoredProducts(Module &module) {
  for (Function &function : module) {
    SmallVector<CallInst *> products;
    for (Instruction &instruction : instructions(function))
      if (isProduct(instruction))
        products.push_back(cast<CallInst>(&instruction));
    for (CallInst *product : products) {
      beginWithFence(product);
      if (isStored(*product))
        waitAtOnce(product);
    }
  }
}

} // namespace tessera::ptx
