// Inline PTX is read by the parser of PTX: comments, declarations and labels are not instructions, everything else must be in the table.
// RUN: tessera-opt %s --split-input-file --tessera-check-target=arch=sm_80 --verify-diagnostics -o /dev/null

gpu.module @comments {
  cuda.kernel @k() attributes {cute.kernel} {
    llvm.inline_asm has_side_effects "// wgmma.fence.sync.aligned;", "" : () -> ()
    llvm.inline_asm has_side_effects "/* wgmma.fence.sync.aligned; */ bar.sync 0;", "" : () -> ()
    llvm.inline_asm has_side_effects ".pragma \22wgmma.fence.sync.aligned;\22;", "" : () -> ()
    // expected-error @+1 {{'llvm.inline_asm' op wgmma needs sm_90a, but the target is sm_80: 'wgmma.fence.sync.aligned'}}
    llvm.inline_asm has_side_effects "/* first */ wgmma.fence.sync.aligned;", "" : () -> ()
    // expected-error @+1 {{'llvm.inline_asm' op wgmma needs sm_90a, but the target is sm_80: 'wgmma.fence.sync.aligned'}}
    llvm.inline_asm has_side_effects "// a; comment\0Awgmma.fence.sync.aligned;", "" : () -> ()
    return
  }
}

// -----

gpu.module @nested {
  cuda.kernel @k(%c: i1, %i: i32) attributes {cute.kernel} {
    scf.if %c {
      // expected-error @+1 {{'llvm.inline_asm' op griddepcontrol (programmatic dependent launch) needs sm_90 or later, but the target is sm_80: 'griddepcontrol.wait'}}
      llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, $0, 0; wait: @p griddepcontrol.wait; }", "r" %i : (i32) -> ()
    }
    return
  }
}

// -----

// Operands and special registers count too.
gpu.module @operands {
  cuda.kernel @k(%x: f32) attributes {cute.kernel} {
    %0 = llvm.inline_asm "max.f32 $0, $1, $1;", "=f,f" %x : (f32) -> f32
    // expected-error @+1 {{'llvm.inline_asm' op minimum and maximum of three f32 needs sm_100 or later, but the target is sm_80: 'max.f32'}}
    %1 = llvm.inline_asm "max.f32 $0, $1, $1, $1;", "=f,f" %x : (f32) -> f32
    %2 = llvm.inline_asm "mov.u32 $0, %tid.x;", "=r" : () -> i32
    // expected-error @+1 {{'llvm.inline_asm' op thread block clusters (special registers, mapa) needs sm_90 or later, but the target is sm_80: '%cluster_ctaid.x'}}
    %3 = llvm.inline_asm "mov.u32 $0, %cluster_ctaid.x;", "=r" : () -> i32
    return
  }
}

// -----

gpu.module @unknown {
  cuda.kernel @k() attributes {cute.kernel} {
    // expected-error @+1 {{'llvm.inline_asm' op 'wgma.fence.sync.aligned' is in no row of the table of PTX instructions (docs/reference/availability.md); the nearest instruction is 'wgmma.fence'; the attribute tessera.allow_unlisted_ptx lets it pass}}
    llvm.inline_asm has_side_effects "wgma.fence.sync.aligned;", "" : () -> ()
    // expected-error @+1 {{'llvm.inline_asm' op 'membar.gll' has the modifier '.gll', which 'membar' lacks in the table of PTX instructions (docs/reference/availability.md); the nearest modifier is '.gl'}}
    llvm.inline_asm has_side_effects "membar.gll;", "" : () -> ()
    // expected-error @+1 {{'%tid.q' is in no row of the table of special registers}}
    %0 = llvm.inline_asm "mov.u32 $0, %tid.q;", "=r" : () -> i32
    // expected-error @+1 {{'llvm.inline_asm' op line 1:}}
    llvm.inline_asm has_side_effects "bar.sync 0 /* never closed", "" : () -> ()
    // expected-warning @+1 {{'llvm.inline_asm' op 'future.op' is in no row of the table of PTX instructions}}
    llvm.inline_asm has_side_effects {tessera.allow_unlisted_ptx} "future.op;", "" : () -> ()
    return
  }
}

// -----

// Assembly between functions.
// expected-error @+1 {{'gpu.module' op has assembly of the module (llvm.module_asm), and what it needs of a target is not looked at; write it as inline PTX in a kernel; the attribute tessera.allow_unlisted_ptx lets it pass}}
gpu.module @between attributes {llvm.module_asm = [".visible .func f() { wgmma.fence.sync.aligned; ret; }"]} {
  cuda.kernel @k() attributes {cute.kernel} { return }
}

// -----

// expected-warning @+1 {{'gpu.module' op has assembly of the module (llvm.module_asm)}}
gpu.module @between_allowed attributes {tessera.allow_unlisted_ptx, llvm.module_asm = [".visible .func f() { ret; }"]} {
  cuda.kernel @k() attributes {cute.kernel} { return }
}

// -----

// The attribute counts on what surrounds the op too, and lets nothing pass that the table has.
gpu.module @allowed attributes {tessera.allow_unlisted_ptx} {
  cuda.kernel @k() attributes {cute.kernel} {
    // expected-warning @+1 {{'future.op' is in no row}}
    llvm.inline_asm has_side_effects "future.op;", "" : () -> ()
    // expected-warning @+2 {{'future.op' is in no row}}
    // expected-error @+1 {{'llvm.inline_asm' op wgmma needs sm_90a, but the target is sm_80: 'wgmma.fence.sync.aligned'}}
    llvm.inline_asm has_side_effects "future.op; wgmma.fence.sync.aligned;", "" : () -> ()
    return
  }
}
