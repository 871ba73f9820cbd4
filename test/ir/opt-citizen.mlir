// What mlir-opt does, tessera-opt does: bytecode there and back, statistics, and a reproducer of a pipeline that failed, which runs again.
// RUN: tessera-opt %s --emit-bytecode -o %t.bc && tessera-opt %t.bc | FileCheck %s
// RUN: tessera-opt %s > %t.text.mlir && tessera-opt %t.bc > %t.back.mlir && diff %t.text.mlir %t.back.mlir
// RUN: not tessera-opt %s --convert-cute-to-llvm --mlir-pass-pipeline-crash-reproducer=%t.repro.mlir 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: FileCheck %s --check-prefix=REPRO --input-file=%t.repro.mlir
// RUN: not tessera-opt %t.repro.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: tessera-opt --help | FileCheck %s --check-prefix=HELP

// CHECK: !cute.composed_layout<"S<3,4,3> o 0 o (?,64):(64,1)">
// CHECK: !cute_nvgpu.sm90.mma<64x128x16
// CHECK: cute.composition
func.func private @types(!cute.composed_layout<"S<3,4,3> o 0 o (?,64):(64,1)">, !cute_nvgpu.sm90.mma<64x128x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>)
func.func @f(%n: i32) {
  %shape = cute.make_shape(%n) : (i32) -> !cute.shape<"(?{div=8},4)">
  %a = cute.make_layout(%shape) : !cute.layout<"(?{div=8},4):(1,?{div=8})">
  %t = cute.static : !cute.tile<"[8:1;_]">
  %c = cute.composition(%a, %t) : (!cute.layout<"(?{div=8},4):(1,?{div=8})">, !cute.tile<"[8:1;_]">) -> !cute.layout<"(8,4):(1,?{div=8})">
  return
}
// Sugar that reaches the bank is an error at its place: the pipeline above leaves --cute-desugar out.
// AGAIN: repro.mlir:{{.*}} is sugar that --cute-desugar expands
// FAILS: opt-citizen.mlir:[[@LINE+4]]:
// FAILS-SAME: error: {{.*}} is sugar that --cute-desugar expands
func.func @g(%s: !cute.memref<f32, gmem, align<16>, "(8):(1)">, %d: !cute.memref<f32, rmem, align<16>, "(8):(1)">) {
  %atom = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f32>
  cute.copy(%atom, %s, %d) : (!cute_nvgpu.atom.universal_copy<f32>, !cute.memref<f32, gmem, align<16>, "(8):(1)">, !cute.memref<f32, rmem, align<16>, "(8):(1)">)
  return
}
// REPRO: mlir_reproducer
// REPRO-NEXT: pipeline: "builtin.module(convert-cute-to-llvm
// HELP: Passes:
// HELP: --convert-cute-to-llvm {{.*}}Lowers cute values
