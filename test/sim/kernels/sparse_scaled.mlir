// One block-scaled product of 128 x 128 x 64 with a sparse A (mxf8f6f4) by atoms: operands by plain stores, factors by tcgen05.cp, metadata by
// tcgen05.st; test/sim/scaled.py, which makes a product without factors of it too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments are words in the order in which shared memory has them: A, which has half of its values, and B as core matrices of 8 rows of
// 16 bytes; factors as CUTLASS lays them out, a row of 16 bytes for four rows of the matrix that are 32 apart; two words of metadata for
// each lane.
!mma = !cute_nvgpu.sm100.mma_bs_sp<128x128x64, num_cta = 1, ab_major = (k, k), elem_type = (f8E4M3FN, f8E4M3FN, f32), sf_type = f8E8M0FNU, sparse_metadata_format = tid, frag_kind = ss, vec_size = 64>
!tiled = !cute.tiled_mma<!mma, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
!matrixA = !cute.memref<f8E4M3FN, smem, align<1024>, "(((8,16),(2,16,2)),1,1):(((16,256),(0,1,128)),0,0)">
!matrixB = !cute.memref<f8E4M3FN, smem, align<1024>, "(((8,16),(16,4)),1,1):(((16,512),(1,128)),0,0)">
!e = !cute.ptr<i8, tmem, align<1>>
!desc = !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(1,1,1):(0,0,0)">
!acc = !cute.memref<f32, tmem, align<1>, "((128,128),1,1):((65536,1),0,0)">
!cp = !cute_nvgpu.atom.s2t_copy<f8E8M0FNU, 32 DP, 128 bit, 1 cta, x4>
!lanes = !cute.memref<f8E8M0FNU, tmem, align<1>, "(((32,4),4),4):(((262144,4),8388608),1)">
!sf = !cute.ptr<f8E8M0FNU, tmem, align<1>>
!ldtm = !cute.tiled_copy<!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x128>, layout_copy_tv = <"((32,4),(128,32)):((0,1),(4,512))">, tiler_mn = <"[(512,32):(32,1);1:0;1:0]">>
!tcp = !cute.tiled_copy<!cp, layout_copy_tv = <"(1,(32,(4,4),4)):(0,(1,(512,32),128))">, tiler_mn = <"[512:1;4:1]">>
!part = !cute.memref<f8E8M0FNU, smem, align<512>, "(((32,16),1),1,1):(((16,1),0),0,0)">
!view = !cute_nvgpu.smem_desc_view<!cute_nvgpu.smem_desc, "(((32,1),1),1,1):(((1,1),0),0,0)">
!dst = !cute.memref<f8E8M0FNU, tmem, align<1>, "(((32,4,(4,4)),1),1,1):(((262144,1,(4,8388608)),0),0,0)">
!src = !cute.memref<f32, tmem, align<1>, "(((128,32),1),1,1,1):(((1,65536),0),0,0,0)">
!mine = !cute.memref<f32, gmem, align<16>, "((128,1),1,1,1):((1,0),0,0,0)">
!regs = !cute.memref<f32, rmem, align<16>, "((128,1),1,1,1):((1,0),0,0,0)">
!meta = !cute.memref<i32, smem, align<1024>, "(128,2):(2,1)">
!words = !cute.memref<i32, gmem, align<16>, "3584:1">
!shared = !cute.memref<i32, smem, align<1024>, "3584:1">
!row = !cute.memref<f32, gmem, align<16>, "((128,128),1,1):((128,1),0,0)">

module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @k(%in: !cute.ptr<i32, gmem, align<16>>, %out: !cute.ptr<f32, gmem, align<16>>) attributes {cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c28 = arith.constant 28 : i32
      %c32 = arith.constant 32 : i32
      %c128 = arith.constant 128 : i32
      %c512 = arith.constant 512 : i32
      %false = arith.constant false

      // Shared memory: A, B, factors of A and of B, metadata, the address of tensor memory, an mbarrier.
      %base = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i8, smem, align<1024>>
      %at_b = cute.static : !cute.int_tuple<"4096">
      %at_sa = cute.static : !cute.int_tuple<"12288">
      %at_sb = cute.static : !cute.int_tuple<"12800">
      %at_slot = cute.static : !cute.int_tuple<"14336">
      %at_bar = cute.static : !cute.int_tuple<"14344">
      %b0 = cute.add_offset(%base, %at_b) : (!cute.ptr<i8, smem, align<1024>>, !cute.int_tuple<"4096">) -> !cute.ptr<i8, smem, align<1024>>
      %sa0 = cute.add_offset(%base, %at_sa) : (!cute.ptr<i8, smem, align<1024>>, !cute.int_tuple<"12288">) -> !cute.ptr<i8, smem, align<1024>>
      %sb0 = cute.add_offset(%base, %at_sb) : (!cute.ptr<i8, smem, align<1024>>, !cute.int_tuple<"12800">) -> !cute.ptr<i8, smem, align<512>>
      %slot0 = cute.add_offset(%base, %at_slot) : (!cute.ptr<i8, smem, align<1024>>, !cute.int_tuple<"14336">) -> !cute.ptr<i8, smem, align<1024>>
      %bar0 = cute.add_offset(%base, %at_bar) : (!cute.ptr<i8, smem, align<1024>>, !cute.int_tuple<"14344">) -> !cute.ptr<i8, smem, align<8>>
      %slot = cute.recast_iter(%slot0) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<i32, smem, align<1024>>
      %bar = builtin.unrealized_conversion_cast %bar0 : !cute.ptr<i8, smem, align<8>> to !llvm.ptr<3>

      // The words of the input in their order.
      %words = cute.recast_iter(%base) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<i32, smem, align<1024>>
      %flat = cute.static : !cute.layout<"3584:1">
      %from = cute.make_view(%in, %flat) : !words
      %to = cute.make_view(%words, %flat) : !shared
      scf.for %i = %c0 to %c28 step %c1 : i32 {
        %row = arith.muli %i, %c128 : i32
        %index = arith.addi %row, %tid : i32
        %at = cute.make_coord(%index) : (i32) -> !cute.coord<"?">
        %word = cute.memref.load(%from, %at) : (!words, !cute.coord<"?">) -> i32
        cute.memref.store(%to, %at, %word) : (!shared, !cute.coord<"?">, i32) -> ()
      }
      nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
      %first = arith.cmpi slt, %tid, %c32 : i32
      scf.if %first {
        cute_nvgpu.arch.sm100.alloc_tmem(%c512, %slot) [ cta_1] : i32, !cute.ptr<i32, smem, align<1024>>
        cute_nvgpu.arch.sm100.relinquish_tmem_alloc_permit [ cta_1]
      }
      %leader = arith.cmpi eq, %tid, %c0 : i32
      scf.if %leader {
        nvvm.mbarrier.init %bar, %c1 : !llvm.ptr<3>, i32
      }
      nvvm.barrier

      // Sums in columns 0 to 127, factors of A from column 256 on and those of B from 320.
      %t = cute_nvgpu.arch.sm100.retrieve_tmem_ptr(%slot) : !cute.ptr<i32, smem, align<1024>> -> !cute.ptr<f32, tmem, align<1>>
      %lay_c = cute.static : !cute.layout<"((128,128),1,1):((65536,1),0,0)">
      %acc = cute.make_view(%t, %lay_c) : !acc
      %bytes = cute.recast_iter(%t) : !cute.ptr<f32, tmem, align<1>> to !sf
      %col_a = cute.static : !cute.int_tuple<"1024">
      %col_b = cute.static : !cute.int_tuple<"1280">
      %sfa = cute.add_offset(%bytes, %col_a) : (!sf, !cute.int_tuple<"1024">) -> !sf
      %sfb = cute.add_offset(%bytes, %col_b) : (!sf, !cute.int_tuple<"1280">) -> !sf
      %lay_sf = cute.static : !cute.layout<"(((32,4),4),4):(((262144,4),8388608),1)">
      %lay_part = cute.static : !cute.layout<"(((32,16),1),1,1):(((16,1),0),0,0)">
      %ta = cute.make_view(%sfa, %lay_sf) : !lanes
      %tb = cute.make_view(%sfb, %lay_sf) : !lanes
      %pa0 = cute.recast_iter(%sa0) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<f8E8M0FNU, smem, align<512>>
      %pb0 = cute.recast_iter(%sb0) : !cute.ptr<i8, smem, align<512>> to !cute.ptr<f8E8M0FNU, smem, align<512>>
      %pa = cute.make_view(%pa0, %lay_part) : !part
      %pb = cute.make_view(%pb0, %lay_part) : !part
      %cp = cute.make_atom() : () -> !cp
      %copy_a = cute_nvgpu.atom.make_s2t_copy(%cp, %ta) : (!cp, !lanes) -> !tcp
      %copy_b = cute_nvgpu.atom.make_s2t_copy(%cp, %tb) : (!cp, !lanes) -> !tcp
      %zero = cute.make_coord() : () -> !cute.coord<"0">
      %va = cute_nvgpu.atom.get_copy_s2t_smem_desc_view(%cp, %pa) : (!cp, !part) -> !view
      %vb = cute_nvgpu.atom.get_copy_s2t_smem_desc_view(%cp, %pb) : (!cp, !part) -> !view
      %da = cute.tiled.copy.partition_D(%copy_a, %ta, %zero) : (!tcp, !lanes, !cute.coord<"0">) -> !dst
      %db = cute.tiled.copy.partition_D(%copy_b, %tb, %zero) : (!tcp, !lanes, !cute.coord<"0">) -> !dst

      // A lane's metadata go to its two columns from 384 on; a warp reaches 32 lanes.
      %at_e = cute.static : !cute.int_tuple<"3328">
      %e0 = cute.add_offset(%words, %at_e) : (!cute.ptr<i32, smem, align<1024>>, !cute.int_tuple<"3328">) -> !cute.ptr<i32, smem, align<1024>>
      %pairs = cute.static : !cute.layout<"(128,2):(2,1)">
      %me = cute.make_view(%e0, %pairs) : !meta
      %lo_at = cute.make_coord(%tid, %c0) : (i32, i32) -> !cute.coord<"(?,?)">
      %hi_at = cute.make_coord(%tid, %c1) : (i32, i32) -> !cute.coord<"(?,?)">
      %lo = cute.memref.load(%me, %lo_at) : (!meta, !cute.coord<"(?,?)">) -> i32
      %hi = cute.memref.load(%me, %hi_at) : (!meta, !cute.coord<"(?,?)">) -> i32
      %two = vector.from_elements %lo, %hi : vector<2xi32>
      %tw = cute.recast_iter(%t) : !cute.ptr<f32, tmem, align<1>> to !cute.ptr<i32, tmem, align<1>>
      %warp = arith.divui %tid, %c32 : i32
      %lanes = arith.constant 2097152 : i32
      %lane0 = arith.muli %warp, %lanes : i32
      %c384 = arith.constant 384 : i32
      %to_e0 = arith.addi %lane0, %c384 : i32
      %to_e1 = cute.make_int_tuple(%to_e0) : (i32) -> !cute.int_tuple<"?">
      %to_e = cute.add_offset(%tw, %to_e1) : (!cute.ptr<i32, tmem, align<1>>, !cute.int_tuple<"?">) -> !cute.ptr<i32, tmem, align<1>>
      cute_nvgpu.arch.copy.SM100.tmem_store(%to_e, %two) {num_b = 32 : i32, num_dp = 32 : i32, num_rep = 2 : i32} : (!cute.ptr<i32, tmem, align<1>>, vector<2xi32>)
      nvvm.barrier
      %col_e = cute.static : !cute.int_tuple<"1536">
      %e8 = cute.recast_iter(%t) : !cute.ptr<f32, tmem, align<1>> to !e
      %e = cute.add_offset(%e8, %col_e) : (!e, !cute.int_tuple<"1536">) -> !e

      %atom = cute.make_atom(%false, %false, %false, %sfa, %sfb, %e) : (i1, i1, i1, !sf, !sf, !e) -> !mma
      %tiled = cute.make_tiled_mma(%atom) : !tiled
      %lay_ma = cute.static : !cute.layout<"(((8,16),(2,16,2)),1,1):(((16,256),(0,1,128)),0,0)">
      %lay_mb = cute.static : !cute.layout<"(((8,16),(16,4)),1,1):(((16,512),(1,128)),0,0)">
      %ap = cute.recast_iter(%base) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<f8E4M3FN, smem, align<1024>>
      %bp = cute.recast_iter(%b0) : !cute.ptr<i8, smem, align<1024>> to !cute.ptr<f8E4M3FN, smem, align<1024>>
      %ma = cute.make_view(%ap, %lay_ma) : !matrixA
      %mb = cute.make_view(%bp, %lay_mb) : !matrixB
      %fa = cute.mma.make_fragment A (%tiled, %ma) : (!tiled, !matrixA) -> !desc
      %fb = cute.mma.make_fragment B (%tiled, %mb) : (!tiled, !matrixB) -> !desc
      scf.if %first {
        cute.copy(%copy_a, %va, %da) : (!tcp, !view, !dst)
        cute.copy(%copy_b, %vb, %db) : (!tcp, !view, !dst)
        cute.gemm(%tiled, %acc, %fa, %fb, %acc) : (!tiled, !acc, !desc, !desc, !acc)
        %one = nvvm.elect.sync -> i1
        scf.if %one {
          nvvm.tcgen05.commit %bar : !llvm.ptr<3>
        }
      }
      nvvm.mbarrier.try_wait.parity %bar, %c0, %c512 : !llvm.ptr<3>, i32, i32

      %ld = cute.make_atom() : () -> !cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x128>
      %ldtm = cute_nvgpu.atom.make_tmem_copy(%ld, %acc) : (!cute_nvgpu.atom.tmem_load<f32, 32 DP, 32 bit, x128>, !acc) -> !ldtm
      %thread = cute.make_coord(%tid) : (i32) -> !cute.coord<"?">
      %src = cute.tiled.copy.partition_S(%ldtm, %acc, %thread) : (!ldtm, !acc, !cute.coord<"?">) -> !src
      %lay_d = cute.static : !cute.layout<"((128,128),1,1):((128,1),0,0)">
      %d = cute.make_view(%out, %lay_d) : !row
      %dst = cute.tiled.copy.partition_D(%ldtm, %d, %thread) : (!ldtm, !row, !cute.coord<"?">) -> !mine
      %reg = cute.memref.alloca() : !regs
      cute.copy(%ldtm, %src, %reg) : (!ldtm, !src, !regs)
      %plain = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f32>
      cute.copy(%plain, %reg, %dst) : (!cute_nvgpu.atom.universal_copy<f32>, !regs, !mine)
      nvvm.barrier
      scf.if %first {
        cute_nvgpu.arch.sm100.dealloc_tmem(%t, %c512) [ cta_1] : !cute.ptr<f32, tmem, align<1>>, i32
      }
      return
    }
  }
}
