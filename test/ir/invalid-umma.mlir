// The ladders of tcgen05.mma and of block scaling where ops and types state a form that there is not. Rules that ask for the target:
// pass-check-target-umma.mlir. "NoSuchUmma" is the sentence of the table (tessera/atom/UmmaForm.cpp).
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, smem, align<16>>, %i: i32, %c: i1) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma' op expects D in tmem, but got !cute.ptr<f32, smem, align<16>>}}
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c) {a_type = f16, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, smem, align<16>>, i32, i1)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma' op Scale input accumulator can only be used with f16 and tf32 types}}
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c) {a_type = f8E4M3FN, scale = 3 : i32, kind = #cute_nvgpu.mma_kind<f8f6f4>, num_cta = 1 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op Block scale is not supported for f16, tf32, f8f6f4, and i8 types}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f8E4M3FN, kind = #cute_nvgpu.mma_kind<f8f6f4>, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op ashift is not supported with tcgen05.mma.block_scale variants}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f8E4M3FN, ashift, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma' op cta_group::2 is not supported with weight stationary}}
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c) {a_type = f16, num_cta = 2 : i32, weight_stationary, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op Cannot use weight stationary with mxf8f6f4 and fp4 types}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f8E4M3FN, weight_stationary, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma' op Cannot use collector::a::use or colletor::a::fill with ashift}}
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c) {a_type = f16, ashift, collector_a = #cute_nvgpu.collector_op<fill>, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op Cannot use 2X or 4X as scale vector size for mxf8f6f4 type}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f8E4M3FN, scale_vec = #cute_nvgpu.scale_vec<x2>, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op Cannot use 1X as scale vector size for mxf4nvf4 type}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f4E2M1FN, scale_vec = #cute_nvgpu.scale_vec<x1>, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,2)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,2)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op Cannot use 1X or 4X as scale vector size for mxf4 type}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f4E2M1FN, scale_vec = #cute_nvgpu.scale_vec<x4>, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,2)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,2)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

// Block scaling: five phases, then what the types of a pair of K and vector are.
func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma' op fp4 mma should expect scaling factors}}
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c) {a_type = f4E2M1FN, kind = #cute_nvgpu.mma_kind<mxf4>, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E4M3FN, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op sfa and sfb element type mismatch}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f4E2M1FN, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E4M3FN, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f16, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op expects c type to be Float32}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f8E4M3FN, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f16, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,2)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op Scale factor vector size mismatch: 16, 32}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f4E2M1FN, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,2)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,2)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,2)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op unsupported block-scaled mma configuration: expects 32 elements per scale factor where K is 32, and 16 or 32 where it is 64 (or 96), but got 16 of 32}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f8E4M3FN, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,2)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,2)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op expects A and B element types are valid 4bit types, such asFloat4E2M1FNType or FloatNV4E0M3FType , when (atom_K=64 && vecSize=16)}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f8E4M3FN, kind = #cute_nvgpu.mma_kind<mxf4nvf4>, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E5M2, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E5M2, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op expects sfa/sfb element types to be Float8E8M0FNUType or Float8E4M3FNType when (atom_K=64 && vecSize=16)}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f4E2M1FN, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E5M2, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E5M2, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E4M3FN, tmem, align<16>, "(((32,4),4),(32,2)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E4M3FN, tmem, align<16>, "(((32,4),4),(32,2)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op expects A/B element types to be Float4E2M1FNType and sfa/sfb element types to be Float8E8M0FNUType when (atom_K=64 && vecSize=32)}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f4E2M1FN, kind = #cute_nvgpu.mma_kind<mxf4>, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E4M3FN, tmem, align<16>, "(((32,4),4),(32,2)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E4M3FN, tmem, align<16>, "(((32,4),4),(32,2)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

// Where scale factors lie: CUTLASS tmem_sf_frg. That of B for a pair of CTAs has another form too.
func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,8),8388608),(0,1))">, %sb: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op expects scale factors of A in tensor memory laid out as (((32,n),4),(32,1)):(((262144,4),8388608),(0,1)), but got (((32,4),4),(32,1)):(((262144,8),8388608),(0,1))}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f8E4M3FN, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,8),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,2),2,2),(32,1)):(((262144,4),8388608,16777216),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op expects scale factors of B in tensor memory laid out as (((32,n),4),(32,1)):(((262144,4),8388608),(0,1)) or (((32,n),2,2),(32,1)):(((262144,4),16777216,8388608),(0,1)), but got (((32,2),2,2),(32,1)):(((262144,4),8388608,16777216),(0,1))}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f8E4M3FN, num_cta = 2 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(32,1)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,2),2,2),(32,1)):(((262144,4),8388608,16777216),(0,1))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,2)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op expects 4 scale factors per row on both sides, K divided by the elements that share one, but got 2}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f4E2M1FN, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,2)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %sa: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">, %sb: !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,2)):(((262144,4),8388608),(0,1))">) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma_block_scaled' op expects 4 scale factors per row on both sides, K divided by the elements that share one, but got 2}}
  cute_nvgpu.arch.mma.SM100.umma_block_scaled(%a, %a, %d, %i, %c, %sa, %sb) {a_type = f4E2M1FN, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,4)):(((262144,4),8388608),(0,1))">, !cute.memref<f8E8M0FNU, tmem, align<16>, "(((32,4),4),(16,2)):(((262144,4),8388608),(0,1))">)
  return
}

// -----

// Atom types take the same ladder; they have one type of scale factors and one vector size.
// expected-error @below {{fp4 mma should expect scaling factors}}
func.func private @f(!cute_nvgpu.sm100.mma<128x128x64, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), frag_kind = ss, c_scale_exp = 0>)

// -----

// expected-error @below {{expects c type to be Float32}}
func.func private @f(!cute_nvgpu.sm100.mma_bs<128x128x32, num_cta = 1, ab_major = (k, k), elem_type = (f8E4M3FN, f8E4M3FN, f16), sf_type = f8E8M0FNU, frag_kind = ss, vec_size = 32>)

// -----

// expected-error @below {{unsupported block-scaled mma configuration}}
func.func private @f(!cute_nvgpu.sm100.mma_bs<128x128x32, num_cta = 1, ab_major = (k, k), elem_type = (f8E4M3FN, f8E4M3FN, f32), sf_type = f8E8M0FNU, frag_kind = ss, vec_size = 16>)

// -----

// expected-error @below {{expects A and B element types are valid 4bit types}}
func.func private @f(!cute_nvgpu.sm100.mma_bs<128x128x64, num_cta = 1, ab_major = (k, k), elem_type = (f8E4M3FN, f8E4M3FN, f32), sf_type = f8E8M0FNU, frag_kind = ss, vec_size = 16>)

// -----

// expected-error @below {{expects sfa/sfb element types to be Float8E8M0FNUType or Float8E4M3FNType}}
func.func private @f(!cute_nvgpu.sm100.mma_bs<128x128x64, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E5M2, frag_kind = ss, vec_size = 16>)

// -----

// expected-error @below {{expects A/B element types to be Float4E2M1FNType and sfa/sfb element types to be Float8E8M0FNUType}}
func.func private @f(!cute_nvgpu.sm100.mma_bs<128x128x64, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN, frag_kind = ss, vec_size = 32>)

// -----

// expected-error @below {{unsupported block-scaled mma configuration}}
func.func private @f(!cute_nvgpu.SM120.mma_bs<16x8x32, vec_size = 16, elem_type = (f8E4M3FN, f8E4M3FN, f32), sf_type = f8E8M0FNU>)

// -----

// Scale ids of the warp-level product: what ptxas 13.0 takes.
func.func @f(%r: i32, %f: f32) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM120.block_scaled' op expects the byte of a scale factor to be a multiple of 1 below 4, as the factors of a row are 1 bytes of a register, but got byte_id_a = 4}}
  %0:4 = cute_nvgpu.arch.mma.SM120.block_scaled A[%r, %r, %r, %r] B[%r, %r] C[%f, %f, %f, %f] SF[%r, %r] {shape_MNK = #cute.shape<"(16,8,32)">, a_type = f8E4M3FN, b_type = f8E4M3FN, sf_type = f8E8M0FNU, vec_size = 32 : i32, byte_id_a = 4 : i32} : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32, i32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%r: i32, %f: f32) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM120.block_scaled' op expects the byte of a scale factor to be a multiple of 2 below 4, as the factors of a row are 2 bytes of a register, but got byte_id_b = 3}}
  %0:4 = cute_nvgpu.arch.mma.SM120.block_scaled A[%r, %r, %r, %r] B[%r, %r] C[%f, %f, %f, %f] SF[%r, %r] {shape_MNK = #cute.shape<"(16,8,64)">, a_type = f4E2M1FN, b_type = f4E2M1FN, sf_type = f8E8M0FNU, vec_size = 32 : i32, byte_id_b = 3 : i32} : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32, i32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%r: i32, %f: f32) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM120.block_scaled' op expects the byte of a scale factor to be a multiple of 4 below 4, as the factors of a row are 4 bytes of a register, but got byte_id_a = 2}}
  %0:4 = cute_nvgpu.arch.mma.SM120.block_scaled A[%r, %r, %r, %r] B[%r, %r] C[%f, %f, %f, %f] SF[%r, %r] {shape_MNK = #cute.shape<"(16,8,64)">, a_type = f4E2M1FN, b_type = f4E2M1FN, sf_type = f8E4M3FN, vec_size = 16 : i32, byte_id_a = 2 : i32} : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32, i32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%r: i32, %f: f32) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM120.block_scaled' op expects thread_id_a in [0, 2): A takes its scale factors from a pair of lanes of a quad, B from one, but got 2}}
  %0:4 = cute_nvgpu.arch.mma.SM120.block_scaled A[%r, %r, %r, %r] B[%r, %r] C[%f, %f, %f, %f] SF[%r, %r] {shape_MNK = #cute.shape<"(16,8,32)">, a_type = f8E4M3FN, b_type = f8E4M3FN, sf_type = f8E8M0FNU, vec_size = 32 : i32, thread_id_a = 2 : i32} : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32, i32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%r: i32, %f: f32) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM120.block_scaled' op expects thread_id_b in [0, 4): A takes its scale factors from a pair of lanes of a quad, B from one, but got 4}}
  %0:4 = cute_nvgpu.arch.mma.SM120.block_scaled A[%r, %r, %r, %r] B[%r, %r] C[%f, %f, %f, %f] SF[%r, %r] {shape_MNK = #cute.shape<"(16,8,32)">, a_type = f8E4M3FN, b_type = f8E4M3FN, sf_type = f8E8M0FNU, vec_size = 32 : i32, thread_id_b = 4 : i32} : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32, i32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%r: i32, %f: f32) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM120.block_scaled' op unsupported block-scaled mma configuration}}
  %0:4 = cute_nvgpu.arch.mma.SM120.block_scaled A[%r, %r, %r, %r] B[%r, %r] C[%f, %f, %f, %f] SF[%r, %r] {shape_MNK = #cute.shape<"(16,8,32)">, a_type = f8E4M3FN, b_type = f8E4M3FN, sf_type = f8E8M0FNU, vec_size = 16 : i32} : (i32, i32, i32, i32, i32, i32, f32, f32, f32, f32, i32, i32) -> (f32, f32, f32, f32)
  return
}

// -----

// Copies of tensor memory: their shapes, repetitions and registers.
func.func @f(%t: !cute.ptr<f32, smem>) {
  // expected-error @below {{'cute_nvgpu.arch.copy.SM100.tmem_load' op expects src in tmem, but got !cute.ptr<f32, smem>}}
  %0 = cute_nvgpu.arch.copy.SM100.tmem_load(%t) {num_b = 32 : i32, num_dp = 32 : i32, num_rep = 1 : i32} : (!cute.ptr<f32, smem>) -> i32
  return
}

// -----

func.func @f(%t: !cute.ptr<f32, tmem>) {
  // expected-error @below {{'cute_nvgpu.arch.copy.SM100.tmem_load' op }}
  %0 = cute_nvgpu.arch.copy.SM100.tmem_load(%t) {num_b = 64 : i32, num_dp = 32 : i32, num_rep = 1 : i32} : (!cute.ptr<f32, tmem>) -> i32
  return
}

// -----

func.func @f(%t: !cute.ptr<f32, tmem>) {
  // expected-error @below {{'cute_nvgpu.arch.copy.SM100.tmem_load' op expects a power of two from 1 to 32 repetitions of SM100_TMEM_LOAD_16dp256b, but got 64}}
  %0 = cute_nvgpu.arch.copy.SM100.tmem_load(%t) {num_b = 256 : i32, num_dp = 16 : i32, num_rep = 64 : i32} : (!cute.ptr<f32, tmem>) -> i32
  return
}

// -----

func.func @f(%t: !cute.ptr<f32, tmem>, %v: vector<3xi32>) {
  // expected-error @below {{'cute_nvgpu.arch.copy.SM100.tmem_store' op expects 4 registers of 32 bits, but got 3}}
  cute_nvgpu.arch.copy.SM100.tmem_store(%t, %v) {num_b = 32 : i32, num_dp = 32 : i32, num_rep = 4 : i32} : (!cute.ptr<f32, tmem>, vector<3xi32>)
  return
}

// -----

// PTX ISA 9.7.16.10.9: .ashift stands in the syntax of A in tensor memory only, and neither it nor scale-input-d in that of .ws.
func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma' op expects A in tensor memory where ashift moves its rows, but got !cute_nvgpu.smem_desc}}
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c) {a_type = f16, ashift, num_cta = 1 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
  return
}

// -----

func.func @f(%a: !cute.ptr<f16, tmem>, %b: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma' op expects no ashift with weight_stationary}}
  cute_nvgpu.arch.mma.SM100.umma(%a, %b, %d, %i, %c) {a_type = f16, ashift, weight_stationary, num_cta = 1 : i32, scale = 0 : i32} : (!cute.ptr<f16, tmem>, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma' op expects no scale with weight_stationary: tcgen05.mma.ws has none, and takes a number after enable-input-d for a mask of zero columns}}
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c) {a_type = f16, weight_stationary, num_cta = 1 : i32, scale = 3 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %w: vector<4xi32>) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma' op expects 8 words of lanes that stay, one bit for each lane of 2 blocks, but got 4}}
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c, %w) {a_type = f16, num_cta = 2 : i32, scale = 0 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, vector<4xi32>)
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1, %w: vector<4xi32>) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma' op expects no mask of lanes with weight_stationary}}
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c, %w) {a_type = f16, num_cta = 1 : i32, scale = 0 : i32, weight_stationary} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1, vector<4xi32>)
  return
}

// -----

!mma = !cute_nvgpu.sm100.mma<128x256x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>
func.func @f(%a: !mma, %w: vector<4xi32>) {
  // expected-error @below {{expects an atom type with lane_mask = true for field disable_output_lane, but got !cute_nvgpu.sm100.mma<}}
  %0 = cute_nvgpu.atom.set_value(%a, %w : vector<4xi32>) {field = #cute_nvgpu.atom_mma_field_sm100<disable_output_lane>} : !mma
  return
}

// -----

!mma = !cute_nvgpu.sm100.mma<256x256x16, num_cta = 2, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, lane_mask = true>
func.func @f(%a: !mma, %w: vector<4xi32>) {
  // expected-error @below {{expects vector<8xi32> for field #cute_nvgpu.atom_mma_field_sm100<disable_output_lane>, but got vector<4xi32>}}
  %0 = cute_nvgpu.atom.set_value(%a, %w : vector<4xi32>) {field = #cute_nvgpu.atom_mma_field_sm100<disable_output_lane>} : !mma
  return
}

// -----

func.func @f(%a: !cute_nvgpu.smem_desc, %d: !cute.ptr<f32, tmem, align<16>>, %i: i32, %c: i1) {
  // expected-error @below {{'cute_nvgpu.arch.mma.SM100.umma' op expects a collector_buffer from 0 to 3, which B has with weight_stationary, but got 2}}
  cute_nvgpu.arch.mma.SM100.umma(%a, %a, %d, %i, %c) {a_type = f16, num_cta = 1 : i32, scale = 0 : i32, collector_a = #cute_nvgpu.collector_op<fill>, collector_buffer = 2 : i32} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, !cute.ptr<f32, tmem, align<16>>, i32, i1)
  return
}

// -----

// Qualifiers of atoms: the same rules, and what a type says of the shape. PTX ISA 9.7.16.2.1, table 39: .ws of a pair has no shape.
// expected-error @below {{CTAs may be 1}}
func.func private @f(!cute_nvgpu.sm100.mma<128x64x16, num_cta = 2, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, weight_stationary = true>)

// -----

// expected-error @below {{shape may be (32, then to 128 in steps of 64)x(64, then to 256 in steps of 128)x16}}
func.func private @f(!cute_nvgpu.sm100.mma<64x192x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, weight_stationary = true>)

// -----

// expected-error @below {{shape may be (32, then to 128 in steps of 64)x(64 or 128)x32}}
func.func private @f(!cute_nvgpu.sm100.mma_sp<64x256x32, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), e_type = i8, sparse_metadata_format = tid, frag_kind = ss, c_scale_exp = 0, weight_stationary = true>)

// -----

// expected-error @below {{weight stationary may be true}}
func.func private @f(!cute_nvgpu.sm100.mma<32x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0>)

// -----

// expected-error @below {{expects no ashift with weight_stationary}}
func.func private @f(!cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ts, c_scale_exp = 0, weight_stationary = true, ashift = true>)

// -----

// expected-error @below {{expects no c_scale_exp with weight_stationary}}
func.func private @f(!cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 1, weight_stationary = true>)

// -----

// expected-error @below {{expects no lane_mask with weight_stationary}}
func.func private @f(!cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, weight_stationary = true, lane_mask = true>)

// -----

// expected-error @below {{expects A in tensor memory where ashift moves its rows, but got SM100_MMA_F16BF16_SS<f16,f16,f32>}}
func.func private @f(!cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, ashift = true>)

// -----

// expected-error @below {{expects M = 128 or 256 where ashift moves rows of A, but got 64}}
func.func private @f(!cute_nvgpu.sm100.mma<64x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ts, c_scale_exp = 0, ashift = true>)

// -----

// expected-error @below {{expects M = 256 where ashift moves rows of a sparse A of a pair, but got 128: PTX has a syntax for it, at which SM100 stops}}
func.func private @f(!cute_nvgpu.sm100.mma_sp<128x64x32, num_cta = 2, ab_major = (k, k), elem_type = (f16, f16, f32), e_type = i8, sparse_metadata_format = tid, frag_kind = ts, c_scale_exp = 0, ashift = true>)

// -----

// expected-error @below {{Cannot use collector::a::use or colletor::a::fill with ashift}}
func.func private @f(!cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ts, c_scale_exp = 0, collector = <fill>, ashift = true>)

// -----

// expected-error @below {{expects a collector_buffer from 0 to 3, which B has with weight_stationary, but got 1}}
func.func private @f(!cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, collector = <fill>, collector_buffer = 1>)

// -----

// expected-error @below {{expects a collector_buffer from 0 to 3, which B has with weight_stationary, but got 4}}
func.func private @f(!cute_nvgpu.sm100.mma<128x64x16, num_cta = 1, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, c_scale_exp = 0, weight_stationary = true, collector = <fill>, collector_buffer = 4>)

// -----

// expected-error @below {{expects an option of this atom, but got 'ashift'}}
func.func private @f(!cute_nvgpu.sm100.mma_bs<128x128x64, num_cta = 1, ab_major = (k, k), elem_type = (f4E2M1FN, f4E2M1FN, f32), sf_type = f8E4M3FN, frag_kind = ss, vec_size = 16, ashift = true>)
