// AttentionKernel: what the folder of a target has of attention. For the choice among targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/kernels/attention/Attention.h"

namespace tessera::kernels {

/// choice/AttentionKernels.cpp has the list of them. All but `complete` take complete
/// configurations, and `refused` what the checks that all targets share have passed.
struct AttentionKernel {
  /// Makes the choices that a configuration leaves open.
  void (*complete)(AttentionConfig &);
  int64_t (*smemBytes)(const AttentionConfig &);
  std::optional<Reason> (*refused)(const AttentionConfig &);
  void (*build)(const AttentionConfig &);
};

/// Of `complete`: what few queries get where TMA loads, a consumer and keys of about 16 KiB, of
/// pages those of 32 and 64 too.
void completeFew(AttentionConfig &);

} // namespace tessera::kernels
