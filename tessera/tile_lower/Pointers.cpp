// Ops on pointers: offsets, loads, stores, atomics, memory of the program, tokens, globals.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Access.h"
#include "tessera/tile_lower/Rows.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

Value offset(Code &c, Operation *op, ArrayRef<Value> x) {
  int64_t bytes = memoryBytes(pointeeOf(op->getOperand(0).getType()));
  return c.add(x[0], c.mul(c.resize(x[1], c.i64, true), bytes));
}

//===--- Loads and stores

/// The condition of an element, null where there is no mask.
Value maskAt(Kernel &k, Value mask, const Slot &slot) {
  return mask ? k.get(k.tile(mask), slot) : Value();
}
Value both(Kernel &k, Value a, Value b) { return !a ? b : !b ? a : k.andi(a, b); }
Value anything(Kernel &k, Type element) {
  return constantOf(k, element, APInt(unsigned(8 * memoryBytes(element)), 0));
}

/// A tile of fewer elements than threads is loaded by each thread for itself. Where other blocks
/// may write at the time, threads could see different values: then one of them loads, and shows
/// what it saw.
LogicalResult load(Kernel &k, Operation *op) {
  auto load = cast<LoadPtrTkoOp>(op);
  Ordering ordering{load.getMemoryOrderingSemantics(),
                    load.getMemoryScope().value_or(MemoryScope::System)};
  const ThreadTile pointers = k.tile(load.getSource());
  Type element = elementOf(load.getResult().getType());
  beginAccess(k, load.getToken(), ordering);
  ThreadTile out = k.newTile(element, pointers.count);
  Value owner = ordering.isWeak() ? Value() : k.isOwner(pointers.count);
  k.forSlots(pointers.count, [&](const Slot &slot) {
    Value padding = load.getPaddingValue() && load.getMask()
                        ? k.get(k.tile(load.getPaddingValue()), slot)
                        : anything(k, element);
    Value condition = both(k, owner, maskAt(k, load.getMask(), slot));
    k.set(out, slot, k.valueWhen(condition, padding, [&] {
      return loadElement(k, element, k.get(pointers, slot), ordering);
    }));
  });
  endAccess(k, ordering);
  k.define(load.getResult(), owner ? shownToAll(k, out) : out);
  return success();
}

LogicalResult store(Kernel &k, Operation *op) {
  auto store = cast<StorePtrTkoOp>(op);
  Ordering ordering{store.getMemoryOrderingSemantics(),
                    store.getMemoryScope().value_or(MemoryScope::System)};
  const ThreadTile pointers = k.tile(store.getDestination()), values = k.tile(store.getValue());
  beginAccess(k, store.getToken(), ordering);
  Value owner = k.isOwner(pointers.count);
  k.forSlots(pointers.count, [&](const Slot &slot) {
    k.when(both(k, owner, maskAt(k, store.getMask(), slot)), [&] {
      storeElement(k, values.element, k.get(pointers, slot), k.get(values, slot), ordering);
    });
  });
  endAccess(k, ordering);
  return success();
}

//===--- Atomics: one thread for each element

LogicalResult readModifyWrite(Kernel &k, Operation *op) {
  auto update = cast<AtomicRMWTkoOp>(op);
  Ordering ordering{update.getMemoryOrderingSemantics(), update.getMemoryScope()};
  const ThreadTile pointers = k.tile(update.getPointers()), arguments = k.tile(update.getArg());
  Type element = elementOf(update.getResult().getType());
  ThreadTile out = k.newTile(element, pointers.count);
  Value owner = k.isOwner(pointers.count);
  beginUpdate(k, update.getToken(), ordering, owner);
  k.forSlots(pointers.count, [&](const Slot &slot) {
    Value condition = both(k, owner, maskAt(k, update.getMask(), slot));
    k.set(out, slot, k.valueWhen(condition, anything(k, element), [&] {
      return updateElement(k, update.getMode(), k.get(pointers, slot), k.get(arguments, slot),
                           ordering.scope);
    }));
  });
  endUpdate(k, ordering, owner);
  k.define(update.getResult(), update.getResult().use_empty() ? out : shownToAll(k, out));
  return success();
}

LogicalResult compareAndSwap(Kernel &k, Operation *op) {
  auto swap = cast<AtomicCASTkoOp>(op);
  Ordering ordering{swap.getMemoryOrderingSemantics(), swap.getMemoryScope()};
  const ThreadTile pointers = k.tile(swap.getPointers()), expected = k.tile(swap.getCmp());
  const ThreadTile values = k.tile(swap.getVal());
  beginAccess(k, swap.getToken(), ordering);
  ThreadTile out = k.newTile(expected.element, pointers.count);
  Value owner = k.isOwner(pointers.count);
  k.forSlots(pointers.count, [&](const Slot &slot) {
    Value condition = both(k, owner, maskAt(k, swap.getMask(), slot));
    // Masked elements yield the value that they were compared with.
    k.set(out, slot, k.valueWhen(condition, k.get(expected, slot), [&] {
      return swapElement(k, k.get(pointers, slot), k.get(expected, slot), k.get(values, slot),
                         ordering);
    }));
  });
  endAccess(k, ordering);
  k.define(swap.getResult(), swap.getResult().use_empty() ? out : shownToAll(k, out));
  return success();
}

//===--- Memory of the program, tokens and globals

/// Takes shared memory, which is freed at the end of the op's block like all that the block takes.
/// At level 0 only, where accesses may have any address.
LogicalResult allocate(Kernel &k, Operation *op) {
  auto alloca = cast<AllocaOp>(op);
  if (alloca.getGlobal())
    return refuse(op, Diag::GlobalMemory);
  if (k.plan)
    return refuse(op, Diag::OwnMemoryAtLevel0);
  Type element = pointeeOf(alloca.getResult().getType());
  int64_t limit = sharedLimitOf(k.arch) - k.scratch, each = memoryBytes(element);
  auto count = int64_t(alloca.getNumElem());
  bool fits = count <= limit / each;
  int64_t first = k.takeShared(fits ? count * each : 0);
  if (!fits || k.sharedTop > limit)
    return refuse(op, Diag::OwnMemory, count, each, std::max<int64_t>(0, limit - first));
  Value offset = k.int32(first);
  Value address = k.make<LLVM::AddrSpaceCastOp>(LLVM::LLVMPointerType::get(k.b.getContext()),
                                                k.sharedBytesAt(offset));
  Value number = k.make<LLVM::PtrToIntOp>(k.i64, address);
  Type pointer = elementOf(alloca.getResult().getType());
  k.define(alloca.getResult(), ThreadTile{.element = pointer, .count = 1, .registers = {number}});
  return success();
}

/// Tokens hold nothing: an access that takes one waits for all before it.
LogicalResult nothing(Kernel &, Operation *) { return success(); }

/// After a barrier, so that accesses of all threads come before it. No barrier is needed after it:
/// an access that takes its token begins with one.
LogicalResult launchDependents(Kernel &k, Operation *) {
  if (k.hasDependentLaunch()) {
    k.barrier();
    k.effect("griddepcontrol.launch_dependents;");
  }
  return success();
}
LogicalResult waitForGrids(Kernel &k, Operation *) {
  if (k.hasDependentLaunch())
    k.effect("griddepcontrol.wait;");
  return success();
}

LogicalResult globalOf(Kernel &k, Operation *op) {
  auto get = cast<GetGlobalOp>(op);
  auto global = k.module.lookupSymbol<LLVM::GlobalOp>(nameOfGlobal(get.getName()));
  Value address = k.make<LLVM::AddressOfOp>(global);
  Value number = k.make<LLVM::PtrToIntOp>(k.i64, address);
  Type element = elementOf(get.getResult().getType());
  k.define(get.getResult(), ThreadTile{.element = element, .count = 1, .registers = {number}});
  return success();
}

constexpr Row rows[] = {
    {"offset", offset},
    {"load_ptr_tko", nullptr, load},
    {"store_ptr_tko", nullptr, store},
    {"atomic_cas_tko", nullptr, compareAndSwap},
    {"atomic_rmw_tko", nullptr, readModifyWrite},
    {"alloca", nullptr, allocate},
    {"make_token", nullptr, nothing},
    {"join_tokens", nullptr, nothing},
    {"memory_fence_alias_tko", nullptr, nothing},
    {"gdc_launch_dependents_tko", nullptr, launchDependents},
    {"gdc_wait_tko", nullptr, waitForGrids},
    {"get_global", nullptr, globalOf},
};

} // namespace

ArrayRef<Row> memoryRows() { return rows; }

} // namespace tessera::tile_lower
