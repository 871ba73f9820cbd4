// Accesses of global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_lower/Access.h"

#include "tessera/atom/Instructions.h"

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

LLVM::AtomicBinOp updateOf(AtomicRMWMode mode) {
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
  case AtomicRMWMode::Xchg: return LLVM::AtomicBinOp::xchg;
  }
  return LLVM::AtomicBinOp::xchg;
}
/// PTX's operation, and the letter of its type.
std::pair<std::string, std::string> instructionOf(AtomicRMWMode mode) {
  switch (mode) {
  case AtomicRMWMode::And: return {"and", "b"};
  case AtomicRMWMode::Or: return {"or", "b"};
  case AtomicRMWMode::Xor: return {"xor", "b"};
  case AtomicRMWMode::Add: return {"add", "u"};
  case AtomicRMWMode::AddF: return {"add", "f"};
  case AtomicRMWMode::Max: return {"max", "s"};
  case AtomicRMWMode::Min: return {"min", "s"};
  case AtomicRMWMode::UMax: return {"max", "u"};
  case AtomicRMWMode::UMin: return {"min", "u"};
  case AtomicRMWMode::Xchg: return {"exch", "b"};
  }
  return {"exch", "b"};
}
/// `atom.relaxed.sys` and what follows.
std::string systemUpdate(Kernel &k, AtomicRMWMode mode, Type type) {
  auto [operation, letter] = instructionOf(mode);
  std::string text = cat("atom.relaxed.sys", k.hasOwnMemory ? "." : ".global.", operation, ".");
  if (type.isF16() || type.isBF16())
    return cat(text, "noftz.", type.isF16() ? "f16" : "bf16");
  return cat(text, letter, Code::bitsOf(type));
}
bool isInstruction(Kernel &k, const std::string &mnemonic) {
  auto target = atom::Target::parse(k.arch.str());
  auto needs = atom::availabilityOf({.mnemonic = mnemonic});
  return target && needs && llvm::none_of(*needs, [&](const atom::Availability *one) {
           return atom::refusal(*one, *target).has_value();
         });
}
/// A sum of 16 bits where there is no instruction for it. LLVM would exchange 32 bits, which other
/// tile blocks may share, and which may end after the array.
Value sumByExchange(Kernel &k, Value pointer, Value operand, MemoryScope scope) {
  Type bits = k.intOf(Code::bitsOf(operand.getType()));
  Value first = k.make<LLVM::LoadOp>(bits, pointer, Code::bitsOf(bits) / 8, /*isVolatile=*/false,
                                     /*isNonTemporal=*/false, /*isInvariant=*/false,
                                     /*isInvariantGroup=*/false, LLVM::AtomicOrdering::monotonic,
                                     scopeOf(scope));
  constexpr const char *scopes[] = {"cta", "gpu", "sys"};
  std::string text = cat("atom.relaxed.", scopes[size_t(scope)], k.hasOwnMemory ? "" : ".global",
                         ".cas.b16 $0, [$1], $2, $3;");
  Block *head = k.newBlock(bits), *after = k.newBlock();
  k.branch(head, first);
  k.goTo(head);
  Value before = head->getArgument(0);
  Value sum = k.make<arith::AddFOp>(k.bitcast(before, operand.getType()), operand);
  Value found = k.assembly(text, "=h,l,h,h,~{memory}", {bits}, {pointer, before, k.bitsOf(sum)},
                           /*hasEffects=*/true)
                    .getResult(0);
  k.make<cf::CondBranchOp>(k.equal(found, before), after, ValueRange(), head, ValueRange(found));
  k.goTo(after);
  return k.bitcast(before, operand.getType());
}
/// LLVM writes `atom` without a scope, which is then that of the device. Null if there is no such
/// instruction.
Value updateForSystem(Kernel &k, AtomicRMWMode mode, Value pointer, Value operand) {
  std::string mnemonic = systemUpdate(k, mode, operand.getType());
  if (!isInstruction(k, mnemonic))
    return {};
  unsigned bits = Code::bitsOf(operand.getType());
  StringRef letter = bits == 64 ? "l" : bits == 32 ? "r" : "h";
  auto code = k.assembly(cat(mnemonic, " $0, [$1], $2;"),
                         cat("=", letter.str(), ",l,", letter.str(), ",~{memory}"), {k.intOf(bits)},
                         {pointer, k.bitsOf(operand)}, /*hasEffects=*/true);
  return k.bitcast(code.getResult(0), operand.getType());
}

/// Release before updates and acquire after them, once for all elements of a thread. LLVM writes
/// neither with `atomicrmw` (NVPTX, LLVM 22), only with loads, stores and `cmpxchg`.
void fence(Kernel &k, MemoryScope scope) {
  k.make<LLVM::FenceOp>(LLVM::AtomicOrdering::acq_rel, scopeOf(scope));
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

void beginUpdate(Kernel &k, Value token, Ordering ordering, Value owner) {
  beginAccess(k, token, ordering);
  if (ordering.releases())
    k.when(owner, [&] { fence(k, ordering.scope); });
}
void endUpdate(Kernel &k, Ordering ordering, Value owner) {
  if (ordering.acquires())
    k.when(owner, [&] { fence(k, ordering.scope); });
  endAccess(k, ordering);
}

Value updateElement(Kernel &k, AtomicRMWMode mode, Value address, Value argument,
                    MemoryScope scope) {
  Type type = argument.getType();
  bool exchanges = mode == AtomicRMWMode::Xchg;
  Value operand = exchanges ? k.bitsOf(argument) : argument;
  Value pointer = k.globalAddress(address), before;
  constexpr unsigned least = 32; // LLVM has cmpxchg of this width
  if (Code::bitsOf(type) < least && !isInstruction(k, systemUpdate(k, mode, type)))
    before = sumByExchange(k, pointer, operand, scope);
  else if (scope == MemoryScope::System)
    before = updateForSystem(k, mode, pointer, operand);
  if (!before)
    before = k.make<LLVM::AtomicRMWOp>(updateOf(mode), pointer, operand,
                                       LLVM::AtomicOrdering::monotonic, scopeOf(scope));
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
