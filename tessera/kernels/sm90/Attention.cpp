// Hopper attention: TMA -> shared memory -> wgmma -> softmax in registers -> wgmma -> stmatrix ->
// TMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schedule is FlashAttention-3's (Shah et al., 2024, section 3): the product of a step is
// issued before the softmax of the step before is used, and consumers hand each other the tensor
// core by named barriers.
#include "tessera/kernels/sm90/Attention.h"

#include "tessera/atom/Occupancy.h"
#include "tessera/kernels/Errors.h"
#include "tessera/kernels/sm90/AttentionPlan.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::sm90;

namespace {

class Attention {
public:
  explicit Attention(const AttentionConfig &c) : c(c), plan(c), s(c, plan) {}

  void build() {
    writeHost(s, plan.threads());
    kernel("attention_" + c.name(), {plan.threads(), plan.together()}, s.given,
           [&](const AttentionParameters &given) { kernelBody(given); });
  }

private:
  const AttentionConfig &c;
  AttentionPlan plan;
  AttentionBlock s;

  //===--- kernel -----------------------------------------------------------------------------===//

  void kernelBody(const AttentionParameters &given) {
    s.begin(given);
    if (c.varlen) // the longest sequence has this tile
      If(s.tile * c.tileM() < s.given.queries, [&] { work(); });
    else
      work();
  }
  void work() {
    If(s.index == 0, [&] { initialise(); });
    if (s.plan.overlaps() && !c.lengths)
      griddepcontrol_wait();
    sync_threads();
    RegisterBudget registers = plan.registers();
    If(
        s.group == 0,
        [&] {
          set_max_registers(registers.producer, false);
          If(s.warp == 0, [&] { produce(s); });
          if (c.isNarrow())
            If(s.warp >= firstThatTurns, [&] { turn(s); });
          if (c.splits) {
            s.meet();
            s.meet();
          }
        },
        [&] {
          set_max_registers(registers.consumer, true);
          consume(s);
          if (c.splits)
            s.meet(); // not before others have read what this block summed
        });
  }

  void initialise() {
    s.initialise(c.consumers * atom::Threads::warpsOfGroup); // a lane of each warp that reads it
    mbarrier_init_fence();
  }
};
} // namespace

//===--- configurations -----------------------------------------------------------------------===//

int AttentionPlan::together() const {
  const atom::Multiprocessor &sm = atom::multiprocessorOf(90);
  return c.splits && 2 * (memory.bytes() + sm.reservedBytes()) <= sm.sharedBytes() ? 2 : 1;
}

static int64_t smemBytes(const AttentionConfig &c) { return AttentionPlan(c).memory.bytes(); }

static void complete(AttentionConfig &c) {
  if (c.splits)
    return completeFew(c);
  if (!c.consumers)
    c.consumers = c.headDim > 64 ? 2 : 3;
  // Of the widest heads what shared memory has room for. Elsewhere as many as registers have room
  // for, but a mask that cuts through tiles wastes less of small ones.
  bool plain = !c.window && !c.alibi;
  if (!c.tileN && c.isNarrow())
    c.tileN = c.headDim == 256 ? 96 : c.headDim == 64 ? 128 : 160;
  if (!c.tileN && c.headDim == 256)
    c.tileN = plain && !c.softcap ? 80 : 64;
  c.persistent = c.takesSeveral.value_or(!c.isNarrow()) && !c.varlen;
  if (!c.tileN)
    c.tileN =
        (c.headDim == 96 || c.headDim == 128) && !c.causal && plain && !c.persistent ? 176 : 128;
  if (c.persistent && smemBytes(c) > c.target.maxDynamicShared())
    c.persistent = false;
}

static std::optional<Reason> refusedAttention(const AttentionConfig &c) {
  if (c.splits ? c.consumers != 1 : c.consumers != 2 && c.consumers != 3)
    return fail(Error::AttentionConsumers, c.consumers);
  if (c.isNarrow() && (c.tileN < 32 || c.tileN > 192 || c.tileN % 32))
    return fail(Error::AttentionNarrowTile, c.tileN);
  if (!c.isNarrow() && (c.tileN < 16 || c.tileN > 176 || c.tileN % 16))
    return fail(Error::AttentionTile, c.tileN);
  return std::nullopt;
}

const AttentionKernel sm90::attentionKernel = {
    .complete = complete,
    .smemBytes = smemBytes,
    .refused = refusedAttention,
    .build = [](const AttentionConfig &c) { Attention(c).build(); },
};
