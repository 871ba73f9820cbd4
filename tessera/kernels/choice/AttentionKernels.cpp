// Which attention a target has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/Errors.h"
#include "tessera/kernels/sm100/Attention.h"
#include "tessera/kernels/sm80/Attention.h"
#include "tessera/kernels/sm90/Attention.h"

using namespace tessera;
using namespace tessera::kernels;

static const AttentionKernel &kernelOf(const AttentionConfig &c) {
  return c.hasTensorMemory()     ? sm100::attentionKernel
         : c.multipliesByWarps() ? sm80::attentionKernel
                                 : sm90::attentionKernel;
}

AttentionConfig AttentionConfig::complete() const {
  AttentionConfig c = *this;
  if (c.headDim == 192 && !c.valueDim)
    c.valueDim = 128;
  if (c.result.empty())
    c.result = c.isNarrow() ? "bf16" : c.element;
  c.persistent = false;
  kernelOf(c).complete(c);
  c.lengths |= c.pageSize != 0;
  return c;
}
int64_t AttentionConfig::smemBytes() const { return kernelOf(*this).smemBytes(*this); }

std::optional<Reason> kernels::refused(const AttentionConfig &given) {
  auto among = [](const auto &value, const auto &...of) { return ((value == of) || ...); };
  const AttentionConfig c = given.complete();
  if (!c.hasTensorMemory() && !c.multipliesByWarps() && !hasGroupMma(c.target))
    return fail(Error::AttentionTarget, c.target.str());
  const bool few = c.splits, takesNarrow = !few && !c.hasTensorMemory() &&
                                           (!c.multipliesByWarps() || sm80::multipliesBytes(c));
  if (!among(c.element, "f16", "bf16") && !(takesNarrow && c.isNarrow()))
    return fail(Error::AttentionElement,
                takesNarrow           ? "f16, bf16 or f8E4M3FN"
                : few                 ? "f16 or bf16 for few queries"
                : c.hasTensorMemory() ? "f16 or bf16 on targets with tensor memory"
                                      : cat("f16 or bf16 on ", c.target.str()),
                c.element);
  if (c.isNarrow() ? !among(c.result, "f16", "bf16") : c.result != c.element)
    return fail(Error::AttentionResult, c.isNarrow() ? "f16 or bf16" : c.element, c.result);
  if (!among(c.headDim, 64, 96, 128, 192, 256))
    return fail(Error::AttentionHead, c.headDim);
  if (int right = c.headDim == 192 ? 128 : c.headDim; c.valueDims() != right)
    return fail(Error::AttentionValue, right, c.headDim, c.valueDims());
  if (!among(c.splits, 0, 1, 2, 4, 8))
    return fail(Error::AttentionSplits, c.splits);
  if (c.teams < 1 || c.teams > c.mostTeams || (c.teams > 1 && !c.splits))
    return fail(Error::AttentionTeams, c.mostTeams, c.teams);
  if (c.splits && c.lse)
    return fail(Error::AttentionFewLogs);
  if (c.splits && c.varlen)
    return fail(Error::AttentionFewVarlen);
  if (c.lengths && !c.splits)
    return fail(Error::AttentionFewLengths);
  if (c.pageSize &&
      (c.pageSize < 8 || c.pageSize % 8 || (c.pageSize % c.tileN && c.tileN % c.pageSize)))
    return fail(Error::AttentionPageSize, c.tileN, c.pageSize);
  if (auto why = kernelOf(c).refused(c))
    return why;
  if (c.sms < 1)
    return fail(Error::AttentionGrid, c.sms);
  int64_t most = c.target.maxDynamicShared();
  if (c.stages < 1 || c.smemBytes() > most)
    return fail(Error::AttentionShared, c.stages, c.tileN, c.smemBytes(), most);
  return std::nullopt;
}

void kernels::buildAttention(const AttentionConfig &config) {
  AttentionConfig complete = config.complete();
  kernelOf(complete).build(complete);
}
