// Functions that return a fragment or a launch configuration: their memory would end with the call, so their bodies go in place, at locations that name the call.
// RUN: tessera-opt %s --tessera-inline-locals | FileCheck %s
// RUN: tessera-opt %s --tessera-inline-locals --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s --check-prefix=LOC
!r = !cute.memref<f32, rmem, align<16>, "(4):(1)">
!c = !cute.memref<f32, rmem, align<16>, "((2,2),2,4):((1,2),4,8)">
module attributes {gpu.container_module} {
  gpu.module @kernels {
    func.func private @fragment(%f: f32) -> (!r, i32) {
      %m = cute.memref.alloca() : !r
      %c0 = cute.static : !cute.coord<"0">
      %n = arith.constant 7 : i32
      cute.memref.store(%m, %c0, %f) : (!r, !cute.coord<"0">, f32) -> ()
      return %m, %n : !r, i32
    }
    func.func private @through(%f: f32) -> !r {
      %m:2 = func.call @fragment(%f) : (f32) -> (!r, i32)
      return %m#0 : !r
    }
    func.func private @branch(%f: f32, %c: i1) -> !r {
      %m = cute.memref.alloca() : !r
      cf.cond_br %c, ^bb1, ^bb2
    ^bb1:
      return %m : !r
    ^bb2:
      %o:2 = func.call @fragment(%f) : (f32) -> (!r, i32)
      return %o#0 : !r
    }
    func.func private @number(%f: f32) -> f32 {
      return %f : f32
    }
    // CHECK-LABEL: cuda.kernel @k
    // CHECK-NOT: call @through
    // CHECK: %[[ONE:.*]] = cute.memref.alloca
    // CHECK: cute.memref.store(%[[ONE]], %{{.*}}, %arg0)
    // CHECK: %[[TWO:.*]] = scf.execute_region
    // CHECK: %[[OWN:.*]] = cute.memref.alloca
    // CHECK: cf.cond_br %arg1
    // CHECK: scf.yield %[[OWN]]
    // CHECK: %[[OTHER:.*]] = cute.memref.alloca
    // CHECK: scf.yield %[[OTHER]]
    // CHECK: call @number
    // CHECK: cute.memref.load(%[[ONE]]
    // CHECK: cute.memref.load(%[[TWO]]
    // LOC-LABEL: cuda.kernel @k
    // LOC: cute.memref.alloca{{.*}} loc(callsite(callsite("{{.*}}mlir":9:{{[0-9]+}} at "{{.*}}mlir":16:{{[0-9]+}}) at "{{.*}}mlir":[[#@LINE+2]]:
    cuda.kernel @k(%x: f32, %c: i1) attributes {cute.kernel} {
      %a = func.call @through(%x) : (f32) -> !r
      %b = func.call @branch(%x, %c) : (f32, i1) -> !r
      %n = func.call @number(%x) : (f32) -> f32
      %c0 = cute.static : !cute.coord<"0">
      %d = cute.memref.load(%a, %c0) : (!r, !cute.coord<"0">) -> f32
      %e = cute.memref.load(%b, %c0) : (!r, !cute.coord<"0">) -> f32
      return
    }
  }
  func.func private @config(%n: i32, %stream: !cuda.stream) -> !cuda.launch_cfg<max_attrs = 1> {
    %one = arith.constant 1 : i32
    %smem = arith.constant 0 : i64
    %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%n, %one, %one), dynamicSmemBytes = %smem, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
    return %config : !cuda.launch_cfg<max_attrs = 1>
  }
  // CHECK-LABEL: func.func @main
  // CHECK-NOT: call
  // CHECK: %[[C:.*]] = cuda.launch_cfg.create
  // CHECK-NOT: call
  // CHECK: cuda.launch_ex @kernels::@k<%[[C]]>
  func.func @main(%n: i32, %f: f32, %c: i1, %stream: !cuda.stream) -> i32 {
    %config = func.call @config(%n, %stream) : (i32, !cuda.stream) -> !cuda.launch_cfg<max_attrs = 1>
    %launched = cuda.launch_ex @kernels::@k<%config> (%f, %c) : !cuda.launch_cfg<max_attrs = 1>, (f32, i1) -> !cuda.result
    return %n : i32
  }
  // What leaves at an error would leave the caller: it stays, for convert-cute-to-llvm to refuse.
  func.func private @leaves(%status: i32, %stream: !cuda.stream) -> (i32, !cuda.launch_cfg<max_attrs = 1>) {
    cuda.return_if_error %status : i32
    %config = func.call @config(%status, %stream) : (i32, !cuda.stream) -> !cuda.launch_cfg<max_attrs = 1>
    return %status, %config : i32, !cuda.launch_cfg<max_attrs = 1>
  }
  // CHECK-LABEL: func.func @stays
  // CHECK: call @leaves
  func.func @stays(%n: i32, %stream: !cuda.stream) -> i32 {
    %config:2 = func.call @leaves(%n, %stream) : (i32, !cuda.stream) -> (i32, !cuda.launch_cfg<max_attrs = 1>)
    return %config#0 : i32
  }
  // An accumulator that each iteration makes is carried by its elements.
  // CHECK-LABEL: func.func @accumulators
  // CHECK: %[[PLACE:.*]] = cute.memref.alloca
  // CHECK: scf.for
  // CHECK: %[[MADE:.*]] = cute.mma.make_fragment
  // CHECK: %[[ELEMENTS:.*]] = cute.memref.load_vec %[[MADE]]
  // CHECK: cute.memref.store_vec %[[ELEMENTS]], %[[PLACE]]
  // CHECK: scf.yield %[[PLACE]]
  func.func @accumulators(%n: index, %mma: !cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32)>, atom_layout_MNK = <"(2,2,1):(1,2,0)">>, %first: !c) -> !c {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %shape = cute.static : !cute.shape<"((2,2),2,4)">
    %last = scf.for %i = %c0 to %n step %c1 iter_args(%c = %first) -> !c {
      %made = cute.mma.make_fragment C (%mma, %shape) : (!cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32)>, atom_layout_MNK = <"(2,2,1):(1,2,0)">>, !cute.shape<"((2,2),2,4)">)
      scf.yield %made : !c
    }
    return %last : !c
  }
}
