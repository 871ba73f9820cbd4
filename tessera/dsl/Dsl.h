// Everything that a program is written with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// docs/dsl.md writes a first kernel. Each header has one responsibility: Context (the module,
// mistakes), Values (kinds), Scalars, Control, Layouts, Memory, Coordinates, Atoms, NamedAtoms,
// Barriers, Tma, SharedMemory, Pipeline, TensorMemory, LaunchControl, Functions.
#pragma once

#include "tessera/dsl/Control.h"
#include "tessera/dsl/Coordinates.h"
#include "tessera/dsl/Functions.h"
#include "tessera/dsl/LaunchControl.h"
#include "tessera/dsl/NamedAtoms.h"
#include "tessera/dsl/Pipeline.h"
#include "tessera/dsl/TensorMemory.h"
#include "tessera/dsl/Tma.h"
