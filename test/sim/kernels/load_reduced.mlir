// Loads of tensor memory that also reduce, by a copy with two destinations: test/sim/load_reduced.py.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread puts its eight numbers into its lane, and loads them again by two loads of four.
!load = !cute_nvgpu.atom.tmem_load_red<f32, 32 DP, 32 bit, x4, REDUCTION>
!lanes = !cute.memref<f32, tmem, align<1>, "((4,32),2):((1,65536),4)">
!values = !cute.memref<f32, rmem, align<16>, "((4,1),2):((1,0),4)">
!reduced = !cute.memref<f32, rmem, align<16>, "(1,2):(0,1)">
!row = !cute.memref<f32, gmem, align<16>, "8:1">
!pair = !cute.memref<f32, gmem, align<8>, "2:1">

module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @k(%in: !cute.ptr<f32, gmem, align<16>>, %out: !cute.ptr<f32, gmem, align<16>>, %most: !cute.ptr<f32, gmem, align<16>>) attributes {cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %c2 = arith.constant 2 : i32
      %c8 = arith.constant 8 : i32
      %c32 = arith.constant 32 : i32
      %slot0 = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i8, smem, align<1024>>
      %slot = cute.recast_iter(%slot0) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<i32, smem, align<1024>>
      %first = arith.cmpi slt, %tid, %c32 : i32
      scf.if %first {
        cute_nvgpu.arch.sm100.alloc_tmem(%c32, %slot) [ cta_1] : i32, !cute.ptr<i32, smem, align<1024>>
        cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [ cta_1]
      }
      nvvm.barrier
      %t = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%slot) : !cute.ptr<i32, smem, align<1024>> -> !cute.ptr<f32, tmem, align<1>>

      // The 32 lanes of the warp.
      %warp = arith.divui %tid, %c32 : i32
      %lanes = arith.constant 2097152 : i32
      %lane0 = arith.muli %warp, %lanes : i32
      %to_mine = cute.make_int_tuple(%lane0) : (i32) -> !cute.int_tuple<"?">
      %mine = cute.add_offset(%t, %to_mine) : (!cute.ptr<f32, tmem, align<1>>, !cute.int_tuple<"?">) -> !cute.ptr<f32, tmem, align<1>>

      %at_row0 = arith.muli %tid, %c8 : i32
      %at_row1 = cute.assume(%at_row0) : (i32) -> !cute.i32<divby 8>
      %at_row = cute.make_int_tuple(%at_row1) : (!cute.i32<divby 8>) -> !cute.int_tuple<"?{div=8}">
      %flat = cute.static : !cute.layout<"8:1">
      %from = cute.add_offset(%in, %at_row) : (!cute.ptr<f32, gmem, align<16>>, !cute.int_tuple<"?{div=8}">) -> !cute.ptr<f32, gmem, align<16>>
      %mine_in = cute.make_view(%from, %flat) : (!cute.ptr<f32, gmem, align<16>>, !cute.layout<"8:1">) -> !row
      %x = cute.memref.load_vec %mine_in : !row
      %words = arith.bitcast %x : vector<8xf32> to vector<8xi32>
      cute_nvgpu.arch.copy.SM100.tmem_store(%mine, %words) {num_b = 32 : i32, num_dp = 32 : i32, num_rep = 8 : i32} : (!cute.ptr<f32, tmem, align<1>>, vector<8xi32>)
      nvvm.tcgen05.wait <store>

      %lay = cute.static : !cute.layout<"((4,32),2):((1,65536),4)">
      %src = cute.make_view(%mine, %lay) : (!cute.ptr<f32, tmem, align<1>>, !cute.layout<"((4,32),2):((1,65536),4)">) -> !lanes
      %values = cute.memref.alloca() : !values
      %reduced = cute.memref.alloca() : !reduced
      %atom = cute.make_atom() : () -> !load
      cute.copy(%atom, [%src], [%values, %reduced]) : (!load, !lanes, !values, !reduced)
      nvvm.tcgen05.wait <load>

      %again = cute.memref.load_vec %values : !values
      %to = cute.add_offset(%out, %at_row) : (!cute.ptr<f32, gmem, align<16>>, !cute.int_tuple<"?{div=8}">) -> !cute.ptr<f32, gmem, align<16>>
      %mine_out = cute.make_view(%to, %flat) : (!cute.ptr<f32, gmem, align<16>>, !cute.layout<"8:1">) -> !row
      cute.memref.store_vec %again, %mine_out : !row
      %both = cute.memref.load_vec %reduced : !reduced
      %at_pair0 = arith.muli %tid, %c2 : i32
      %at_pair1 = cute.assume(%at_pair0) : (i32) -> !cute.i32<divby 2>
      %at_pair = cute.make_int_tuple(%at_pair1) : (!cute.i32<divby 2>) -> !cute.int_tuple<"?{div=2}">
      %to_pair = cute.add_offset(%most, %at_pair) : (!cute.ptr<f32, gmem, align<16>>, !cute.int_tuple<"?{div=2}">) -> !cute.ptr<f32, gmem, align<8>>
      %two = cute.static : !cute.layout<"2:1">
      %mine_most = cute.make_view(%to_pair, %two) : (!cute.ptr<f32, gmem, align<8>>, !cute.layout<"2:1">) -> !pair
      cute.memref.store_vec %both, %mine_most : !pair
      nvvm.barrier
      scf.if %first {
        cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c32) [ cta_1] : !cute.ptr<f32, tmem, align<1>>, i32
      }
      return
    }
  }
}
