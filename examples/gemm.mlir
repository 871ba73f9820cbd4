// GEMM on the tensor cores of SM80 and later: C[M,N] = A[M,K] B[N,K]^T, f16 in and out, sums in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   tessera compile examples/gemm.mlir --arch sm_80 -o gemm.ptx
//   tessera run examples/gemm.mlir --arg rand:f16:4096x4096:seed=1 --arg rand:f16:4096x4096:seed=2 --arg out:f16:4096x4096 --bench 20
//
// All three matrices are row-major. M and N are any size; K and the pitches of A and B are multiples of 8, so that
// their rows are whole chunks of 16 bytes. C's pitch is any.
//
// A block of 128 threads (2 x 2 warps) computes 128 x 128 of C, going through K in steps of 32 ("tiles"):
//
//   global --cp.async--> 3 stages of shared memory --ldmatrix--> registers --mma.sync--> sums in registers
//   sums --convert--> f16 --> shared memory (the stages' own) --> global, 16 bytes a thread
//
// While the tensor cores work on one half of a tile (K = 16), ldmatrix fetches the next half, and cp.async brings in the
// tile after the next. cp.async writes zeros for chunks outside of A or B, and zeros add nothing: the edges in M and N,
// the tail of K and the two tiles that the loop requests beyond the last one need no code of their own.
//
// Layouts are SHAPE:STRIDE. `?` is known at run time, `?{div=8}` known to be a multiple of 8, `?{i64}` 64 bits wide;
// everything else is known now, and folds. Coordinates count elements.

// ---- Global memory: the matrices as the caller has them, and this block's part of them: (row, column, tile of K) of
// ---- A or B, (row, column) of C.
!mat_ab   = !cute.memref<f16, gmem, align<16>, "(?,?{div=8}):(?{i64 div=8},1)">
!mat_c    = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64},1)">
!tiles_ab = !cute.memref<f16, gmem, align<16>, "(128,32,?):(?{i64 div=8},1,32)">
!tile_c   = !cute.memref<f16, gmem, align<16>, "(128,128):(?{i64},1)">
// C again, for when its pitch turns out to be a multiple of 8.
!mat_c8   = !cute.memref<f16, gmem, align<16>, "(?,?):(?{i64 div=8},1)">
!tile_c8  = !cute.memref<f16, gmem, align<16>, "(128,128):(?{i64 div=8},1)">

// ---- Identity tensors: element (i,j) is the pair (i,j), with no memory of its own. Cut up like the data, they tell which
// ---- element of the matrix a thread has in hand. 1@0 is a step of 1 in mode 0.
!ids_ab       = !cute.coord_tensor<"(0,0)", "(?,?{div=8}):(1@0,1@1)">
!ids_c        = !cute.coord_tensor<"(0,0)", "(?,?):(1@0,1@1)">
!ids_tiles_ab = !cute.coord_tensor<"(?{div=128},0)", "(128,32,?):(1@0,1@1,32@1)">
!ids_tile_c   = !cute.coord_tensor<"(?{div=128},?{div=128})", "(128,128):(1@0,1@1)">
!chunk_id = !cute.coord_tensor<"(?,?{div=8})", "():()">
!chunk_at = !cute.arith_tuple_iter<"(?,?{div=8})">
!elem_id  = !cute.coord_tensor<"(?,?)", "():()">
!elem_at  = !cute.arith_tuple_iter<"(?,?)">

// ---- Shared memory: (row, column, stage) of A or B; later (row, column) of C. Swizzle S<2,3,3> XORs the 4 chunks of a
// ---- row of 64 bytes with bits 1 and 2 of the row's number, S<3,3,4> the chunks of a row of 256 bytes with bits 0 to 2:
// ---- 8 rows of the same column lie in 8 different groups of banks, for ldmatrix as for the stores of C.
!smem_ab = !cute.memref<f16, smem, align<1024>, "S<2,3,3> o 0 o (128,32,3):(32,1,4096)">
!smem_c  = !cute.memref<f16, smem, align<1024>, "S<3,3,4> o 0 o (128,128):(128,1)">

// ---- Global to shared memory, 32 rows x 32 columns at a time: 4 neighbouring threads cover a row, each with a chunk of
// ---- 8 f16. The layout maps (thread, value) to row + 32 column. A thread's part of a tile is (chunk, 4 times 32 rows,
// ---- 1 time 32 columns), and the mask has one predicate for each of these copies.
!load      = !cute.tiled_copy<!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>, layout_copy_tv = <"((4,32),8):((256,1),32)">, tiler_mn = <"[32:1;32:1]">>
!load_srcs = !cute.memref<f16, gmem, align<16>, "((8,1),4,1,?):((1,0),?{i64 div=256},0,32)">
!load_dsts = !cute.memref<f16, smem, align<16>, "((8,1),4,1,3):((1,0),1024,0,4096)">
!load_ids  = !cute.coord_tensor<"(?,?{div=8})", "((8,1),4,1,?):((1@1,0),32@0,0,32@1)">
!load_src  = !cute.memref<f16, gmem, align<16>, "((8,1),4,1):((1,0),?{i64 div=256},0)">
!load_dst  = !cute.memref<f16, smem, align<16>, "((8,1),4,1):((1,0),1024,0)">
!load_mask = !cute.memref<i8, rmem, align<4>, "(1,4,1):(0,1,0)">

// ---- The MMA: 2 x 2 warps of 16x8x16, and each warp twice in N so that one ldmatrix x4 feeds two of its MMAs: 32x32x16.
// ---- A thread's fragments are (values of one MMA, MMAs in M or N, halves of the tile of K).
!atom_mma = !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
!mma      = !cute.tiled_mma<!atom_mma, atom_layout_MNK = <"(2,2,1):(1,2,0)">, permutation_MNK = <"[32:1;32:1;16:1]">>
!frag_a   = !cute.memref<f16, rmem, align<16>, "((2,2,2),4,2):((1,2,4),8,32)">
!frag_b   = !cute.memref<f16, rmem, align<8>, "((2,2),8,2):((1,2),4,32)">
!half_a   = !cute.memref<f16, rmem, align<16>, "((2,2,2),4):((1,2,4),8)">
!half_b   = !cute.memref<f16, rmem, align<8>, "((2,2),8):((1,2),4)">
!sums     = !cute.memref<f32, rmem, align<16>, "((2,2),4,8):((1,2),4,16)">
!sums_f16 = !cute.memref<f16, rmem, align<32>, "((2,2),4,8):((1,2),4,16)">

// ---- Shared memory to fragments: ldmatrix reads four 8x8 matrices, 8 f16 a thread. (thread, value) -> row + 32 column
// ---- is the MMA's own: lanes (4 pairs in K, 8 rows), warps (M, N); values (pair, 8 rows, 8 of K) of A and (pair, 8 of K,
// ---- 16 rows) of B. Stride 0: the two warps in N share A, those in M share B.
!ldmatrix    = !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>
!fetch_a     = !cute.tiled_copy<!ldmatrix, layout_copy_tv = <"((4,8,2,2),(2,2,2)):((64,1,16,0),(32,8,256))">, tiler_mn = <"[32:1;16:1]">>
!fetch_b     = !cute.tiled_copy<!ldmatrix, layout_copy_tv = <"((4,8,2,2),(2,2,2)):((64,1,0,8),(32,256,16))">, tiler_mn = <"[32:1;16:1]">>
!fetch_srcs  = !cute.memref<f16, smem, align<16>, "((8,1),4,2,3):((1,0),1024,?{div=16},4096)">
!fetch_src   = !cute.memref<f16, smem, align<16>, "((8,1),4):((1,0),1024)">
!fetch_dsts_a = !cute.memref<f16, rmem, align<16>, "((8,1),4,2):((1,0),8,32)">
!fetch_dsts_b = !cute.memref<f16, rmem, align<8>, "((8,1),4,2):((1,0),8,32)">
!fetch_dst_a = !cute.memref<f16, rmem, align<16>, "((8,1),4):((1,0),8)">
!fetch_dst_b = !cute.memref<f16, rmem, align<8>, "((8,1),4):((1,0),8)">

// ---- C: registers to shared memory in the MMA's layout, pairs of f16; then out as rows, where 16 threads cover a row
// ---- of 128 f16, in 16 rounds of 8 rows.
!put       = !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 32 b>, layout_copy_tv = <"((4,8,2,2),((2,2),2)):((64,1,16,256),((32,8),512))">, tiler_mn = <"[32:1;32:1]">>
!put_src   = !cute.memref<f16, rmem, align<32>, "((2,(2,2)),4,4):((1,(2,16)),4,32)">
!put_dst   = !cute.memref<f16, smem, align<4>, "((2,(2,2)),4,(2,2)):((1,(1024,?{div=16})),4096,(?{div=32},64))">
!store     = !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 128 b>, layout_copy_tv = <"((16,8),8):((64,1),8)">, tiler_mn = <"[8:1;128:1]">>
!store_src = !cute.memref<f16, smem, align<16>, "((8,1),16,1):((1,0),1024,0)">
!store_reg = !cute.memref<f16, rmem, align<32>, "((8,1),16,1):((1,0),8,0)">
!store_ids = !cute.coord_tensor<"(?,?{div=8})", "((8,1),16,1):((1@1,0),8@0,0)">
// By chunks of 16 bytes, one predicate each ...
!store_dst8  = !cute.memref<f16, gmem, align<16>, "((8,1),16,1):((1,0),?{i64 div=64},0)">
!store_mask8 = !cute.memref<i8, rmem, align<16>, "(1,16,1):(0,1,0)">
// ... or element by element, one predicate each.
!store_one   = !cute_nvgpu.atom.universal_copy<f16>
!store_dst   = !cute.memref<f16, gmem, "((8,1),16,1):((1,0),?{i64 div=8},0)">
!store_mask  = !cute.memref<i8, rmem, align<16>, "((8,1),16,1):((1,0),8,0)">

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

      // ---- Block (x, y) computes tile (x, y) of C: from rows 128 x of A, and rows 128 y of B, all tiles of K.
      %tile_ab = cute.make_tile() : () -> !cute.tile<"[128:1;32:1]">
      %at_a = cute.make_coord(%bm) : (i32) -> !cute.coord<"(?,_)">
      %at_b = cute.make_coord(%bn) : (i32) -> !cute.coord<"(?,_)">
      %g_a = cute.local_tile(%a, %tile_ab, %at_a) : (!mat_ab, !cute.tile<"[128:1;32:1]">, !cute.coord<"(?,_)">) -> !tiles_ab
      %g_b = cute.local_tile(%b, %tile_ab, %at_b) : (!mat_ab, !cute.tile<"[128:1;32:1]">, !cute.coord<"(?,_)">) -> !tiles_ab

      // The coordinates of their elements, and how many tiles of 32 cover K.
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

      // ---- Shared memory: 3 stages of A, then 3 of B, 24 KiB (12288 f16) each.
      %smem = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<f16, smem, align<1024>>
      %stages_a = cute.make_int_tuple() : () -> !cute.int_tuple<"12288">
      %smem2 = cute.add_offset(%smem, %stages_a) : (!cute.ptr<f16, smem, align<1024>>, !cute.int_tuple<"12288">) -> !cute.ptr<f16, smem, align<1024>>
      %stages = cute.static : !cute.composed_layout<"S<2,3,3> o 0 o (128,32,3):(32,1,4096)">
      %s_a = cute.make_view(%smem, %stages) : !smem_ab
      %s_b = cute.make_view(%smem2, %stages) : !smem_ab

      // ---- This thread's chunks: where they come from, what their coordinates are, and where they go.
      %cp_async = cute.make_atom() : () -> !cute_nvgpu.atom.simt_async_copy<f16, cache = global, 128 b>
      %load = cute.make_tiled_copy(%cp_async) : !load
      %from_a = cute.tiled.copy.partition_S(%load, %g_a, %thread) : (!load, !tiles_ab, !cute.coord<"?">) -> !load_srcs
      %from_b = cute.tiled.copy.partition_S(%load, %g_b, %thread) : (!load, !tiles_ab, !cute.coord<"?">) -> !load_srcs
      %id_a = cute.tiled.copy.partition_S(%load, %i_a, %thread) : (!load, !ids_tiles_ab, !cute.coord<"?">) -> !load_ids
      %id_b = cute.tiled.copy.partition_S(%load, %i_b, %thread) : (!load, !ids_tiles_ab, !cute.coord<"?">) -> !load_ids
      %to_a = cute.tiled.copy.partition_D(%load, %s_a, %thread) : (!load, !smem_ab, !cute.coord<"?">) -> !load_dsts
      %to_b = cute.tiled.copy.partition_D(%load, %s_b, %thread) : (!load, !smem_ab, !cute.coord<"?">) -> !load_dsts

      // ---- This thread's fragments in registers, sums 0.
      %atom = cute.make_atom() : () -> !atom_mma
      %mma = cute.make_tiled_mma(%atom) : !mma
      %shape_ab = cute.make_shape() : () -> !cute.shape<"(128,32)">
      %shape_c = cute.make_shape() : () -> !cute.shape<"(128,128)">
      %shape_fa = cute.tiled.mma.partition_shape A (%mma, %shape_ab) : (!mma, !cute.shape<"(128,32)">) -> !cute.shape<"((2,2,2),4,2)">
      %shape_fb = cute.tiled.mma.partition_shape B (%mma, %shape_ab) : (!mma, !cute.shape<"(128,32)">) -> !cute.shape<"((2,2),8,2)">
      %shape_fc = cute.tiled.mma.partition_shape C (%mma, %shape_c) : (!mma, !cute.shape<"(128,128)">) -> !cute.shape<"((2,2),4,8)">
      %frag_a = cute.mma.make_fragment A (%mma, %shape_fa) : (!mma, !cute.shape<"((2,2,2),4,2)">) -> !frag_a
      %frag_b = cute.mma.make_fragment B (%mma, %shape_fb) : (!mma, !cute.shape<"((2,2),8,2)">) -> !frag_b
      %sums = cute.mma.make_fragment C (%mma, %shape_fc) : (!mma, !cute.shape<"((2,2),4,8)">) -> !sums
      %zero = arith.constant dense<0.0> : vector<128xf32>
      cute.memref.store_vec %zero, %sums : !sums

      // ---- What ldmatrix reads for them, and the fragments in the order in which it fills them.
      %ldmatrix = cute.make_atom() : () -> !ldmatrix
      %fetch_a = cute.make_tiled_copy(%ldmatrix) : !fetch_a
      %fetch_b = cute.make_tiled_copy(%ldmatrix) : !fetch_b
      %src_a = cute.tiled.copy.partition_S(%fetch_a, %s_a, %thread) : (!fetch_a, !smem_ab, !cute.coord<"?">) -> !fetch_srcs
      %src_b = cute.tiled.copy.partition_S(%fetch_b, %s_b, %thread) : (!fetch_b, !smem_ab, !cute.coord<"?">) -> !fetch_srcs
      %dst_a = cute.tiled.copy.retile(%fetch_a, %frag_a) : (!fetch_a, !frag_a) -> !fetch_dsts_a
      %dst_b = cute.tiled.copy.retile(%fetch_b, %frag_b) : (!fetch_b, !frag_b) -> !fetch_dsts_b

      // ---- Prologue. Tiles 0 and 1 of K on their way to stages 0 and 1, each its own group of cp.async.
      %ok_a = cute.memref.alloca() : !load_mask
      %ok_b = cute.memref.alloca() : !load_mask
      scf.for %t = %c0 to %c2 step %c1 : i32 {
        // One predicate per chunk: are its row and its column in the matrix? A chunk is inside as a whole or not at all.
        scf.for %r = %c0 to %c4 step %c1 : i32 {
          %at_row = cute.make_coord(%r, %t) : (i32, i32) -> !cute.coord<"(0,?,0,?)">
          %row = cute.make_coord(%r) : (i32) -> !cute.coord<"(0,?,0)">
          %chunk_a = cute.slice(%id_a, %at_row) : !load_ids, !cute.coord<"(0,?,0,?)">
          %chunk_b = cute.slice(%id_b, %at_row) : !load_ids, !cute.coord<"(0,?,0,?)">
          %crd_a = cute.get_iter(%chunk_a) : !chunk_id
          %crd_b = cute.get_iter(%chunk_b) : !chunk_id
          %in_a = cute.elem_less(%crd_a, %shape_a) : !chunk_at, !cute.shape<"(?,?{div=8})">
          %in_b = cute.elem_less(%crd_b, %shape_b) : !chunk_at, !cute.shape<"(?,?{div=8})">
          %bit_a = arith.extui %in_a : i1 to i8
          %bit_b = arith.extui %in_b : i1 to i8
          cute.memref.store(%ok_a, %row, %bit_a) : (!load_mask, !cute.coord<"(0,?,0)">, i8) -> ()
          cute.memref.store(%ok_b, %row, %bit_b) : (!load_mask, !cute.coord<"(0,?,0)">, i8) -> ()
        }
        %tile = cute.make_coord(%t) : (i32) -> !cute.coord<"(_,_,_,?)">
        %into = cute.make_coord(%t) : (i32) -> !cute.coord<"(_,_,_,?)">
        %new_a = cute.slice(%from_a, %tile) : !load_srcs, !cute.coord<"(_,_,_,?)">
        %new_b = cute.slice(%from_b, %tile) : !load_srcs, !cute.coord<"(_,_,_,?)">
        %hole_a = cute.slice(%to_a, %into) : !load_dsts, !cute.coord<"(_,_,_,?)">
        %hole_b = cute.slice(%to_b, %into) : !load_dsts, !cute.coord<"(_,_,_,?)">
        cute.copy(%load, %new_a, %hole_a, %ok_a) : (!load, !load_src, !load_dst, !load_mask)
        cute.copy(%load, %new_b, %hole_b, %ok_b) : (!load, !load_src, !load_dst, !load_mask)
        nvvm.cp.async.commit.group
      }
      // Tile 0 is there when at most one group is pending, and for all threads after the barrier. Its first half goes to
      // registers.
      nvvm.cp.async.wait.group 1
      nvvm.barrier
      %first = cute.make_coord() : () -> !cute.coord<"(_,_,0,0)">
      %half0 = cute.make_coord() : () -> !cute.coord<"(_,_,0)">
      %half1 = cute.make_coord() : () -> !cute.coord<"(_,_,1)">
      %fa0 = cute.slice(%dst_a, %half0) : !fetch_dsts_a, !cute.coord<"(_,_,0)">
      %fa1 = cute.slice(%dst_a, %half1) : !fetch_dsts_a, !cute.coord<"(_,_,1)">
      %fb0 = cute.slice(%dst_b, %half0) : !fetch_dsts_b, !cute.coord<"(_,_,0)">
      %fb1 = cute.slice(%dst_b, %half1) : !fetch_dsts_b, !cute.coord<"(_,_,1)">
      %a0 = cute.slice(%frag_a, %half0) : !frag_a, !cute.coord<"(_,_,0)">
      %a1 = cute.slice(%frag_a, %half1) : !frag_a, !cute.coord<"(_,_,1)">
      %b0 = cute.slice(%frag_b, %half0) : !frag_b, !cute.coord<"(_,_,0)">
      %b1 = cute.slice(%frag_b, %half1) : !frag_b, !cute.coord<"(_,_,1)">
      %sa = cute.slice(%src_a, %first) : !fetch_srcs, !cute.coord<"(_,_,0,0)">
      %sb = cute.slice(%src_b, %first) : !fetch_srcs, !cute.coord<"(_,_,0,0)">
      cute.copy(%fetch_a, %sa, %fa0) : (!fetch_a, !fetch_src, !fetch_dst_a)
      cute.copy(%fetch_b, %sb, %fb0) : (!fetch_b, !fetch_src, !fetch_dst_b)

      // ---- The loop over tiles of K. On entry the first half of tile kt is in registers, all of it in shared memory.
      scf.for %kt = %c0 to %k_tiles step %c1 iter_args(%stage = %c0) -> (i32) : i32 {
        // The stage of tile kt, of kt+1 (next) and of kt+2 (free: tile kt-1 was there, and all threads are past the barrier
        // after its last ldmatrix).
        %kt2 = arith.addi %kt, %c2 : i32
        %s1 = arith.addi %stage, %c1 : i32
        %w1 = arith.cmpi eq, %s1, %c3 : i32
        %next = arith.select %w1, %c0, %s1 : i32
        %s2 = arith.addi %next, %c1 : i32
        %w2 = arith.cmpi eq, %s2, %c3 : i32
        %free = arith.select %w2, %c0, %s2 : i32

        // Tile kt+2, as in the prologue; zeros if there is none.
        scf.for %r = %c0 to %c4 step %c1 : i32 {
          %at_row = cute.make_coord(%r, %kt2) : (i32, i32) -> !cute.coord<"(0,?,0,?)">
          %row = cute.make_coord(%r) : (i32) -> !cute.coord<"(0,?,0)">
          %chunk_a = cute.slice(%id_a, %at_row) : !load_ids, !cute.coord<"(0,?,0,?)">
          %chunk_b = cute.slice(%id_b, %at_row) : !load_ids, !cute.coord<"(0,?,0,?)">
          %crd_a = cute.get_iter(%chunk_a) : !chunk_id
          %crd_b = cute.get_iter(%chunk_b) : !chunk_id
          %in_a = cute.elem_less(%crd_a, %shape_a) : !chunk_at, !cute.shape<"(?,?{div=8})">
          %in_b = cute.elem_less(%crd_b, %shape_b) : !chunk_at, !cute.shape<"(?,?{div=8})">
          %bit_a = arith.extui %in_a : i1 to i8
          %bit_b = arith.extui %in_b : i1 to i8
          cute.memref.store(%ok_a, %row, %bit_a) : (!load_mask, !cute.coord<"(0,?,0)">, i8) -> ()
          cute.memref.store(%ok_b, %row, %bit_b) : (!load_mask, !cute.coord<"(0,?,0)">, i8) -> ()
        }
        %tile = cute.make_coord(%kt2) : (i32) -> !cute.coord<"(_,_,_,?)">
        %into = cute.make_coord(%free) : (i32) -> !cute.coord<"(_,_,_,?)">
        %new_a = cute.slice(%from_a, %tile) : !load_srcs, !cute.coord<"(_,_,_,?)">
        %new_b = cute.slice(%from_b, %tile) : !load_srcs, !cute.coord<"(_,_,_,?)">
        %hole_a = cute.slice(%to_a, %into) : !load_dsts, !cute.coord<"(_,_,_,?)">
        %hole_b = cute.slice(%to_b, %into) : !load_dsts, !cute.coord<"(_,_,_,?)">
        cute.copy(%load, %new_a, %hole_a, %ok_a) : (!load, !load_src, !load_dst, !load_mask)
        cute.copy(%load, %new_b, %hole_b, %ok_b) : (!load, !load_src, !load_dst, !load_mask)
        nvvm.cp.async.commit.group

        // Fetch the second half of tile kt, multiply the first.
        %at1 = cute.make_coord(%stage) : (i32) -> !cute.coord<"(_,_,1,?)">
        %sa1 = cute.slice(%src_a, %at1) : !fetch_srcs, !cute.coord<"(_,_,1,?)">
        %sb1 = cute.slice(%src_b, %at1) : !fetch_srcs, !cute.coord<"(_,_,1,?)">
        cute.copy(%fetch_a, %sa1, %fa1) : (!fetch_a, !fetch_src, !fetch_dst_a)
        cute.copy(%fetch_b, %sb1, %fb1) : (!fetch_b, !fetch_src, !fetch_dst_b)
        cute.gemm(%mma, %sums, %a0, %b0, %sums) : (!mma, !sums, !half_a, !half_b, !sums)

        // Tile kt+1 is there when only tile kt+2 is pending. Fetch its first half, multiply the second of tile kt.
        nvvm.cp.async.wait.group 1
        nvvm.barrier
        %at0 = cute.make_coord(%next) : (i32) -> !cute.coord<"(_,_,0,?)">
        %sa0 = cute.slice(%src_a, %at0) : !fetch_srcs, !cute.coord<"(_,_,0,?)">
        %sb0 = cute.slice(%src_b, %at0) : !fetch_srcs, !cute.coord<"(_,_,0,?)">
        cute.copy(%fetch_a, %sa0, %fa0) : (!fetch_a, !fetch_src, !fetch_dst_a)
        cute.copy(%fetch_b, %sb0, %fb0) : (!fetch_b, !fetch_src, !fetch_dst_b)
        cute.gemm(%mma, %sums, %a1, %b1, %sums) : (!mma, !sums, !half_a, !half_b, !sums)
        scf.yield %next : i32
      }

      // ---- Epilogue. The sums as f16, to shared memory: the stages are free when no cp.async is pending and all are here.
      %out = cute.memref.alloca() : !sums_f16
      %values = cute.memref.load_vec %sums : !sums
      %rounded = arith.truncf %values : vector<128xf32> to vector<128xf16>
      cute.memref.store_vec %rounded, %out : !sums_f16
      nvvm.cp.async.wait.group 0
      nvvm.barrier

      %plane = cute.static : !cute.composed_layout<"S<3,3,4> o 0 o (128,128):(128,1)">
      %s_c = cute.make_view(%smem, %plane) : !smem_c
      %pair = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f16, 32 b>
      %put = cute.make_tiled_copy(%pair) : !put
      %put_src = cute.tiled.copy.retile(%put, %out) : (!put, !sums_f16) -> !put_src
      %put_dst = cute.tiled.copy.partition_D(%put, %s_c, %thread) : (!put, !smem_c, !cute.coord<"?">) -> !put_dst
      cute.copy(%put, %put_src, %put_dst) : (!put, !put_src, !put_dst)
      nvvm.barrier

      // Back as rows: 16 chunks of 8 f16 a thread.
      %wide = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f16, 128 b>
      %store = cute.make_tiled_copy(%wide) : !store
      %store_src = cute.tiled.copy.partition_S(%store, %s_c, %thread) : (!store, !smem_c, !cute.coord<"?">) -> !store_src
      %rows = cute.memref.alloca() : !store_reg
      cute.copy(%store, %store_src, %rows) : (!store, !store_src, !store_reg)

      // The coordinates of their elements in C.
      %tile_c = cute.make_tile() : () -> !cute.tile<"[128:1;128:1]">
      %at_c = cute.make_coord(%bm, %bn) : (i32, i32) -> !cute.coord<"(?,?)">
      %layout_c = cute.get_layout(%c) : !mat_c
      %mn = cute.get_shape(%layout_c) : (!cute.layout<"(?,?):(?{i64},1)">) -> !cute.shape<"(?,?)">
      %ids_c = cute.make_identity_tensor(%mn) : !ids_c
      %i_c = cute.local_tile(%ids_c, %tile_c, %at_c) : (!ids_c, !cute.tile<"[128:1;128:1]">, !cute.coord<"(?,?)">) -> !ids_tile_c
      %id_c = cute.tiled.copy.partition_D(%store, %i_c, %thread) : (!store, !ids_tile_c, !cute.coord<"?">) -> !store_ids

      // If N and the pitch are multiples of 8, chunks start on 16 bytes in C and are inside or outside as a whole.
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
        %ok = cute.memref.alloca() : !store_mask8
        scf.for %r = %c0 to %c16 step %c1 : i32 {
          %at = cute.make_coord(%r) : (i32) -> !cute.coord<"(0,?,0)">
          %chunk = cute.slice(%id_c, %at) : !store_ids, !cute.coord<"(0,?,0)">
          %crd = cute.get_iter(%chunk) : !chunk_id
          %in = cute.elem_less(%crd, %mn) : !chunk_at, !cute.shape<"(?,?)">
          %bit = arith.extui %in : i1 to i8
          cute.memref.store(%ok, %at, %bit) : (!store_mask8, !cute.coord<"(0,?,0)">, i8) -> ()
        }
        // The same C, with what is now known of its pitch in the type: that is what allows stores of 16 bytes.
        %pitch8 = cute.assume(%pitch) : (i64) -> !cute.i64<divby 8>
        %strides8 = cute.make_stride(%pitch8) : (!cute.i64<divby 8>) -> !cute.stride<"(?{i64 div=8},1)">
        %layout8 = cute.make_layout(%mn, %strides8) : !cute.layout<"(?,?):(?{i64 div=8},1)">
        %base = cute.get_iter(%c) : !mat_c
        %c8 = cute.make_view(%base, %layout8) : !mat_c8
        %g_c8 = cute.local_tile(%c8, %tile_c, %at_c) : (!mat_c8, !cute.tile<"[128:1;128:1]">, !cute.coord<"(?,?)">) -> !tile_c8
        %dst8 = cute.tiled.copy.partition_D(%store, %g_c8, %thread) : (!store, !tile_c8, !cute.coord<"?">) -> !store_dst8
        cute.copy(%store, %rows, %dst8, %ok) : (!store, !store_reg, !store_dst8, !store_mask8)
      } else {
        // Any other C: a store and a predicate for each element.
        %ok = cute.memref.alloca() : !store_mask
        %c8 = arith.constant 8 : i32
        scf.for %r = %c0 to %c16 step %c1 : i32 {
          scf.for %e = %c0 to %c8 step %c1 : i32 {
            %at = cute.make_coord(%e, %r) : (i32, i32) -> !cute.coord<"(?,?,0)">
            %elem = cute.slice(%id_c, %at) : !store_ids, !cute.coord<"(?,?,0)">
            %crd = cute.get_iter(%elem) : !elem_id
            %in = cute.elem_less(%crd, %mn) : !elem_at, !cute.shape<"(?,?)">
            %bit = arith.extui %in : i1 to i8
            cute.memref.store(%ok, %at, %bit) : (!store_mask, !cute.coord<"(?,?,0)">, i8) -> ()
          }
        }
        %g_c = cute.local_tile(%c, %tile_c, %at_c) : (!mat_c, !cute.tile<"[128:1;128:1]">, !cute.coord<"(?,?)">) -> !tile_c
        %dst = cute.tiled.copy.partition_D(%store, %g_c, %thread) : (!store, !tile_c, !cute.coord<"?">) -> !store_dst
        %single = cute.make_atom() : () -> !store_one
        cute.copy(%single, %rows, %dst, %ok) : (!store_one, !store_reg, !store_dst, !store_mask)
      }
      return
    }
  }

  // What the runtime calls: C = A B^T on the default stream. A, B and C agree in M, N and K, which is not checked here.
  // 0 is success, else a CUresult.
  func.func @gemm(%a: !mat_ab, %b: !mat_ab, %c: !mat_c) -> i32 attributes {llvm.emit_c_interface} {
    // As many tiles of 128 x 128 as cover C.
    %layout = cute.get_layout(%c) : !mat_c
    %shape = cute.get_shape(%layout) : (!cute.layout<"(?,?):(?{i64},1)">) -> !cute.shape<"(?,?)">
    %extent = cute.to_int_tuple(%shape) : !cute.shape<"(?,?)"> to !cute.int_tuple<"(?,?)">
    %tile = cute.make_tile() : () -> !cute.tile<"[128:1;128:1]">
    %tiles = cute.ceil_div(%extent, %tile) : !cute.int_tuple<"(?,?)">, !cute.tile<"[128:1;128:1]">
    %tiles_m, %tiles_n = cute.get_scalars(%tiles) : !cute.int_tuple<"(?,?)">

    // A block for each tile of C, 48 KiB of shared memory: what every device gives without asking.

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
