// What loops make and cannot hand on: the next iteration makes it again, in the same place.
// RUN: tessera-opt %s --tessera-inline-locals --split-input-file --verify-diagnostics
// Pointers into fragments go on, of those that iterations make and of one before the loop (values of both: cli-carried-random.test).
!r = !cute.memref<i32, rmem, align<16>, "(4):(1)">
!p = !cute.ptr<i32, rmem, align<16>>
func.func @loop(%n: index, %first: !p) -> !p {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%p = %first) -> !p {
    %m = cute.memref.alloca() : !r
    %q = cute.get_iter(%m) : !r
    scf.yield %q : !p
  }
  return %last : !p
}
// -----
!p = !cute.ptr<i32, rmem, align<16>>
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
// -----
// A launch configuration is a place of its own too.
!cfg = !cuda.launch_cfg<max_attrs = 1>
func.func @config(%n: i32, %stream: !cuda.stream, %more: i1, %first: !cfg) -> !cfg {
  %one = arith.constant 1 : i32
  %smem = arith.constant 0 : i64
  cf.br ^head(%first : !cfg)
^head(%p: !cfg):
  // expected-error @+1 {{'cuda.launch_cfg.create' op makes a launch configuration in the place of the last one, which is still handed on: make it before the loop, or launch where it is made}}
  %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%n, %one, %one), dynamicSmemBytes = %smem, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cfg
  cf.cond_br %more, ^head(%config : !cfg), ^end
^end:
  return %p : !cfg
}
// -----
// So it is in a loop of scf.
!cfg = !cuda.launch_cfg<max_attrs = 1>
func.func @yielded(%n: i32, %steps: index, %stream: !cuda.stream, %first: !cfg) -> !cfg {
  %one = arith.constant 1 : i32
  %smem = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = scf.for %i = %c0 to %steps step %c1 iter_args(%p = %first) -> !cfg {
    // expected-error @+1 {{'cuda.launch_cfg.create' op makes a launch configuration in the place of the last one, which is still handed on: make it before the loop, or launch where it is made}}
    %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%n, %one, %one), dynamicSmemBytes = %smem, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cfg
    scf.yield %config : !cfg
  }
  return %last : !cfg
}
// -----
// Iterations of a parallel loop become those of a loop that carries what they reduce.
!r = !cute.memref<i32, rmem, align<16>, "(2):(1)">
func.func @reduced(%n: index, %one: index, %first: !r) -> !r {
  // expected-error @+1 {{'scf.parallel' op reduces a value of type '!cute.memref<i32, rmem, align<16>, "(2):(1)">' that its iterations make, each in the same registers: reduce the elements, or carry the fragment by scf.for}}
  %last = scf.parallel (%i) = (%n) to (%n) step (%one) init (%first) -> !r {
    %made = cute.memref.alloca() : !r
    scf.reduce(%made : !r) {
    ^bb0(%a: !r, %b: !r):
      scf.reduce.return %b : !r
    }
  }
  return %last : !r
}
