// Launches become calls of the runtime: a configuration of 128 bytes, the arguments as pointers to slots.
// RUN: tessera-opt %s --convert-cute-to-llvm --convert-cuda-host-to-llvm | FileCheck %s

// CHECK-DAG: llvm.mlir.global internal constant @tessera_name_kernels("kernels\00")
// CHECK-DAG: llvm.mlir.global internal constant @tessera_name_copy("copy\00")
// CHECK-DAG: llvm.func @tessera_rt_launch_config(!llvm.ptr, i32, i32, i32, i64, i32, i32, i32, !llvm.ptr, i32)
// CHECK-DAG: llvm.func @tessera_rt_launch_cluster(!llvm.ptr, i32, i32, i32)
// CHECK-DAG: llvm.func @tessera_rt_launch_programmatic(!llvm.ptr, i32)
// CHECK-DAG: llvm.func @tessera_rt_launch_cooperative(!llvm.ptr, i32)
// CHECK-DAG: llvm.func @tessera_rt_launch(!llvm.ptr, !llvm.ptr, !llvm.ptr, !llvm.ptr, i32) -> i32
module attributes {gpu.container_module} {
  gpu.module @kernels {
    cuda.kernel @copy(%n: i32, %x: i64) attributes {cute.kernel} { return }
  }
  // CHECK: llvm.func @host(%[[N:.*]]: i32, %[[X:.*]]: i64, %[[S:.*]]: !llvm.ptr) -> i32
  func.func @host(%n: i32, %x: i64, %stream: !cuda.stream) -> i32 {
    %c1 = arith.constant 1 : i32
    %z = arith.constant 0 : i64
    // CHECK: %[[BYTES:.*]] = llvm.mlir.constant(128 : i64) : i64
    // CHECK: %[[C:.*]] = llvm.alloca %[[BYTES]] x i8 {alignment = 16 : i64} : (i64) -> !llvm.ptr
    // CHECK: %[[MAX:.*]] = llvm.mlir.constant(3 : i32) : i32
    // CHECK: llvm.call @tessera_rt_launch_config(%[[C]], %[[ONE:.*]], %[[ONE]], %[[ONE]], %{{.*}}, %[[N]], %[[ONE]], %[[ONE]], %[[S]], %[[MAX]])
    %cfg = cuda.launch_cfg.create<max_attrs = 3 : i32> (blockDim = (%c1, %c1, %c1), dynamicSmemBytes = %z, gridDim = (%n, %c1, %c1), stream = %stream) : i32, i32, i32, i64, i32, i32, i32, !cuda.stream -> !cuda.launch_cfg<max_attrs = 3>
    // CHECK: llvm.call @tessera_rt_launch_cluster(%[[C]], %[[N]], %[[ONE]], %[[ONE]])
    cuda.launch_cfg.cluster_dim[%cfg] (%n, %c1, %c1) : !cuda.launch_cfg<max_attrs = 3>, i32, i32, i32
    // CHECK: llvm.call @tessera_rt_launch_programmatic(%[[C]], %[[ONE]])
    cuda.launch_cfg.programmatic_stream_serialization_allowed[%cfg] %c1 : !cuda.launch_cfg<max_attrs = 3>, i32
    // CHECK: llvm.call @tessera_rt_launch_cooperative(%[[C]], %[[ONE]])
    cuda.launch_cfg.cooperative[%cfg] %c1 : !cuda.launch_cfg<max_attrs = 3>, i32
    // CHECK: %[[A:.*]] = llvm.alloca %{{.*}} x !llvm.ptr {alignment = 8 : i64}
    // CHECK: llvm.store %[[N]], %[[SLOT0:.*]] : i32, !llvm.ptr
    // CHECK: %[[E0:.*]] = llvm.getelementptr %[[A]][0]
    // CHECK: llvm.store %[[SLOT0]], %[[E0]]
    // CHECK: llvm.store %[[X]], %[[SLOT1:.*]] : i64, !llvm.ptr
    // CHECK: %[[E1:.*]] = llvm.getelementptr %[[A]][1]
    // CHECK: llvm.store %[[SLOT1]], %[[E1]]
    // CHECK: %[[M:.*]] = llvm.mlir.addressof @tessera_name_kernels
    // CHECK: %[[K:.*]] = llvm.mlir.addressof @tessera_name_copy
    // CHECK: %[[TWO:.*]] = llvm.mlir.constant(2 : i32) : i32
    // CHECK: %[[R:.*]] = llvm.call @tessera_rt_launch(%[[M]], %[[K]], %[[C]], %[[A]], %[[TWO]])
    %r = cuda.launch_ex @kernels::@copy<%cfg> (%n, %x) : !cuda.launch_cfg<max_attrs = 3>, (i32, i64) -> !cuda.result
    %i = cuda.cast %r : !cuda.result -> i32
    // An error returns at once.
    // CHECK: %[[Z:.*]] = llvm.mlir.constant(0 : i32) : i32
    // CHECK: %[[BAD:.*]] = llvm.icmp "ne" %[[R]], %[[Z]] : i32
    // CHECK: llvm.cond_br %[[BAD]], ^[[LEAVE:.*]], ^[[ON:.*]]
    // CHECK: ^[[LEAVE]]:
    // CHECK: llvm.return %[[R]] : i32
    // CHECK: ^[[ON]]:
    cuda.return_if_error %i : i32
    // CHECK: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr
    %s2 = cuda.cast %x : i64 -> !cuda.stream
    return %c1 : i32
  }
}
