// What all `cute_nvgpu` ops start from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_OPS_BASE_TD
#define TESSERA_CUTE_NVGPU_OPS_BASE_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "tessera/cute/ops/Base.td"
include "tessera/cute_nvgpu/AtomTypes.td"

class CuteNvgpu_Op<string mnemonic, list<Trait> traits = []> : Op<CuteNvgpu_Dialect, mnemonic, traits>;

#endif
