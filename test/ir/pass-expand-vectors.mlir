// The vector step: vectors of one dimension become scalars, in loops and branches too; views stay what they are.
// RUN: tessera-opt %s --cute-expand-vectors | FileCheck %s
// RUN: tessera-opt %s --cute-expand-vectors=statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNTS
// COUNTS-DAG: cute-expand-vectors: 1 cute.memref.load_vec
// COUNTS-DAG: cute-expand-vectors: 1 cute.memref.store_vec
// COUNTS-DAG: cute-expand-vectors: 4 arith.addf

// Four adjacent floats are one access; they are added one by one and go back one by one, as registers do.
!g = !cute.memref<f32, gmem, align<16>, "(4):(1)">
!r = !cute.memref<f32, rmem, align<16>, "(4):(1)">
// CHECK-LABEL: @access
// CHECK: %[[WORDS:.*]] = cute.ptr.load(%{{.*}}) {alignment = 16 : i64} : (!cute.ptr<f32, gmem, align<16>>) -> vector<4xi32>
// CHECK-COUNT-4: arith.addf %{{.*}}, %{{.*}} : f32
// CHECK-COUNT-4: cute.ptr.store({{.*}}, f32) -> ()
// CHECK-NOT: vector<4xf32>
// CHECK: return
func.func @access(%g: !g, %r: !r) {
  %v = cute.memref.load_vec %g : !g
  %w = arith.addf %v, %v : vector<4xf32>
  cute.memref.store_vec %w, %r : !r
  return
}

// CHECK-LABEL: @loop
// CHECK: %[[R:.*]]:2 = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (f32, f32)
// CHECK: %[[X:.*]] = arith.addf %[[A]], %[[A]] : f32
// CHECK: %[[Y:.*]] = arith.addf %[[B]], %[[B]] : f32
// CHECK: scf.yield %[[X]], %[[Y]] : f32, f32
// CHECK: arith.addf %[[R]]#0, %[[R]]#1 : f32
func.func @loop(%v: vector<2xf32>, %n: i32) -> f32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %v) -> (vector<2xf32>) : i32 {
    %y = arith.addf %x, %x : vector<2xf32>
    scf.yield %y : vector<2xf32>
  }
  %s = vector.reduction <add>, %r : vector<2xf32> into f32
  return %s : f32
}

// CHECK-LABEL: @branch
// CHECK-SAME: (%[[C:.*]]: i1, %[[F:.*]]: f32, %[[H:.*]]: f32)
// CHECK: %[[R:.*]]:2 = scf.if %[[C]] -> (f32, f32)
// CHECK: scf.yield %[[F]], %[[F]]
// CHECK: scf.yield %[[H]], %[[F]]
// CHECK: return %[[R]]#1
func.func @branch(%c: i1, %f: f32, %h: f32) -> f32 {
  %r = scf.if %c -> (vector<2xf32>) {
    %x = vector.broadcast %f : f32 to vector<2xf32>
    scf.yield %x : vector<2xf32>
  } else {
    %x = vector.from_elements %h, %f : vector<2xf32>
    scf.yield %x : vector<2xf32>
  }
  %e = vector.extract %r[1] : f32 from vector<2xf32>
  return %e : f32
}

// Blocks and a loop with a condition carry scalars as well.
// CHECK-LABEL: @blocks
// CHECK: cf.br ^[[NEXT:.*]](%{{.*}}, %{{.*}} : f32, f32)
// CHECK: ^[[NEXT]](%[[A:.*]]: f32, %[[B:.*]]: f32):
// CHECK: scf.while (%{{.*}} = %[[A]], %{{.*}} = %[[B]]) : (f32, f32) -> (f32, f32)
// CHECK: scf.condition(%{{.*}}) %{{.*}}, %{{.*}} : f32, f32
// CHECK: scf.yield %{{.*}}, %{{.*}} : f32, f32
func.func @blocks(%v: vector<2xf32>, %n: i1) -> f32 {
  %w = arith.addf %v, %v : vector<2xf32>
  cf.br ^next(%w : vector<2xf32>)
^next(%x: vector<2xf32>):
  %r = scf.while (%a = %x) : (vector<2xf32>) -> vector<2xf32> {
    scf.condition(%n) %a : vector<2xf32>
  } do {
  ^bb0(%b: vector<2xf32>):
    %y = arith.addf %b, %b : vector<2xf32>
    scf.yield %y : vector<2xf32>
  }
  %e = vector.extract %r[0] : f32 from vector<2xf32>
  return %e : f32
}

// What something needs whole is built once, where it is computed.
// CHECK-LABEL: @whole
// CHECK: %[[W:.*]] = vector.from_elements
// CHECK: return %[[W]] : vector<2xf32>
func.func @whole(%v: vector<2xf32>) -> vector<2xf32> {
  %w = arith.mulf %v, %v : vector<2xf32>
  return %w : vector<2xf32>
}
