!layout = !cute.layout<"(?,8):(1,?)">
// CHECK: cf.cond_br %{{.*}}, ^{{.*}}(%{{.*}} : !llvm.struct<(i32, i32)>), ^{{.*}}(%{{.*}} : !llvm.struct<(i32, i32)>)
// CHECK: cf.br ^{{.*}}(%{{.*}} : !llvm.struct<(i32, i32)>)
// expected-error @+1 {{expects structured control flow (scf) when cute ops are expanded, but got several blocks}}
func.func @br(%c: i1, %l: !layout, %m: !layout) -> !layout {
  cf.cond_br %c, ^a(%l : !layout), ^b(%m : !layout)
^a(%x: !layout):
  cf.br ^b(%x : !layout)
^b(%y: !layout):
  return %y : !layout
}
