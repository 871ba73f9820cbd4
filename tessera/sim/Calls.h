// Calls: the places of arguments and results of a call on both sides, and the functions that every
// program has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Grid.h"

namespace tessera::sim {

/// An argument or result as the caller or the callee sees it: a register of a frame, or bytes of
/// its local memory.
struct Place {
  Slot slot = noSlot;
  uint32_t offset = 0, size = 0; // bytes
};

struct CallPlan : InstructionParts {
  const Function *callee = nullptr; // null: operand[0] holds the address
  std::vector<Place> arguments, results;
};

/// The bytes of a place in one lane.
std::byte *bytesOf(Warp &, const Frame &, const Place &, int lane);
/// The value of an argument of up to eight bytes.
uint64_t argument(Warp &, const CallPlan &, size_t which, int lane);
void setResult(Warp &, const CallPlan &, uint64_t value, int lane);

/// A function that has no PTX code, for one lane.
using Builtin = Flow (*)(Warp &, const CallPlan &, int lane);
/// One of CUDA's runtime for devices (DeviceLaunches.cpp), or null.
Builtin deviceRuntimeFunction(std::string_view name);
/// Whether its name is that of one, also of those that there are not.
bool isOfDeviceRuntime(std::string_view name);

/// Runs one of the functions that every program has (Builtins.cpp, DeviceLaunches.cpp) and that
/// have no PTX code, for the lanes of a mask; nothing if there is no such function.
std::optional<Flow> callBuiltin(Warp &, std::string_view name, const CallPlan &, Mask);
/// Whether there is such a function.
bool isBuiltin(std::string_view name);

} // namespace tessera::sim
