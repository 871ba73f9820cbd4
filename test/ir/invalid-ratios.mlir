// Coordinates of which a stride of 1/2 makes no whole number. 6 is one, and a run-time coordinate is divided.
// RUN: tessera-opt %s --split-input-file --verify-diagnostics
!c = !cute.coord_tensor<"(0,0)", "(512,2):(1/2@0,1@1)">
func.func @even(%x: !c) -> !cute.coord_tensor<"(3,0)", "(2):(1@1)"> {
  %c = cute.static : !cute.coord<"(6,_)">
  %s = cute.slice(%x, %c) : !c, !cute.coord<"(6,_)">
  return %s : !cute.coord_tensor<"(3,0)", "(2):(1@1)">
}
// -----
!c = !cute.coord_tensor<"(0,0)", "(512,2):(1/2@0,1@1)">
func.func @slice(%x: !c) {
  %c = cute.static : !cute.coord<"(7,_)">
  // expected-error @+1 {{expects a coordinate that the strides of "(512,2):(1/2@0,1@1)" make whole, but got "(7,_)"}}
  %s = cute.slice(%x, %c) : !c, !cute.coord<"(7,_)">
  return
}
// -----
!c = !cute.coord_tensor<"(0,0)", "(512,2):(1/2@0,1@1)">
func.func @tile(%x: !c) {
  %c = cute.static : !cute.coord<"(7,0)">
  %t = cute.static : !cute.tile<"[1:0;1:0]">
  // expected-error @+1 {{make whole, but got "(}}
  %s = cute.local_tile(%x, %t, %c) : (!c, !cute.tile<"[1:0;1:0]">, !cute.coord<"(7,0)">)
  return
}
// -----
!c = !cute.coord_tensor<"(0,0)", "(512,2):(1/2@0,1@1)">
func.func @share(%x: !c) {
  %c = cute.static : !cute.coord<"7">
  %l = cute.static : !cute.layout<"(32,1):(1,1)">
  // expected-error @+1 {{make whole, but got "(}}
  %s = cute.local_partition(%x, %l, %c) : (!c, !cute.layout<"(32,1):(1,1)">, !cute.coord<"7">)
  return
}
// -----
// A number that is too large is another matter.
!c = !cute.coord_tensor<"(0,0)", "(512,2):(4611686018427387904@0,1@1)">
func.func @large(%x: !c) {
  %c = cute.static : !cute.coord<"(7,_)">
  // expected-error @+1 {{the result has a number that does not fit 64 bits}}
  %s = cute.slice(%x, %c) : !c, !cute.coord<"(7,_)">
  return
}
