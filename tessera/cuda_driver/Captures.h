// Captures: calls that ongoing captures of streams forbid, in their own thread and in others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call that is forbidden fails, and the captures that forbid it are invalid from then on. CUDA
// C++ Programming Guide, "Prohibited and Unhandled Operations" and "Invalidation"; which call has
// which rule is what an H200 with CUDA 13.0 answered
// (test/cuda_driver/programs/capture_answers.txt).
#pragma once

#include "tessera/cuda_driver/Driver.h"

namespace tessera::cuda_driver {

/// CUstreamCaptureMode.
enum class CaptureMode : int {
  Global,
  ThreadLocal,
  Relaxed
};
inline bool isCaptureMode(int mode) { return mode >= 0 && mode <= int(CaptureMode::Relaxed); }

/// The calling thread's own mode, which cuThreadExchangeStreamCaptureMode changes.
int &captureModeOfThread();

/// Work of the legacy stream, which would come after work of the streams beside it: none of those
/// may be in a capture.
Code forbiddenOnLegacy(Driver &);
/// Calls that CUDA names potentially unsafe, such as allocating memory and waiting for a stream:
/// forbidden in the thread of a capture unless that is relaxed, and in all threads by a global one.
Code forbiddenAsUnsafe(Driver &);
/// Calls that wait for all work of the device: any capture forbids them.
Code forbiddenByAny(Driver &);

} // namespace tessera::cuda_driver
