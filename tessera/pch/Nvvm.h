// Precompiled headers of the rooms that see the LLVM and NVVM dialects as well.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/pch/Core.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
