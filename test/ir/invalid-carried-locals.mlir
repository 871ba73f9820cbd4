// A pointer into a fragment that an iteration makes: the next one makes it again, in the same registers.
// RUN: tessera-opt %s --tessera-inline-locals --split-input-file --verify-diagnostics
!r = !cute.memref<i32, rmem, align<16>, "(4):(1)">
!p = !cute.ptr<i32, rmem, align<16>>
func.func @loop(%n: index, %first: !p) -> !p {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %first) -> !p {
    %m = cute.memref.alloca() : !r
    %q = cute.get_iter(%m) : !r
    // expected-error-re @+1 {{'scf.yield' op hands a value of type '!cute.ptr<i32, rmem{{.*}}>' on to the next iteration, which makes the fragment that it points into again, in the same registers: make the fragment before the loop, or yield a fragment whose layout is static}}
    scf.yield %q : !p
  }
  return %last : !p
}
// -----
!p = !cute.ptr<i32, rmem, align<16>>
// One that is made before the loop stays where it is.
func.func @before(%n: index) {
  %m = cute.memref.alloca() : !cute.memref<i32, rmem, align<16>, "(4):(1)">
  %first = cute.get_iter(%m) : !cute.memref<i32, rmem, align<16>, "(4):(1)">
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %first) -> !p {
    scf.yield %p : !p
  }
  return
}
