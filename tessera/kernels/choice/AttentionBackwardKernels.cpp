// Which gradients of attention a target has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/Errors.h"
#include "tessera/kernels/Products.h"
#include "tessera/kernels/sm80/AttentionBackward.h"
#include "tessera/kernels/sm90/AttentionBackward.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::kernels;

std::string AttentionBackwardConfig::name() const {
  return cat("d", headDim, "_s", stages, "_", element, causal ? "_causal" : "",
             window ? "_window" : "", softcap ? "_softcap" : "", alibi ? "_alibi" : "",
             varlen ? "_varlen" : "");
}
bool AttentionBackwardConfig::multipliesByWarps() const { return !hasGroupMma(target); }
int AttentionBackwardConfig::stagesThere() const {
  if (!multipliesByWarps())
    return isWide() ? 2 : 3;
  constexpr int64_t roomForTwo = 128 * 1024;
  if (isWide() && target.maxDynamicShared() < roomForTwo)
    return 1;
  return target.number() < 80 ? 1 : 2; // no load is in flight beside products on Turing
}

std::optional<Reason> kernels::refused(const AttentionBackwardConfig &c) {
  if (c.element != "f16" && c.element != "bf16")
    return fail(Error::AttentionElement, "f16 or bf16", c.element);
  constexpr int heads[] = {64, 96, 128, 192, 256};
  if (std::ranges::find(heads, c.headDim) == std::end(heads))
    return fail(Error::AttentionBackwardHead, c.headDim);
  if (c.stages < std::min(2, c.stagesThere())) // else the next tile replaces one that is read
    return fail(Error::AttentionBackwardStages, c.stages);
  return c.multipliesByWarps() ? sm80::refusedAttentionBackward(c)
                               : sm90::refusedAttentionBackward(c);
}

void kernels::buildAttentionBackward(const AttentionBackwardConfig &c) {
  c.multipliesByWarps() ? sm80::buildAttentionBackward(c) : sm90::buildAttentionBackward(c);
}
