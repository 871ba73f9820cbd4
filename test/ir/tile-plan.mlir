// What tile programs become at level 1: layouts, vectors, fragments, pipelines.
// RUN: tessera-opt %s --tessera-lower-tiles=arch=sm_80 | FileCheck %s
// RUN: tessera-opt %s --tessera-lower-tiles=arch=sm_90a | FileCheck %s --check-prefix=GROUP
// RUN: sed 's/%va\[%zero, %i\]/& optimization_hints = <default = {allow_tma = false}>/' %s | tessera-opt --tessera-lower-tiles=arch=sm_90a | FileCheck %s --check-prefix=THREADS
// RUN: tessera-opt %s --tessera-lower-tiles="arch=sm_80 level=0" | FileCheck %s --check-prefix=LEVEL0

// LEVEL0-NOT: mma.sync
cuda_tile.module @programs {
  // 16 bytes a thread, under the condition that they are inside; a sum in registers; no shared memory.
  // CHECK-LABEL: llvm.func @vectors
  // CHECK: llvm.inline_asm {{.*}}ld.global.v4.b32
  // CHECK-NOT: nvvm.barrier0
  // CHECK: llvm.inline_asm {{.*}}st.global.v4.b32
  // CHECK: llvm.return
  entry @vectors(%p0: tile<ptr<f32>>, %n0: tile<i32>) {
    %p = assume div_by<16>, %p0 : tile<ptr<f32>>
    %n = assume div_by<16>, %n0 : tile<i32>
    %t = make_tensor_view %p, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xf32, strides=[1]>
    %v = make_partition_view %t : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>
    %i, %j, %k = get_tile_block_id : tile<i32>
    %x, %u = load_view_tko weak %v[%i] : partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> tile<1024xf32>, token
    %y = addf %x, %x : tile<1024xf32>
    %w = store_view_tko weak %y, %v[%i] : tile<1024xf32>, partition_view<tile=(1024), tensor_view<?xf32, strides=[1]>>, tile<i32> -> token
    return
  }

  // A product in a loop: loads run ahead, fragments come from shared memory, sums stay in registers.
  // CHECK-LABEL: llvm.func @product
  // CHECK: nvvm.cp.async.shared.global
  // CHECK: nvvm.cp.async.commit.group
  // CHECK: nvvm.cp.async.wait.group 1
  // CHECK-NEXT: nvvm.barrier0
  // CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<row>
  // CHECK: nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>
  // CHECK-NOT: llvm.alloca
  // CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
  // A warpgroup's product reads shared memory by another proxy.
  // THREADS-LABEL: llvm.func @product
  // THREADS: nvvm.cp.async.wait.group 2
  // THREADS-NEXT: fence.proxy.async.shared::cta
  // THREADS-NEXT: nvvm.barrier0
  // THREADS: wgmma.fence.sync.aligned;{{.*}}wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
  // A warp of its own loads by TMA, with maps that it makes in a slot; a product is awaited in the next iteration.
  // GROUP-LABEL: llvm.func @product
  // GROUP-SAME: nvvm.reqntid = array<i32: 160, 1, 1>
  // GROUP: nvvm.mbarrier.init
  // GROUP: nvvm.barrier0
  // GROUP: atom.acquire.gpu.global.exch.b32
  // GROUP: tensormap.replace.tile.global_address.shared::cta.b1024.b64
  // GROUP: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned
  // GROUP: fence.proxy.tensormap::generic.acquire.gpu
  // GROUP: nvvm.mbarrier.try_wait.parity
  // GROUP: mbarrier.arrive.expect_tx.shared::cta.b64
  // GROUP: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
  // GROUP: st.release.gpu.global.b32
  // GROUP: wgmma.fence.sync.aligned;{{.*}}wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
  // GROUP: wgmma.wait_group.sync.aligned 1
  // GROUP: mbarrier.arrive.shared::cta.b64
  entry @product(%pa0: tile<ptr<f16>>, %pb0: tile<ptr<f16>>, %pc0: tile<ptr<f32>>, %end: tile<i32>) {
    %pa = assume div_by<16>, %pa0 : tile<ptr<f16>>
    %pb = assume div_by<16>, %pb0 : tile<ptr<f16>>
    %ta = make_tensor_view %pa, shape = [64, 256], strides = [256, 1] : tensor_view<64x256xf16, strides=[256,1]>
    %tb = make_tensor_view %pb, shape = [256, 64], strides = [64, 1] : tensor_view<256x64xf16, strides=[64,1]>
    %tc = make_tensor_view %pc0, shape = [64, 64], strides = [64, 1] : tensor_view<64x64xf32, strides=[64,1]>
    %va = make_partition_view %ta : partition_view<tile=(64x32), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>
    %vb = make_partition_view %tb : partition_view<tile=(32x64), padding_value = zero, tensor_view<256x64xf16, strides=[64,1]>>
    %vc = make_partition_view %tc : partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %start = constant <f32: 0.0> : tile<64x64xf32>
    %sum = for %i in (%zero to %end, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<64x64xf32>) {
      %a, %u = load_view_tko weak %va[%zero, %i] : partition_view<tile=(64x32), padding_value = zero, tensor_view<64x256xf16, strides=[256,1]>>, tile<i32> -> tile<64x32xf16>, token
      %b, %w = load_view_tko weak %vb[%i, %zero] : partition_view<tile=(32x64), padding_value = zero, tensor_view<256x64xf16, strides=[64,1]>>, tile<i32> -> tile<32x64xf16>, token
      %next = mmaf %a, %b, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
      continue %next : tile<64x64xf32>
    }
    %s = store_view_tko weak %sum, %vc[%zero, %zero] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<64x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }

  // Rows that a warp holds: sums by shuffles, and a broadcast back, without shared memory.
  // CHECK-LABEL: llvm.func @rows
  // CHECK-NOT: nvvm.barrier0
  // CHECK: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.barrier0
  // CHECK: llvm.return
  entry @rows(%p0: tile<ptr<f32>>) {
    %p = assume div_by<16>, %p0 : tile<ptr<f32>>
    %t = make_tensor_view %p, shape = [16, 64], strides = [64, 1] : tensor_view<16x64xf32, strides=[64,1]>
    %v = make_partition_view %t : partition_view<tile=(16x64), tensor_view<16x64xf32, strides=[64,1]>>
    %zero = constant <i32: 0> : tile<i32>
    %x, %u = load_view_tko weak %v[%zero, %zero] : partition_view<tile=(16x64), tensor_view<16x64xf32, strides=[64,1]>>, tile<i32> -> tile<16x64xf32>, token
    %s = reduce %x dim=1 identities=[0.000000e+00 : f32] : tile<16x64xf32> -> tile<16xf32>
    (%a: tile<f32>, %b: tile<f32>) {
      %c = addf %a, %b : tile<f32>
      yield %c : tile<f32>
    }
    %r = reshape %s : tile<16xf32> -> tile<16x1xf32>
    %w = broadcast %r : tile<16x1xf32> -> tile<16x64xf32>
    %y = subf %x, %w : tile<16x64xf32>
    %z = store_view_tko weak %y, %v[%zero, %zero] : tile<16x64xf32>, partition_view<tile=(16x64), tensor_view<16x64xf32, strides=[64,1]>>, tile<i32> -> token
    return
  }
}
