// Sugar that reaches the expansion or the bank is named, with the pass that takes it away.
// RUN: not tessera-opt %s --cute-expand-ops 2>&1 | FileCheck %s --check-prefixes=CHECK,EXPAND
// RUN: not tessera-opt %s --convert-cute-to-llvm 2>&1 | FileCheck %s --check-prefixes=CHECK,BANK
// CHECK: pass-sugar.mlir:[[#@LINE+5]]:3: error: 'cute.copy' op is sugar that --cute-desugar expands: run it before
// EXPAND-SAME: --cute-expand-ops
// BANK-SAME: --convert-cute-to-llvm
!r = !cute.memref<f32, rmem, align<16>, "((4,1)):((1,0))">
func.func @f(%a: !cute_nvgpu.atom.universal_copy<f32, 128 b>, %x: !r, %y: !r) {
  cute.copy(%a, %x, %y) : (!cute_nvgpu.atom.universal_copy<f32, 128 b>, !r, !r)
  return
}
