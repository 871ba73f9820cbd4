// Where there is programmatic dependent launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/Overlap.h"

#include "tessera/atom/Instructions.h"

using namespace tessera;

bool kernels::overlaps(const atom::Target &target) {
  return atom::hasInstruction(target, "griddepcontrol.wait");
}
