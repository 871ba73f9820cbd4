// What tile programs become at level 0: parameters, elements of threads, moves, loops.
// RUN: tessera-opt %s --tessera-lower-tiles="arch=sm_80 level=0" | FileCheck %s

// CHECK: gpu.module @programs
cuda_tile.module @programs {
  // Constants that are not all the same, and globals, are in global memory.
  // CHECK-DAG: llvm.mlir.global internal @tile.global.numbers(dense<[1, 2]> : tensor<2xi32>) {addr_space = 1 : i32
  global @numbers <i32: [1, 2]> : tile<2xi32>

  // A pointer is a number, a boolean a byte; the driver takes the threads of a block from the kernel.
  // CHECK-LABEL: llvm.func @parameters(%{{.*}}: i64, %{{.*}}: i8, %{{.*}}: bf16, %{{.*}}: i8, %{{.*}}: f32)
  // CHECK-SAME: gpu.kernel, nvvm.reqntid = array<i32: 128, 1, 1>
  // CHECK: arith.cmpi ne, %{{.*}} : i8
  // CHECK: llvm.return
  entry @parameters(%p: tile<ptr<f16>>, %b: tile<i1>, %x: tile<bf16>, %e: tile<f8E4M3FN>, %t: tile<tf32>) {
    return
  }

  // 1024 elements are 8 in registers of each thread: the sum is 8 instructions.
  // CHECK-LABEL: llvm.func @registers
  // CHECK-COUNT-8: llvm.inline_asm "add.rn.f32
  // CHECK-NOT: add.rn
  // CHECK: llvm.return
  entry @registers(%x: tile<f32>) {
    %r = reshape %x : tile<f32> -> tile<1xf32>
    %a = broadcast %r : tile<1xf32> -> tile<1024xf32>
    %s = addf %a, %a : tile<1024xf32>
    return
  }

  // 2048 elements are an array of 16: the sum is one instruction in a loop.
  // CHECK-LABEL: llvm.func @array
  // CHECK: llvm.alloca %{{.*}} x f32
  // CHECK-COUNT-1: llvm.inline_asm "add.rn.f32
  // CHECK-NOT: add.rn
  // CHECK: llvm.return
  entry @array(%x: tile<f32>) {
    %r = reshape %x : tile<f32> -> tile<1xf32>
    %a = broadcast %r : tile<1xf32> -> tile<2048xf32>
    %s = addf %a, %a : tile<2048xf32>
    return
  }

  // A permutation goes through shared memory, between two barriers; a reshape is nothing.
  // CHECK-LABEL: llvm.func @moves
  // CHECK: nvvm.barrier0
  // CHECK: llvm.store %{{.*}} : i32, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
  // CHECK-NOT: barrier
  // CHECK: llvm.return
  entry @moves() {
    %i = iota : tile<128xi32>
    %a = reshape %i : tile<128xi32> -> tile<4x32xi32>
    %b = permute %a [1, 0] : tile<4x32xi32> -> tile<32x4xi32>
    return
  }

  // An access that has a token waits for the block; one with a fresh token does not.
  // CHECK-LABEL: llvm.func @tokens
  // CHECK-NOT: barrier
  // CHECK: llvm.store {{.*}} : f32, !llvm.ptr<1>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> f32
  // CHECK: llvm.return
  entry @tokens(%p: tile<ptr<f32>>, %x: tile<f32>) {
    %t = make_token : token
    %u = store_ptr_tko weak %p, %x token=%t : tile<ptr<f32>>, tile<f32> -> token
    %y, %v = load_ptr_tko weak %p token=%u : tile<ptr<f32>> -> tile<f32>, token
    return
  }

  // One thread updates a scalar and shows what was there to the others. Fences order it: LLVM writes no order with `atomicrmw`.
  // CHECK-LABEL: llvm.func @atomic
  // CHECK: %[[OWNER:.*]] = arith.cmpi ult
  // CHECK: nvvm.barrier0
  // CHECK: cf.cond_br %[[OWNER]]
  // CHECK: llvm.fence syncscope("device") acq_rel
  // CHECK: cf.cond_br %[[OWNER]]
  // CHECK: llvm.atomicrmw add %{{.*}}, %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, i32
  // CHECK: llvm.fence syncscope("device") acq_rel
  // CHECK: nvvm.barrier0
  // CHECK: llvm.store %{{.*}} : i32, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> i32
  // CHECK: llvm.return
  entry @atomic(%p: tile<ptr<i32>>, %x: tile<i32>, %q: tile<ptr<i32>>) {
    %old, %t = atomic_rmw_tko acq_rel device %p, add, %x : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    %u = store_ptr_tko weak %q, %old token=%t : tile<ptr<i32>>, tile<i32> -> token
    return
  }

  // Below sm_90 grids do not overlap.
  // CHECK-LABEL: llvm.func @dependents
  // CHECK-NOT: griddepcontrol
  // CHECK: llvm.return
  entry @dependents() {
    %t = gdc_wait_tko -> token
    %u = gdc_launch_dependents_tko token=%t -> token
    return
  }

  // A print of up to 32 values is one call, so that lines of several blocks are not mixed; more values come one by one.
  // CHECK-LABEL: llvm.func @prints
  // CHECK: nvvm.barrier0
  // CHECK: cute.printf "%lld of {{\[\[}}%f, %f], [%f, %f{{\]\]}} and %%\0A", %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i64, f64, f64, f64, f64
  // CHECK-NOT: cute.printf
  // CHECK: llvm.return
  entry @prints(%i: tile<i32>, %x: tile<f32>) {
    %r = reshape %x : tile<f32> -> tile<1x1xf32>
    %s = broadcast %r : tile<1x1xf32> -> tile<2x2xf32>
    %t = print_tko "%d of %f and %%\0A", %i, %s : tile<i32>, tile<2x2xf32> -> token
    return
  }
  // CHECK-LABEL: llvm.func @prints_many
  // CHECK: cute.printf "x "
  // CHECK: cute.printf ", "
  // CHECK: cute.printf "["
  // CHECK: cute.printf "%lld", %{{.*}} : i64
  // CHECK: cute.printf "]"
  entry @prints_many() {
    %s = iota : tile<64xi32>
    %t = print_tko "x %d", %s : tile<64xi32> -> token
    return
  }

  // An assertion says which element it is, and then ends the kernel.
  // CHECK-LABEL: llvm.func @asserts
  // CHECK: cute.printf "assert failed: 100%%, at element %d\0A", %{{.*}} : i32
  // CHECK: cf.assert %{{.*}}, "100%"
  // CHECK: cute.printf "assert failed: a number\0A"
  // CHECK: cf.assert %{{.*}}, "a number"
  entry @asserts(%c: tile<i1>) {
    %r = reshape %c : tile<i1> -> tile<1xi1>
    %s = broadcast %r : tile<1xi1> -> tile<4xi1>
    assert %s, "100%" : tile<4xi1>
    assert %c, "a number" : tile<i1>
    return
  }
}
