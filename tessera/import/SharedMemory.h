// SharedMemory: what functions allocate in shared memory, as parts of one array of each function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace tessera::import {

/// Whether the op allocates shared memory. CuTe DSL does so in three ways, of which none is an op
/// of ours:
///
///   cute_nvgpu.arch.alloc_smem(96) : !cute.ptr<f32, smem, align<16>>        96 elements
///   cute.memref.alloca() {smem.partition_id = 1 : i32} : !cute.memref<...>  of smem, since 4.5
///   cute.memref.alloc_smem() : !cute.memref<...>                            since 4.5
bool allocatesShared(mlir::Operation *);

/// Replaces these ops, and `cute.kernel_smem_size`, which counts what they take.
///
/// The allocations of a function become parts of one array: those of partition 0 first, which is
/// small (barriers), then in the order of the text. Up to 48 KiB it is static, the most that PTX
/// lets be static: then nobody has to ask for it, and the size is 0 bytes of dynamic memory. A
/// larger array of a kernel is its dynamic memory; a launch that asks for less asks for as much.
///
/// Fails with a report where a size is not known or an array cannot be placed. `counts` are of ops
/// by name.
mlir::LogicalResult placeSharedMemory(mlir::ModuleOp, std::map<std::string, unsigned> &counts);

} // namespace tessera::import
