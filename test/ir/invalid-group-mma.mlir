// Products of a warpgroup that Hopper does not have: 1-bit ones, with a sparse A, negated (PTX ISA 9.7.15.5, 9.7.15.6).
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{sm90.mma has no 64x40x256 with a = b1, b = b1, c = s32, a in = smem, bit operation = and_popc; shape may be 64x(8, 16, 24, 32, then to 256 in steps of 16)x256}}
func.func private @f(!cute_nvgpu.sm90.mma<64x40x256, ab_major = (k, k), elem_type = (i1, i1, i32), frag_kind = ss, binary_op = <and_popc>>)

// -----

// expected-error @below {{a in = smem, bit operation = xor_popc; bit operation may be and_popc}}
func.func private @f(!cute_nvgpu.sm90.mma<64x8x256, ab_major = (k, k), elem_type = (i1, i1, i32), frag_kind = ss, binary_op = <xor_popc>>)

// -----

// expected-error @below {{a in = smem; bit operation may be and_popc}}
func.func private @f(!cute_nvgpu.sm90.mma<64x8x256, ab_major = (k, k), elem_type = (i1, i1, i32), frag_kind = ss>)

// -----

// K of a sparse product is twice that of the dense one.
// expected-error @below {{sm90.mma_sp has no 64x8x16 with a = f16, b = f16, c = f32, a in = smem, metadata = tid; shape may be 64x(8 to 256 in steps of 8)x32}}
func.func private @f(!cute_nvgpu.sm90.mma_sp<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>)

// -----

// expected-error @below {{sm90.mma_sp has no 64x40x64 with a = s8, b = u8, c = s32, a in = rmem, metadata = tid; shape may be 64x(8, 16, 24, 32, then to 256 in steps of 16)x64}}
func.func private @f(!cute_nvgpu.sm90.mma_sp<64x40x64, ab_major = (k, k), elem_type = (i8, ui8, i32), frag_kind = rs>)

// -----

// expected-error @below {{b major may be k}}
func.func private @f(!cute_nvgpu.sm90.mma_sp<64x8x16, ab_major = (k, mn), elem_type = (tf32, tf32, f32), frag_kind = ss>)

// -----

// expected-error @below {{expects an option of this atom, but got 'binary_op'}}
func.func private @f(!cute_nvgpu.sm90.mma_sp<64x8x32, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss, binary_op = <and_popc>>)

// -----

// expected-error @below {{SM90_64xNx32_S32S8S8_SS_TN cannot negate an operand: expects a_neg and b_neg of products of floats only}}
func.func private @f(!cute_nvgpu.sm90.mma<64x8x32, ab_major = (k, k), elem_type = (i8, i8, i32), frag_kind = ss, a_neg>)

// -----

func.func @f(%s: !cute_nvgpu.smem_desc, %i: i32, %t: i1) {
  // expected-error @+1 {{'cute_nvgpu.arch.mma.SM90' op SM90_64xNx256_S32U1U1_SS_TN_ANDPOPC cannot negate an operand}}
  %0:4 = cute_nvgpu.arch.mma.SM90 A[%s] B[%s] C[%i, %i, %i, %i], %t {a_major = #cute_nvgpu.major<k>, a_type = i1, b_major = #cute_nvgpu.major<k>, b_type = i1, binary_op = #cute_nvgpu.binary_op<and_popc>, cd_type = i32, neg_b, shapeMNK = #cute.shape<"(64,8,256)">} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, i32, i32, i32, i32, i1) -> (i32, i32, i32, i32)
  return
}

// -----

// All threads give metadata of 8-bit elements, so that there is nothing to select; of 16-bit elements half of them do.
func.func @f(%s: !cute_nvgpu.smem_desc, %f: f32, %t: i1, %e: i32) {
  // expected-error @+1 {{'cute_nvgpu.arch.mma.SM90.sparse' op expects a sparsity selector in [0, 1) for GMMA_64xNx64_F32E4M3E4M3_SS_TN, but got 1}}
  %0:4 = cute_nvgpu.arch.mma.SM90.sparse A[%s] B[%s] C[%f, %f, %f, %f], %t, E[%e] {a_major = #cute_nvgpu.major<k>, a_type = f8E4M3FN, b_major = #cute_nvgpu.major<k>, b_type = f8E4M3FN, cd_type = f32, selector = 1 : i32, shapeMNK = #cute.shape<"(64,8,64)">} : (!cute_nvgpu.smem_desc, !cute_nvgpu.smem_desc, f32, f32, f32, f32, i1, i32) -> (f32, f32, f32, f32)
  return
}

// -----

func.func @f(%s: !cute_nvgpu.smem_desc, %f: f32, %h: vector<2xf16>, %t: i1, %e: i32) {
  // expected-error @+1 {{expects 4 registers of type b32 for operand A of GMMA_64xNx32_F32F16F16_RS, but got 1}}
  %0:4 = cute_nvgpu.arch.mma.SM90.sparse A[%h] B[%s] C[%f, %f, %f, %f], %t, E[%e] {a_major = #cute_nvgpu.major<k>, a_type = f16, b_major = #cute_nvgpu.major<k>, b_type = f16, cd_type = f32, shapeMNK = #cute.shape<"(64,8,32)">} : (vector<2xf16>, !cute_nvgpu.smem_desc, f32, f32, f32, f32, i1, i32) -> (f32, f32, f32, f32)
  return
}

// -----

// Metadata is a field of sparse atoms only.
!mma = !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>
func.func @f(%m: !mma, %e: i32) {
  // expected-error @+1 {{has no field #cute_nvgpu.atom_mma_field_sm90_sparse<e>}}
  %0 = cute_nvgpu.atom.set_value(%m, %e : i32) {field = #cute_nvgpu.atom_mma_field_sm90_sparse<e>} : !mma
  return
}
