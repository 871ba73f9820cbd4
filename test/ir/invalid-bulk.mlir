// What bulk copies and reductions refuse (PTX ISA 9.7.9.25.4): amounts, types, places, swizzles, runs.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{SM90_BULK_COPY_S2G takes multiples of 128 bits, but got 64}}
func.func private @f(!cute_nvgpu.atom.bulk_copy_s2g<f16 copy_bits = 64>)

// -----

// Sums of f32 go to global memory only.
// expected-error @below {{atom.bulk_reduce_s2s has no atom with reduction = add, type = f32; type may be u32, s32 or u64}}
func.func private @f(!cute_nvgpu.atom.bulk_reduce_s2s<f32 copy_bits = 128 kind = ADD>)

// -----

// expected-error @below {{atom.bulk_reduce_s2g has no atom with reduction = inc, type = s32; reduction may be add, min or max; type may be u32}}
func.func private @f(!cute_nvgpu.atom.bulk_reduce_s2g<i32 copy_bits = 128 kind = INC>)

// -----

// expected-error @below {{SM90_ST_ASYNC takes one of 32, 64 or 128 bits, but got 256}}
func.func private @f(!cute_nvgpu.atom.dsmem_store<f32, 256 b>)

// -----

// expected-error @below {{TMA has no reduction AND of f32; its elements may be b32 or b64}}
func.func private @f(!cute_nvgpu.atom.tma_reduce<f32, copy_bits = 4096, mode = tiled, kind = AND, g_stride = <"()"> tma_gbasis = <"(16,8):(1@1,1@0)">>)

// -----

// expected-error @below {{TMA has no reduction DEC of i32; its elements may be u32}}
func.func private @f(!cute_nvgpu.atom.non_exec_tiled_tma_reduce<DEC, i32, copy_bits = 4096, tma_gbasis = <"(16,8):(1@1,1@0)">>)

// -----

!load = !cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 1024>
func.func @f(%a: !load, %g: !cute.memref<f16, gmem, align<16>, "64:1">, %s: !cute.memref<f16, smem, align<128>, S<3,4,3>, "64:1">) {
  // expected-error @+1 {{dst of atom '!cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 1024>' must be without swizzle, but got !cute.memref<f16, smem, align<128>, S<3,4,3>, "64:1">: a bulk copy moves bytes in order}}
  cute.copy(%a, %g, %s) : (!load, !cute.memref<f16, gmem, align<16>, "64:1">, !cute.memref<f16, smem, align<128>, S<3,4,3>, "64:1">)
  return
}

// -----

!load = !cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 1024>
func.func @f(%a: !load, %g: !cute.memref<f16, gmem, align<16>, "((8,8)):((16,1))">, %s: !cute.memref<f16, smem, align<16>, "64:1">) {
  // expected-error @+1 {{src of atom '!cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 1024>' must be a run of 64 contiguous elements, but got ((8,8)):((16,1))}}
  cute.copy(%a, %g, %s) : (!load, !cute.memref<f16, gmem, align<16>, "((8,8)):((16,1))">, !cute.memref<f16, smem, align<16>, "64:1">)
  return
}

// -----

!load = !cute_nvgpu.atom.bulk_copy_g2s<f16 copy_bits = 1024>
func.func @f(%a: !load, %g: !cute.memref<f16, gmem, align<8>, "64:1">, %s: !cute.memref<f16, smem, align<16>, "64:1">) {
  // expected-error @+1 {{src ptr alignment (64 bits) does not meet requirement (128 bits)}}
  cute.copy(%a, %g, %s) : (!load, !cute.memref<f16, gmem, align<8>, "64:1">, !cute.memref<f16, smem, align<16>, "64:1">)
  return
}

// -----

!store = !cute_nvgpu.atom.bulk_copy_s2s<f16 copy_bits = 1024>
func.func @f(%a: !store, %g: !cute.memref<f16, gmem, align<16>, "64:1">, %s: !cute.memref<f16, smem, align<16>, "64:1">) {
  // expected-error @+1 {{must be in dsmem, but got gmem}}
  cute.copy(%a, %s, %g) : (!store, !cute.memref<f16, smem, align<16>, "64:1">, !cute.memref<f16, gmem, align<16>, "64:1">)
  return
}

// -----

// A store has no barrier: it joins a bulk group.
!store = !cute_nvgpu.atom.bulk_copy_s2g<f16 copy_bits = 1024>
func.func @f(%a: !store, %bar: !cute.ptr<i64, smem>) {
  // expected-error @+1 {{has no field #cute_nvgpu.atom_copy_field_bulks2s<tma_bar>}}
  %0 = cute_nvgpu.atom.set_value(%a, %bar : !cute.ptr<i64, smem>) {field = #cute_nvgpu.atom_copy_field_bulks2s<tma_bar>} : !store
  return
}

// -----

func.func @f(%g: !cute.ptr<f16, gmem, align<16>>, %s: !cute.ptr<f16, smem, align<16>>) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.SM90.bulk_copy_s2g' op expects a positive multiple of 16 bytes, but got 24}}
  cute_nvgpu.arch.copy.SM90.bulk_copy_s2g(%g, %s) {bytes = 24 : i32} : (!cute.ptr<f16, gmem, align<16>>, !cute.ptr<f16, smem, align<16>>)
  return
}

// -----

func.func @f(%g: !cute.ptr<f16, gmem, align<16>>, %s: !cute.ptr<f16, smem, align<16>>) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.SM90.bulk_copy_s2g' op expects dst in gmem, but got smem}}
  cute_nvgpu.arch.copy.SM90.bulk_copy_s2g(%s, %g) {bytes = 16 : i32} : (!cute.ptr<f16, smem, align<16>>, !cute.ptr<f16, gmem, align<16>>)
  return
}

// -----

func.func @f(%g: !cute.ptr<i64, gmem>, %rank: i32) {
  // expected-error @+1 {{'cute_nvgpu.arch.map_dsmem_ptr' op expects ptr in smem, but got gmem}}
  %0 = cute_nvgpu.arch.map_dsmem_ptr(%g, %rank) : (!cute.ptr<i64, gmem>) -> !cute.ptr<i64, dsmem>
  return
}

// -----

func.func @f(%d: !cute.ptr<i32, dsmem, align<16>>, %s: !cute.ptr<i32, smem, align<16>>) {
  // expected-error @+1 {{expects a barrier if, and only if, the destination is another CTA's shared memory, but got !cute.ptr<i32, dsmem, align<16>>}}
  cute_nvgpu.arch.copy.SM90.bulk_reduce(%d, %s) {bytes = 16 : i32, element = i32, kind = #cute_nvgpu.reduction_kind<ADD>} : (!cute.ptr<i32, dsmem, align<16>>, !cute.ptr<i32, smem, align<16>>)
  return
}

// -----

// No row of the tables: "NoSuchReduction".
func.func @f(%g: !cute.ptr<i32, gmem, align<16>>, %s: !cute.ptr<i32, smem, align<16>>) {
  // expected-error @+1 {{'cute_nvgpu.arch.copy.SM90.bulk_reduce' op atom.bulk_reduce_s2g has no atom with reduction = min, type = f32; reduction may be add; type may be u32, s32, u64, s64, f16 or bf16}}
  cute_nvgpu.arch.copy.SM90.bulk_reduce(%g, %s) {bytes = 16 : i32, element = f32, kind = #cute_nvgpu.reduction_kind<MIN>} : (!cute.ptr<i32, gmem, align<16>>, !cute.ptr<i32, smem, align<16>>)
  return
}

// -----

func.func @f(%d: !cute.ptr<i32, dsmem, align<16>>, %b: !cute.ptr<i64, dsmem>, %v: vector<3xi32>) {
  // expected-error @+1 {{expects 32, 64 or 128 bits for st.async, but got 96}}
  cute_nvgpu.arch.copy.SM90.dsmem_store(%d, %v, %b) : (!cute.ptr<i32, dsmem, align<16>>, vector<3xi32>, !cute.ptr<i64, dsmem>)
  return
}

// -----

// Half of a number is not a run of numbers.
!put = !cute_nvgpu.atom.dsmem_store<f64, 32 b>
func.func @f(%a: !put, %r: !cute.memref<f64, rmem, "1:1">, %d: !cute.memref<f64, dsmem, "1:1">) {
  // expected-error @+1 {{dst of atom '!cute_nvgpu.atom.dsmem_store<f64, 32 b>' has elements of 64 bits, of which its copy of 32 bits is a part: give elements of 32 bits or fewer, or an atom that copies whole elements}}
  cute.copy(%a, %r, %d) : (!put, !cute.memref<f64, rmem, "1:1">, !cute.memref<f64, dsmem, "1:1">)
  return
}
