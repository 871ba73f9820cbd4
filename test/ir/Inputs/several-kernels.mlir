!x = !cute.memref<f32, gmem, align<16>, "(4,128):(1,4)">
!row = !cute.memref<f32, gmem, align<16>, "(4):(1)">
!r = !cute.memref<f32, rmem, align<16>, "(4):(1)">
!copy = !cute_nvgpu.atom.universal_copy<f32, 128 b>
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @scale_2(%x: !x, %y: !x) attributes {cute.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %c = cute.make_coord(%tid) : (i32) -> !cute.coord<"(_,?)">
      %xt = cute.slice(%x, %c) : !x, !cute.coord<"(_,?)">
      %yt = cute.slice(%y, %c) : !x, !cute.coord<"(_,?)">
      %r = cute.memref.alloca() : !r
      %atom = cute.make_atom() : () -> !copy
      cute.copy(%atom, %xt, %r) : (!copy, !row, !r)
      %v = cute.memref.load_vec %r : !r
      %k = arith.constant dense<2.0> : vector<4xf32>
      %w = arith.mulf %v, %k : vector<4xf32>
      cute.memref.store_vec %w, %r : !r
      cute.copy(%atom, %r, %yt) : (!copy, !r, !row)
      return
    }
    cuda.kernel @scale_4(%x: !x, %y: !x) attributes {cute.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %c = cute.make_coord(%tid) : (i32) -> !cute.coord<"(_,?)">
      %xt = cute.slice(%x, %c) : !x, !cute.coord<"(_,?)">
      %yt = cute.slice(%y, %c) : !x, !cute.coord<"(_,?)">
      %r = cute.memref.alloca() : !r
      %atom = cute.make_atom() : () -> !copy
      cute.copy(%atom, %xt, %r) : (!copy, !row, !r)
      %v = cute.memref.load_vec %r : !r
      %k = arith.constant dense<4.0> : vector<4xf32>
      %w = arith.mulf %v, %k : vector<4xf32>
      cute.memref.store_vec %w, %r : !r
      cute.copy(%atom, %r, %yt) : (!copy, !r, !row)
      return
    }
    cuda.kernel @scale_8(%x: !x, %y: !x) attributes {cute.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %c = cute.make_coord(%tid) : (i32) -> !cute.coord<"(_,?)">
      %xt = cute.slice(%x, %c) : !x, !cute.coord<"(_,?)">
      %yt = cute.slice(%y, %c) : !x, !cute.coord<"(_,?)">
      %r = cute.memref.alloca() : !r
      %atom = cute.make_atom() : () -> !copy
      cute.copy(%atom, %xt, %r) : (!copy, !row, !r)
      %v = cute.memref.load_vec %r : !r
      %k = arith.constant dense<8.0> : vector<4xf32>
      %w = arith.mulf %v, %k : vector<4xf32>
      cute.memref.store_vec %w, %r : !r
      cute.copy(%atom, %r, %yt) : (!copy, !r, !row)
      return
    }
    cuda.kernel @scale_16(%x: !x, %y: !x) attributes {cute.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      %tid = nvvm.read.ptx.sreg.tid.x : i32
      %c = cute.make_coord(%tid) : (i32) -> !cute.coord<"(_,?)">
      %xt = cute.slice(%x, %c) : !x, !cute.coord<"(_,?)">
      %yt = cute.slice(%y, %c) : !x, !cute.coord<"(_,?)">
      %r = cute.memref.alloca() : !r
      %atom = cute.make_atom() : () -> !copy
      cute.copy(%atom, %xt, %r) : (!copy, !row, !r)
      %v = cute.memref.load_vec %r : !r
      %k = arith.constant dense<16.0> : vector<4xf32>
      %w = arith.mulf %v, %k : vector<4xf32>
      cute.memref.store_vec %w, %r : !r
      cute.copy(%atom, %r, %yt) : (!copy, !r, !row)
      return
    }
  }
  func.func @host(%n: !cute.shape<"(?,8)">) -> i32 {
    %s = cute.size(%n) : (!cute.shape<"(?,8)">) -> !cute.int_tuple<"?{div=8}">
    %i = cute.get_scalars(%s) : !cute.int_tuple<"?{div=8}">
    return %i : i32
  }
}
