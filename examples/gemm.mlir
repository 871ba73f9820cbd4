// GEMM on the tensor cores of SM80 and later: C[M,N] = A[M,K] B[N,K]^T, f16 in and out, sums in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   tessera compile examples/gemm.mlir --arch sm_80 -o gemm.ptx
//   tessera run examples/gemm.mlir --arg rand:f16:4096x4096:seed=1 --arg rand:f16:4096x4096:seed=2 --arg out:f16:4096x4096 --bench 20
//
// All three matrices are row-major. M and N are any size; K is a multiple of 8, so that rows of A and B are whole
// 16-byte chunks.
//
// A block of 128 threads (2 x 2 warps) computes a tile of 128 x 128 of C, 32 of K at a time:
//
//   global --cp.async--> shared, 3 stages --ldmatrix--> registers --mma.sync 16x8x16--> f32 registers
//   f32 registers --convert--> f16 --> shared --> global, 16 bytes a thread
//
// cp.async writes zeros for chunks outside of A or B. Edges in M and N, the tail of K and the stages beyond the last
// tile of K thus need no code of their own: zeros add nothing.

// ---- matrices in global memory, as the caller has them. Pitches of A and B are multiples of 8 elements, C's is not.
!mat_ab = !cute.memref<f16, gmem, align<16>, "(?,?{div=8}):(?{i64 div=8},1)">
!mat_c  = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64},1)">
!ids_ab = !cute.coord_tensor<"(0,0)", "(?,?{div=8}):(1@0,1@1)">
!ids_c  = !cute.coord_tensor<"(0,0)", "(?,?):(1@0,1@1)">

// ---- this block's tiles: (row, column, tile of K) of A or B, (row, column) of C. `ids` hold the coordinates of the
// elements in the matrix, to ask whether they are inside.
!tiles_ab     = !cute.memref<f16, gmem, align<16>, "(128,32,?):(?{i64 div=8},1,32)">
!ids_tiles_ab = !cute.coord_tensor<"(?{div=128},0)", "(128,32,?):(1@0,1@1,32@1)">
!tile_c       = !cute.memref<f16, gmem, align<16>, "(128,128):(?{i64},1)">
!ids_tile_c   = !cute.coord_tensor<"(?{div=128},?{div=128})", "(128,128):(1@0,1@1)">

// ---- shared memory. A row of a stage is 32 halves = 64 bytes; the swizzle XORs its 4 chunks of 16 bytes with bits of
// the row, so that the 8 rows of an ldmatrix lie in different banks. The tile of C has rows of 256 bytes.
!smem_ab = !cute.memref<f16, smem, align<1024>, "S<2,3,3> o 0 o (128,32,3):(32,1,4096)">
!smem_c  = !cute.memref<f16, smem, align<1024>, "S<3,3,4> o 0 o (128,128):(128,1)">

// ---- global to shared: each of 128 threads copies chunks of 8 halves; 4 neighbours cover a row of 32, all threads 32
// rows, 4 rounds a stage. (thread, value) -> row + 32 column.
!load = !cute.tiled_copy<!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>, layout_copy_tv = <"((4,32),8):((256,1),32)">, tiler_mn = <"[32:1;32:1]">>
!load_src = !cute.memref<f16, gmem, align<16>, "((8,1),4,1,?):((1,0),?{i64 div=256},0,32)">
!load_dst = !cute.memref<f16, smem, align<16>, "((8,1),4,1,3):((1,0),1024,0,4096)">
!load_ids = !cute.coord_tensor<"(?,?{div=8})", "((8,1),4,1,?):((1@1,0),32@0,0,32@1)">
!load_ok  = !cute.memref<i8, rmem, align<4>, "(1,4,1):(0,1,0)">

// ---- the MMA: 2 x 2 warps of 16x8x16, each twice in N, so that one ldmatrix x4 feeds two of them: 32x32x16 in all.
!mma = !cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <"(2,2,1):(1,2,0)">, permutation_MNK = <"[32:1;32:1;16:1]">>
// Fragments of a thread: (values of one MMA, MMAs in M or N, steps of 16 in K).
!frag_a = !cute.memref<f16, rmem, align<16>, "((2,2,2),4,2):((1,2,4),8,32)">
!frag_b = !cute.memref<f16, rmem, align<8>, "((2,2),8,2):((1,2),4,32)">
!acc    = !cute.memref<f32, rmem, align<16>, "((2,2),4,8):((1,2),4,16)">
!out    = !cute.memref<f16, rmem, align<32>, "((2,2),4,8):((1,2),4,16)">

// ---- shared to registers: the MMA's own thread-value layouts, walked by ldmatrix x4. (thread, value) -> row + 32 column.
!ldsm = !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>
!fetch_a = !cute.tiled_copy<!ldsm, layout_copy_tv = <"((4,8,2,2),(2,2,2)):((64,1,16,0),(32,8,256))">, tiler_mn = <"[32:1;16:1]">>
!fetch_b = !cute.tiled_copy<!ldsm, layout_copy_tv = <"((4,8,2,2),(2,2,2)):((64,1,0,8),(32,256,16))">, tiler_mn = <"[32:1;16:1]">>
!fetch_src = !cute.memref<f16, smem, align<16>, "((8,1),4,2,3):((1,0),1024,?{div=16},4096)">
!fetch_dst_a = !cute.memref<f16, rmem, align<16>, "((8,1),4,2):((1,0),8,32)">
!fetch_dst_b = !cute.memref<f16, rmem, align<8>, "((8,1),4,2):((1,0),8,32)">

!id  = !cute.coord_tensor<"(?,?{div=8})", "():()">
!crd = !cute.arith_tuple_iter<"(?,?{div=8})">
!new = !cute.memref<f16, gmem, align<16>, "((8,1),4,1):((1,0),?{i64 div=256},0)">
!hole = !cute.memref<f16, smem, align<16>, "((8,1),4,1):((1,0),1024,0)">
!half_src = !cute.memref<f16, smem, align<16>, "((8,1),4):((1,0),1024)">
!half_dst_a = !cute.memref<f16, rmem, align<16>, "((8,1),4):((1,0),8)">
!half_dst_b = !cute.memref<f16, rmem, align<8>, "((8,1),4):((1,0),8)">
!half_a = !cute.memref<f16, rmem, align<16>, "((2,2,2),4):((1,2,4),8)">
!half_b = !cute.memref<f16, rmem, align<8>, "((2,2),8):((1,2),4)">

!put = !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 32 b>, layout_copy_tv = <"((4,8,2,2),((2,2),2)):((64,1,16,256),((32,8),512))">, tiler_mn = <"[32:1;32:1]">>
!put_src = !cute.memref<f16, rmem, align<32>, "((2,(2,2)),4,4):((1,(2,16)),4,32)">
!put_dst = !cute.memref<f16, smem, align<4>, "((2,(2,2)),4,(2,2)):((1,(1024,?{div=16})),4096,(?{div=32},64))">
!store = !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 128 b>, layout_copy_tv = <"((16,8),8):((64,1),8)">, tiler_mn = <"[8:1;128:1]">>
!store_src = !cute.memref<f16, smem, align<16>, "((8,1),16,1):((1,0),1024,0)">
!store_reg = !cute.memref<f16, rmem, align<32>, "((8,1),16,1):((1,0),8,0)">
!store_ids = !cute.coord_tensor<"(?,?{div=8})", "((8,1),16,1):((1@1,0),8@0,0)">
!store_ok  = !cute.memref<i8, rmem, align<16>, "(1,16,1):(0,1,0)">
!single_ok  = !cute.memref<i8, rmem, align<16>, "((8,1),16,1):((1,0),8,0)">
!mat_c8 = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!tile_c8 = !cute.memref<f16, gmem, align<16>, "(128,128):(?{i64 div=8},1)">
!store_dst8 = !cute.memref<f16, gmem, align<16>, "((8,1),16,1):((1,0),?{i64 div=64},0)">
!store_dst = !cute.memref<f16, gmem, "((8,1),16,1):((1,0),?{i64 div=8},0)">
!id_c  = !cute.coord_tensor<"(?,?)", "():()">
!crd_c = !cute.arith_tuple_iter<"(?,?)">

module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @gemm_kernel(%a: !mat_ab, %b: !mat_ab, %c: !mat_c) attributes {cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %bm = nvvm.read.ptx.sreg.ctaid.x : i32
      %bn = nvvm.read.ptx.sreg.ctaid.y : i32
      %thread = cute.make_coord(%tid) : (i32) -> !cute.coord<"?">
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c3 = arith.constant 3 : i32
      %c4 = arith.constant 4 : i32

      // ---- what this block works on
      %tile_ab = cute.make_tile() : () -> !cute.tile<"[128:1;32:1]">
      %at_a = cute.make_coord(%bm) : (i32) -> !cute.coord<"(?,_)">
      %at_b = cute.make_coord(%bn) : (i32) -> !cute.coord<"(?,_)">
      %g_a = cute.local_tile(%a, %tile_ab, %at_a) : (!mat_ab, !cute.tile<"[128:1;32:1]">, !cute.coord<"(?,_)">) -> !tiles_ab
      %g_b = cute.local_tile(%b, %tile_ab, %at_b) : (!mat_ab, !cute.tile<"[128:1;32:1]">, !cute.coord<"(?,_)">) -> !tiles_ab

      %layout_a = cute.get_layout(%a) : !mat_ab
      %layout_b = cute.get_layout(%b) : !mat_ab
      %shape_a = cute.get_shape(%layout_a) : (!cute.layout<"(?,?{div=8}):(?{i64 div=8},1)">) -> !cute.shape<"(?,?{div=8})">
      %shape_b = cute.get_shape(%layout_b) : (!cute.layout<"(?,?{div=8}):(?{i64 div=8},1)">) -> !cute.shape<"(?,?{div=8})">
      %ids_a = cute.make_identity_tensor(%shape_a) : !ids_ab
      %ids_b = cute.make_identity_tensor(%shape_b) : !ids_ab
      %i_a = cute.local_tile(%ids_a, %tile_ab, %at_a) : (!ids_ab, !cute.tile<"[128:1;32:1]">, !cute.coord<"(?,_)">) -> !ids_tiles_ab
      %i_b = cute.local_tile(%ids_b, %tile_ab, %at_b) : (!ids_ab, !cute.tile<"[128:1;32:1]">, !cute.coord<"(?,_)">) -> !ids_tiles_ab
      %sz_k = cute.size(%g_a) <{mode = [2]}> : (!tiles_ab) -> !cute.int_tuple<"?">
      %k_tiles = cute.get_scalars(%sz_k) : !cute.int_tuple<"?">

      // ---- shared memory: 3 stages of A, then 3 of B, 24 KiB each
      %smem = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<f16, smem, align<1024>>
      %halves = cute.make_int_tuple() : () -> !cute.int_tuple<"12288">
      %smem2 = cute.add_offset(%smem, %halves) : (!cute.ptr<f16, smem, align<1024>>, !cute.int_tuple<"12288">) -> !cute.ptr<f16, smem, align<1024>>
      %stages = cute.static : !cute.composed_layout<"S<2,3,3> o 0 o (128,32,3):(32,1,4096)">
      %s_a = cute.make_view(%smem, %stages) : !smem_ab
      %s_b = cute.make_view(%smem2, %stages) : !smem_ab

      // ---- this thread's chunks of them
      %cp_async = cute.make_atom() : () -> !cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>
      %load = cute.make_tiled_copy(%cp_async) : !load
      %from_a = cute.tiled.copy.partition_S(%load, %g_a, %thread) : (!load, !tiles_ab, !cute.coord<"?">) -> !load_src
      %from_b = cute.tiled.copy.partition_S(%load, %g_b, %thread) : (!load, !tiles_ab, !cute.coord<"?">) -> !load_src
      %id_a = cute.tiled.copy.partition_S(%load, %i_a, %thread) : (!load, !ids_tiles_ab, !cute.coord<"?">) -> !load_ids
      %id_b = cute.tiled.copy.partition_S(%load, %i_b, %thread) : (!load, !ids_tiles_ab, !cute.coord<"?">) -> !load_ids
      %to_a = cute.tiled.copy.partition_D(%load, %s_a, %thread) : (!load, !smem_ab, !cute.coord<"?">) -> !load_dst
      %to_b = cute.tiled.copy.partition_D(%load, %s_b, %thread) : (!load, !smem_ab, !cute.coord<"?">) -> !load_dst

      // ---- fragments, and the same shared memory as ldmatrix reads it
      %atom = cute.make_atom() : () -> !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
      %mma = cute.make_tiled_mma(%atom) : !mma
      %shape_ab = cute.make_shape() : () -> !cute.shape<"(128,32)">
      %shape_c = cute.make_shape() : () -> !cute.shape<"(128,128)">
      %shape_fa = cute.tiled.mma.partition_shape A (%mma, %shape_ab) : (!mma, !cute.shape<"(128,32)">) -> !cute.shape<"((2,2,2),4,2)">
      %shape_fb = cute.tiled.mma.partition_shape B (%mma, %shape_ab) : (!mma, !cute.shape<"(128,32)">) -> !cute.shape<"((2,2),8,2)">
      %shape_fc = cute.tiled.mma.partition_shape C (%mma, %shape_c) : (!mma, !cute.shape<"(128,128)">) -> !cute.shape<"((2,2),4,8)">
      %frag_a = cute.mma.make_fragment A (%mma, %shape_fa) : (!mma, !cute.shape<"((2,2,2),4,2)">) -> !frag_a
      %frag_b = cute.mma.make_fragment B (%mma, %shape_fb) : (!mma, !cute.shape<"((2,2),8,2)">) -> !frag_b
      %acc = cute.mma.make_fragment C (%mma, %shape_fc) : (!mma, !cute.shape<"((2,2),4,8)">) -> !acc
      %zero = arith.constant dense<0.0> : vector<128xf32>
      cute.memref.store_vec %zero, %acc : !acc

      %ldmatrix = cute.make_atom() : () -> !ldsm
      %fetch_a = cute.make_tiled_copy(%ldmatrix) : !fetch_a
      %fetch_b = cute.make_tiled_copy(%ldmatrix) : !fetch_b
      %src_a = cute.tiled.copy.partition_S(%fetch_a, %s_a, %thread) : (!fetch_a, !smem_ab, !cute.coord<"?">) -> !fetch_src
      %src_b = cute.tiled.copy.partition_S(%fetch_b, %s_b, %thread) : (!fetch_b, !smem_ab, !cute.coord<"?">) -> !fetch_src
      %dst_a = cute.tiled.copy.retile(%fetch_a, %frag_a) : (!fetch_a, !frag_a) -> !fetch_dst_a
      %dst_b = cute.tiled.copy.retile(%fetch_b, %frag_b) : (!fetch_b, !frag_b) -> !fetch_dst_b

      // ---- prologue: tiles 0 and 1 of K on their way, the first half of tile 0 in registers
      %ok_a = cute.memref.alloca() : !load_ok
      %ok_b = cute.memref.alloca() : !load_ok
      scf.for %t = %c0 to %c2 step %c1 : i32 {
        scf.for %r = %c0 to %c4 step %c1 : i32 {
          %at_row = cute.make_coord(%r, %t) : (i32, i32) -> !cute.coord<"(0,?,0,?)">
          %row = cute.make_coord(%r) : (i32) -> !cute.coord<"(0,?,0)">
          %chunk_a = cute.slice(%id_a, %at_row) : !load_ids, !cute.coord<"(0,?,0,?)">
          %chunk_b = cute.slice(%id_b, %at_row) : !load_ids, !cute.coord<"(0,?,0,?)">
          %crd_a = cute.get_iter(%chunk_a) : !id
          %crd_b = cute.get_iter(%chunk_b) : !id
          %in_a = cute.elem_less(%crd_a, %shape_a) : !crd, !cute.shape<"(?,?{div=8})">
          %in_b = cute.elem_less(%crd_b, %shape_b) : !crd, !cute.shape<"(?,?{div=8})">
          %bit_a = arith.extui %in_a : i1 to i8
          %bit_b = arith.extui %in_b : i1 to i8
          cute.memref.store(%ok_a, %row, %bit_a) : (!load_ok, !cute.coord<"(0,?,0)">, i8) -> ()
          cute.memref.store(%ok_b, %row, %bit_b) : (!load_ok, !cute.coord<"(0,?,0)">, i8) -> ()
        }
        %tile = cute.make_coord(%t) : (i32) -> !cute.coord<"(_,_,_,?)">
        %into = cute.make_coord(%t) : (i32) -> !cute.coord<"(_,_,_,?)">
        %new_a = cute.slice(%from_a, %tile) : !load_src, !cute.coord<"(_,_,_,?)">
        %new_b = cute.slice(%from_b, %tile) : !load_src, !cute.coord<"(_,_,_,?)">
        %hole_a = cute.slice(%to_a, %into) : !load_dst, !cute.coord<"(_,_,_,?)">
        %hole_b = cute.slice(%to_b, %into) : !load_dst, !cute.coord<"(_,_,_,?)">
        cute.copy(%load, %new_a, %hole_a, %ok_a) : (!load, !new, !hole, !load_ok)
        cute.copy(%load, %new_b, %hole_b, %ok_b) : (!load, !new, !hole, !load_ok)
        nvvm.cp.async.commit.group
      }
      nvvm.cp.async.wait.group 1
      nvvm.barrier
      %first = cute.make_coord() : () -> !cute.coord<"(_,_,0,0)">
      %half0 = cute.make_coord() : () -> !cute.coord<"(_,_,0)">
      %half1 = cute.make_coord() : () -> !cute.coord<"(_,_,1)">
      %fa0 = cute.slice(%dst_a, %half0) : !fetch_dst_a, !cute.coord<"(_,_,0)">
      %fa1 = cute.slice(%dst_a, %half1) : !fetch_dst_a, !cute.coord<"(_,_,1)">
      %fb0 = cute.slice(%dst_b, %half0) : !fetch_dst_b, !cute.coord<"(_,_,0)">
      %fb1 = cute.slice(%dst_b, %half1) : !fetch_dst_b, !cute.coord<"(_,_,1)">
      %a0 = cute.slice(%frag_a, %half0) : !frag_a, !cute.coord<"(_,_,0)">
      %a1 = cute.slice(%frag_a, %half1) : !frag_a, !cute.coord<"(_,_,1)">
      %b0 = cute.slice(%frag_b, %half0) : !frag_b, !cute.coord<"(_,_,0)">
      %b1 = cute.slice(%frag_b, %half1) : !frag_b, !cute.coord<"(_,_,1)">
      %sa = cute.slice(%src_a, %first) : !fetch_src, !cute.coord<"(_,_,0,0)">
      %sb = cute.slice(%src_b, %first) : !fetch_src, !cute.coord<"(_,_,0,0)">
      cute.copy(%fetch_a, %sa, %fa0) : (!fetch_a, !half_src, !half_dst_a)
      cute.copy(%fetch_b, %sb, %fb0) : (!fetch_b, !half_src, !half_dst_b)

      // ---- the loop over K: issue tile kt+2, then halves of tile kt
      scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%stage = %c0) -> (i32) : i32 {
        %kt2 = arith.addi %kt, %c2 : i32
        %s1 = arith.addi %stage, %c1 : i32
        %w1 = arith.cmpi eq, %s1, %c3 : i32
        %next = arith.select %w1, %c0, %s1 : i32
        %s2 = arith.addi %next, %c1 : i32
        %w2 = arith.cmpi eq, %s2, %c3 : i32
        %free = arith.select %w2, %c0, %s2 : i32
        scf.for %r = %c0 to %c4 step %c1 : i32 {
          %at_row = cute.make_coord(%r, %kt2) : (i32, i32) -> !cute.coord<"(0,?,0,?)">
          %row = cute.make_coord(%r) : (i32) -> !cute.coord<"(0,?,0)">
          %chunk_a = cute.slice(%id_a, %at_row) : !load_ids, !cute.coord<"(0,?,0,?)">
          %chunk_b = cute.slice(%id_b, %at_row) : !load_ids, !cute.coord<"(0,?,0,?)">
          %crd_a = cute.get_iter(%chunk_a) : !id
          %crd_b = cute.get_iter(%chunk_b) : !id
          %in_a = cute.elem_less(%crd_a, %shape_a) : !crd, !cute.shape<"(?,?{div=8})">
          %in_b = cute.elem_less(%crd_b, %shape_b) : !crd, !cute.shape<"(?,?{div=8})">
          %bit_a = arith.extui %in_a : i1 to i8
          %bit_b = arith.extui %in_b : i1 to i8
          cute.memref.store(%ok_a, %row, %bit_a) : (!load_ok, !cute.coord<"(0,?,0)">, i8) -> ()
          cute.memref.store(%ok_b, %row, %bit_b) : (!load_ok, !cute.coord<"(0,?,0)">, i8) -> ()
        }
        %tile = cute.make_coord(%kt2) : (i32) -> !cute.coord<"(_,_,_,?)">
        %into = cute.make_coord(%free) : (i32) -> !cute.coord<"(_,_,_,?)">
        %new_a = cute.slice(%from_a, %tile) : !load_src, !cute.coord<"(_,_,_,?)">
        %new_b = cute.slice(%from_b, %tile) : !load_src, !cute.coord<"(_,_,_,?)">
        %hole_a = cute.slice(%to_a, %into) : !load_dst, !cute.coord<"(_,_,_,?)">
        %hole_b = cute.slice(%to_b, %into) : !load_dst, !cute.coord<"(_,_,_,?)">
        cute.copy(%load, %new_a, %hole_a, %ok_a) : (!load, !new, !hole, !load_ok)
        cute.copy(%load, %new_b, %hole_b, %ok_b) : (!load, !new, !hole, !load_ok)
        nvvm.cp.async.commit.group

        %at1 = cute.make_coord(%stage) : (i32) -> !cute.coord<"(_,_,1,?)">
        %sa1 = cute.slice(%src_a, %at1) : !fetch_src, !cute.coord<"(_,_,1,?)">
        %sb1 = cute.slice(%src_b, %at1) : !fetch_src, !cute.coord<"(_,_,1,?)">
        cute.copy(%fetch_a, %sa1, %fa1) : (!fetch_a, !half_src, !half_dst_a)
        cute.copy(%fetch_b, %sb1, %fb1) : (!fetch_b, !half_src, !half_dst_b)
        cute.gemm(%mma, %acc, %a0, %b0, %acc) : (!mma, !acc, !half_a, !half_b, !acc)
        nvvm.cp.async.wait.group 1
        nvvm.barrier
        %at0 = cute.make_coord(%next) : (i32) -> !cute.coord<"(_,_,0,?)">
        %sa0 = cute.slice(%src_a, %at0) : !fetch_src, !cute.coord<"(_,_,0,?)">
        %sb0 = cute.slice(%src_b, %at0) : !fetch_src, !cute.coord<"(_,_,0,?)">
        cute.copy(%fetch_a, %sa0, %fa0) : (!fetch_a, !half_src, !half_dst_a)
        cute.copy(%fetch_b, %sb0, %fb0) : (!fetch_b, !half_src, !half_dst_b)
        cute.gemm(%mma, %acc, %a1, %b1, %acc) : (!mma, !acc, !half_a, !half_b, !acc)
        scf.yield %next : i32
      }

      // ---- epilogue: the sums as f16, through shared memory, where the stages are free once every warp is here
      %out = cute.memref.alloca() : !out
      %sums = cute.memref.load_vec %acc : !acc
      %rounded = arith.truncf %sums : vector<128xf32> to vector<128xf16>
      cute.memref.store_vec %rounded, %out : !out
      nvvm.cp.async.wait.group 0
      nvvm.barrier

      %plane = cute.static : !cute.composed_layout<"S<3,3,4> o 0 o (128,128):(128,1)">
      %s_c = cute.make_view(%smem, %plane) : !smem_c
      %pair = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f16, 32 b>
      %put = cute.make_tiled_copy(%pair) : !put
      %put_src = cute.tiled.copy.retile(%put, %out) : (!put, !out) -> !put_src
      %put_dst = cute.tiled.copy.partition_D(%put, %s_c, %thread) : (!put, !smem_c, !cute.coord<"?">) -> !put_dst
      cute.copy(%put, %put_src, %put_dst) : (!put, !put_src, !put_dst)
      nvvm.barrier

      // Back out as rows: 16 chunks of 8 halves a thread.
      %wide = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f16, 128 b>
      %store = cute.make_tiled_copy(%wide) : !store
      %store_src = cute.tiled.copy.partition_S(%store, %s_c, %thread) : (!store, !smem_c, !cute.coord<"?">) -> !store_src
      %rows = cute.memref.alloca() : !store_reg
      cute.copy(%store, %store_src, %rows) : (!store, !store_src, !store_reg)

      // The coordinate of each chunk in C.
      %tile_c = cute.make_tile() : () -> !cute.tile<"[128:1;128:1]">
      %at_c = cute.make_coord(%bm, %bn) : (i32, i32) -> !cute.coord<"(?,?)">
      %layout_c = cute.get_layout(%c) : !mat_c
      %mn = cute.get_shape(%layout_c) : (!cute.layout<"(?,?):(?{i64},1)">) -> !cute.shape<"(?,?)">
      %ids_c = cute.make_identity_tensor(%mn) : !ids_c
      %i_c = cute.local_tile(%ids_c, %tile_c, %at_c) : (!ids_c, !cute.tile<"[128:1;128:1]">, !cute.coord<"(?,?)">) -> !ids_tile_c
      %id_c = cute.tiled.copy.partition_D(%store, %i_c, %thread) : (!store, !ids_tile_c, !cute.coord<"?">) -> !store_ids

      // Where N and the pitch are multiples of 8, chunks of C start on 16 bytes and are inside or outside as a whole.
      %m, %n = cute.get_scalars(%mn) : !cute.shape<"(?,?)">
      %strides = cute.get_stride(%layout_c) : (!cute.layout<"(?,?):(?{i64},1)">) -> !cute.stride<"(?{i64},1)">
      %pitch, %unit = cute.get_scalars(%strides) : !cute.stride<"(?{i64},1)">
      %n64 = arith.extsi %n : i32 to i64
      %either = arith.ori %n64, %pitch : i64
      %c7_i64 = arith.constant 7 : i64
      %c0_i64 = arith.constant 0 : i64
      %low = arith.andi %either, %c7_i64 : i64
      %whole = arith.cmpi eq, %low, %c0_i64 : i64
      %c16 = arith.constant 16 : i32
      scf.if %whole {
        %ok = cute.memref.alloca() : !store_ok
        scf.for %r = %c0 to %c16 step %c1 : i32 {
          %at = cute.make_coord(%r) : (i32) -> !cute.coord<"(0,?,0)">
          %chunk = cute.slice(%id_c, %at) : !store_ids, !cute.coord<"(0,?,0)">
          %crd = cute.get_iter(%chunk) : !id
          %in = cute.elem_less(%crd, %mn) : !crd, !cute.shape<"(?,?)">
          %bit = arith.extui %in : i1 to i8
          cute.memref.store(%ok, %at, %bit) : (!store_ok, !cute.coord<"(0,?,0)">, i8) -> ()
        }
        // The same C, with what is now known of its pitch in the type.
        %pitch8 = cute.assume(%pitch) : (i64) -> !cute.i64<divby 8>
        %strides8 = cute.make_stride(%pitch8) : (!cute.i64<divby 8>) -> !cute.stride<"(?{i64 div=8},1)">
        %layout8 = cute.make_layout(%mn, %strides8) : !cute.layout<"(?,?):(?{i64 div=8},1)">
        %base = cute.get_iter(%c) : !mat_c
        %c8 = cute.make_view(%base, %layout8) : !mat_c8
        %g_c8 = cute.local_tile(%c8, %tile_c, %at_c) : (!mat_c8, !cute.tile<"[128:1;128:1]">, !cute.coord<"(?,?)">) -> !tile_c8
        %dst8 = cute.tiled.copy.partition_D(%store, %g_c8, %thread) : (!store, !tile_c8, !cute.coord<"?">) -> !store_dst8
        cute.copy(%store, %rows, %dst8, %ok) : (!store, !store_reg, !store_dst8, !store_ok)
      } else {
        // Half by half: 8 predicates a chunk.
        %ok = cute.memref.alloca() : !single_ok
        %c8 = arith.constant 8 : i32
        scf.for %r = %c0 to %c16 step %c1 : i32 {
          scf.for %e = %c0 to %c8 step %c1 : i32 {
            %at = cute.make_coord(%e, %r) : (i32, i32) -> !cute.coord<"(?,?,0)">
            %half = cute.slice(%id_c, %at) : !store_ids, !cute.coord<"(?,?,0)">
            %crd = cute.get_iter(%half) : !id_c
            %in = cute.elem_less(%crd, %mn) : !crd_c, !cute.shape<"(?,?)">
            %bit = arith.extui %in : i1 to i8
            cute.memref.store(%ok, %at, %bit) : (!single_ok, !cute.coord<"(?,?,0)">, i8) -> ()
          }
        }
        %g_c = cute.local_tile(%c, %tile_c, %at_c) : (!mat_c, !cute.tile<"[128:1;128:1]">, !cute.coord<"(?,?)">) -> !tile_c
        %dst = cute.tiled.copy.partition_D(%store, %g_c, %thread) : (!store, !tile_c, !cute.coord<"?">) -> !store_dst
        %single = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f16>
        cute.copy(%single, %rows, %dst, %ok) : (!cute_nvgpu.atom.universal_copy<f16>, !store_reg, !store_dst, !single_ok)
      }
      return
    }
  }

  // What the runtime calls: C = A B^T on the default stream. 0 is success, else a CUresult.
  func.func @gemm(%a: !mat_ab, %b: !mat_ab, %c: !mat_c) -> i32 attributes {llvm.emit_c_interface} {
    %layout = cute.get_layout(%c) : !mat_c
    %shape = cute.get_shape(%layout) : (!cute.layout<"(?,?):(?{i64},1)">) -> !cute.shape<"(?,?)">
    %extent = cute.to_int_tuple(%shape) : !cute.shape<"(?,?)"> to !cute.int_tuple<"(?,?)">
    %tile = cute.make_tile() : () -> !cute.tile<"[128:1;128:1]">
    %tiles = cute.ceil_div(%extent, %tile) : !cute.int_tuple<"(?,?)">, !cute.tile<"[128:1;128:1]">
    %tiles_m, %tiles_n = cute.get_scalars(%tiles) : !cute.int_tuple<"(?,?)">

    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %smem_bytes = arith.constant 49152 : i64
    %stream = cuda.cast %c0 : i64 -> !cuda.stream
    %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%c128, %c1, %c1), dynamicSmemBytes = %smem_bytes, gridDim = (%tiles_m, %tiles_n, %c1), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
    %result = cuda.launch_ex @kernels::@gemm_kernel<%config> (%a, %b, %c) : !cuda.launch_cfg<max_attrs = 1>, (!mat_ab, !mat_ab, !mat_c) -> !cuda.result
    %status = cuda.cast %result : !cuda.result -> i32
    return %status : i32
  }
}
