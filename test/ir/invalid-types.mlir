// Notation and types that do not verify. The sentences up to the pointers are those of the public dialect
// (section 1.2 of the facts and its list of diagnostics).
// RUN: tessera-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{failed to parse layout from "(1,"}}
func.func private @f(!cute.layout<"(1,">)

// -----

// expected-error @below {{failed to parse shape from "(1,,2)"}}
func.func private @f(!cute.shape<"(1,,2)">)

// -----

// expected-error @below {{failed to parse int_tuple from "_"}}
func.func private @f(!cute.int_tuple<"_">)

// -----

// expected-error @below {{failed to parse coord from ""}}
func.func private @f(!cute.coord<"">)

// -----

// expected-error @below {{failed to parse stride from "?@"}}
func.func private @f(!cute.stride<"?@">)

// -----

// expected-error @below {{failed to parse tile from "[4:1;"}}
func.func private @f(!cute.tile<"[4:1;">)

// -----

// expected-error @below {{failed to parse swizzle from "S<1,0>"}}
func.func private @f(!cute.swizzle<"S<1,0>">)

// -----

// expected-error @below {{failed to parse composed_layout from "(8,4):(1,8)": it is a plain layout, use !cute.layout}}
func.func private @f(!cute.composed_layout<"(8,4):(1,8)">)

// -----

// expected-error @below {{failed to parse int_tuple from "?{unknown}"}}
func.func private @f(!cute.int_tuple<"?{unknown}">)

// -----

// expected-error @below {{the number does not fit 64 bits}}
func.func private @f(!cute.int_tuple<"99999999999999999999">)

// -----

// expected-error @below {{a scaled basis may be 7 modes deep and name modes up to 254}}
func.func private @f(!cute.stride<"1@0@1@2@3@4@5@6@7@8@9@1@2@3@4@5@6@7">)

// -----

// expected-error @below {{expects positive shape mode, but got "(0,3):(1,2)"}}
func.func private @f(!cute.layout<"(0,3):(1,2)">)

// -----

// expected-error @below {{expects shape and stride profile to match, but got "(2,3)" and "(1,(2,3))"}}
func.func private @f(!cute.layout<"(2,3):(1,(2,3))">)

// -----

// expected-error @below {{expects strides to be either all-integer or all-scaled-basis (zero integers allowed when mixed), but got "(0,1@0,2)"}}
func.func private @f(!cute.layout<"(2,3,4):(0,1@0,2)">)

// -----

// expected-error @below {{expects scaled-basis paths to agree on mode-index depth (no path may terminate at a node that another path continues through), but got "(1@0,1@1@0)"}}
func.func private @f(!cute.layout<"(2,3):(1@0,1@1@0)">)

// -----

// expected-error @below {{failed to parse swizzle from "S<3,4,2>": expects |num_shift| >= num_bits, but got "S<3,4,2>"}}
func.func private @f(!cute.swizzle<"S<3,4,2>">)

// -----

// expected-error @below {{failed to parse swizzle from "S<5,29,5>": expects |num_shift| + num_bits + num_base <= 32, but got "S<5,29,5>"}}
func.func private @f(!cute.swizzle<"S<5,29,5>">)

// -----

// expected-error @below {{swizzle layout expects scalar `offset` and `outer` without scaled basis, but got 0 and (4,2):(1@0,1@1)}}
func.func private @f(!cute.composed_layout<"S<3,4,3> o 0 o (4,2):(1@0,1@1)">)

// -----

// expected-error @below {{expects arith sum of `layout_eval(0, outer)` and `offset` to be scalar or weakly congruent to inner shape, but got sum (1,2,3) and inner shape (4,5)}}
func.func private @f(!cute.composed_layout<"(4,5):(1,4) o (1,2,3) o (2,3):(1@0,1@1)">)

// -----

// expected-error @below {{expects a positive divisor, but got 0}}
func.func private @f(!cute.i32<divby 0>)

// -----

// expected-error @below {{expects a divisor of 32 or 64 bits, but got 16}}
func.func private @f(!cute.fast_divmod_divisor<16>)

// -----

// expected-error @below {{expects the alignment to be a power of two, but got 12}}
func.func private @f(!cute.ptr<f32, gmem, align<12>>)

// -----

// expected-error @below {{expects an address space generic, gmem, smem, rmem, tmem or dsmem, but got 'global'}}
func.func private @f(!cute.ptr<f32, global>)

// -----

// expected-error @below {{expects |num_shift| >= num_bits, but got "S<3,4,2>"}}
func.func private @f(!cute.ptr<f16, smem, align<16>, S<3,4,2>>)

// -----

// expected-error @below {{expects a copy atom, but got 'f32'}}
func.func private @f(!cute.tiled_copy<f32, layout_copy_tv = <"(2,2):(1,2)">, tiler_mn = <"[2:1;2:1]">>)

// -----

// expected-error @below {{expects layout_copy_tv to have two modes, thread and value, but got "4:1"}}
func.func private @f(!cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f32>, layout_copy_tv = <"4:1">, tiler_mn = <"[2:1;2:1]">>)

// -----

// expected-error @below {{expects an MMA atom, but got 'f32'}}
func.func private @f(!cute.tiled_mma<f32, atom_layout_MNK = <"(1,1,1):(0,0,0)">>)

// -----

// expected-error @below {{expects atom_layout_MNK to have three modes, but got "(2,2):(1,2)"}}
func.func private @f(!cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32)>, atom_layout_MNK = <"(2,2):(1,2)">>)

// -----

// expected-error @below {{expects permutation_MNK to have at most three modes}}
func.func private @f(!cute.tiled_mma<!cute_nvgpu.sm80.mma<16x8x16, elem_type = (f16, f16, f32)>, atom_layout_MNK = <"(1,1,1):(0,0,0)">, permutation_MNK = <"[1:1;1:1;1:1;1:1]">>)

// -----

// expected-error @below {{expects room for 0 or more attributes, but got -1}}
func.func private @f(!cuda.launch_cfg<max_attrs = -1>)

// -----

// Positive leaves: a shape, stride or coordinate may hold any numbers, as tuple arithmetic makes them; what makes coordinates of
// a shape refuses.
func.func private @f(!cute.stride<"(0,-4)">, !cute.coord<"(0,-4)">, !cute.shape<"(0,-4)">)
func.func private @a() attributes {a = #cute.shape<"-1">}
func.func @g(%s: !cute.shape<"(8,(?,0))">) {
  // expected-error @+2 {{expects positive shape mode, but got "(8,(?,0))"}}
  // expected-error @+1 {{'cute.make_identity_layout' op failed to infer returned types}}
  %0 = cute.make_identity_layout(%s) : !cute.shape<"(8,(?,0))"> -> !cute.layout<"(8,(?,4)):(1@0,(1@0@1,1@1@1))">
  return
}
