// The atom of cp.async.cg copies 16 bytes (copy_atoms.tsv: SM80_CP_ASYNC_CACHEGLOBAL<uint128_t>, no other).
// RUN: tessera-opt %s --verify-diagnostics

// expected-error @below {{SM80_CP_ASYNC_CACHEGLOBAL takes 128 bits, but got 64}}
func.func private @f(!cute_nvgpu.atom.simt_async_copy<f16, cache = global, 64 b>)
