// Every op of `cuda`, in the form of CuTe DSL: a kernel in a gpu.module and the host function that launches it.
// RUN: tessera-opt %s | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --mlir-print-op-generic | tessera-opt | FileCheck %s
// RUN: tessera-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

module attributes {gpu.container_module} {
  // CHECK: gpu.module @kernels attributes {compute_targets = [#cuda.compute_target<sass, conditional, [sm_90, sm_100a]>, #cuda.compute_target<ptx, always, []>]}
  gpu.module @kernels attributes {compute_targets = [#cuda.compute_target<sass, conditional, [sm_90, sm_100a]>, #cuda.compute_target<ptx, always, []>]} {
    // CHECK: cuda.kernel @copy(%{{.*}}: !cute.memref<f32, gmem, align<16>, "(?,?):(?{i64},1)">, %{{.*}}: i32) attributes {cu_attrs = {max_dynamic_shared_size_bytes = #cuda.dev_max_shared_memory_optin}, cute.kernel, nvvm.reqntid = array<i32: 128, 1, 1>}
    // CHECK: return
    // CHECK-NEXT: }
    // GENERIC: "cuda.kernel"() <{{.*}}sym_name = "copy"
    // GENERIC: "cuda.return"() : () -> ()
    cuda.kernel @copy(%v: !cute.memref<f32, gmem, align<16>, "(?,?):(?{i64},1)">, %n: i32)
        attributes {cu_attrs = {max_dynamic_shared_size_bytes = #cuda.dev_max_shared_memory_optin}, cute.kernel, nvvm.reqntid = array<i32: 128, 1, 1>} {
      return
    }
  }
  // CHECK: func.func @host(%[[V:.*]]: !cute.memref<f32, gmem, align<16>, "(?,?):(?{i64},1)">, %[[N:.*]]: i32, %[[S:.*]]: !cuda.stream) -> i32
  func.func @host(%v: !cute.memref<f32, gmem, align<16>, "(?,?):(?{i64},1)">, %n: i32, %stream: !cuda.stream) -> i32 {
    %c1 = arith.constant 1 : i32
    %c128 = arith.constant 128 : i32
    %smem = arith.constant 0 : i64
    // CHECK: %[[C:.*]] = cuda.launch_cfg.create<max_attrs = 3 : i32> (blockDim = (%[[B:.*]], %[[ONE:.*]], %[[ONE]]), dynamicSmemBytes = %{{.*}}, gridDim = (%[[N]], %[[ONE]], %[[ONE]]), stream = %[[S]]) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 3>
    %cfg = cuda.launch_cfg.create<max_attrs = 3 : i32> (blockDim = (%c128, %c1, %c1), dynamicSmemBytes = %smem, gridDim = (%n, %c1, %c1), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 3>
    // CHECK: cuda.launch_cfg.cluster_dim[%[[C]]] (%[[ONE]], %[[ONE]], %[[ONE]]) : !cuda.launch_cfg<max_attrs = 3>, i32, i32, i32
    cuda.launch_cfg.cluster_dim[%cfg] (%c1, %c1, %c1) : !cuda.launch_cfg<max_attrs = 3>, i32, i32, i32
    // CHECK: cuda.launch_cfg.programmatic_stream_serialization_allowed[%[[C]]] %[[ONE]] : !cuda.launch_cfg<max_attrs = 3>, i32
    cuda.launch_cfg.programmatic_stream_serialization_allowed[%cfg] %c1 : !cuda.launch_cfg<max_attrs = 3>, i32
    // CHECK: cuda.launch_cfg.cooperative[%[[C]]] %[[ONE]] : !cuda.launch_cfg<max_attrs = 3>, i32
    cuda.launch_cfg.cooperative[%cfg] %c1 : !cuda.launch_cfg<max_attrs = 3>, i32
    // CHECK: %[[R:.*]] = cuda.launch_ex @kernels::@copy<%[[C]]> (%[[V]], %[[N]]) {assume_kernel_attr = #cuda.assume_kernel_attr<true>} : !cuda.launch_cfg<max_attrs = 3>, (!cute.memref<f32, gmem, align<16>, "(?,?):(?{i64},1)">, i32) -> !cuda.result
    %r = cuda.launch_ex @kernels::@copy<%cfg> (%v, %n) {assume_kernel_attr = #cuda.assume_kernel_attr<true>} : !cuda.launch_cfg<max_attrs = 3>, (!cute.memref<f32, gmem, align<16>, "(?,?):(?{i64},1)">, i32) -> !cuda.result
    // CHECK: %[[I:.*]] = cuda.cast %[[R]] : !cuda.result -> i32
    %i = cuda.cast %r : !cuda.result -> i32
    // CHECK: cuda.return_if_error %[[I]] : i32
    cuda.return_if_error %i : i32
    // CHECK: %{{.*}} = cuda.cast %{{.*}} : i64 -> !cuda.stream
    %s2 = cuda.cast %smem : i64 -> !cuda.stream
    return %i : i32
  }
}
