// RUN: tessera-opt %s --tessera-hold-back-loads | FileCheck %s
// DEFINE: %{as-is} = tessera-opt --tessera-hold-back-loads | FileCheck %s --check-prefix=ASIS
// A ring of seven buffers is filled to five, as nobody can tell the difference. It stays as it is if one line makes one:
// Three loads ahead would be too few to hide their latency.
// RUN: sed 's/constant 7/constant 5/' %s | %{as-is}
// Iteration t waits for tile t + 1.
// RUN: sed 's/make_int_tuple(%%mine)/make_int_tuple(%%then#0)/' %s | %{as-is}
// The second loop begins to wait at tile 5.
// RUN: sed 's/%%mine = %%c1/%%mine = %%c5/' %s | %{as-is}
// A wait before the second loop, for tile 5.
// RUN: sed 's/make_int_tuple(%%c0)/make_int_tuple(%%c5)/' %s | %{as-is}
// A loop that counts without signs goes on where the number of tiles is negative, and the other one does not.
// RUN: sed 's/scf.for %%t = %%c0/scf.for unsigned %%t = %%c0/' %s | %{as-is}
// RUN: sed 's/scf.for %%t = %%c1/scf.for unsigned %%t = %%c1/' %s | %{as-is}
// A wait for a barrier of an unknown array.
// RUN: sed 's/%%first = cute.add_offset(%%full/%%first = cute.add_offset(%%other/' %s | %{as-is}
// Inline PTX between the loops may wait for anything.
// RUN: sed 's|[/]/ BETWEEN|\n llvm.inline_asm has_side_effects "nanosleep.u32 1;", "" : () -> ()|' %s | %{as-is}
// Somebody else reads how many loads were made.
// RUN: sed 's|[/]/ BETWEEN|\n %%seen = arith.addi %%filled#0, %%c1 : i32|' %s | %{as-is}
// The second loop loads something else: it signals the barrier twice.
// RUN: sed 's|[/]/ BOTH REFILL|\n nvvm.mbarrier.arrive.expect_tx %%fp, %%bytes : !llvm.ptr<3>, i32|' %s | %{as-is}
// The loads write memory that somebody may read.
// RUN: sed 's|[/]/ BOTH.*|\n llvm.store %%count, %%global : i32, !llvm.ptr<1>|' %s | %{as-is}
// A load uses the number of its iteration, which is another one in the second loop.
// RUN: sed 's|[/]/ BOTH FILL|\n %%twice = arith.addi %%t, %%t : i32|' %s | %{as-is}
// The second loop goes on when all is loaded.
// RUN: sed 's/sgt, %%tiles/sge, %%tiles/' %s | %{as-is}
// Other warps load in the second loop than in the first.
// RUN: sed 's/arith.andi %%warp0/arith.ori %%warp0/' %s | %{as-is}
// The first loop counts other tiles than the second.
// RUN: sed 's/minsi %%slots, %%tiles/minsi %%slots, %%warp/' %s | %{as-is}
// A loop around both: in the next round the parities are others.
// RUN: sed 's|[/]/ AROUND|\n scf.for %%round = %%c0 to %%warp step %%c1 : i32 {|; s/^  return/}\n return/' %s | %{as-is}
// A loop around the second alone, which then starts from the same state each time.
// RUN: sed 's|[/]/ BETWEEN|\n scf.for %%round = %%c0 to %%warp step %%c1 : i32 {|; s|[/]/ After.*|}|' %s | %{as-is}
// A loop around both, of blocks.
// RUN: sed 's|[/]/ AROUND|\n cf.br ^again\n ^again:|; \
// RUN:   s|^  return|%%no = arith.cmpi eq, %%warp, %%c1 : i32\n cf.cond_br %%no, ^again, ^end\n ^end:\n return|' %s | %{as-is}
// Inline PTX of the other kind.
// RUN: sed 's|[/]/ BETWEEN|\n nvvm.inline_ptx "nanosleep.u32 1;"|' %s | %{as-is}
// More buffers than there can be, and a counter that is a sum of sums: neither takes long.
// RUN: sed 's/constant 7/constant 2000000000/' %s | %{as-is}
// RUN: awk '/^ *%%i = arith.addi %%index/ {print "%%i0 = arith.addi %%index, %%index : i32"; \
// RUN:   for (k = 0; k < 60; ++k) print "%%i" k + 1 " = arith.addi %%i" k ", %%i" k " : i32"; \
// RUN:   print "%%i = arith.addi %%i60, %%c1 : i32"; next} {print}' %s | %{as-is}

// CHECK-LABEL: func.func @kernel
// CHECK: [[LEAST:%.*]] = arith.minsi
// CHECK: [[MOST:%.*]] = arith.maxsi [[LEAST]]
// CHECK: [[FIVE:%.*]] = arith.constant 5 : i32
// CHECK: [[AHEAD:%.*]] = arith.minsi [[MOST]], [[FIVE]]
// CHECK: scf.for {{.*}} to [[AHEAD]]
// ASIS-LABEL: func.func @kernel
// ASIS: arith.minsi
// ASIS-NOT: arith.minsi
func.func @kernel(%full: !cute.ptr<i64, smem>, %empty: !cute.ptr<i64, smem>, %other: !cute.ptr<i64, smem>, %global: !llvm.ptr<1>,
                  %tiles: i32, %warp: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c5 = arith.constant 5 : i32
  %slots = arith.constant 7 : i32
  %ticks = arith.constant 10000000 : i32
  %bytes = arith.constant 32768 : i32
  %warp0 = arith.cmpi eq, %warp, %c0 : i32
  // AROUND
  %least = arith.minsi %slots, %tiles : i32
  %most = arith.maxsi %least, %c0 : i32
  %filled:3 = scf.if %warp0 -> (i32, i32, i32) {
    %s:3 = scf.for %t = %c0 to %most step %c1 iter_args(%count = %c0, %index = %c0, %parity = %c1) -> (i32, i32, i32) : i32 {
      %b = cute.make_int_tuple(%index) : (i32) -> !cute.int_tuple<"?">
      %e = cute.add_offset(%empty, %b) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
      %ep = builtin.unrealized_conversion_cast %e : !cute.ptr<i64, smem> to !llvm.ptr<3>
      nvvm.mbarrier.try_wait.parity %ep, %parity, %ticks : !llvm.ptr<3>, i32, i32
      %f = cute.add_offset(%full, %b) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
      %fp = builtin.unrealized_conversion_cast %f : !cute.ptr<i64, smem> to !llvm.ptr<3>
      nvvm.mbarrier.arrive.expect_tx %fp, %bytes : !llvm.ptr<3>, i32
      // BOTH FILL
      %n = arith.addi %count, %c1 : i32
      %i = arith.addi %index, %c1 : i32
      %end = arith.cmpi eq, %i, %slots : i32
      %next:2 = scf.if %end -> (i32, i32) {
        %flipped = arith.xori %parity, %c1 : i32
        scf.yield %c0, %flipped : i32, i32
      } else {
        scf.yield %i, %parity : i32, i32
      }
      scf.yield %n, %next#0, %next#1 : i32, i32, i32
    }
    scf.yield %s#0, %s#1, %s#2 : i32, i32, i32
  } else {
    scf.yield %c0, %c0, %c1 : i32, i32, i32
  }
  %zero = cute.make_int_tuple(%c0) : (i32) -> !cute.int_tuple<"?">
  %first = cute.add_offset(%full, %zero) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
  %firstp = builtin.unrealized_conversion_cast %first : !cute.ptr<i64, smem> to !llvm.ptr<3>
  nvvm.mbarrier.try_wait.parity %firstp, %c0, %ticks : !llvm.ptr<3>, i32, i32
  // BETWEEN
  %last:5 = scf.for %t = %c1 to %tiles step %c1 iter_args(%count = %filled#0, %index = %filled#1, %parity = %filled#2,
                                                          %mine = %c1, %phase = %c0) -> (i32, i32, i32, i32, i32) : i32 {
    %later = arith.addi %mine, %c1 : i32
    %around = arith.cmpi eq, %later, %slots : i32
    %then:2 = scf.if %around -> (i32, i32) {
      %flip = arith.xori %phase, %c1 : i32
      scf.yield %c0, %flip : i32, i32
    } else {
      scf.yield %later, %phase : i32, i32
    }
    %own = cute.make_int_tuple(%mine) : (i32) -> !cute.int_tuple<"?">
    %ownf = cute.add_offset(%full, %own) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
    %ownp = builtin.unrealized_conversion_cast %ownf : !cute.ptr<i64, smem> to !llvm.ptr<3>
    nvvm.mbarrier.try_wait.parity %ownp, %phase, %ticks : !llvm.ptr<3>, i32, i32
    %more = arith.cmpi sgt, %tiles, %count : i32
    %both = arith.andi %warp0, %more : i1
    %state:3 = scf.if %both -> (i32, i32, i32) {
      %b = cute.make_int_tuple(%index) : (i32) -> !cute.int_tuple<"?">
      %e = cute.add_offset(%empty, %b) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
      %ep = builtin.unrealized_conversion_cast %e : !cute.ptr<i64, smem> to !llvm.ptr<3>
      nvvm.mbarrier.try_wait.parity %ep, %parity, %ticks : !llvm.ptr<3>, i32, i32
      %f = cute.add_offset(%full, %b) : (!cute.ptr<i64, smem>, !cute.int_tuple<"?">) -> !cute.ptr<i64, smem>
      %fp = builtin.unrealized_conversion_cast %f : !cute.ptr<i64, smem> to !llvm.ptr<3>
      nvvm.mbarrier.arrive.expect_tx %fp, %bytes : !llvm.ptr<3>, i32
      // BOTH REFILL
      %n = arith.addi %count, %c1 : i32
      %i = arith.addi %index, %c1 : i32
      %end = arith.cmpi eq, %i, %slots : i32
      %next:2 = scf.if %end -> (i32, i32) {
        %flipped = arith.xori %parity, %c1 : i32
        scf.yield %c0, %flipped : i32, i32
      } else {
        scf.yield %i, %parity : i32, i32
      }
      scf.yield %n, %next#0, %next#1 : i32, i32, i32
    } else {
      scf.yield %count, %index, %parity : i32, i32, i32
    }
    scf.yield %state#0, %state#1, %state#2, %then#0, %then#1 : i32, i32, i32, i32, i32
  }
  // After the second loop everything is loaded, and what is written here does not matter.
  llvm.inline_asm has_side_effects "bar.sync 1;", "" : () -> ()
  return
}
