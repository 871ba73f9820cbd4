// The variables of a program in a machine's memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/sim/Machine.h"

namespace tessera::sim {

/// Gives the variables of a loaded program, whose bytes are zeros, the values that its text states.
Status initialiseVariables(GlobalMemory &, const LoadedProgram &);

} // namespace tessera::sim
