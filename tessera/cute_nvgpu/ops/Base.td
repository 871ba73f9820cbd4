// What all `cute_nvgpu` ops start from.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TESSERA_CUTE_NVGPU_OPS_BASE_TD
#define TESSERA_CUTE_NVGPU_OPS_BASE_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/BuiltinAttributes.td"
include "tessera/cute/ops/Base.td"
include "tessera/cute_nvgpu/AtomTypes.td"

/// A register of an instruction: 32 bits, two 16-bit floats, or an f64; f16 and f32 by themselves in accumulators.
/// The verifier says how many of which type a row takes.
def CuteNvgpu_Register : Cute_OneOf<[I32, I64, F16, F32, F64, VectorOfRankAndType<[1], [F16, BF16]>],
                                    "a register: i32, i64, f16, f32, f64, or a vector of f16 or bf16">;
def CuteNvgpu_Words : Cute_OneOf<[I32, VectorOfRankAndType<[1], [I32]>], "an i32 or a vector of i32">;
def CuteNvgpu_RegisterOrSmemDesc : Cute_OneOf<[CuteNvgpu_SmemDesc, CuteNvgpu_Register], "a matrix descriptor or a register">;
def CuteNvgpu_PtrOrSmemDesc : Cute_OneOf<[CuteNvgpu_SmemDesc, Cute_Ptr], "a matrix descriptor or a pointer">;

/// A pointer to one of these address spaces.
class CuteNvgpu_PtrIn<list<string> spaces, string summary>
    : Type<And<[Cute_Ptr.predicate,
                Or<!foreach(space, spaces,
                            CPred<"::llvm::cast<::tessera::cute::PtrType>($_self).getAddressSpace() == ::tessera::cute::AddressSpace::" # space>)>]>,
           summary, "::tessera::cute::PtrType">;
def CuteNvgpu_SmemPtr : CuteNvgpu_PtrIn<["Smem"], "a pointer to shared memory">;
def CuteNvgpu_GlobalPtr : CuteNvgpu_PtrIn<["Gmem", "Generic"], "a pointer to global memory, or a generic one">;
/// Where a thread can change a tensor map.
def CuteNvgpu_MapPtr
    : CuteNvgpu_PtrIn<["Gmem", "Generic", "Smem"], "a pointer to global or shared memory, or a generic one">;

/// An atom, tiled or not.
def CuteNvgpu_CopyAtom
    : Type<CPred<"::llvm::isa<::tessera::cute::CopyAtomType>(::tessera::cute::untiled($_self))">, "a copy atom">;
def CuteNvgpu_AnyAtom
    : Type<CPred<"::llvm::isa<::tessera::cute::CopyAtomType, ::tessera::cute::MmaAtomType>(::tessera::cute::untiled($_self))">, "an atom">;
/// What a run-time field of an atom holds.
def CuteNvgpu_FieldValue : Cute_OneOf<[AnyInteger, Cute_Ptr, VectorOfLengthAndType<[4, 8], [I32]>], "an integer, words of 32 bits or a pointer">;

class CuteNvgpu_Op<string mnemonic, list<Trait> traits = []> : Op<CuteNvgpu_Dialect, mnemonic, traits>;

#endif
