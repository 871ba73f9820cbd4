// Launches: globals, arguments, and the order of the tile blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_eval/Interpreter.h"

#include "tessera/base/Guarded.h"
#include "tessera/tile_bytecode/Constants.h"
#include "tessera/tile_eval/Semantics.h"
#include "tessera/tile_eval/Turns.h"

#include <algorithm>
#include <cstring>

namespace tessera::tile_eval {

namespace {

using tile_bytecode::Function;
using tile_bytecode::Global;

constexpr uint32_t mostGrid = (1 << 24) - 1;

/// Whether tile blocks may wait for each other: an op is atomic, or not weak.
bool synchronises(const Function &function, const std::vector<Instruction> &body) {
  return std::any_of(body.begin(), body.end(), [&](const Instruction &i) {
    switch (i.op) {
    case Op::AtomicCASTko:
    case Op::AtomicRMWTko:
    case Op::AtomicRedViewTko: return true;
    case Op::LoadPtrTko:
    case Op::LoadViewTko:
    case Op::StorePtrTko:
    case Op::StoreViewTko:
      return function.attribute(i, 0) != uint64_t(tile_bytecode::MemoryOrderingSemantics::Weak);
    default: break;
    }
    return std::any_of(i.regions.begin(), i.regions.end(),
                       [&](const Region &r) { return synchronises(function, r.body); });
  });
}

Status checkLaunch(const Program &program, const Function &function,
                   const std::array<uint32_t, 3> &grid, std::span<const uint64_t> arguments) {
  for (uint32_t extent : grid)
    if (extent == 0 || extent > mostGrid)
      return fail(Error::Grid, grid[0], grid[1], grid[2]);
  using Wide = unsigned __int128;
  if (Wide(grid[0]) * grid[1] * grid[2] > 0xffffffff)
    return fail(Error::GridSize, grid[0], grid[1], grid[2]);
  std::string_view name = program.text(function.name);
  const std::vector<Index> &parameters = program.type(function.type).parameters;
  if (arguments.size() != parameters.size())
    return fail(Error::ArgumentCount, name, parameters.size(), arguments.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Type &type = program.type(parameters[i]);
    if (type.kind != TypeKind::Tile || !type.shape.empty())
      return fail(Error::ParameterType, name, i, typeText(program, parameters[i]));
  }
  return Done{};
}

/// The bytes of a global as they lie in memory: 4-bit elements packed, booleans a byte each.
std::vector<std::byte> bytesOf(const Program &program, const Global &global) {
  const Type &type = program.type(global.type);
  unsigned bits = rowOf(program.type(type.element).kind).memoryBits;
  std::vector<uint64_t> codes = constantCodes(program, global.constant, type);
  std::vector<std::byte> out((codes.size() * bits + 7) / 8);
  for (size_t i = 0; i < codes.size(); ++i) {
    uint64_t shifted = codes[i] << (i * bits % 8);
    for (size_t b = 0; b < (bits + 7) / 8; ++b)
      out[i * bits / 8 + b] |= std::byte(shifted >> (8 * b));
  }
  return out;
}

} // namespace

Result<const Function *> findKernel(const Program &program, std::string_view name) {
  if (const Function *found = program.find(name))
    return found;
  std::string names;
  for (const Function &function : program.functions)
    names += cat(names.empty() ? "'" : ", '", program.text(function.name), "'");
  return fail(Error::NoKernel, name, names.empty() ? "none" : names);
}

Status Interpreter::placeGlobals() {
  for (size_t i = globals.size(); i < program_.globals.size(); ++i) {
    const Global &global = program_.globals[i];
    if (program_.type(program_.type(global.type).element).kind == TypeKind::Pointer)
      return fail(Error::Unsupported, "global", "expects a tile of numbers");
    std::vector<std::byte> bytes = bytesOf(program_, global);
    std::optional<uint64_t> address = memory_.allocate(bytes.size());
    if (!address)
      return fail(Error::OutOfMemory);
    std::memcpy(reinterpret_cast<void *>(*address), bytes.data(), bytes.size());
    globals.push_back(*address);
  }
  return Done{};
}

Result<uint64_t> Interpreter::global(std::string_view name) {
  TESSERA_CHECK(placeGlobals());
  for (size_t i = 0; i < globals.size(); ++i)
    if (program_.text(program_.globals[i].name) == name)
      return globals[i];
  return fail(Error::Unsupported, "global", cat("the program has no global '", name, "'"));
}

Status Interpreter::launch(std::string_view kernel, std::array<uint32_t, 3> grid,
                           std::span<const uint64_t> arguments, const Options &options) {
  return guarded([&]() -> Status {
    TESSERA_TRY(const Function *function, findKernel(program_, kernel));
    TESSERA_CHECK(checkLaunch(program_, *function, grid, arguments));
    TESSERA_CHECK(verify(program_, *function));
    TESSERA_CHECK(placeGlobals());
    memory_.forgetTouches();
    Launch launch{program_, *function, grid, arguments, memory_, options, globals, output};
    launch.synchronises = synchronises(*function, function->body);
    Status status = launch.synchronises ? runInTurns(launch) : runInOrder(launch);
    steps_ = launch.steps;
    return status;
  });
}

} // namespace tessera::tile_eval
