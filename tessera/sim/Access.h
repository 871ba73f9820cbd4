// Access: how memory is accessed, and by whom.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::sim {

/// Who accesses memory: threads, or work that goes on after its instruction. Of bulk copies the
/// reads of stores from shared memory are apart, as they can be waited for alone; TensorWork is
/// what tcgen05.commit speaks of (mma, cp); Group is a warpgroup's wgmma.
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

/// Where the bytes of an access go through. PTX ISA 8.6.
enum class Proxy : uint8_t {
  Generic,
  Async,
  TensorMap
};

/// How memory is accessed; Accesses.def.
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
/// "a read" and so on, for sentences.
constexpr std::string_view nameOf(Access access) { return row(access).name; }

/// What is done to mbarriers is not an ordinary access.
constexpr bool isOfMbarrier(Access access) {
  return access >= Access::Mbarrier && access <= Access::MbarrierInval;
}
/// Tensor memory has cells, no bytes.
constexpr bool isOfTensor(Access access) { return access >= Access::TensorLoad; }

} // namespace tessera::sim
