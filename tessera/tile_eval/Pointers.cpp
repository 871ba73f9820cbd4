// Ops on pointers: offsets, loads, stores, atomics, tokens.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_eval/Atomics.h"
#include "tessera/tile_eval/Semantics.h"
#include "tessera/tile_eval/TileAccess.h"

namespace tessera::tile_eval {

namespace {

using tile_bytecode::MemoryOrderingSemantics;
using Problem = std::optional<std::string>;

TypeKind pointee(const Program &program, const Type &tile) {
  return program.type(program.type(tile.element).element).kind;
}

Status runOffset(Step &step) {
  unsigned bits = bitsOf(step.elementOf(1));
  int64_t bytes = rowOf(pointee(step.program(), step.operandType(0))).memoryBits / 8;
  const Codes &pointers = step.codes(0), &offsets = step.codes(1);
  Codes out(pointers.size());
  for (size_t i = 0; i < out.size(); ++i) {
    __int128 address = __int128(pointers[i]) + __int128(signedOf(offsets[i], bits)) * bytes;
    if (address < 0 || address > __int128(~uint64_t(0)))
      return step.failAt(Error::PointerOverflow, step.result(), i);
    out[i] = uint64_t(address);
  }
  step.add(std::move(out));
  return Done{};
}

//===--- Loads and stores. Columns: source mask? paddingValue? token?; destination value mask?
// token?

Status runLoad(Step &step) {
  TESSERA_CHECK(takeTurn(step));
  const Type &result = step.result();
  const Value *mask = step.optional(1), *padding = step.optional(2);
  TileAccess access(step, step.element(result), step.optional(3));
  const Codes &pointers = step.codes(0);
  Codes out(pointers.size());
  for (size_t i = 0; i < out.size(); ++i) {
    if (mask && !(*mask->codes)[i]) {
      out[i] = padding ? (*padding->codes)[i]
                       : step.block.random() & lowBits(bitsOf(step.element(result)));
      continue;
    }
    TESSERA_TRY(out[i], access.load(pointers[i], false, result, i));
  }
  step.add(std::move(out));
  step.addToken(access.token());
  return Done{};
}
Status runStore(Step &step) {
  TESSERA_CHECK(takeTurn(step));
  const Type &type = step.operandType(1);
  const Value *mask = step.optional(2);
  TileAccess access(step, step.element(type), step.optional(3));
  const Codes &pointers = step.codes(0), &values = step.codes(1);
  for (size_t i = 0; i < values.size(); ++i)
    if (!mask || (*mask->codes)[i])
      TESSERA_CHECK(access.store(pointers[i], false, values[i], type, i));
  step.addToken(access.token());
  return Done{};
}

/// That pointers point to the type of the tile, which has whole bytes.
Problem checkPointee(const Signed &s, const Type &pointers, const Type &tile) {
  TypeKind to = pointee(s.program, pointers), element = s.element(tile);
  if (to != element)
    return cat("expects pointers to ", rowOf(element).text, ", but got pointers to ",
               rowOf(to).text);
  if (bitsOf(element) == 4)
    return "expects pointers to elements of whole bytes, but got elements of 4 bits";
  return {};
}
/// Whether an op has its ordering, and a scope if and only if the ordering is not weak.
Problem checkOrdering(const Signed &s, std::initializer_list<MemoryOrderingSemantics> allowed) {
  auto ordering = MemoryOrderingSemantics(s.attribute(0));
  bool isAllowed = false;
  std::string names;
  for (MemoryOrderingSemantics one : allowed) {
    isAllowed |= one == ordering;
    names += cat(names.empty() ? "" : ", ", keyword(one));
  }
  if (!isAllowed)
    return cat("expects one of the memory orderings ", names, ", but got ", keyword(ordering));
  if (s.has(1) != (ordering != MemoryOrderingSemantics::Weak))
    return "expects a memory scope exactly if the ordering is not weak";
  return {};
}
constexpr auto loadOrderings = {MemoryOrderingSemantics::Weak, MemoryOrderingSemantics::Relaxed,
                                MemoryOrderingSemantics::Acquire};
constexpr auto storeOrderings = {MemoryOrderingSemantics::Weak, MemoryOrderingSemantics::Relaxed,
                                 MemoryOrderingSemantics::Release};
constexpr auto atomicOrderings = {
    MemoryOrderingSemantics::Relaxed, MemoryOrderingSemantics::Acquire,
    MemoryOrderingSemantics::Release, MemoryOrderingSemantics::AcqRel};

Problem checkLoad(const Signed &s) {
  if (Problem problem = checkOrdering(s, loadOrderings))
    return problem;
  return checkPointee(s, s.operand(0), s.result(0));
}
Problem checkStore(const Signed &s) {
  if (Problem problem = checkOrdering(s, storeOrderings))
    return problem;
  return checkPointee(s, s.operand(0), s.operand(1));
}

//===--- Atomics. Columns: pointers cmp val mask? token?; pointers arg mask? token?

Status runCompareAndSwap(Step &step) {
  TESSERA_CHECK(takeTurn(step));
  const Type &result = step.result();
  const Value *mask = step.optional(3);
  TileAccess access(step, step.element(result), step.optional(4));
  const Codes &pointers = step.codes(0), &expected = step.codes(1), &values = step.codes(2);
  Codes out = expected; // what is masked off
  for (size_t i = 0; i < out.size(); ++i) {
    if (mask && !(*mask->codes)[i])
      continue;
    auto swap = [&](uint64_t old) {
      return old == expected[i] ? std::optional(values[i]) : std::nullopt;
    };
    TESSERA_TRY(out[i], access.update(pointers[i], result, i, swap));
  }
  step.add(std::move(out));
  step.addToken(access.token());
  return Done{};
}
Status runReadModifyWrite(Step &step) {
  TESSERA_CHECK(takeTurn(step));
  const Type &result = step.result();
  TypeKind element = step.element(result);
  auto mode = step.attributeAs<AtomicRMWMode>(2);
  const Value *mask = step.optional(2);
  TileAccess access(step, element, step.optional(3));
  const Codes &pointers = step.codes(0), &arguments = step.codes(1);
  Codes out(arguments.size());
  for (size_t i = 0; i < out.size(); ++i) {
    if (mask && !(*mask->codes)[i]) {
      out[i] = step.block.random() & lowBits(bitsOf(element));
      continue;
    }
    auto update = [&](uint64_t old) {
      return std::optional(updated(mode, element, old, arguments[i]));
    };
    TESSERA_TRY(out[i], access.update(pointers[i], result, i, update));
  }
  step.add(std::move(out));
  step.addToken(access.token());
  return Done{};
}
Problem checkCompareAndSwap(const Signed &s) {
  if (Problem problem = checkOrdering(s, atomicOrderings))
    return problem;
  if (Problem problem = checkMode(AtomicRMWMode::Xchg, s.element(s.result(0))))
    return "expects elements of 32 or 64 bits";
  return checkPointee(s, s.operand(0), s.result(0));
}
Problem checkReadModifyWrite(const Signed &s) {
  if (Problem problem = checkOrdering(s, atomicOrderings))
    return problem;
  if (Problem problem = checkMode(AtomicRMWMode(s.attribute(2)), s.element(s.result(0))))
    return problem;
  return checkPointee(s, s.operand(0), s.result(0));
}

//===--- Tokens, memory of a tile block, globals

Status runMakeToken(Step &step) {
  step.addToken(nullptr);
  return Done{};
}
/// The accesses before any of the operands, which are tokens.
Order joinedOperands(const Step &step) {
  Order all;
  for (size_t i = 0; i < step.operandCount(); ++i)
    all = joined(all, step.operand(i).order);
  return all;
}
/// Ops that only order: within one tile block they just join their tokens.
Status runJoin(Step &step) {
  step.addToken(joinedOperands(step));
  return Done{};
}

Status runAlloca(Step &step) {
  uint64_t count = step.attribute(1);
  uint64_t bytes = rowOf(pointee(step.program(), step.result())).memoryBits / 8;
  Launch &launch = step.block.launch;
  if (launch.bytes > launch.options.bytes || count > (launch.options.bytes - launch.bytes) / bytes)
    return fail(Error::Bytes, step.where(), launch.options.bytes);
  step.block.allocations.reserve(step.block.allocations.size() + 1); // push_back cannot fail
  std::optional<uint64_t> address = launch.memory.allocate(count * bytes);
  if (!address)
    return fail(Error::OutOfMemory);
  step.block.allocations.push_back(*address);
  step.block.allocated += count * bytes;
  launch.bytes += count * bytes;
  step.add(Codes{*address});
  return Done{};
}
Problem checkAlloca(const Signed &s) {
  uint64_t alignment = s.attribute(2);
  if (alignment > 256)
    return cat("expects an alignment of at most 256 bytes, but got ", alignment);
  if (bitsOf(pointee(s.program, s.result(0))) == 4)
    return "expects elements of whole bytes";
  return {};
}

/// The number of the global with this name; the number of all globals if there is none.
size_t findGlobal(const Program &program, uint64_t name) {
  size_t i = 0;
  while (i < program.globals.size() &&
         program.text(program.globals[i].name) != program.text(Index(name)))
    ++i;
  return i;
}
Status runGetGlobal(Step &step) {
  step.add(Codes{step.block.launch.globals[findGlobal(step.program(), step.attribute(0))]});
  return Done{};
}
Problem checkGetGlobal(const Signed &s) {
  size_t i = findGlobal(s.program, s.attribute(0));
  if (i == s.program.globals.size())
    return cat("expects a global '", s.program.text(Index(s.attribute(0))), "'");
  TypeKind element = s.element(s.program.type(s.program.globals[i].type));
  if (pointee(s.program, s.result(0)) != element)
    return cat("expects a pointer to ", rowOf(element).text);
  return {};
}
/// Offsets and loads count bytes.
Problem checkOffset(const Signed &s) {
  if (bitsOf(pointee(s.program, s.operand(0))) == 4)
    return "expects pointers to elements of whole bytes, but got elements of 4 bits";
  return {};
}

constexpr Semantics rows[] = {
    {Op::Offset, "A/p:ptr A:int -> A/p", runOffset, checkOffset},
    {Op::LoadPtrTko, "A:ptr A:i1 A/e:number token -> A/e:number token", runLoad, checkLoad},
    {Op::StorePtrTko, "A:ptr A:number A:i1 token -> token", runStore, checkStore},
    {Op::AtomicCASTko, "A:ptr A/e:number A/e A:i1 token -> A/e token", runCompareAndSwap,
     checkCompareAndSwap},
    {Op::AtomicRMWTko, "A:ptr A/e:number A:i1 token -> A/e token", runReadModifyWrite,
     checkReadModifyWrite},
    {Op::MakeToken, "-> token", runMakeToken},
    {Op::JoinTokens, "token -> token", runJoin},
    {Op::MemoryFenceAliasTko, "token -> token", runJoin},
    {Op::GdcLaunchDependentsTko, "token -> token", runJoin},
    {Op::GdcWaitTko, "token -> token", runJoin},
    {Op::Alloca, "-> 0:ptr", runAlloca, checkAlloca},
    {Op::GetGlobal, "-> 0:ptr", runGetGlobal, checkGetGlobal},
};

} // namespace

std::span<const Semantics> memoryRows() { return rows; }

} // namespace tessera::tile_eval
