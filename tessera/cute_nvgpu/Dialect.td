// The `cute_nvgpu` dialect: name and defaults.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_DIALECT_TD
#define TESSERA_CUTE_NVGPU_DIALECT_TD

include "mlir/IR/OpBase.td"

def CuteNvgpu_Dialect : Dialect {
  let name = "cute_nvgpu";
  let cppNamespace = "::tessera::cute_nvgpu";
  let summary = "atoms of NVIDIA's architectures, and the operations they become";
  let description = [{
    An atom type names one instruction: `!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >`.
    What it offers (extents, thread-value layouts, the first architecture that has it) stands in a row of
    the tables in `tessera/atom`; a type without a row does not exist. `arch.*` ops are the instructions
    themselves, on registers and pointers.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::tessera::cute::CuteDialect"];
  let extraClassDeclaration = [{
    void registerTypes();
    /// Marks a kernel argument that is passed in constant parameter space, until `--cute-kernel-to-nvvm`.
    static constexpr ::llvm::StringLiteral gridConstantAttrName = "cute_nvgpu.grid_constant";
  }];
}

#endif
