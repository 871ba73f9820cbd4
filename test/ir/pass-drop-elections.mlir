// Elections in branches that at most one lane of a warp takes are decided; others stay.
// RUN: tessera-opt %s --tessera-drop-elections | FileCheck %s

// CHECK-LABEL: llvm.func @first_thread
// CHECK-NOT: nvvm.elect.sync
// CHECK: llvm.cond_br %{{.*}}, ^bb2, ^bb3
llvm.func @first_thread(%p: !llvm.ptr<3>) attributes {nvvm.reqntid = array<i32: 128, 1, 1>} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %x = nvvm.read.ptx.sreg.tid.x : i32
  %is = llvm.icmp "eq" %x, %zero : i32
  llvm.cond_br %is, ^bb1, ^bb3
^bb1:
  %e = nvvm.elect.sync -> i1
  llvm.cond_br %e, ^bb2, ^bb3
^bb2:
  nvvm.tcgen05.commit %p : !llvm.ptr<3>
  llvm.br ^bb3
^bb3:
  llvm.return
}

// An election within a branch of an election, in a loop, and beside another condition.
// CHECK-LABEL: llvm.func @loop_of_an_elected_lane
// CHECK: nvvm.elect.sync
// CHECK-NOT: nvvm.elect.sync
// CHECK: llvm.return
llvm.func @loop_of_an_elected_lane(%p: !llvm.ptr<3>, %n: i32, %warp: i1) attributes {nvvm.reqntid = array<i32: 128, 1, 1>} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %lane = nvvm.elect.sync -> i1
  %both = llvm.and %warp, %lane : i1
  llvm.cond_br %both, ^bb1(%zero : i32), ^bb5
^bb1(%i: i32):
  %more = llvm.icmp "slt" %i, %n : i32
  llvm.cond_br %more, ^bb2, ^bb5
^bb2:
  %e = nvvm.elect.sync -> i1
  llvm.cond_br %e, ^bb3, ^bb4
^bb3:
  nvvm.tcgen05.commit %p : !llvm.ptr<3>
  llvm.br ^bb4
^bb4:
  %next = llvm.add %i, %one : i32
  llvm.br ^bb1(%next : i32)
^bb5:
  llvm.return
}

// The lane within its warp, where the others leave; and with y, where warps are in rows of x.
// CHECK-LABEL: llvm.func @others_leave
// CHECK-NOT: nvvm.elect.sync
// CHECK: llvm.return
llvm.func @others_leave(%p: !llvm.ptr<3>) attributes {nvvm.reqntid = array<i32: 64, 2, 1>} {
  %mask = llvm.mlir.constant(31 : i32) : i32
  %five = llvm.mlir.constant(5 : i32) : i32
  %x = nvvm.read.ptx.sreg.tid.x : i32
  %lane = llvm.and %x, %mask : i32
  %other = llvm.icmp "ne" %lane, %five : i32
  llvm.cond_br %other, ^bb3, ^bb1
^bb1:
  %e = nvvm.elect.sync -> i1
  llvm.cond_br %e, ^bb2, ^bb3
^bb2:
  nvvm.tcgen05.commit %p : !llvm.ptr<3>
  llvm.br ^bb3
^bb3:
  llvm.return
}

// A whole warp; threads of which four have x 0 in a warp; where branches have met again; a number that lanes share.
// CHECK-LABEL: llvm.func @stay
// CHECK-COUNT-4: nvvm.elect.sync
// CHECK: llvm.return
llvm.func @stay(%p: !llvm.ptr<3>, %n: i32) attributes {nvvm.reqntid = array<i32: 8, 16, 1>} {
  %zero = llvm.mlir.constant(0 : i32) : i32
  %x = nvvm.read.ptx.sreg.tid.x : i32
  %lane = nvvm.read.ptx.sreg.laneid : i32
  %first = llvm.icmp "eq" %x, %zero : i32
  llvm.cond_br %first, ^bb1, ^bb2
^bb1:
  %e0 = nvvm.elect.sync -> i1
  llvm.cond_br %e0, ^bb2, ^bb2
^bb2:
  %is = llvm.icmp "eq" %lane, %zero : i32
  llvm.cond_br %is, ^bb3, ^bb4
^bb3:
  llvm.br ^bb4
^bb4:
  %e1 = nvvm.elect.sync -> i1
  llvm.cond_br %e1, ^bb5, ^bb5
^bb5:
  %warp = llvm.icmp "eq" %n, %zero : i32
  llvm.cond_br %warp, ^bb6, ^bb7
^bb6:
  %e2 = nvvm.elect.sync -> i1
  llvm.cond_br %e2, ^bb7, ^bb7
^bb7:
  %others = llvm.icmp "ne" %lane, %zero : i32
  llvm.cond_br %others, ^bb8, ^bb9
^bb8:
  %e3 = nvvm.elect.sync -> i1
  llvm.cond_br %e3, ^bb9, ^bb9
^bb9:
  llvm.return
}
