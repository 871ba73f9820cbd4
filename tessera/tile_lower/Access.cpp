// Accesses of global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Access.h"

using namespace mlir;
using namespace tessera::cuda_tile;

namespace tessera::tile_lower {

namespace {

LLVM::AtomicOrdering atomicOf(MemoryOrderingSemantics semantics) {
  switch (semantics) {
  case MemoryOrderingSemantics::Weak: return LLVM::AtomicOrdering::not_atomic;
  case MemoryOrderingSemantics::Relaxed: return LLVM::AtomicOrdering::monotonic;
  case MemoryOrderingSemantics::Acquire: return LLVM::AtomicOrdering::acquire;
  case MemoryOrderingSemantics::Release: return LLVM::AtomicOrdering::release;
  case MemoryOrderingSemantics::AcqRel: return LLVM::AtomicOrdering::acq_rel;
  }
  return LLVM::AtomicOrdering::acq_rel;
}
/// The empty scope is that of the system.
StringRef scopeOf(MemoryScope scope) {
  switch (scope) {
  case MemoryScope::TileBlock: return "block";
  case MemoryScope::Device: return "device";
  case MemoryScope::System: return "";
  }
  return "";
}

/// Atomic accesses are of integers.
Type atomicType(Kernel &k, Type element) { return k.intOf(unsigned(8 * memoryBytes(element))); }

} // namespace

void beginAccess(Kernel &k, Value token, Ordering ordering) {
  bool isOrdered = token && !token.getDefiningOp<MakeTokenOp>();
  if (isOrdered || ordering.releases())
    k.barrier();
}
void endAccess(Kernel &k, Ordering ordering) {
  if (ordering.acquires())
    k.barrier();
}

Value loadElement(Kernel &k, Type element, Value address, Ordering ordering) {
  Value pointer = k.globalAddress(address);
  if (ordering.isWeak())
    return k.loadAt(element, pointer);
  auto load = k.make<LLVM::LoadOp>(
      atomicType(k, element), pointer, unsigned(memoryBytes(element)), /*isVolatile=*/false,
      /*isNonTemporal=*/false, /*isInvariant=*/false,
      /*isInvariantGroup=*/false, atomicOf(ordering.semantics), scopeOf(ordering.scope));
  return fromMemory(k, element, k.bitcast(load, memoryType(element)));
}

void storeElement(Kernel &k, Type element, Value address, Value held, Ordering ordering) {
  Value pointer = k.globalAddress(address);
  if (ordering.isWeak())
    return k.storeAt(element, pointer, held);
  Value bits = k.bitcast(toMemory(k, element, held), atomicType(k, element));
  k.make<LLVM::StoreOp>(bits, pointer, unsigned(memoryBytes(element)), /*isVolatile=*/false,
                        /*isNonTemporal=*/false, /*isInvariantGroup=*/false,
                        atomicOf(ordering.semantics), scopeOf(ordering.scope));
}

Value updateElement(Kernel &k, AtomicRMWMode mode, Value address, Value argument,
                    Ordering ordering) {
  auto operation = [&] {
    switch (mode) {
    case AtomicRMWMode::And: return LLVM::AtomicBinOp::_and;
    case AtomicRMWMode::Or: return LLVM::AtomicBinOp::_or;
    case AtomicRMWMode::Xor: return LLVM::AtomicBinOp::_xor;
    case AtomicRMWMode::Add: return LLVM::AtomicBinOp::add;
    case AtomicRMWMode::AddF: return LLVM::AtomicBinOp::fadd;
    case AtomicRMWMode::Max: return LLVM::AtomicBinOp::max;
    case AtomicRMWMode::Min: return LLVM::AtomicBinOp::min;
    case AtomicRMWMode::UMax: return LLVM::AtomicBinOp::umax;
    case AtomicRMWMode::UMin: return LLVM::AtomicBinOp::umin;
    case AtomicRMWMode::Xchg: break;
    }
    return LLVM::AtomicBinOp::xchg;
  }();
  Type type = argument.getType();
  bool exchanges = mode == AtomicRMWMode::Xchg;
  Value operand = exchanges ? k.bitsOf(argument) : argument;
  Value before = k.make<LLVM::AtomicRMWOp>(operation, k.globalAddress(address), operand,
                                           atomicOf(ordering.semantics), scopeOf(ordering.scope));
  return exchanges ? k.bitcast(before, type) : before;
}

Value swapElement(Kernel &k, Value address, Value expected, Value value, Ordering ordering) {
  LLVM::AtomicOrdering success = atomicOf(ordering.semantics);
  LLVM::AtomicOrdering failure =
      ordering.acquires() ? LLVM::AtomicOrdering::acquire : LLVM::AtomicOrdering::monotonic;
  Value both =
      k.make<LLVM::AtomicCmpXchgOp>(k.globalAddress(address), k.bitsOf(expected), k.bitsOf(value),
                                    success, failure, scopeOf(ordering.scope));
  Value before = k.make<LLVM::ExtractValueOp>(both, ArrayRef<int64_t>{0});
  return k.bitcast(before, value.getType());
}

ThreadTile shownToAll(Kernel &k, const ThreadTile &tile) {
  if (tile.count >= k.threads)
    return tile;
  int64_t bytes = tile.count * memoryBytes(tile.element);
  auto address = [&](Value index) { return k.shared(tile.element, index, bytes); };
  ThreadTile out = k.newTile(tile.element, tile.count);
  k.barrier();
  k.when(k.isOwner(tile.count), [&] {
    k.forSlots(tile.count, [&](const Slot &slot) {
      k.storeAt(tile.element, address(slot.element), k.get(tile, slot));
    });
  });
  k.barrier();
  k.forSlots(tile.count, [&](const Slot &slot) {
    k.set(out, slot, k.loadAt(tile.element, address(slot.element)));
  });
  return out;
}

} // namespace tessera::tile_lower
