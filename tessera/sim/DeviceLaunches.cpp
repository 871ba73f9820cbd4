// CUDA's runtime for devices: the functions by which kernels launch kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/DeviceLaunches.h"

#include "tessera/sim/Calls.h"

#include <algorithm>

namespace tessera::sim {

void DeviceLaunches::prepare(uint64_t buffer, DeviceLaunch launch) {
  std::lock_guard lock(mutex);
  prepared.insert_or_assign(buffer, std::move(launch));
}

std::optional<DeviceLaunch> DeviceLaunches::take(uint64_t buffer) {
  std::lock_guard lock(mutex);
  auto found = prepared.extract(buffer);
  return found ? std::optional(std::move(found.mapped())) : std::nullopt;
}

bool DeviceLaunches::add(DeviceLaunch launch) {
  std::lock_guard lock(mutex);
  if (added.size() >= mostThatWait)
    return false;
  added.push_back(std::move(launch));
  return true;
}

int DeviceLaunches::lastError(uint64_t thread, std::optional<int> next) {
  std::lock_guard lock(mutex);
  auto found = errors.find(thread);
  const int last = found == errors.end() ? 0 : found->second;
  if (next && (*next || last))
    errors[thread] = *next;
  if (errors.size() > mostWithErrors)
    errors.erase(errors.begin()); // of the blocks that began first
  return last;
}

std::vector<DeviceLaunch> DeviceLaunches::ordered() {
  std::lock_guard lock(mutex);
  std::stable_sort(added.begin(), added.end(), [](const DeviceLaunch &a, const DeviceLaunch &b) {
    return std::pair(a.isTail, a.launchedBy) < std::pair(b.isTail, b.launchedBy);
  });
  return std::move(added);
}

namespace {

/// Codes of errors, as driver_types.h has them.
enum Code : int {
  Success = 0,
  InvalidValue = 1,
  MemoryAllocation = 2,
  InvalidConfiguration = 9,
  MaxDepthExceeded = 65,
  PendingCountExceeded = 69,
  InvalidDeviceFunction = 98
};

uint64_t blockOf(const Warp &w) {
  const Dim3 &of = w.grid.grid, &at = w.cta.index;
  return at.x + uint64_t(of.x) * (at.y + uint64_t(of.y) * at.z);
}
uint64_t threadOf(const Warp &w, int lane) {
  return blockOf(w) * 1024 + w.index * warpSize + unsigned(lane);
}

/// The result of a function that returns a code.
Flow returned(Warp &w, const CallPlan &plan, int lane, Code code) {
  if (code)
    w.grid.launches->lastError(threadOf(w, lane), code);
  setResult(w, plan, uint64_t(code), lane);
  return Flow::Next;
}

/// An argument of three words.
Dim3 extents(Warp &w, const CallPlan &plan, size_t which, int lane) {
  uint32_t words[3] = {};
  if (which < plan.arguments.size())
    std::memcpy(words, bytesOf(w, *w.frame, plan.arguments[which], lane),
                std::min<size_t>(plan.arguments[which].size, sizeof words));
  return {words[0], words[1], words[2]};
}

/// The kernel of an address; null if it is that of none.
const Function *kernelAt(const Warp &w, uint64_t address) {
  const auto &functions = w.grid.program.functions;
  const uint64_t index = (address - window::functions) / 16;
  const bool isKernel = address % 16 == 0 && index < functions.size() && functions[index]->isEntry;
  return isKernel ? functions[index].get() : nullptr;
}

uint64_t newMemory(Warp &w, uint64_t bytes, int lane) {
  const uint64_t address = w.grid.heap->allocate(bytes);
  if (address)
    w.tell(MemoryChange{MemoryChange::New, Space::Global, address, bytes, Mask(1) << lane});
  return address;
}
bool freeMemory(Warp &w, uint64_t address, int lane) {
  if (!address || !w.grid.heap->free(address))
    return address == 0;
  w.tell(MemoryChange{MemoryChange::Freed, Space::Global, address, 0, Mask(1) << lane});
  return true;
}

/// The kernel is the first argument; the grid is argument number `grid`, block and bytes of shared
/// memory come after it.
DeviceLaunch described(Warp &w, const CallPlan &plan, size_t grid, int lane) {
  DeviceLaunch launch;
  launch.kernel = kernelAt(w, argument(w, plan, 0, lane));
  launch.grid = extents(w, plan, grid, lane);
  launch.block = extents(w, plan, grid + 1, lane);
  launch.dynamicShared = uint32_t(argument(w, plan, grid + 2, lane));
  return launch;
}

/// (kernel, grid, block, bytes of shared memory): a buffer for the parameters, or 0.
Flow getParameterBuffer(Warp &w, const CallPlan &plan, int lane) {
  DeviceLaunch launch = described(w, plan, 1, lane);
  uint64_t buffer = 0;
  Code code = InvalidDeviceFunction;
  if (launch.kernel) {
    buffer = newMemory(w, launch.kernel->parameterBytes, lane);
    code = buffer ? Success : MemoryAllocation;
  }
  if (buffer)
    w.grid.launches->prepare(buffer, std::move(launch));
  else
    w.grid.launches->lastError(threadOf(w, lane), code);
  setResult(w, plan, buffer, lane);
  return Flow::Next;
}
/// (alignment, bytes): the same before CUDA 12, where the launch says the rest.
Flow getParameterBytes(Warp &w, const CallPlan &plan, int lane) {
  setResult(w, plan, newMemory(w, argument(w, plan, 1, lane), lane), lane);
  return Flow::Next;
}

/// A stream that the runtime has for all grids.
constexpr uint64_t tailLaunch = 3;

Code asked(Warp &w, DeviceLaunch launch, uint64_t stream) {
  launch.launchedBy = blockOf(w);
  launch.isTail = stream == tailLaunch;
  launch.depth = w.grid.launches->depth + !launch.isTail;
  if (launch.depth > DeviceLaunches::mostInEachOther)
    return MaxDepthExceeded;
  return w.grid.launches->add(std::move(launch)) ? Success : PendingCountExceeded;
}

/// Reads the parameters of a launch, whose buffer is the program's no more.
Code launched(Warp &w, DeviceLaunch launch, uint64_t buffer, uint64_t stream, int lane) {
  if (!launch.kernel)
    return InvalidDeviceFunction;
  auto within = [](const Dim3 &e, const Dim3 &most) {
    return e.x - 1 < most.x && e.y - 1 < most.y && e.z - 1 < most.z; // none is 0
  };
  if (!within(launch.grid, {0x7fffffff, 65535, 65535}) || !within(launch.block, {1024, 1024, 64}) ||
      launch.block.volume() > 1024 ||
      uint64_t(launch.kernel->sharedBytes) + launch.dynamicShared > w.grid.limits.sharedBytes)
    return InvalidConfiguration;
  launch.parameters.resize(launch.kernel->parameterBytes);
  if (!w.grid.memory.read(launch.parameters, buffer))
    return InvalidValue;
  freeMemory(w, buffer, lane);
  return asked(w, std::move(launch), stream);
}

/// (buffer, stream)
Flow launchBuffer(Warp &w, const CallPlan &plan, int lane) {
  const uint64_t buffer = argument(w, plan, 0, lane);
  std::optional<DeviceLaunch> launch = w.grid.launches->take(buffer);
  return returned(w, plan, lane,
                  launch ? launched(w, *std::move(launch), buffer, argument(w, plan, 1, lane), lane)
                         : InvalidValue);
}
/// (kernel, buffer, grid, block, bytes of shared memory, stream)
Flow launchKernel(Warp &w, const CallPlan &plan, int lane) {
  const uint64_t buffer = argument(w, plan, 1, lane), stream = argument(w, plan, 5, lane);
  return returned(w, plan, lane, launched(w, described(w, plan, 2, lane), buffer, stream, lane));
}

/// (to, from, bytes, kind, stream)
Flow copyLater(Warp &w, const CallPlan &plan, int lane) {
  DeviceLaunch copy;
  copy.to = argument(w, plan, 0, lane);
  copy.from = argument(w, plan, 1, lane);
  copy.bytes = argument(w, plan, 2, lane);
  const bool isThere = copy.from && w.grid.memory.bytes(copy.from, copy.bytes) &&
                       w.grid.memory.bytes(copy.to, copy.bytes);
  return returned(w, plan, lane,
                  isThere ? asked(w, std::move(copy), argument(w, plan, 4, lane)) : InvalidValue);
}
/// (to, value, bytes, stream)
Flow fillLater(Warp &w, const CallPlan &plan, int lane) {
  DeviceLaunch fill;
  fill.to = argument(w, plan, 0, lane);
  fill.parameters = {std::byte(argument(w, plan, 1, lane))};
  fill.bytes = argument(w, plan, 2, lane);
  return returned(w, plan, lane,
                  w.grid.memory.bytes(fill.to, fill.bytes)
                      ? asked(w, std::move(fill), argument(w, plan, 3, lane))
                      : InvalidValue);
}

/// Writes a value of some bytes at the address that is the first argument.
Flow answer(Warp &w, const CallPlan &plan, int lane, uint64_t value, uint32_t bytes) {
  std::byte *at = w.locate(Space::Generic, argument(w, plan, 0, lane), bytes, Access::Write, lane);
  if (!at)
    return Flow::Fault;
  std::memcpy(at, &value, bytes);
  return returned(w, plan, lane, Success);
}
/// (where the handle goes, flags): of a stream or an event, which nobody asks for.
Flow makeHandle(Warp &w, const CallPlan &plan, int lane) {
  constexpr uint64_t some = 0x100; // no stream of the runtime's
  return answer(w, plan, lane, some, 8);
}
Flow firstDevice(Warp &w, const CallPlan &plan, int lane) { return answer(w, plan, lane, 0, 4); }
Flow oneDevice(Warp &w, const CallPlan &plan, int lane) { return answer(w, plan, lane, 1, 4); }
/// (where the address goes, bytes)
Flow giveMemory(Warp &w, const CallPlan &plan, int lane) {
  const uint64_t address = newMemory(w, argument(w, plan, 1, lane), lane);
  return address ? answer(w, plan, lane, address, 8) : returned(w, plan, lane, MemoryAllocation);
}
Flow takeMemory(Warp &w, const CallPlan &plan, int lane) {
  return returned(w, plan, lane,
                  freeMemory(w, argument(w, plan, 0, lane), lane) ? Success : InvalidValue);
}
Flow nothing(Warp &w, const CallPlan &plan, int lane) { return returned(w, plan, lane, Success); }
Flow getLastError(Warp &w, const CallPlan &plan, int lane) {
  setResult(w, plan, uint64_t(w.grid.launches->lastError(threadOf(w, lane), Success)), lane);
  return Flow::Next;
}
Flow peekAtLastError(Warp &w, const CallPlan &plan, int lane) {
  setResult(w, plan, uint64_t(w.grid.launches->lastError(threadOf(w, lane), {})), lane);
  return Flow::Next;
}

constexpr std::string_view prefix = "__cudaCDP2";
constexpr std::pair<std::string_view, Builtin> rows[] = {
    {"GetParameterBuffer", getParameterBytes},
    {"GetParameterBufferV2", getParameterBuffer},
    {"LaunchDevice", launchKernel},
    {"LaunchDeviceV2", launchBuffer},
    {"MemcpyAsync", copyLater},
    {"MemsetAsync", fillLater},
    {"Malloc", giveMemory},
    {"Free", takeMemory},
    {"StreamCreateWithFlags", makeHandle},
    {"StreamDestroy", nothing},
    {"StreamWaitEvent", nothing},
    {"EventCreateWithFlags", makeHandle},
    {"EventRecord", nothing},
    {"EventRecordWithFlags", nothing},
    {"EventDestroy", nothing},
    {"GetDevice", firstDevice},
    {"GetDeviceCount", oneDevice},
    {"GetLastError", getLastError},
    {"PeekAtLastError", peekAtLastError},
};

} // namespace

bool isOfDeviceRuntime(std::string_view name) { return name.starts_with(prefix); }

Builtin deviceRuntimeFunction(std::string_view name) {
  if (!isOfDeviceRuntime(name))
    return nullptr;
  name.remove_prefix(prefix.size());
  constexpr std::string_view perThread = "_ptsz"; // with a default stream for each thread
  if (name.ends_with(perThread))
    name.remove_suffix(perThread.size());
  auto found = std::find_if(std::begin(rows), std::end(rows),
                            [&](const auto &row) { return row.first == name; });
  return found == std::end(rows) ? nullptr : found->second;
}

} // namespace tessera::sim
