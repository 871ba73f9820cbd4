// A tensor all of whose strides come at run time, the contiguous one, too, as Helion's kernels hand it over: CuTe C++ has that stride in
// the coordinates (make_tma_copy_desc asserts that it is 1), and CuTe DSL 4.5 prints `?{i64}@0`. The box has what ordinary loads find.
// RUN: tessera-opt %s > %t.once
// RUN: tessera-opt %t.once | diff %t.once -
// RUN: FileCheck %s < %t.once
// CHECK: tma_partition({{.*}}"((512,1)):((1,0))">, !cute.coord_tensor<{{.*}}"(((64,8),1)):(((?{i64}@0,1@1),0))">
// CHECK: make_non_exec_tiled_tma_load({{.*}}!cute.coord_tensor<"(0,0)", "(?{i64},?{i64}):(1@1,?{i64}@0)">

// RUN: tessera run %s --no-cache --device sim --arch sm_90a --entry by_tma --arg rand:i8:64x256 --arg out:i8:8x64 --arg i32:2 --arg i32:3 --arg i64:256 --arg i64:1 --save 1=%t.tma.npy
// RUN: tessera run %s --no-cache --device sim --arch sm_90a --entry by_loads --arg rand:i8:64x256 --arg out:i8:8x64 --arg i32:2 --arg i32:3 --arg i64:256 --arg i64:1 --save 1=%t.loads.npy
// RUN: cmp %t.tma.npy %t.loads.npy

// There is no map of a tensor whose first mode is not contiguous after all.
// RUN: not tessera run %s --no-cache --device sim --arch sm_90a --entry by_tma --arg rand:i8:64x256 --arg out:i8:8x64 --arg i32:2 --arg i32:3 --arg i64:16 --arg i64:2 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: a tensor map expects extents of 1 to 2^32 elements, but mode 0 has 0
!map = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, i8, copy_bits = 4096, tma_gbasis = <"(64,8):(1@1,1@0)">, tma_format = U8>
!load = !cute_nvgpu.atom.tma_load<i8, copy_bits = 4096, mode = tiled, num_cta = 1, g_stride = <"()"> tma_gbasis = <"(64,8):(1@1,1@0)">>
!rows = !cute.memref<i8, gmem, align<16>, "(64,256):(256,1)">
!bytes = !cute.memref<i8, gmem, align<16>, "(?{i64},?{i64}):(?{i64},?{i64})">
!coords = !cute.coord_tensor<"(0,0)", "(?{i64},?{i64}):(1@1,?{i64}@0)">
!out = !cute.memref<i8, gmem, align<16>, "(8,64):(64,1)">
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @tile(%map: !map, %coords: !coords, %out: !out, %m: i32, %k: i32) attributes {cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c2 = arith.constant 2 : i32
      %c512 = arith.constant 512 : i32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %first = arith.cmpi eq, %tid, %c0 : i32
      %smem = cute_nvgpu.arch.get_dyn_smem() : !cute.ptr<i8, smem, align<1024>>
      %o = cute.make_int_tuple() : () -> !cute.int_tuple<"512">
      %after = cute.add_offset(%smem, %o) : (!cute.ptr<i8, smem, align<1024>>, !cute.int_tuple<"512">) -> !cute.ptr<i8, smem, align<512>>
      %bar = cute.recast_iter(%after) : !cute.ptr<i8, smem, align<512>> to !cute.ptr<i64, smem, align<512>>
      %address = builtin.unrealized_conversion_cast %bar : !cute.ptr<i64, smem, align<512>> to !llvm.ptr<3>
      scf.if %first {
        nvvm.mbarrier.init %address, %c1 : !llvm.ptr<3>, i32
        llvm.inline_asm has_side_effects asm_dialect = att "fence.mbarrier_init.release.cluster;", "" : () -> ()
      }
      nvvm.barrier0
      %box = cute.make_tile() : () -> !cute.tile<"[8:1;64:1]">
      %at = cute.make_coord(%m, %k) : (i32, i32) -> !cute.coord<"(?,?)">
      %tile = cute.local_tile(%coords, %box, %at) : (!coords, !cute.tile<"[8:1;64:1]">, !cute.coord<"(?,?)">) -> !cute.coord_tensor<"(?{i64 div=64},?{div=8})", "(8,64):(1@1,?{i64}@0)">
      %s_layout = cute.static : !cute.layout<"(8,64):(64,1)">
      %s = cute.make_view(%smem, %s_layout) : !cute.memref<i8, smem, align<1024>, "(8,64):(64,1)">
      %gs = cute.group_modes<0, 2>(%s) : (!cute.memref<i8, smem, align<1024>, "(8,64):(64,1)">) -> !cute.memref<i8, smem, align<1024>, "((8,64)):((64,1))">
      %gt = cute.group_modes<0, 2>(%tile) : (!cute.coord_tensor<"(?{i64 div=64},?{div=8})", "(8,64):(1@1,?{i64}@0)">) -> !cute.coord_tensor<"(?{i64 div=64},?{div=8})", "((8,64)):((1@1,?{i64}@0))">
      %cta = cute.static : !cute.coord<"0">
      %ctas = cute.static : !cute.layout<"1:0">
      %ps, %pt = cute_nvgpu.atom.tma_partition(%map, %cta, %ctas, %gs, %gt) : (!map, !cute.coord<"0">, !cute.layout<"1:0">, !cute.memref<i8, smem, align<1024>, "((8,64)):((64,1))">, !cute.coord_tensor<"(?{i64 div=64},?{div=8})", "((8,64)):((1@1,?{i64}@0))">)
          -> (!cute.memref<i8, smem, align<1024>, "((512,1)):((1,0))">, !cute.coord_tensor<"(?{i64 div=64},?{div=8})", "(((64,8),1)):(((?{i64}@0,1@1),0))">)
      %exec = cute_nvgpu.atom.make_exec_tma(%map) : (!map) -> !load
      %ready = cute_nvgpu.atom.set_value(%exec, %bar : !cute.ptr<i64, smem, align<512>>) {field = #cute_nvgpu.atom_copy_field_tmaload<tma_bar>} : !load
      scf.if %first {
        nvvm.mbarrier.arrive.expect_tx %address, %c512 : !llvm.ptr<3>, i32
      }
      cute.copy(%ready, %pt, %ps) : (!load, !cute.coord_tensor<"(?{i64 div=64},?{div=8})", "(((64,8),1)):(((?{i64}@0,1@1),0))">, !cute.memref<i8, smem, align<1024>, "((512,1)):((1,0))">)
      %ticks = arith.constant 10000000 : i32
      nvvm.mbarrier.try_wait.parity %address, %c0, %ticks : !llvm.ptr<3>, i32, i32
      %c32 = arith.constant 32 : i32
      scf.for %i = %tid to %c512 step %c32 : i32 {
        %x = cute.make_coord(%i) : (i32) -> !cute.coord<"?">
        %byte = cute.memref.load(%s, %x) : (!cute.memref<i8, smem, align<1024>, "(8,64):(64,1)">, !cute.coord<"?">) -> i8
        cute.memref.store(%out, %x, %byte) : (!out, !cute.coord<"?">, i8) -> ()
      }
      cuda.return
    }
    // What the tile has, by ordinary loads.
    cuda.kernel @plain(%bytes: !bytes, %out: !out, %m: i32, %k: i32) attributes {cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
      %c32 = arith.constant 32 : i32
      %c512 = arith.constant 512 : i32
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %box = cute.make_tile() : () -> !cute.tile<"[8:1;64:1]">
      %at = cute.make_coord(%m, %k) : (i32, i32) -> !cute.coord<"(?,?)">
      %tile = cute.local_tile(%bytes, %box, %at) : (!bytes, !cute.tile<"[8:1;64:1]">, !cute.coord<"(?,?)">) -> !cute.memref<i8, gmem, align<8>, "(8,64):(?{i64},?{i64})">
      scf.for %i = %tid to %c512 step %c32 : i32 {
        %x = cute.make_coord(%i) : (i32) -> !cute.coord<"?">
        %byte = cute.memref.load(%tile, %x) : (!cute.memref<i8, gmem, align<8>, "(8,64):(?{i64},?{i64})">, !cute.coord<"?">) -> i8
        cute.memref.store(%out, %x, %byte) : (!out, !cute.coord<"?">, i8) -> ()
      }
      cuda.return
    }
  }
  func.func @by_tma(%rows: !rows, %out: !out, %m: i32, %k: i32, %s0: i64, %s1: i64) -> i32 attributes {llvm.emit_c_interface} {
    %iter = cute.get_iter(%rows) : !rows
    %m64 = arith.constant 64 : i64
    %k64 = arith.constant 256 : i64
    %shape = cute.make_shape(%m64, %k64) : (i64, i64) -> !cute.shape<"(?{i64},?{i64})">
    %stride = cute.make_stride(%s0, %s1) : (i64, i64) -> !cute.stride<"(?{i64},?{i64})">
    %strided = cute.make_layout(%shape, %stride) : (!cute.shape<"(?{i64},?{i64})">, !cute.stride<"(?{i64},?{i64})">) -> !cute.layout<"(?{i64},?{i64}):(?{i64},?{i64})">
    %bytes = cute.make_view(%iter, %strided) : !bytes
    %layout = cute.static : !cute.layout<"(8,64):(64,1)">
    %box = cute.make_tile() : () -> !cute.tile<"[8:1;64:1]">
    %vmap = cute.static : !cute.layout<"(8,64):(1@0,1@1)">
    %map, %coords = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%bytes, %layout, %vmap) <{kind = <sm_90> num_multicast = 1}> : (!bytes, !cute.layout<"(8,64):(64,1)">, !cute.layout<"(8,64):(1@0,1@1)">) -> (!map, !coords)
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %smem = arith.constant 1024 : i64
    %none = arith.constant 0 : i64
    %stream = cuda.cast %none : i64 -> !cuda.stream
    %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%c32, %c1, %c1), dynamicSmemBytes = %smem, gridDim = (%c1, %c1, %c1), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
    %result = cuda.launch_ex @kernels::@tile<%config> (%map, %coords, %out, %m, %k) : !cuda.launch_cfg<max_attrs = 1>, (!map, !coords, !out, i32, i32) -> !cuda.result
    %status = cuda.cast %result : !cuda.result -> i32
    return %status : i32
  }
  func.func @by_loads(%rows: !rows, %out: !out, %m: i32, %k: i32, %s0: i64, %s1: i64) -> i32 attributes {llvm.emit_c_interface} {
    %iter = cute.get_iter(%rows) : !rows
    %m64 = arith.constant 64 : i64
    %k64 = arith.constant 256 : i64
    %shape = cute.make_shape(%m64, %k64) : (i64, i64) -> !cute.shape<"(?{i64},?{i64})">
    %stride = cute.make_stride(%s0, %s1) : (i64, i64) -> !cute.stride<"(?{i64},?{i64})">
    %strided = cute.make_layout(%shape, %stride) : (!cute.shape<"(?{i64},?{i64})">, !cute.stride<"(?{i64},?{i64})">) -> !cute.layout<"(?{i64},?{i64}):(?{i64},?{i64})">
    %bytes = cute.make_view(%iter, %strided) : !bytes
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    %none = arith.constant 0 : i64
    %stream = cuda.cast %none : i64 -> !cuda.stream
    %config = cuda.launch_cfg.create<max_attrs = 1 : i32> (blockDim = (%c32, %c1, %c1), dynamicSmemBytes = %none, gridDim = (%c1, %c1, %c1), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 1>
    %result = cuda.launch_ex @kernels::@plain<%config> (%bytes, %out, %m, %k) : !cuda.launch_cfg<max_attrs = 1>, (!bytes, !out, i32, i32) -> !cuda.result
    %status = cuda.cast %result : !cuda.result -> i32
    return %status : i32
  }
}
