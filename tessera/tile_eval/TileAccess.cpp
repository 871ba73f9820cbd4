// Elements in memory, and who touched them before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_eval/TileAccess.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

namespace tessera::tile_eval {

namespace {

std::string hexadecimal(uint64_t address) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  return text;
}

/// "0x7f5e10 (parameter 2 + 400 bytes)": also from which pointer among the arguments that is.
std::string placeOf(const Launch &launch, uint64_t address) {
  constexpr uint64_t farthest = uint64_t(1) << 32;
  const std::vector<Index> &parameters = launch.program.type(launch.function.type).parameters;
  std::string out = hexadecimal(address);
  std::optional<size_t> best;
  for (size_t i = 0; i < std::min(parameters.size(), launch.arguments.size()); ++i) {
    const Type &tile = launch.program.type(parameters[i]);
    if (tile.kind == TypeKind::Tile &&
        launch.program.type(tile.element).kind == TypeKind::Pointer &&
        address - launch.arguments[i] < farthest &&
        (!best || launch.arguments[i] > launch.arguments[*best]))
      best = i;
  }
  return best ? cat(out, " (parameter ", *best, " + ", address - launch.arguments[*best], " bytes)")
              : out;
}

/// The place in the grid of a tile block with a number from 0.
std::string blockText(const Launch &launch, uint32_t number) {
  auto [x, y, z] = launch.grid;
  return cat("(", number % x, ", ", number / x % y, ", ", number / x / y, ")");
}

} // namespace

Status takeTurn(Step &step) {
  return step.block.launch.turn ? step.block.launch.turn() : Status(Done{});
}

TileAccess::TileAccess(Step &step, TypeKind element, const Value *token)
    : step(step), element(element), bytes((rowOf(element).memoryBits + 7u) / 8),
      checksRaces(step.block.launch.options.checksRaces), before(token ? token->order : nullptr) {
  if (element == TypeKind::Pointer)
    bytes = 8;
  if (checksRaces)
    id = {.block = step.block.number, .access = step.block.nextAccess()};
}

Order TileAccess::token() const { return checksRaces ? with(before, id.access) : nullptr; }

Status TileAccess::check(uint64_t address, const Type &tile, size_t linear) const {
  if (!step.block.launch.memory.contains(address, bytes))
    return step.failAt(Error::OutOfBounds, tile, linear, bytes,
                       placeOf(step.block.launch, address));
  if (address % bytes)
    return step.failAt(Error::Misaligned, tile, linear, bytes, hexadecimal(address));
  return Done{};
}

Status TileAccess::order(uint64_t address, bool writes, const Type &tile, size_t linear) {
  Memory::Touch &touch = step.block.launch.memory.touch(address);
  auto conflict = [&](AccessId other) -> Status {
    const Launch &launch = step.block.launch;
    if (other.block == 0 || other == id || (other.isAtomic && id.isAtomic))
      return Done{};
    if (other.block == id.block)
      return isBefore(before, other.access) ? Status(Done{})
                                            : step.failAt(Error::TokenRace, tile, linear,
                                                          placeOf(launch, address), other.access);
    return launch.synchronises
               ? Status(Done{})
               : step.failAt(Error::BlockRace, tile, linear, placeOf(launch, address),
                             blockText(launch, other.block - 1));
  };
  TESSERA_CHECK(conflict(touch.write));
  if (writes)
    TESSERA_CHECK(conflict(touch.read));
  (writes ? touch.write : touch.read) = id;
  return Done{};
}

uint64_t TileAccess::bytesAt(uint64_t address) const {
  uint64_t code = 0;
  std::memcpy(&code, reinterpret_cast<const void *>(address), bytes);
  // A boolean is true if its byte is not zero.
  return element == TypeKind::I1 ? code != 0 : code;
}
void TileAccess::setBytes(uint64_t address, uint64_t code) const {
  std::memcpy(reinterpret_cast<void *>(address), &code, bytes);
}

Result<uint64_t> TileAccess::load(uint64_t address, bool high, const Type &tile, size_t linear) {
  TESSERA_CHECK(check(address, tile, linear));
  if (checksRaces)
    TESSERA_CHECK(order(address, false, tile, linear));
  uint64_t code = bytesAt(address);
  return bitsOf(element) == 4 ? (high ? code >> 4 : code & 0xf) : code;
}

Status TileAccess::store(uint64_t address, bool high, uint64_t code, const Type &tile,
                         size_t linear) {
  TESSERA_CHECK(check(address, tile, linear));
  if (checksRaces)
    TESSERA_CHECK(order(address, true, tile, linear));
  if (bitsOf(element) == 4) {
    uint64_t other = bytesAt(address) & (high ? 0x0f : 0xf0);
    code = other | (high ? code << 4 : code);
  }
  setBytes(address, code);
  return Done{};
}

} // namespace tessera::tile_eval
