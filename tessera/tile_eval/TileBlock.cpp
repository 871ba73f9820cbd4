// Control flow of a tile block: lists of instructions, loops, conditions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_eval/TileBlock.h"

#include "tessera/tile_eval/Semantics.h"

namespace tessera::tile_eval {

TileBlock::TileBlock(Launch &launch, std::array<uint32_t, 3> id, uint32_t number)
    : launch(launch), id(id), number(number),
      random(launch.options.seed * 0x9e3779b97f4a7c15 + number) {}

TileBlock::~TileBlock() {
  for (uint64_t address : allocations)
    launch.memory.remove(address);
  launch.bytes -= allocated;
  forget(0);
}

/// Forgets the values from this one on.
void TileBlock::forget(size_t from) {
  for (; values.size() > from; values.pop_back())
    launch.bytes -= values.back().bytes();
}

Status TileBlock::run() {
  const Type &type = program().type(function().type);
  for (size_t i = 0; i < type.parameters.size(); ++i)
    define({.type = type.parameters[i],
            .codes = std::make_shared<const Codes>(Codes{launch.arguments[i]})});
  std::vector<Value> none;
  TESSERA_CHECK(runList(function().body, none));
  return Done{};
}

Result<Flow> TileBlock::run(const Region &region, std::vector<Value> arguments,
                            std::vector<Value> &results) {
  size_t before = values.size();
  for (Value &argument : arguments)
    define(std::move(argument));
  Result<Flow> flow = runList(region.body, results);
  forget(before);
  return flow;
}
Result<Flow> TileBlock::runBatch(const Region &region, size_t batch, std::vector<Value> arguments,
                                 std::vector<Value> &results) {
  size_t outer = batch_;
  batch_ = batch;
  Result<Flow> flow = run(region, std::move(arguments), results);
  batch_ = outer;
  return flow;
}

Result<Flow> TileBlock::runList(const std::vector<Instruction> &body, std::vector<Value> &results) {
  for (const Instruction &instruction : body) {
    TESSERA_TRY(Flow flow, runOne(instruction, results));
    if (flow != Flow::End)
      return flow;
  }
  return Flow::End;
}

Status TileBlock::step(const Instruction &instruction) {
  if (++launch.steps > launch.options.steps)
    return fail(Error::Steps, where(instruction), launch.options.steps);
  constexpr uint64_t seldom = 256; // the clock costs as much as a small instruction
  if (launch.options.deadline && launch.steps % seldom == 0 &&
      std::chrono::steady_clock::now() > *launch.options.deadline)
    return fail(Error::Time, where(instruction));
  return Done{};
}

Result<Flow> TileBlock::runOne(const Instruction &instruction, std::vector<Value> &results) {
  TESSERA_CHECK(step(instruction));
  switch (instruction.op) {
  case Op::For: TESSERA_CHECK(runFor(instruction)); return Flow::End;
  case Op::Loop: {
    Flow flow = Flow::End;
    TESSERA_CHECK(runLoop(instruction, results, flow));
    return flow;
  }
  case Op::If: return runIf(instruction, results);
  case Op::Break: take(instruction, results); return Flow::Break;
  case Op::Continue: take(instruction, results); return Flow::Continue;
  case Op::Yield: take(instruction, results); return Flow::Yield;
  case Op::Return: return Flow::Return;
  default: break;
  }
  Step step(*this, instruction);
  TESSERA_CHECK(semanticsOf(instruction.op).run(step));
  if (launch.bytes > launch.options.bytes)
    return fail(Error::Bytes, where(instruction), launch.options.bytes);
  return Flow::End;
}

void TileBlock::take(const Instruction &instruction, std::vector<Value> &to) const {
  to.clear();
  for (Index operand : function().operands(instruction))
    to.push_back(values[operand]);
}
void TileBlock::defineAll(const Instruction &instruction, std::vector<Value> results) {
  std::span<const Index> types = function().results(instruction);
  for (size_t i = 0; i < types.size(); ++i) {
    results[i].type = types[i];
    define(std::move(results[i]));
  }
}

/// Operands: lower and upper bound, step, then the carried values. The bounds are read once.
Status TileBlock::runFor(const Instruction &instruction) {
  std::vector<Value> carried;
  take(instruction, carried);
  unsigned bits = bitsOf(program().type(program().type(carried[0].type).element).kind);
  bool isUnsigned = tile_bytecode::Function::has(instruction, 0);
  auto number = [&](size_t i) {
    uint64_t code = (*carried[i].codes)[0];
    return isUnsigned ? __int128(code) : __int128(signedOf(code, bits));
  };
  __int128 lower = number(0), upper = number(1), by = number(2);
  if (by <= 0)
    return fail(Error::Step, where(instruction), int64_t(by));
  Index type = carried[0].type;
  carried.erase(carried.begin(), carried.begin() + 3);
  const Region &region = instruction.regions[0];
  for (__int128 i = lower; i < upper; i += by) {
    // Counts, so that a long loop without instructions reaches the limits, too.
    if (region.body.empty())
      TESSERA_CHECK(step(instruction));
    std::vector<Value> arguments{
        {.type = type, .codes = std::make_shared<const Codes>(Codes{uint64_t(i) & lowBits(bits)})}};
    arguments.insert(arguments.end(), std::make_move_iterator(carried.begin()),
                     std::make_move_iterator(carried.end()));
    std::vector<Value> next;
    TESSERA_CHECK(run(region, std::move(arguments), next));
    carried = std::move(next);
  }
  defineAll(instruction, std::move(carried));
  return Done{};
}

/// Ends with `break`, or with the `return` of the kernel in one of its conditions.
Status TileBlock::runLoop(const Instruction &instruction, std::vector<Value> &results, Flow &flow) {
  std::vector<Value> carried;
  take(instruction, carried);
  while (true) {
    std::vector<Value> next;
    TESSERA_TRY(Flow end, run(instruction.regions[0], std::move(carried), next));
    carried = std::move(next);
    if (end == Flow::Break)
      break;
    if (end == Flow::Return) {
      flow = Flow::Return;
      return Done{};
    }
    // Counts, so that an endless loop without instructions reaches the limits, too.
    TESSERA_CHECK(step(instruction));
    if (launch.turn)
      TESSERA_CHECK(launch.turn());
  }
  defineAll(instruction, std::move(carried));
  return Done{};
}

Result<Flow> TileBlock::runIf(const Instruction &instruction, std::vector<Value> &results) {
  bool condition = (*values[function().operands(instruction)[0]].codes)[0];
  const Region &region = instruction.regions[condition ? 0 : 1];
  std::vector<Value> yielded;
  TESSERA_TRY(Flow flow, run(region, {}, yielded));
  if (flow == Flow::Continue || flow == Flow::Break) {
    results = std::move(yielded);
    return flow;
  }
  if (flow == Flow::Return)
    return flow;
  defineAll(instruction, std::move(yielded));
  return Flow::End;
}

//===--- Where

namespace {

/// "file.py:3:7" of a location; the callee's of a call.
std::string placeText(const Program &program, uint64_t location) {
  using tile_bytecode::DebugEntry;
  for (unsigned depth = 0; location && location <= program.debug.size() && depth < 100; ++depth) {
    const DebugEntry &entry = program.debug[location - 1];
    if (entry.kind == DebugEntry::CallSite) {
      location = entry.fields[0];
      continue;
    }
    if (entry.kind != DebugEntry::Location)
      break;
    return cat(program.text(Index(entry.fields[1])), ":", entry.fields[2], ":", entry.fields[3]);
  }
  return {};
}

} // namespace

std::string TileBlock::where(const Instruction &instruction) const {
  std::string place = placeText(program(), instruction.location);
  return cat(rowOf(instruction.op).name, " of kernel '", program().text(function().name),
             "' in tile block (", id[0], ", ", id[1], ", ", id[2], ")",
             place.empty() ? "" : cat(" at ", place));
}

std::string Step::elementText(const Type &tile, size_t linear) {
  if (tile.shape.empty())
    return {};
  std::string out;
  for (size_t d = tile.shape.size(); d-- > 0; linear /= size_t(tile.shape[d]))
    out = cat(linear % size_t(tile.shape[d]), out.empty() ? "" : ", ", out);
  return cat(", element (", out, ")");
}

} // namespace tessera::tile_eval
