// Access: kinds of memory accesses, and the agents that perform them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::sim {

/// The agent of an access: a thread, or work that continues after its instruction. Among bulk
/// copies, reads of shared memory by stores are an agent of their own, since they can be waited for
/// separately. TensorWork is the work that tcgen05.commit tracks (mma, cp); Group is a warpgroup's
/// wgmma.
enum class Agent : uint8_t {
  Thread,
  Copy,
  StoreSource,
  AsyncCopy,
  TensorLoad,
  TensorStore,
  TensorWork,
  Group
};

/// The proxy of an access. PTX ISA 8.6.
enum class Proxy : uint8_t {
  Generic,
  Async,
  TensorMap
};

/// The kinds of accesses; Accesses.def.
enum class Access : uint8_t {
#define ACCESS(id, name, reads, writes, strong, proxy, by) id,
#include "tessera/sim/Accesses.def"
#undef ACCESS
};

struct AccessRow {
  std::string_view name;
  bool reads, writes, strong;
  Proxy proxy;
  Agent by;
};
inline constexpr AccessRow accesses[] = {
#define ACCESS(id, name, reads, writes, strong, proxy, by)                                         \
  {name, reads, writes, strong, Proxy::proxy, Agent::by},
#include "tessera/sim/Accesses.def"
#undef ACCESS
};
constexpr const AccessRow &row(Access access) { return accesses[size_t(access)]; }
/// "a read" and so on, for messages.
constexpr std::string_view nameOf(Access access) { return row(access).name; }

/// Whether it is an operation on an mbarrier, which is not an ordinary access.
constexpr bool isOfMbarrier(Access access) {
  return access >= Access::Mbarrier && access <= Access::MbarrierInval;
}
/// Whether it accesses tensor memory, which has cells instead of bytes.
constexpr bool isOfTensor(Access access) { return access >= Access::TensorLoad; }

} // namespace tessera::sim
