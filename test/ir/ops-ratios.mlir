// Scale factors of a block-scaled product, which TMA loads as 16-bit numbers: maps, coordinates and partitions with strides 1/2@0.
// RUN: tessera-opt %s | FileCheck %s
// RUN: tessera-opt %s --mlir-print-op-generic | tessera-opt | FileCheck %s
!g = !cute.memref<f8E8M0FNU, gmem, align<16>, "(((32,4),?),((16,4),?),(1,?)):(((16,4),?{div=512}),((0,1),512),(0,?{div=512}))">
!a = !cute_nvgpu.atom.non_exec_tiled_tma_load<sm_90, f8E8M0FNU, copy_bits = 4096, tma_gbasis = <"((2,4,32),1,1,1):((1@1@0@1,1@1@0@0,1@0@0@0),1@1@0,1@1@1,1@1@2)">, tma_format = U16>
!c = !cute.coord_tensor<"(0,0,0,0)", "(((32,4),?),((16,4),?),(1,?)):(((8@0,2@0),1@1),((0,1/2@0),1@2),(0,1@3))">
// Layouts as CuTe C++ has them (test/atom/TmaTilingTest.cpp).
// CHECK-LABEL: @map
// CHECK: cute_nvgpu.atom.make_non_exec_tiled_tma_load
func.func @map(%t: !g) -> !c {
  %s = cute.static : !cute.layout<"(((32,4),1),((16,4),1)):(((16,4),0),((0,1),0))">
  %v = cute.static : !cute.layout<"(((32,4),1),((16,4),1)):(((1@0@0@0,1@1@0@0),1@1@0),((1@0@0@1,1@1@0@1),1@1@1))">
  %map, %coords = cute_nvgpu.atom.make_non_exec_tiled_tma_load(%t, %s, %v) <{kind = <sm_90> num_multicast = 1 internal_type = i16}> : (!g, !cute.layout<"(((32,4),1),((16,4),1)):(((16,4),0),((0,1),0))">, !cute.layout<"(((32,4),1),((16,4),1)):(((1@0@0@0,1@1@0@0),1@1@0),((1@0@0@1,1@1@0@1),1@1@1))">) -> (!a, !c)
  return %coords : !c
}
// The partition is 512 bytes, 256 pairs; CuTe DSL takes out the modes of stride 0, in which one factor serves 16 elements.
// CHECK-LABEL: @part
func.func @part(%map: !a, %coords: !c, %i: i32, %sm: !cute.memref<f8E8M0FNU, smem, align<1024>, "((((32,4),1),((16,4),1)),2):((((16,4),0),((0,1),0)),512)">) -> !cute.coord_tensor<"(0,0,?,0)", "((512,1)):((1/2@0,0))"> {
  %tile = cute.make_tile() : () -> !cute.tile<"[((32,4),1):((1,32),0);((16,4),1):((1,16),0)]">
  %d = cute.zipped_divide(%coords, %tile) : (!c, !cute.tile<"[((32,4),1):((1,32),0);((16,4),1):((1,16),0)]">) -> !cute.coord_tensor<"(0,0,0,0)", "((((32,4),1),((16,4),1)),(?,?,(1,?))):((((8@0,2@0),0),((0,1/2@0),0)),(1@1,1@2,(0,1@3)))">
  %cta = cute.static : !cute.coord<"0">
  %ctas = cute.static : !cute.layout<"1:0">
  // CHECK: cute_nvgpu.atom.tma_partition{{.*}} -> (!cute.memref<f8E8M0FNU, smem, align<1024>, "((512,16),2):((1,0),512)">, !cute.coord_tensor<"(0,0,0,0)", "((512,16),(?,?,(1,?))):((1/2@0,0),(1@1,1@2,(0,1@3)))">)
  %ps, %pt = cute_nvgpu.atom.tma_partition(%map, %cta, %ctas, %sm, %d) : (!a, !cute.coord<"0">, !cute.layout<"1:0">, !cute.memref<f8E8M0FNU, smem, align<1024>, "((((32,4),1),((16,4),1)),2):((((16,4),0),((0,1),0)),512)">, !cute.coord_tensor<"(0,0,0,0)", "((((32,4),1),((16,4),1)),(?,?,(1,?))):((((8@0,2@0),0),((0,1/2@0),0)),(1@1,1@2,(0,1@3)))">)
    -> (!cute.memref<f8E8M0FNU, smem, align<1024>, "((512,16),2):((1,0),512)">, !cute.coord_tensor<"(0,0,0,0)", "((512,16),(?,?,(1,?))):((1/2@0,0),(1@1,1@2,(0,1@3)))">)
  // CHECK: cute.filter_zeros{{.*}} -> !cute.memref<f8E8M0FNU, smem, align<1024>, "((512,1),2):((1,0),512)">
  %fs = cute.filter_zeros(%ps) : (!cute.memref<f8E8M0FNU, smem, align<1024>, "((512,16),2):((1,0),512)">) -> !cute.memref<f8E8M0FNU, smem, align<1024>, "((512,1),2):((1,0),512)">
  // CHECK: cute.filter_zeros{{.*}} -> !cute.coord_tensor<"(0,0,0,0)", "((512,1),(?,?,(1,?))):((1/2@0,0),(1@1,1@2,(0,1@3)))">
  %fc = cute.filter_zeros(%pt) : (!cute.coord_tensor<"(0,0,0,0)", "((512,16),(?,?,(1,?))):((1/2@0,0),(1@1,1@2,(0,1@3)))">) -> !cute.coord_tensor<"(0,0,0,0)", "((512,1),(?,?,(1,?))):((1/2@0,0),(1@1,1@2,(0,1@3)))">
  %at = cute.make_coord(%i) : (i32) -> !cute.coord<"(_,(0,?,(0,0)))">
  %one = cute.slice(%fc, %at) : !cute.coord_tensor<"(0,0,0,0)", "((512,1),(?,?,(1,?))):((1/2@0,0),(1@1,1@2,(0,1@3)))">, !cute.coord<"(_,(0,?,(0,0)))">
  // CHECK: return %{{.*}} : !cute.coord_tensor<"(0,0,?,0)", "((512,1)):((1/2@0,0))">
  return %one : !cute.coord_tensor<"(0,0,?,0)", "((512,1)):((1/2@0,0))">
}
