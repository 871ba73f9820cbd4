// REQUIRES: shared-llvm
// RUN: tessera-reduce %s --opt-reduction-pass='opt-pass=symbol-dce test=%S/Inputs/has-composition.sh' -o - | FileCheck %s
// RUN: tessera-reduce %s --opt-reduction-pass='opt-pass=canonicalize test=%S/Inputs/has-composition.sh' -o - | FileCheck %s --check-prefix=KEPT
// RUN: not env ASAN_OPTIONS=detect_leaks=0:abort_on_error=1 tessera-reduce %S/Inputs/marked.mlir --opt-reduction-pass='opt-pass=cute-kernel-to-nvvm test=%S/Inputs/has-composition.sh' -o - 2>&1 | FileCheck %s --check-prefix=WHY
// RUN: not tessera-reduce %S/Inputs/unnamed-module.mlir --opt-reduction-pass='opt-pass=symbol-dce test=%S/Inputs/has-composition.sh' -o - 2>&1 | FileCheck %s --check-prefix=BRIEF --implicit-check-not=arith.constant
// A file shrinks by a pass as long as a script finds it interesting: here, while tessera-opt reads it and it has a composition. (The other way
// of mlir-reduce, --reduction-tree, crashes in LLVM 22.1 on any file, also in LLVM's own mlir-reduce: ReductionNode::initialize.)

// CHECK: func.func @f
// CHECK: cute.composition
// CHECK-NOT: func.func private @g

// (Without the search for leaks: OptReductionPass of LLVM 22.1 clones the module and forgets the clone where the pipeline fails.)

// Folded, the file would have no composition any more, so it stays.
// KEPT: cute.composition
// Nothing is said of candidates, but the reason in the end.
// WHY-NOT: {{.}}
// WHY: error: {{.*}}marked.mlir:2:1: 'func.func' op expects type conversion before the kernel ABI is fixed
// WHY-NEXT: error: {{.*}}failed to run pass pipeline
// WHY-NOT: {{.}}

// An error about a whole module says where it is, and does not print all of it.
// BRIEF: error: {{.*}}mlir:1:1: 'gpu.module' op requires attribute 'sym_name'
func.func @f() {
  %a = cute.static : !cute.layout<"(4,8):(8,1)">
  %b = cute.static : !cute.layout<"8:2">
  %c = cute.composition(%a, %b) : (!cute.layout<"(4,8):(8,1)">, !cute.layout<"8:2">) -> !cute.layout<"(2,4):(16,1)">
  return
}
func.func private @g() {
  %a = cute.static : !cute.layout<"8:2">
  %d = cute.complement(%a) : (!cute.layout<"8:2">) -> !cute.layout<"(2,1):(1,16)">
  return
}
