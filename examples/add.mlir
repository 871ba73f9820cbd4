// Elementwise add, C = A + B: three row-major f32 matrices of any size and any row pitch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   tessera compile examples/add.mlir --arch sm_80 -o add.ptx
//   tessera run examples/add.mlir --arg rand:f32:1000x777:seed=1 --arg rand:f32:1000x777:seed=2 --arg out:f32:1000x777
//
// A block of 128 threads owns a tile of 16 rows x 128 columns. Thread t takes column t of the tile, all 16 rows: a
// warp reads 32 neighbouring floats of a row at once (one 128-byte line), and a thread has 32 loads in flight.
// Nothing is known about the pitch, so rows need not start on 16 bytes and accesses are one float wide.

// A matrix in global memory: run-time rows and columns (i32), run-time pitch in elements (i64), columns contiguous.
!matrix = !cute.memref<f32, gmem, align<16>, "(?,?):(?{i64},1)">
// One block's tile of it; only the pitch is left to run time. It starts a multiple of 16 rows and of 128 columns
// further, so that 16-byte alignment holds for any pitch.
!tile = !cute.memref<f32, gmem, align<16>, "(16,128):(?{i64},1)">
// One thread's part of a tile, as (what one copy moves, row of copies, column of copies): 16 floats down a column.
!part = !cute.memref<f32, gmem, "((1,16),1,1):((0,?{i64}),0,0)">
!regs = !cute.memref<f32, rmem, align<32>, "((1,16),1,1):((0,1),0,0)">
!mask = !cute.memref<i8, rmem, align<32>, "((1,16),1,1):((0,1),0,0)">

// The same three for coordinates: a tensor whose element at (i,j) is the pair (i,j), without memory of its own.
!ids = !cute.coord_tensor<"(0,0)", "(?,?):(1@0,1@1)">
!ids_tile = !cute.coord_tensor<"(?{div=16},?{div=128})", "(16,128):(1@0,1@1)">
!ids_part = !cute.coord_tensor<"(?{div=16},?)", "((1,16),1,1):((0,1@0),0,0)">

// Who moves what: (thread, value) -> index in the tile, rows fastest. Thread t starts at column t (16 t), value v is
// row v. The atom is a load and a store of one float.
!copy = !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f32>, layout_copy_tv = <"(128,16):(16,1)">, tiler_mn = <"[16:1;128:1]">>

module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @add_kernel(%a: !matrix, %b: !matrix, %c: !matrix) attributes {cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %bx = nvvm.read.ptx.sreg.ctaid.x : i32
      %by = nvvm.read.ptx.sreg.ctaid.y : i32

      // This block's tile of each matrix: block (x, y) takes tile (row y, column x).
      %tiler = cute.make_tile() : () -> !cute.tile<"[16:1;128:1]">
      %block = cute.make_coord(%by, %bx) : (i32, i32) -> !cute.coord<"(?,?)">
      %tile_a = cute.local_tile(%a, %tiler, %block) : (!matrix, !cute.tile<"[16:1;128:1]">, !cute.coord<"(?,?)">) -> !tile
      %tile_b = cute.local_tile(%b, %tiler, %block) : (!matrix, !cute.tile<"[16:1;128:1]">, !cute.coord<"(?,?)">) -> !tile
      %tile_c = cute.local_tile(%c, %tiler, %block) : (!matrix, !cute.tile<"[16:1;128:1]">, !cute.coord<"(?,?)">) -> !tile

      // The coordinates of the tile's elements in C, cut up the same way as the data.
      %layout = cute.get_layout(%c) : !matrix
      %shape = cute.get_shape(%layout) : (!cute.layout<"(?,?):(?{i64},1)">) -> !cute.shape<"(?,?)">
      %ids = cute.make_identity_tensor(%shape) : !ids
      %tile_ids = cute.local_tile(%ids, %tiler, %block) : (!ids, !cute.tile<"[16:1;128:1]">, !cute.coord<"(?,?)">) -> !ids_tile

      // This thread's part of each.
      %atom = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f32>
      %copy = cute.make_tiled_copy(%atom) : !copy
      %thread = cute.make_coord(%tid) : (i32) -> !cute.coord<"?">
      %part_a = cute.tiled.copy.partition_S(%copy, %tile_a, %thread) : (!copy, !tile, !cute.coord<"?">) -> !part
      %part_b = cute.tiled.copy.partition_S(%copy, %tile_b, %thread) : (!copy, !tile, !cute.coord<"?">) -> !part
      %part_c = cute.tiled.copy.partition_D(%copy, %tile_c, %thread) : (!copy, !tile, !cute.coord<"?">) -> !part
      %part_ids = cute.tiled.copy.partition_S(%copy, %tile_ids, %thread) : (!copy, !ids_tile, !cute.coord<"?">) -> !ids_part

      // One predicate per float: is its coordinate inside C? The loop unrolls, so that the predicates are registers.
      %mask = cute.memref.alloca() : !mask
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c16 = arith.constant 16 : i32
      scf.for %v = %c0 to %c16 step %c1 : i32 {
        %at = cute.make_coord(%v) : (i32) -> !cute.coord<"?">
        %id = cute.slice(%part_ids, %at) : !ids_part, !cute.coord<"?">
        %crd = cute.get_iter(%id) : !cute.coord_tensor<"(?,?)", "():()">
        %inside = cute.elem_less(%crd, %shape) : !cute.arith_tuple_iter<"(?,?)">, !cute.shape<"(?,?)">
        %bit = arith.extui %inside : i1 to i8
        cute.memref.store(%mask, %at, %bit) : (!mask, !cute.coord<"?">, i8) -> ()
      }

      // Load, add in registers, store; nothing is touched where the predicate is 0.
      %reg_a = cute.memref.alloca() : !regs
      %reg_b = cute.memref.alloca() : !regs
      %reg_c = cute.memref.alloca() : !regs
      cute.copy(%copy, %part_a, %reg_a, %mask) : (!copy, !part, !regs, !mask)
      cute.copy(%copy, %part_b, %reg_b, %mask) : (!copy, !part, !regs, !mask)
      %va = cute.memref.load_vec %reg_a : !regs
      %vb = cute.memref.load_vec %reg_b : !regs
      %sum = arith.addf %va, %vb : vector<16xf32>
      cute.memref.store_vec %sum, %reg_c : !regs
      cute.copy(%copy, %reg_c, %part_c, %mask) : (!copy, !regs, !part, !mask)
      return
    }
  }

  // What the runtime calls: C = A + B on the default stream. 0 is success, else a CUresult.
  func.func @add(%a: !matrix, %b: !matrix, %c: !matrix) -> i32 attributes {llvm.emit_c_interface} {
    // As many tiles as cover C, rounded up in both modes.
    %layout = cute.get_layout(%c) : !matrix
    %shape = cute.get_shape(%layout) : (!cute.layout<"(?,?):(?{i64},1)">) -> !cute.shape<"(?,?)">
    %tiler = cute.make_tile() : () -> !cute.tile<"[16:1;128:1]">
    %extent = cute.to_int_tuple(%shape) : !cute.shape<"(?,?)"> to !cute.int_tuple<"(?,?)">
    %tiles = cute.ceil_div(%extent, %tiler) : !cute.int_tuple<"(?,?)">, !cute.tile<"[16:1;128:1]">
    %down, %across = cute.get_scalars(%tiles) : !cute.int_tuple<"(?,?)">

    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %stream = cuda.cast %c0 : i64 -> !cuda.stream
    %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%c128, %c1, %c1), dynamicSmemBytes = %c0, gridDim = (%across, %down, %c1), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
    %result = cuda.launch_ex @kernels::@add_kernel<%config> (%a, %b, %c) : !cuda.launch_cfg<max_attrs = 1>, (!matrix, !matrix, !matrix) -> !cuda.result
    %status = cuda.cast %result : !cuda.result -> i32
    return %status : i32
  }
}
