// A cute value is the struct of its dynamic leaves, one leaf stands bare, a pointer is an llvm.ptr of its space
// (section 2.5 of the facts): generic 0, gmem 1, smem 3. Addresses of tensor memory are integers.
// RUN: tessera-opt %s --cute-desugar --convert-cute-to-llvm --reconcile-unrealized-casts | FileCheck %s

// CHECK-LABEL: llvm.func @tuples
// CHECK-SAME: (i32, !llvm.struct<(i32, i64)>, i32)
func.func private @tuples(%0: !cute.shape<"(?,8)">, %1: !cute.shape<"(?,?{i64})">, %2: !cute.stride<"?@0">)

// Always (shape, stride).
// CHECK-LABEL: llvm.func @layouts
// CHECK-SAME: (!llvm.struct<(struct<(i32, i32)>, i32)>, !llvm.struct<(i32, i32)>)
func.func private @layouts(%0: !cute.layout<"(?,?):(1,?)">, %1: !cute.layout<"(?,3):(1,?)">)

// Stored in the reverse of the printed order: outer, offset, inner.
// CHECK-LABEL: llvm.func @composed
// CHECK-SAME: (!llvm.struct<(struct<(i32, i32)>, i32, struct<()>)>)
func.func private @composed(%0: !cute.composed_layout<"S<3,4,3> o ? o (?,8):(1,?)">)

// CHECK-LABEL: llvm.func @views
// CHECK-SAME: (!llvm.struct<(ptr<1>, struct<(struct<(i32, i32)>, i64)>)>, !llvm.struct<(ptr<3>, struct<(struct<()>, struct<()>)>)>
func.func private @views(%0: !cute.memref<f32, gmem, "(?,?):(?{i64},1)">, %1: !cute.memref<f32, smem, "(8,8):(8,1)">)

// CHECK-LABEL: llvm.func @pointers
// CHECK-SAME: (!llvm.ptr, !llvm.ptr<1>, !llvm.ptr<3>, i32, i32, i64)
func.func private @pointers(%0: !cute.ptr<f32, generic>, %1: !cute.ptr<f32, gmem>, %2: !cute.ptr<f32, smem>, %3: !cute.ptr<f32, tmem>, %4: !cute.i32<divby 8>, %5: !cute.i64<divby 8>)

// What a type fully states takes no argument.
// CHECK-LABEL: llvm.func @nothing
// CHECK-SAME: (i32)
func.func private @nothing(%0: !cute.shape<"(4,8)">, %1: i32, %2: !cute.layout<"(4,8):(1,4)">)

// (i, 3) in (?,8):(1,s): element i + 3 s.
// CHECK-LABEL: llvm.func @load
// CHECK-SAME: (%[[V:.*]]: !llvm.struct<(ptr<1>, struct<(i32, i32)>)>, %[[I:.*]]: i32) -> f32
func.func @load(%v: !cute.memref<f32, gmem, align<16>, "(?,8):(1,?)">, %i: i32) -> f32 {
  // CHECK-DAG: %[[P:.*]] = llvm.extractvalue %[[V]][0]
  // CHECK-DAG: %[[L:.*]] = llvm.extractvalue %[[V]][1]
  // CHECK-DAG: %[[S:.*]] = llvm.extractvalue %[[L]][1]
  // CHECK: %[[O:.*]] = arith.muli %{{.*}}, %[[S]] overflow<nsw> : i32
  // CHECK: %[[E:.*]] = arith.addi %[[I]], %[[O]] overflow<nsw> : i32
  // CHECK: %[[A:.*]] = llvm.getelementptr %[[P]][%[[E]]] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, {{i32|f32}}
  // CHECK: %[[X:.*]] = llvm.load %[[A]] {alignment = 4 : i64} : !llvm.ptr<1> -> f32
  %c = cute.make_coord(%i) : (i32) -> !cute.coord<"(?,3)">
  %x = cute.memref.load(%v, %c) : (!cute.memref<f32, gmem, align<16>, "(?,8):(1,?)">, !cute.coord<"(?,3)">) -> f32
  // Two floats after an address aligned to 16: aligned to 8.
  // CHECK: llvm.getelementptr %{{.*}}[2] : (!llvm.ptr<1>) -> !llvm.ptr<1>, {{i32|f32}}
  // CHECK: llvm.store %[[X]], %{{.*}} {alignment = 8 : i64} : f32, !llvm.ptr<1>
  %p = cute.get_iter(%v) : (!cute.memref<f32, gmem, align<16>, "(?,8):(1,?)">)
  cute.ptr.store(%p, %x) {offset = 2 : i64} : (!cute.ptr<f32, gmem, align<16>>, f32) -> ()
  // CHECK: llvm.return %[[X]] : f32
  return %x : f32
}

// Registers are an alloca of all elements, aligned as the type says.
// CHECK-LABEL: llvm.func @alloca
func.func @alloca(%x: f16) -> f16 {
  // CHECK: llvm.alloca %{{.*}} x {{.*}} {alignment = 16 : i64}
  %a = cute.memref.alloca() : !cute.memref<f16, rmem, align<16>, "(2,4):(4,1)">
  %c = cute.static : !cute.coord<"(1,2)">
  // Element 1 * 4 + 2.
  // CHECK: llvm.getelementptr %{{.*}}[6]
  // CHECK: llvm.store
  cute.memref.store(%a, %c, %x) : (!cute.memref<f16, rmem, align<16>, "(2,4):(4,1)">, !cute.coord<"(1,2)">, f16) -> ()
  %y = cute.memref.load(%a, %c) : (!cute.memref<f16, rmem, align<16>, "(2,4):(4,1)">, !cute.coord<"(1,2)">) -> f16
  return %y : f16
}

// CHECK-LABEL: llvm.func @addresses
func.func @addresses(%a: i64, %s: !cute.ptr<f16, smem>, %i: i32) -> i32 {
  // CHECK: llvm.inttoptr %{{.*}} : i64 to !llvm.ptr<1>
  %p = cute.inttoptr(%a) : i64 to !cute.ptr<f32, gmem>
  // CHECK: llvm.ptrtoint %{{.*}} : !llvm.ptr<3> to i32
  %q = cute.ptrtoint(%s) : !cute.ptr<f16, smem> to i32
  // CHECK: llvm.ptrtoint %{{.*}} : !llvm.ptr<1> to i64
  %r = cute.ptrtoint(%p) : !cute.ptr<f32, gmem> to i64
  return %q : i32
}
