// Finds the captures that forbid a call, and ends them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Captures.h"

namespace tessera::cuda_driver {

namespace {
template <class Forbids> Code forbid(Driver &driver, Code why, Forbids &&forbids) {
  bool found = false;
  for (const std::shared_ptr<Capture> &capture : driver.captures)
    if (forbids(*capture))
      capture->isInvalid = found = true;
  return found ? why : Code::Success;
}
} // namespace

int &captureModeOfThread() {
  thread_local int mode = int(CaptureMode::Global);
  return mode;
}

Code forbiddenOnLegacy(Driver &driver) {
  return forbid(driver, Code::CaptureImplicit, [](const Capture &c) { return c.isBesideLegacy; });
}

Code forbiddenAsUnsafe(Driver &driver) {
  const auto mode = CaptureMode(captureModeOfThread());
  return forbid(driver, Code::CaptureUnsupported, [&](const Capture &c) {
    if (mode == CaptureMode::Relaxed)
      return false;
    if (c.thread == std::this_thread::get_id())
      return c.mode != int(CaptureMode::Relaxed);
    return mode == CaptureMode::Global && c.mode == int(CaptureMode::Global);
  });
}

Code forbiddenByAny(Driver &driver) {
  return forbid(driver, Code::CaptureUnsupported, [](const Capture &) { return true; });
}

} // namespace tessera::cuda_driver
