// Copies and reductions of runs of bytes by one thread, and stores to other CTAs of the cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/lower/families/bulk/Bulk.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::cute;
using namespace tessera::cute_nvgpu;

namespace tessera::lower {

namespace {
uint32_t bytesOf(const CopyCall &call) { return uint32_t(call.atom.amount / 8); }

Result<Value> barrierOf(CopyCall &call, StringRef name = "tma_bar") {
  Value barrier = fieldIfSet(call, name);
  if (!barrier)
    return Reason{"BulkNoBarrier",
                  cat("expects field ", std::string_view(name),
                      " of the atom to be set: the barrier at which the copy ends")};
  return barrier;
}
Result<Done> bulkCopyG2S(CopyCall call) {
  Expander &e = call.e;
  TESSERA_TRY(Value barrier, barrierOf(call));
  Value mask = call.row().key.multicast ? field(call, "mcast_mask") : Value();
  TESSERA_TRY(Value dst, operandPointer(e, call.dst));
  TESSERA_TRY(Value src, operandPointer(e, call.src));
  ArchBulkCopyG2SOp::create(e.b, e.loc(), dst, src, barrier, mask, fieldIfSet(call, "cache_policy"),
                            bytesOf(call));
  return Done{};
}

Result<Done> bulkPrefetch(CopyCall call) {
  Expander &e = call.e;
  TESSERA_TRY(Value src, operandPointer(e, call.src));
  ArchBulkPrefetchOp::create(e.b, e.loc(), src, fieldIfSet(call, "cache_policy"), bytesOf(call));
  return Done{};
}

Result<Done> bulkCopyS2G(CopyCall call) {
  Expander &e = call.e;
  bool masked = call.atomType().getForm().byteMask;
  TESSERA_TRY(Value dst, operandPointer(e, call.dst));
  TESSERA_TRY(Value src, operandPointer(e, call.src));
  ArchBulkCopyS2GOp::create(e.b, e.loc(), dst, src, masked ? field(call, "byte_mask") : Value(),
                            fieldIfSet(call, "cache_policy"), bytesOf(call));
  return Done{};
}

Result<Done> bulkCopyS2S(CopyCall call) {
  Expander &e = call.e;
  TESSERA_TRY(Value barrier, barrierOf(call));
  TESSERA_TRY(Value dst, operandPointer(e, call.dst));
  TESSERA_TRY(Value src, operandPointer(e, call.src));
  ArchBulkCopyS2SOp::create(e.b, e.loc(), dst, src, barrier, bytesOf(call));
  return Done{};
}

Result<Done> bulkReduce(CopyCall call) {
  Expander &e = call.e;
  bool toCluster = call.row().to == atom::AddressSpace::Dsmem;
  Value barrier, policy;
  if (toCluster) {
    TESSERA_TRY(barrier, barrierOf(call));
  } else {
    policy = fieldIfSet(call, "cache_policy");
  }
  TESSERA_TRY(Value dst, operandPointer(e, call.dst));
  TESSERA_TRY(Value src, operandPointer(e, call.src));
  ArchBulkReduceOp::create(e.b, e.loc(), dst, src, barrier, policy, bytesOf(call),
                           call.row().key.reduction, call.atomType().getValueType());
  return Done{};
}

/// Each thread's words, by itself.
Result<Done> dsmemStore(CopyCall call) {
  Expander &e = call.e;
  TESSERA_TRY(Value barrier, barrierOf(call, "mbar_ptr"));
  TESSERA_TRY(SmallVector<Value> words,
              loadWords(e, call.src, e.b.getI32Type(), call.row().registersFor(call.atom.amount)));
  TESSERA_TRY(Value dst, operandPointer(e, call.dst));
  ArchDsmemStoreOp::create(e.b, e.loc(), dst, e.pack(words), barrier);
  return Done{};
}

constexpr CopyRecipe copies[] = {
    {atom::CopyFamily::BulkG2S, bulkCopyG2S},      {atom::CopyFamily::BulkS2G, bulkCopyS2G},
    {atom::CopyFamily::BulkS2S, bulkCopyS2S},      {atom::CopyFamily::BulkReduceS2G, bulkReduce},
    {atom::CopyFamily::BulkReduceS2S, bulkReduce}, {atom::CopyFamily::DsmemStore, dsmemStore},
};
constexpr CopyRecipe prefetches[] = {{atom::CopyFamily::BulkG2S, bulkPrefetch}};
} // namespace

const Unit bulkUnit = {{}, copies, prefetches, addBulkPatterns};

} // namespace tessera::lower
