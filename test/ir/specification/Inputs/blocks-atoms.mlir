// A warp copies rows of 128 floats, in blocks of cf: two views with dynamic layouts go around, and meet where branches send them.
!p = !cute.ptr<f32, gmem>
!rows = !cute.memref<f32, gmem, "(1,4,?):(0,32,?)">
!regs = !cute.memref<f32, rmem, "(1,4):(0,1)">
gpu.module @kernels {
  cuda.kernel @copy_rows(%from: !p, %to: !p, %count: i32, %pitch: i32) attributes {cute.kernel, gpu.kernel, nvvm.reqntid = array<i32: 32, 1, 1>} {
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %atom = cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f32>
    %lane = cute.make_int_tuple(%tid) : (i32) -> !cute.int_tuple<"?">
    %shape = cute.make_shape(%count) : (i32) -> !cute.shape<"(1,4,?)">
    %stride = cute.make_stride(%pitch) : (i32) -> !cute.stride<"(0,32,?)">
    %layout = cute.make_layout(%shape, %stride) : !cute.layout<"(1,4,?):(0,32,?)">
    %p = cute.add_offset(%from, %lane) : (!p, !cute.int_tuple<"?">) -> !p
    %q = cute.add_offset(%to, %lane) : (!p, !cute.int_tuple<"?">) -> !p
    %x = cute.make_view(%p, %layout) : !rows
    %y = cute.make_view(%q, %layout) : !rows
    %regs = cute.memref.alloca() : !regs
    cf.br ^row(%x, %y : !rows, !rows)
  ^row(%in: !rows, %out: !rows):
    %left = cute.size<[2]> (%in) : (!rows) -> !cute.int_tuple<"?">
    %leaf = cute.get_leaves(%left) : !cute.int_tuple<"?">
    %n = cute.get_scalars(%leaf) : !cute.int_tuple<"?">
    %some = arith.cmpi sgt, %n, %c0 : i32
    cf.cond_br %some, ^copy, ^done
  ^copy:
    %first = cute.make_coord() : () -> !cute.coord<"(_,_,0)">
    %s = cute.slice(%in, %first) : !rows, !cute.coord<"(_,_,0)">
    %d = cute.slice(%out, %first) : !rows, !cute.coord<"(_,_,0)">
    cute.copy(%atom, %s, %regs) : (!cute_nvgpu.atom.universal_copy<f32>, !cute.memref<f32, gmem, "(1,4):(0,32)">, !regs)
    cute.copy(%atom, %regs, %d) : (!cute_nvgpu.atom.universal_copy<f32>, !regs, !cute.memref<f32, gmem, "(1,4):(0,32)">)
    %less = arith.subi %n, %c1 : i32
    %step = cute.make_int_tuple(%pitch) : (i32) -> !cute.int_tuple<"?">
    %shape1 = cute.make_shape(%less) : (i32) -> !cute.shape<"(1,4,?)">
    %layout1 = cute.make_layout(%shape1, %stride) : !cute.layout<"(1,4,?):(0,32,?)">
    %in0 = cute.get_iter(%in) : !rows
    %out0 = cute.get_iter(%out) : !rows
    %in1 = cute.add_offset(%in0, %step) : (!p, !cute.int_tuple<"?">) -> !p
    %out1 = cute.add_offset(%out0, %step) : (!p, !cute.int_tuple<"?">) -> !p
    %in2 = cute.make_view(%in1, %layout1) : !rows
    %out2 = cute.make_view(%out1, %layout1) : !rows
    cf.br ^row(%in2, %out2 : !rows, !rows)
  ^never: // no block leads here
    %z = cute.add_offset(%from, %lane) : (!p, !cute.int_tuple<"?">) -> !p
    %u = cute.make_view(%z, %layout) : !rows
    cf.br ^row(%u, %y : !rows, !rows)
  ^done:
    return
  }
}
