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
// -----
// The same in a loop of blocks.
!r = !cute.memref<i32, rmem, align<16>, "(4):(1)">
!p = !cute.ptr<i32, rmem, align<16>>
func.func @blocks(%more: i1, %first: !p) -> !p {
  cf.br ^head(%first : !p)
^head(%p: !p):
  %m = cute.memref.alloca() : !r
  %q = cute.get_iter(%m) : !r
  // expected-error-re @+1 {{'cf.cond_br' op hands a value of type '!cute.ptr<i32, rmem{{.*}}>' on to a block that leads back to here, which makes the fragment that it points into again, in the same registers: make the fragment before the loop, or hand on a fragment whose layout is static}}
  cf.cond_br %more, ^head(%q : !p), ^end
^end:
  return %p : !p
}
// -----
// A pointer that nobody has when the fragment is made again is none of that.
!r = !cute.memref<i32, rmem, align<16>, "(4):(1)">
!p = !cute.ptr<i32, rmem, align<16>>
func.func @own(%more: i1, %first: i1) {
  cf.br ^head
^head:
  %m = cute.memref.alloca() : !r
  %o = cute.memref.alloca() : !r
  %q = cute.get_iter(%m) : !r
  %z = cute.get_iter(%o) : !r
  cf.cond_br %first, ^join(%q : !p), ^join(%z : !p)
^join(%p: !p):
  %l = cute.static : !cute.layout<"4:1">
  %v = cute.make_view(%p, %l) : (!p, !cute.layout<"4:1">) -> !cute.memref<i32, rmem, align<16>, "4:1">
  cf.cond_br %more, ^head, ^end
^end:
  return
}
// -----
// A part of a fragment whose layout is not static has no elements that are known.
!r = !cute.memref<i32, rmem, align<16>, "(4):(1)">
!d = !cute.memref<i32, rmem, align<16>, "(?):(1)">
func.func @dynamic(%n: i32, %more: i1, %first: !d) -> !d {
  cf.br ^head(%first : !d)
^head(%p: !d):
  %m = cute.memref.alloca() : !r
  %q = cute.get_iter(%m) : !r
  %s = cute.make_shape(%n) : (i32) -> !cute.shape<"(?)">
  %l = cute.make_layout(%s) : (!cute.shape<"(?)">) -> !cute.layout<"(?):(1)">
  %v = cute.make_view(%q, %l) : (!cute.ptr<i32, rmem, align<16>>, !cute.layout<"(?):(1)">) -> !d
  // expected-error-re @+1 {{'cf.cond_br' op hands a value of type '!cute.memref<i32, rmem{{.*}}>' on to a block that leads back to here}}
  cf.cond_br %more, ^head(%v : !d), ^end
^end:
  return %p : !d
}
// -----
// A launch configuration is a place of its own too.
!cfg = !cuda.launch_cfg<max_attrs = 1>
func.func @config(%n: i32, %stream: !cuda.stream, %more: i1, %first: !cfg) -> !cfg {
  %one = arith.constant 1 : i32
  %smem = arith.constant 0 : i64
  cf.br ^head(%first : !cfg)
^head(%p: !cfg):
  %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%n, %one, %one), dynamicSmemBytes = %smem, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cfg
  // expected-error @+1 {{'cf.cond_br' op hands a launch configuration on to a block that leads back to here, which makes it again in the same place: make it before the loop, or launch in the block that makes it}}
  cf.cond_br %more, ^head(%config : !cfg), ^end
^end:
  return %p : !cfg
}
