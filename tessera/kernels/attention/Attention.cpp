// What a configuration is called.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/attention/AttentionKernel.h"

using namespace tessera;
using namespace tessera::kernels;

std::string AttentionConfig::name() const {
  return cat("m", tileM(), "n", tileN, "d", headDim,
             valueDims() == headDim ? "" : cat("v", valueDim), "_s", stages, "_", element,
             isNarrow() && result != "bf16" ? cat("_", result) : "", causal ? "_causal" : "",
             window ? "_window" : "", softcap ? "_softcap" : "", alibi ? "_alibi" : "",
             varlen ? "_varlen" : "", splits ? cat("_decode", splits) : "",
             teams > 1 ? cat("x", teams) : "", lengths && !pageSize ? "_lengths" : "",
             pageSize ? cat("_pages", pageSize) : "", lse ? "_lse" : "");
}

void kernels::completeFew(AttentionConfig &c) {
  if (!c.consumers)
    c.consumers = 1;
  if (!c.tileN)
    c.tileN = c.headDim > 128                  ? 32
              : c.headDim == 64                ? 128
              : c.headDim == 96 && !c.pageSize ? 80
                                               : 64;
}
