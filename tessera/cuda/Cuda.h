// The `cuda` dialect, as C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tessera/cuda/Dialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tessera/cuda/Attrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "tessera/cuda/Types.h.inc"
#define GET_OP_CLASSES
#include "tessera/cuda/Ops.h.inc"
