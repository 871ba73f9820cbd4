// SharedMemory: turns what a function allocates in shared memory into parts of one array.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>

namespace tessera::import {

/// Whether the op allocates shared memory. CuTe DSL does so in three ways, with ops that we do not
/// have:
///
///   cute_nvgpu.arch.alloc_smem(96) : !cute.ptr<f32, smem, align<16>>        96 elements
///   cute.memref.alloca() {smem.partition_id = 1 : i32} : !cute.memref<...>  of smem, since 4.5
///   cute.memref.alloc_smem() : !cute.memref<...>                            since 4.5
bool allocatesShared(mlir::Operation *);

/// Replaces these ops, and `cute.kernel_smem_size`, which returns the total of their sizes.
///
/// The allocations of a function become parts of one array: first those of partition 0, which is
/// small (barriers), then the others in the order of the text. Up to 48 KiB, PTX's limit for static
/// shared memory, the array is static: no launch has to ask for it, and the size of dynamic memory
/// is 0. A larger array of a kernel is its dynamic memory; a launch that asks for less is raised to
/// it.
///
/// Fails with a report if a size is not known or an array cannot be placed. `counts` are numbers of
/// ops by name.
mlir::LogicalResult placeSharedMemory(mlir::ModuleOp, std::map<std::string, unsigned> &counts);

} // namespace tessera::import
