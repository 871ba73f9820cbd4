// Atoms, tiled copies and MMAs, partitions, fragments, and what executes them. "Oracle N" is configuration N of tiled.tsv
// (CuTe C++); alignments are worked out by hand.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --mlir-print-op-generic | tessera-opt | FileCheck %s

// Oracle 38: 16-byte copies of f16, 16x8 threads.
!copy16 = !cute_nvgpu.atom.universal_copy<f16, 128 b>
!tiled_copy = !cute.tiled_copy<!copy16, layout_copy_tv = <"((8,16),8):((128,1),16)">, tiler_mn = <"[16:1;64:1]">>
!gA = !cute.memref<f16, gmem, align<16>, "(64,64):(64,1)">
!sA = !cute.memref<f16, smem, align<128>, "(64,64):(1,64)">

// CHECK-LABEL: @tiled_copy
func.func @tiled_copy(%g: !gA, %s: !sA, %five: !cute.coord<"5">, %t: !cute.coord<"?">) {
  // CHECK: cute.make_atom() : () -> !cute_nvgpu.atom.universal_copy<f16, 128 b>
  %atom = cute.make_atom() : () -> !copy16
  // CHECK: cute.make_tiled_copy(%{{.*}}) : !cute_nvgpu.atom.universal_copy<f16, 128 b> -> !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 128 b>, layout_copy_tv = <"((8,16),8):((128,1),16)">, tiler_mn = <"[16:1;64:1]">>
  %copy = cute.make_tiled_copy(%atom) : !copy16 -> !tiled_copy
  // Thread 5 begins at element 40, byte 80: aligned to 16.
  // CHECK: cute.tiled.copy.partition_S(%{{.*}}, %{{.*}}, %{{.*}}) : {{.*}} -> !cute.memref<f16, gmem, align<16>, "((8,1),4,1):((1,0),1024,0)">
  %0 = cute.tiled.copy.partition_S(%copy, %g, %five) : (!tiled_copy, !gA, !cute.coord<"5">)
  // Column-major, any thread: its row may be odd, so only one element of alignment is left.
  // CHECK: cute.tiled.copy.partition_D(%{{.*}}, %{{.*}}, %{{.*}}) : {{.*}} -> !cute.memref<f16, smem, "((8,1),4,1):((64,0),16,0)">
  %1 = cute.tiled.copy.partition_D(%copy, %s, %t) : (!tiled_copy, !sA, !cute.coord<"?">)
  return
}

// Oracle 1: 2x2 warps of m16n8k16.
!mma16 = !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >
!tiled_mma = !cute.tiled_mma<!mma16, atom_layout_MNK = <"(2,2,1):(1,2,0)">>
!mA = !cute.memref<f16, gmem, align<16>, "(64,32):(32,1)">
!mC = !cute.memref<f32, gmem, align<16>, "(64,64):(64,1)">

// CHECK-LABEL: @tiled_mma
func.func @tiled_mma(%a: !mA, %c: !mC, %t: !cute.coord<"127">, %sh: !cute.shape<"(64,64)">) {
  %atom = cute.make_atom() : () -> !mma16
  // CHECK: cute.make_tiled_mma(%{{.*}}) : !cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) > -> !cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >, atom_layout_MNK = <"(2,2,1):(1,2,0)">>
  %mma = cute.make_tiled_mma(%atom) : !mma16 -> !tiled_mma
  // Thread 127 begins at element 742, byte 1484 = 4 * 371.
  // CHECK: cute.tiled.mma.partition A (%{{.*}}, %{{.*}}, %{{.*}}) : {{.*}} -> !cute.memref<f16, gmem, align<4>, "((2,2,2),2,2):((1,256,8),1024,16)">
  %pa = cute.tiled.mma.partition A (%mma, %a, %t) : (!tiled_mma, !mA, !cute.coord<"127">)
  // Element 486, byte 972 = 4 * 243.
  // CHECK: cute.tiled.mma.partition B (%{{.*}}, %{{.*}}, %{{.*}}) : {{.*}} -> !cute.memref<f16, gmem, align<4>, "((2,2),4,2):((1,8),512,16)">
  %pb = cute.tiled.mma.partition B (%mma, %a, %t) : (!tiled_mma, !mA, !cute.coord<"127">)
  // Element 1486 of f32, byte 5944 = 8 * 743.
  // CHECK: cute.tiled.mma.partition C (%{{.*}}, %{{.*}}, %{{.*}}) : {{.*}} -> !cute.memref<f32, gmem, align<8>, "((2,2),2,4):((1,512),2048,16)">
  %pc = cute.tiled.mma.partition C (%mma, %c, %t) : (!tiled_mma, !mC, !cute.coord<"127">)
  // CHECK: cute.tiled.mma.partition_shape C (%{{.*}}, %{{.*}}) : {{.*}} -> !cute.shape<"((2,2),2,4)">
  %psh = cute.tiled.mma.partition_shape C (%mma, %sh) : (!tiled_mma, !cute.shape<"(64,64)">)
  // 8 halves of A, 4 of B, 4 floats of C at once: 16, 8 and 16 bytes.
  // CHECK: cute.mma.make_fragment A (%{{.*}}, %{{.*}}) : {{.*}} -> !cute.memref<f16, rmem, align<16>, "((2,2,2),2,2):((1,2,4),16,8)">
  %fa = cute.mma.make_fragment A (%mma, %pa) : (!tiled_mma, !cute.memref<f16, gmem, align<4>, "((2,2,2),2,2):((1,256,8),1024,16)">)
  // CHECK: cute.mma.make_fragment B (%{{.*}}, %{{.*}}) : {{.*}} -> !cute.memref<f16, rmem, align<8>, "((2,2),4,2):((1,2),8,4)">
  %fb = cute.mma.make_fragment B (%mma, %pb) : (!tiled_mma, !cute.memref<f16, gmem, align<4>, "((2,2),4,2):((1,8),512,16)">)
  // CHECK: cute.mma.make_fragment C (%{{.*}}, %{{.*}}) : {{.*}} -> !cute.memref<f32, rmem, align<16>, "((2,2),2,4):((1,2),4,8)">
  %fc = cute.mma.make_fragment C (%mma, %psh) : (!tiled_mma, !cute.shape<"((2,2),2,4)">)
  // CHECK: cute.gemm(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!cute.tiled_mma<{{.*}}>, !cute.memref<f32, rmem, align<16>, "((2,2),2,4):((1,2),4,8)">, !cute.memref<f16, rmem, align<16>, "((2,2,2),2,2):((1,2,4),16,8)">, !cute.memref<f16, rmem, align<8>, "((2,2),4,2):((1,2),8,4)">, !cute.memref<f32, rmem, align<16>, "((2,2),2,4):((1,2),4,8)">)
  cute.gemm(%mma, %fc, %fa, %fb, %fc) : (!tiled_mma, !cute.memref<f32, rmem, align<16>, "((2,2),2,4):((1,2),4,8)">,
    !cute.memref<f16, rmem, align<16>, "((2,2,2),2,2):((1,2,4),16,8)">, !cute.memref<f16, rmem, align<8>, "((2,2),4,2):((1,2),8,4)">,
    !cute.memref<f32, rmem, align<16>, "((2,2),2,4):((1,2),4,8)">)
  return
}

// Oracle 54: ldmatrix.x4 for A of the same, permutation (32,32,16).
!ldsm = !cute_nvgpu.atom.ldsm<val_type = f16, mode = <"(8,8)">, sz_pattern = u16, num_matrices = 4, n>
!ldsm_copy = !cute.tiled_copy<!ldsm, layout_copy_tv = <"((4,8,2,2),((2,2,2),(1,1))):((64,1,16,0),((32,8,256),(0,0)))">, tiler_mn = <"[32:1;16:1]">>

// CHECK-LABEL: @retile
func.func @retile(%copy: !ldsm_copy, %f: !cute.memref<f16, rmem, align<16>, "((2,2,2),2,2):((1,2,4),8,16)">,
                  %s: !cute.memref<f16, smem, align<16>, "(64,32):(32,1)">, %t: !cute.coord<"127">) {
  // CHECK: cute.tiled.copy.retile(%{{.*}}, %{{.*}}) : {{.*}} -> !cute.memref<f16, rmem, align<16>, "((8,1),2,2):((1,0),8,16)">
  %0 = cute.tiled.copy.retile(%copy, %f) : (!ldsm_copy, !cute.memref<f16, rmem, align<16>, "((2,2,2),2,2):((1,2,4),8,16)">)
  // CHECK: cute.tiled.copy.partition_S{{.*}} -> !cute.memref<f16, smem, align<16>, "((8,1),2,2):((1,0),1024,16)">
  %1 = cute.tiled.copy.partition_S(%copy, %s, %t) : (!ldsm_copy, !cute.memref<f16, smem, align<16>, "(64,32):(32,1)">, !cute.coord<"127">)
  // CHECK: cute.copy(%{{.*}}, %{{.*}}, %{{.*}}) : (!cute.tiled_copy<{{.*}}>, !cute.memref<f16, smem, {{.*}}>, !cute.memref<f16, rmem, {{.*}}>)
  cute.copy(%copy, %1, %0) : (!ldsm_copy, !cute.memref<f16, smem, align<16>, "((8,1),2,2):((1,0),1024,16)">, !cute.memref<f16, rmem, align<16>, "((8,1),2,2):((1,0),8,16)">)
  return
}

!v8g = !cute.memref<f16, gmem, align<16>, "((8,1)):((1,0))">
!v8r = !cute.memref<f16, rmem, align<16>, "((8,1)):((1,0))">

// CHECK-LABEL: @calls
func.func @calls(%copy: !copy16, %mma: !mma16, %g: !v8g, %r: !v8r, %pred: !cute.memref<i1, rmem, "(1):(0)">,
                 %d: !cute.memref<f32, rmem, align<16>, "((2,2)):((1,2))">, %a: !cute.memref<f16, rmem, align<16>, "((2,2,2)):((1,2,4))">,
                 %b: !cute.memref<f16, rmem, align<8>, "((2,2)):((1,2))">, %bulk: !cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 128>) {
  // CHECK: cute.copy_atom_call(%{{.*}}, %{{.*}}, %{{.*}}) : (!cute_nvgpu.atom.universal_copy<f16, 128 b>, !cute.memref<f16, gmem, align<16>, "((8,1)):((1,0))">, !cute.memref<f16, rmem, align<16>, "((8,1)):((1,0))">)
  cute.copy_atom_call(%copy, %g, %r) : (!copy16, !v8g, !v8r)
  // CHECK: cute.copy_atom_call(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : ({{.*}}, !cute.memref<i1, rmem, "(1):(0)">)
  cute.copy_atom_call(%copy, %g, %r, %pred) : (!copy16, !v8g, !v8r, !cute.memref<i1, rmem, "(1):(0)">)
  // CHECK: cute.mma_atom_call(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) : (!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32) >,
  cute.mma_atom_call(%mma, %d, %a, %b, %d) : (!mma16, !cute.memref<f32, rmem, align<16>, "((2,2)):((1,2))">, !cute.memref<f16, rmem, align<16>, "((2,2,2)):((1,2,4))">,
    !cute.memref<f16, rmem, align<8>, "((2,2)):((1,2))">, !cute.memref<f32, rmem, align<16>, "((2,2)):((1,2))">)
  // A bulk copy is a prefetch atom too; a plain one is not.
  // CHECK: cute.prefetch_atom_call(%{{.*}}, %{{.*}}) : (!cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 128>, !cute.memref<f16, gmem, align<16>, "((8,1)):((1,0))">)
  cute.prefetch_atom_call(%bulk, %g) : (!cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 128>, !v8g)
  // CHECK: cute.prefetch(%{{.*}}, %{{.*}}) : (!cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 128>, !cute.memref<f16, gmem, align<16>, "((8,1)):((1,0))">)
  cute.prefetch(%bulk, %g) : (!cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 128>, !v8g)
  return
}
