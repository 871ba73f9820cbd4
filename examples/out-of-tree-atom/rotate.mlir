// Each of eight threads copies its four values, rotated by one. Nothing here but the atom's name is new to Tessera.
!atom = !spin.rotate<f32, 4>
!copy = !cute.tiled_copy<!atom, layout_copy_tv = <"(8,4):(4,1)">, tiler_mn = <"[32:1]">>
!tensor = !cute.memref<f32, gmem, align<16>, "64:1">
!part = !cute.memref<f32, gmem, align<16>, "((4,1),2):((1,0),32)">
gpu.module @kernels {
  cuda.kernel @rotate(%src: !tensor, %dst: !tensor, %thread: i32) attributes {cute.kernel} {
    %atom = cute.make_atom() : () -> !atom
    %copy = cute.make_tiled_copy(%atom) : !atom -> !copy
    %t = cute.make_coord(%thread) : (i32) -> !cute.coord<"?">
    %s = cute.tiled.copy.partition_S(%copy, %src, %t) : (!copy, !tensor, !cute.coord<"?">)
    %d = cute.tiled.copy.partition_D(%copy, %dst, %t) : (!copy, !tensor, !cute.coord<"?">)
    cute.copy(%copy, %s, %d) : (!copy, !part, !part)
    cuda.return
  }
}
