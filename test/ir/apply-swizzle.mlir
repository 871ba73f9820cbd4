// `cute.apply_swizzle`: the address that an access reaches, as CuTe DSL prints it after its pass CuteExpandOps.
// RUN: tessera-opt %s | FileCheck %s
// RUN: tessera-opt %s --mlir-print-op-generic | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: tessera run %s --device sim --arch sm_80 --arg out:i32:3x128 --save 0=%t.npy
// RUN: /usr/bin/python3 %S/Inputs/swizzled-addresses.py %t.npy

!out = !cute.memref<i32, gmem, "(3,128):(128,1)">

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // FOLD-LABEL: @kernel
    // FOLD-COUNT-3: cute.apply_swizzle
    // FOLD-NOT: cute.apply_swizzle
    cuda.kernel @kernel(%out: !out) attributes {cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %i = nvvm.read.ptx.sreg.tid.x : i32
      %whole = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i8, smem, align<1024>>
      %base = cute.ptrtoint(%whole) : !cute.ptr<i8, smem, align<1024>> to i32
      %c8 = arith.constant 8 : i32
      %elements = arith.muli %i, %c8 : i32
      %offset = cute.make_int_tuple(%elements) : (i32) -> !cute.int_tuple<"?{div=8}">

      // From an origin that is aligned to the period of the swizzle.
      %aligned = cute.recast_iter(%whole) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<f16, smem, align<1024>, S<3,4,3>>
      %p = cute.add_offset(%aligned, %offset) : (!cute.ptr<f16, smem, align<1024>, S<3,4,3>>, !cute.int_tuple<"?{div=8}">) -> !cute.ptr<f16, smem, align<16>, S<3,4,3>>
      // CHECK: cute.apply_swizzle(%{{.*}}) : !cute.ptr<f16, smem, align<16>, S<3,4,3>>
      %p1 = cute.apply_swizzle(%p) : !cute.ptr<f16, smem, align<16>, S<3,4,3>>
      %a1 = cute.ptrtoint(%p1) : !cute.ptr<f16, smem, align<16>, S<3,4,3>> to i32

      // From one that is not, and states of the swizzled address what holds of the other one.
      %c64 = cute.static : !cute.int_tuple<"64">
      %later = cute.add_offset(%whole, %c64) : (!cute.ptr<i8, smem, align<1024>>, !cute.int_tuple<"64">) -> !cute.ptr<i8, smem, align<64>>
      %later_int = cute.ptrtoint(%later) : !cute.ptr<i8, smem, align<64>> to i32
      %c64_i32 = arith.constant 64 : i32
      %bytes = arith.muli %i, %c64_i32 : i32
      %sum = arith.addi %later_int, %bytes : i32
      %q = cute.inttoptr(%sum) : i32 to !cute.ptr<f32, smem, align<64>, S<2,4,3>>
      %q1 = cute.apply_swizzle(%q) : !cute.ptr<f32, smem, align<64>, S<2,4,3>>
      %a2 = cute.ptrtoint(%q1) : !cute.ptr<f32, smem, align<64>, S<2,4,3>> to i32

      // Another swizzle than that of the type.
      %plain = cute.recast_iter(%whole) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<f16, smem, align<1024>>
      %r = cute.add_offset(%plain, %offset) : (!cute.ptr<f16, smem, align<1024>>, !cute.int_tuple<"?{div=8}">) -> !cute.ptr<f16, smem, align<16>>
      // CHECK: cute.apply_swizzle(%{{.*}}) {swizzle = #cute.swizzle<"S<1,4,3>">} : !cute.ptr<f16, smem, align<16>>
      %r1 = cute.apply_swizzle(%r) {swizzle = #cute.swizzle<"S<1,4,3>">} : !cute.ptr<f16, smem, align<16>>
      // Without a swizzle it is the pointer itself.
      %r2 = cute.apply_swizzle(%r1) : !cute.ptr<f16, smem, align<16>>
      %a3 = cute.ptrtoint(%r2) : !cute.ptr<f16, smem, align<16>> to i32

      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %d1 = arith.subi %a1, %base : i32
      %d2 = arith.subi %a2, %base : i32
      %d3 = arith.subi %a3, %base : i32
      %at1 = cute.make_coord(%c0, %i) : (i32, i32) -> !cute.coord<"(?,?)">
      %at2 = cute.make_coord(%c1, %i) : (i32, i32) -> !cute.coord<"(?,?)">
      %at3 = cute.make_coord(%c2, %i) : (i32, i32) -> !cute.coord<"(?,?)">
      cute.memref.store(%out, %at1, %d1) : (!out, !cute.coord<"(?,?)">, i32) -> ()
      cute.memref.store(%out, %at2, %d2) : (!out, !cute.coord<"(?,?)">, i32) -> ()
      cute.memref.store(%out, %at3, %d3) : (!out, !cute.coord<"(?,?)">, i32) -> ()
      return
    }
  }
  func.func @main(%out: !out, %stream: !cuda.stream) -> i32 {
    %one = arith.constant 1 : i32
    %threads = arith.constant 128 : i32
    %smem = arith.constant 16384 : i64
    %config = cuda.launch_cfg.create<max_attrs = 2 : i32> (blockDim = (%threads, %one, %one), dynamicSmemBytes = %smem, gridDim = (%one, %one, %one), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 2>
    %launched = cuda.launch_ex @kernels::@kernel<%config> (%out) : !cuda.launch_cfg<max_attrs = 2>, (!out) -> !cuda.result
    %code = cuda.cast %launched : !cuda.result -> i32
    return %code : i32
  }
}
