// Fragments in tensor memory: data paths and columns by the product, the CTAs and the elements. CUTLASS, tmem_frg; PTX ISA 9.7.16.10.5.
// RUN: tessera-opt %s | FileCheck %s

// Two tiles of 64 rows share columns: the second is 16 data paths further.
!m64 = !cute.tiled_mma<!cute_nvgpu.sm100.mma<64x128x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
// CHECK-LABEL: func.func @interleaved
func.func @interleaved(%m: !m64) {
  %s = cute.static : !cute.shape<"((64,128),2,1)">
  // CHECK: cute.mma.make_fragment C (%{{.*}}) : {{.*}} -> !cute.memref<f32, tmem, align<1>, "(((16,4),128),2,1):(((65536,2097152),1),1048576,0)">
  %0 = cute.mma.make_fragment C (%m, %s) : (!m64, !cute.shape<"((64,128),2,1)">)
  return
}

// With A in tensor memory they have columns of their own, and halves of A are two in a column.
!ts64 = !cute.tiled_mma<!cute_nvgpu.sm100.mma<64x128x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ts, c_scale_exp = 0>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
// CHECK-LABEL: func.func @apart
func.func @apart(%m: !ts64) {
  %c = cute.static : !cute.shape<"((64,128),2,1)">
  // CHECK: cute.mma.make_fragment C {{.*}} "(((16,4),128),2,1):(((65536,2097152),1),128,0)">
  %0 = cute.mma.make_fragment C (%m, %c) : (!ts64, !cute.shape<"((64,128),2,1)">)
  %a = cute.static : !cute.shape<"((64,16),2,4)">
  // CHECK: cute.mma.make_fragment A {{.*}} !cute.memref<f16, tmem, align<1>, "(((16,4),16),2,4):(((131072,4194304),1),16,32)">
  %1 = cute.mma.make_fragment A (%m, %a) : (!ts64, !cute.shape<"((64,16),2,4)">)
  return
}

// Sums of 16 bits have a column each.
!half = !cute.tiled_mma<!cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f16), frag_kind = ss, c_scale_exp = 0>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
// CHECK-LABEL: func.func @halves
func.func @halves(%m: !half) {
  %s = cute.static : !cute.shape<"((128,64),1,2)">
  // CHECK: cute.mma.make_fragment C {{.*}} !cute.memref<f16, tmem, align<1>, "((128,64),1,2):((131072,2),0,128)">
  %0 = cute.mma.make_fragment C (%m, %s) : (!half, !cute.shape<"((128,64),1,2)">)
  return
}

// A pair of 128 rows: each CTA has 64 of them, and the second half of N in data paths 64 to 127.
!pair = !cute.tiled_mma<!cute_nvgpu.sm100.mma<128x128x16, num_cta = 2, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
// CHECK-LABEL: func.func @pair
func.func @pair(%m: !pair) {
  %s = cute.static : !cute.shape<"((64,128),1,1)">
  // CHECK: cute.mma.make_fragment C {{.*}} "((64,(64,2)),1,1):((65536,(1,4194304)),0,0)">
  %0 = cute.mma.make_fragment C (%m, %s) : (!pair, !cute.shape<"((64,128),1,1)">)
  return
}

// With .ws parts of N lie in the data paths that M leaves, and A has a copy in each. CUTLASS, tmem_frg_ws.
!ws64 = !cute.tiled_mma<!cute_nvgpu.sm100.mma<64x128x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ts, c_scale_exp = 0, weight_stationary = true>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
!ws32 = !cute.tiled_mma<!cute_nvgpu.sm100.mma<32x256x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, weight_stationary = true>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
!ws128 = !cute.tiled_mma<!cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, weight_stationary = true>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
// CHECK-LABEL: func.func @stationary
func.func @stationary(%m: !ws64, %n: !ws32, %o: !ws128) {
  %c64 = cute.static : !cute.shape<"((64,128),2,1)">
  // CHECK: cute.mma.make_fragment C {{.*}} !cute.memref<f32, tmem, align<1>, "((64,(64,2)),2,1):((65536,(1,4194304)),64,0)">
  %0 = cute.mma.make_fragment C (%m, %c64) : (!ws64, !cute.shape<"((64,128),2,1)">)
  %a64 = cute.static : !cute.shape<"((64,16),1,4)">
  // CHECK: cute.mma.make_fragment A {{.*}} !cute.memref<f16, tmem, align<1>, "((128,16),1,4):((131072,1),0,16)">
  %1 = cute.mma.make_fragment A (%m, %a64) : (!ws64, !cute.shape<"((64,16),1,4)">)
  %c32 = cute.static : !cute.shape<"((32,256),1,1)">
  // CHECK: cute.mma.make_fragment C {{.*}} "((32,(64,4)),1,1):((65536,(1,2097152)),0,0)">
  %2 = cute.mma.make_fragment C (%n, %c32) : (!ws32, !cute.shape<"((32,256),1,1)">)
  %c128 = cute.static : !cute.shape<"((128,64),1,2)">
  // CHECK: cute.mma.make_fragment C {{.*}} "((128,64),1,2):((65536,1),0,64)">
  %3 = cute.mma.make_fragment C (%o, %c128) : (!ws128, !cute.shape<"((128,64),1,2)">)
  return
}

// With a sparse A a pair of 128 rows folds nothing: 16 rows at the beginning of each quarter of the data paths. PTX ISA 9.7.16.10.5, layout C.
!spair = !cute.tiled_mma<!cute_nvgpu.sm100.mma_sp<128x64x32, num_cta = 2, ab_major = (k, k), elem_type = (f16, f16, f32), e_type = i8, sparse_metadata_format = tid, frag_kind = ss, c_scale_exp = 0>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
!swide = !cute.tiled_mma<!cute_nvgpu.sm100.mma_sp<256x64x32, num_cta = 2, ab_major = (k, k), elem_type = (f16, f16, f32), e_type = i8, sparse_metadata_format = tid, frag_kind = ss, c_scale_exp = 0>, atom_layout_MNK = <"(1,1,1):(0,0,0)">>
// CHECK-LABEL: func.func @sparse_pair
func.func @sparse_pair(%m: !spair, %n: !swide) {
  %s = cute.static : !cute.shape<"((64,64),2,1)">
  // CHECK: cute.mma.make_fragment C {{.*}} "(((16,4),64),2,1):(((65536,2097152),1),1048576,0)">
  %0 = cute.mma.make_fragment C (%m, %s) : (!spair, !cute.shape<"((64,64),2,1)">)
  %w = cute.static : !cute.shape<"((128,64),1,1)">
  // CHECK: cute.mma.make_fragment C {{.*}} "((128,64),1,1):((65536,1),0,0)">
  %1 = cute.mma.make_fragment C (%n, %w) : (!swide, !cute.shape<"((128,64),1,1)">)
  return
}
