!layout = !cute.layout<"(?,8):(1,?)">
// CHECK: llvm.func @br
// CHECK: cond_br %{{.*}}, ^{{.*}}(%{{.*}} : !llvm.struct<(i32, i32)>), ^{{.*}}(%{{.*}} : !llvm.struct<(i32, i32)>)
// CHECK: br ^{{.*}}(%{{.*}} : !llvm.struct<(i32, i32)>)
// size of (n,8) is 8 n, in the block that got the layout.
// CHECK: ^{{.*}}(%[[Y:.*]]: !llvm.struct<(i32, i32)>):
// CHECK: %[[N:.*]] = llvm.extractvalue %[[Y]][0]
// CHECK: mul{{i?}} %[[N]], %{{.*}}
// LEAVES: llvm.func @br
// LEAVES: cond_br %{{.*}}, ^{{.*}}(%{{.*}}, %{{.*}} : i32, i32), ^[[B:.*]](%{{.*}}, %{{.*}} : i32, i32)
// LEAVES: br ^[[B]](%{{.*}}, %{{.*}} : i32, i32)
// LEAVES: ^[[B]](%[[N:.*]]: i32, %{{.*}}: i32):
// LEAVES: mul{{i?}} %[[N]], %{{.*}}
func.func @br(%c: i1, %l: !layout, %m: !layout) -> !cute.int_tuple<"?{div=8}"> {
  cf.cond_br %c, ^a(%l : !layout), ^b(%m : !layout)
^a(%x: !layout):
  cf.br ^b(%x : !layout)
^b(%y: !layout):
  %n = cute.size(%y) : (!layout)
  return %n : !cute.int_tuple<"?{div=8}">
}
