// A sentence says what is legal without a stray sign.
// RUN: tessera-opt %s --verify-diagnostics
// XFAIL: *
// Bug: it reads "takes one of = 8, 16, ...".

// expected-error @below {{takes one of 8, 16, 32, 64, 128 or 256 bits, but got 12}}
func.func private @f(!cute_nvgpu.atom.universal_copy<f16, 12 b>)
