// The named patterns of docs/specification/passes.md#pattern-bank, one function each, on leaves known at run time: what each leaves is worked out from the definition.
// RUN: tessera-opt %s --convert-cute-to-llvm --reconcile-unrealized-casts --canonicalize --cse | FileCheck %s --implicit-check-not=cute.
// No table of patterns asks for a target.
// RUN: not grep -inE "sm_?[0-9]|atom/Target|atom::Target" %S/../../../tessera/lower/CuteToLLVM.cpp %S/../../../tessera/lower/MemoryToLLVM.cpp %S/../../../tessera/lower/DivisionToLLVM.cpp %S/../../../tessera/lower/PrintToLLVM.cpp %S/../../../tessera/lower/Printing.cpp
// Each anchor by its name: the option counts what rewrote an op. TilePartition takes three ops; the iterators are in pass-desc-iter.mlir.
// RUN: tessera-opt %s --convert-cute-to-llvm=statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATISTICS
// RUN: tessera-opt %S/../pass-desc-iter.mlir --convert-cute-to-llvm=statistics -o /dev/null 2>&1 | FileCheck %s --check-prefix=ITERATORS
// STATISTICS-DAG: convert-cute-to-llvm: 1 MakeLayoutOpLowering
// STATISTICS-DAG: convert-cute-to-llvm: 1 MakeShapeOpLowering
// STATISTICS-DAG: convert-cute-to-llvm: 1 MakeCoordOpLowering
// STATISTICS-DAG: convert-cute-to-llvm: 1 CrdToIdxOpLowering
// STATISTICS-DAG: convert-cute-to-llvm: 1 TiledDivOpLowering
// STATISTICS-DAG: convert-cute-to-llvm: 1 ShapeDivOpLowering
// STATISTICS-DAG: convert-cute-to-llvm: 1 CeilDivOpLowering
// STATISTICS-DAG: convert-cute-to-llvm: 1 FilterZerosOpLowering
// STATISTICS-DAG: convert-cute-to-llvm: 1 GroupModesOpLowering
// STATISTICS-DAG: convert-cute-to-llvm: 1 CoalesceOpLowering
// STATISTICS-DAG: convert-cute-to-llvm: 1 ComplementOpLowering
// STATISTICS-DAG: convert-cute-to-llvm: 1 PartitionOpLowering
// STATISTICS-DAG: convert-cute-to-llvm: 2 TilePartitionOpLowering
// Moving a pointer does not count as advancing a descriptor iterator, nor the reverse.
// Here these are move_pointer and the pointers of three partitions; there, two steps forward, and the pointer of what is dereferenced.
// STATISTICS-DAG: convert-cute-to-llvm: 4 AddOffsetOpLowering
// STATISTICS-NOT: DescriptorAdvance
// ITERATORS-DAG: convert-cute-to-llvm: {{[0-9]+}} MakeDescriptorIteratorOpLowering
// ITERATORS-DAG: convert-cute-to-llvm: 2 DescriptorAdvanceOpLowering
// ITERATORS-DAG: convert-cute-to-llvm: 1 AddOffsetOpLowering
// ITERATORS-DAG: convert-cute-to-llvm: {{[0-9]+}} DescriptorRewindOpLowering

// MakeLayoutOpLowering: (shape, stride) of what is dynamic.
// CHECK-LABEL: llvm.func @make_layout
// CHECK-SAME: (%[[N:.*]]: i32, %[[S:.*]]: i32)
// CHECK: llvm.insertvalue %[[N]], %{{.*}}[0] : !llvm.struct<(i32, i32)>
// CHECK: llvm.insertvalue %[[S]], %{{.*}}[1] : !llvm.struct<(i32, i32)>
func.func @make_layout(%n: !cute.shape<"(?,8)">, %s: !cute.stride<"(1,?)">) -> !cute.layout<"(?,8):(1,?)"> {
  %0 = cute.make_layout(%n, %s) : (!cute.shape<"(?,8)">, !cute.stride<"(1,?)">)
  return %0 : !cute.layout<"(?,8):(1,?)">
}
// AddOffsetOpLowering, of a pointer: steps of its element.
// CHECK-LABEL: llvm.func @move_pointer
// CHECK-SAME: (%[[P:.*]]: !llvm.ptr<1>, %[[I:.*]]: i32)
// CHECK: llvm.getelementptr %[[P]][%[[I]]] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
func.func @move_pointer(%p: !cute.ptr<f32, gmem>, %i: !cute.int_tuple<"?">) -> !cute.ptr<f32, gmem> {
  %0 = cute.add_offset(%p, %i) : (!cute.ptr<f32, gmem>, !cute.int_tuple<"?">) -> !cute.ptr<f32, gmem>
  return %0 : !cute.ptr<f32, gmem>
}
// MakeShapeOpLowering: what is dynamic.
// CHECK-LABEL: llvm.func @make_shape
// CHECK-SAME: (%[[N:.*]]: i32, %[[M:.*]]: i32)
// CHECK: llvm.insertvalue %[[N]], %{{.*}}[0] : !llvm.struct<(i32, i32)>
// CHECK: llvm.insertvalue %[[M]], %{{.*}}[1] : !llvm.struct<(i32, i32)>
func.func @make_shape(%n: i32, %m: i32) -> !cute.shape<"(?,4,?)"> {
  %0 = cute.make_shape(%n, %m) : (i32, i32) -> !cute.shape<"(?,4,?)">
  return %0 : !cute.shape<"(?,4,?)">
}
// MakeCoordOpLowering.
// CHECK-LABEL: llvm.func @make_coord
// CHECK-SAME: (%[[I:.*]]: i32, %[[J:.*]]: i32)
// CHECK: llvm.insertvalue %[[I]], %{{.*}}[0] : !llvm.struct<(i32, i32)>
// CHECK: llvm.insertvalue %[[J]], %{{.*}}[1] : !llvm.struct<(i32, i32)>
func.func @make_coord(%i: i32, %j: i32) -> !cute.coord<"(?,(3,?))"> {
  %0 = cute.make_coord(%i, %j) : (i32, i32) -> !cute.coord<"(?,(3,?))">
  return %0 : !cute.coord<"(?,(3,?))">
}
// CrdToIdxOpLowering: i + j s.
// CHECK-LABEL: llvm.func @crd2idx
// CHECK-DAG: %[[I:.*]] = llvm.extractvalue %arg0[0]
// CHECK-DAG: %[[J:.*]] = llvm.extractvalue %arg0[1]
// CHECK: %[[P:.*]] = arith.muli %[[J]], %{{.*}}
// CHECK: %[[X:.*]] = arith.addi %[[I]], %[[P]]
// CHECK: llvm.return %[[X]] : i32
func.func @crd2idx(%c: !cute.coord<"(?,?)">, %l: !cute.layout<"(4,8):(1,?)">) -> !cute.int_tuple<"?"> {
  %0 = cute.crd2idx(%c, %l) : (!cute.coord<"(?,?)">, !cute.layout<"(4,8):(1,?)">)
  return %0 : !cute.int_tuple<"?">
}
// TiledDivOpLowering: (n,m):(1,s) in tiles of 4x2: the rests are ceil(n / 4) and ceil(m / 2), their strides 4 and 2 s.
// CHECK-LABEL: llvm.func @tiled_divide
// CHECK-DAG: %[[S:.*]] = llvm.extractvalue %arg0[1]
// CHECK-DAG: %[[REST0:.*]] = arith.divui %{{.*}}, %c4_i32 : i32
// CHECK-DAG: %[[REST1:.*]] = arith.divui %{{.*}}, %c2_i32 : i32
// CHECK-DAG: %[[STEP1:.*]] = arith.muli %[[S]], %c2_i32
// CHECK-DAG: %[[HALF:.*]] = llvm.insertvalue %[[REST0]], %{{.*}}[0]
// CHECK-DAG: llvm.insertvalue %[[REST1]], %[[HALF]][1]
// CHECK-DAG: %[[STRIDE:.*]] = llvm.insertvalue %[[S]], %{{.*}}[0]
// CHECK-DAG: llvm.insertvalue %[[STEP1]], %[[STRIDE]][1]
// CHECK: llvm.return %{{.*}} : !llvm.struct<(struct<(i32, i32)>, struct<(i32, i32)>)>
func.func @tiled_divide(%l: !cute.layout<"(?,?):(1,?)">) -> !cute.layout<"((4,2),?,?):((1,?),4,?{div=2})"> {
  %t = cute.static : !cute.tile<"[4:1;2:1]">
  %0 = cute.tiled_divide(%l, %t) : (!cute.layout<"(?,?):(1,?)">, !cute.tile<"[4:1;2:1]">)
  return %0 : !cute.layout<"((4,2),?,?):((1,?),4,?{div=2})">
}
// ShapeDivOpLowering.
// CHECK-LABEL: llvm.func @shape_div
// CHECK-SAME: (%[[N:.*]]: i32)
// CHECK: %[[Q:.*]] = arith.divui %{{.*}}, %c4_i32 : i32
// CHECK: llvm.return %[[Q]] : i32
func.func @shape_div(%s: !cute.shape<"(?{div=8},6)">) -> !cute.shape<"(?,2)"> {
  %t = cute.static : !cute.shape<"(4,3)">
  %0 = cute.shape_div(%s, %t) : (!cute.shape<"(?{div=8},6)">, !cute.shape<"(4,3)">)
  return %0 : !cute.shape<"(?,2)">
}
// CeilDivOpLowering.
// CHECK-LABEL: llvm.func @ceil_div
// CHECK-SAME: (%[[N:.*]]: i32)
// CHECK: %[[UP:.*]] = arith.addi %[[N]], %c63_i32 : i32
// CHECK: %[[Q:.*]] = arith.divui %[[UP]], %c64_i32 : i32
// CHECK: llvm.return %[[Q]] : i32
func.func @ceil_div(%s: !cute.shape<"(?,130)">) -> !cute.shape<"(?,3)"> {
  %t = cute.static : !cute.shape<"(64,64)">
  %0 = cute.ceil_div(%s, %t) : (!cute.shape<"(?,130)">, !cute.shape<"(64,64)">)
  return %0 : !cute.shape<"(?,3)">
}
// FilterZerosOpLowering: the mode of stride 0 loses its extent.
// CHECK-LABEL: llvm.func @filter_zeros
// CHECK-SAME: (%[[L:.*]]: !llvm.struct<(struct<(i32, i32)>, i32)>)
// CHECK: %[[N:.*]] = llvm.extractvalue %[[L]][0, 0]
// CHECK: llvm.insertvalue %[[N]], %{{.*}}[0] : !llvm.struct<(i32, i32)>
func.func @filter_zeros(%l: !cute.layout<"(?,?):(?,0)">) -> !cute.layout<"(?,1):(?,0)"> {
  %0 = cute.filter_zeros(%l) : (!cute.layout<"(?,?):(?,0)">)
  return %0 : !cute.layout<"(?,1):(?,0)">
}
// GroupModesOpLowering: the leaves stay as they are.
// CHECK-LABEL: llvm.func @group_modes
// CHECK-SAME: (%[[L:.*]]: !llvm.struct<(struct<(i32, i32)>, i32)>)
// CHECK-NOT: arith
// CHECK: llvm.return %{{.*}} : !llvm.struct<(struct<(i32, i32)>, i32)>
func.func @group_modes(%l: !cute.layout<"(?,4,?):(1,?,0)">) -> !cute.layout<"((?,4),?):((1,?),0)"> {
  %0 = cute.group_modes<0, 2> (%l) : (!cute.layout<"(?,4,?):(1,?,0)">)
  return %0 : !cute.layout<"((?,4),?):((1,?),0)">
}
// CoalesceOpLowering: (4,2) is 8, which the dynamic mode is not known to continue.
// CHECK-LABEL: llvm.func @coalesce
// CHECK: llvm.return %{{.*}} : !llvm.struct<(i32, i32)>
func.func @coalesce(%l: !cute.layout<"((4,2),?):((1,4),?)">) -> !cute.layout<"(8,?):(1,?)"> {
  %0 = cute.coalesce(%l) : (!cute.layout<"((4,2),?):((1,4),?)">)
  return %0 : !cute.layout<"(8,?):(1,?)">
}
// ComplementOpLowering: of 4:1 in n: ceil(n / 4) tiles, 4 apart.
// CHECK-LABEL: llvm.func @complement
// CHECK-SAME: (%[[N:.*]]: i32)
// CHECK: %[[UP:.*]] = arith.addi %[[N]], %c3_i32 : i32
// CHECK: %[[Q:.*]] = arith.divui %[[UP]], %c4_i32 : i32
// CHECK: llvm.insertvalue %[[Q]], %{{.*}}[0] : !llvm.struct<(i32, struct<()>)>
func.func @complement(%n: !cute.shape<"?">) -> !cute.layout<"?:4"> {
  %l = cute.static : !cute.layout<"4:1">
  %0 = cute.complement(%l, %n) : (!cute.layout<"4:1">, !cute.shape<"?">)
  return %0 : !cute.layout<"?:4">
}
// PartitionOpLowering: thread t of 8 side by side starts t elements on; 8 apart are its own.
// CHECK-LABEL: llvm.func @local_partition
// CHECK: %[[T:.*]] = arith.remui %arg1, %c8_i32 : i32
// CHECK: llvm.getelementptr %{{.*}}[%[[T]]]
// CHECK: llvm.return %{{.*}} : !llvm.struct<(ptr<1>, struct<(struct<()>, struct<()>)>)>
func.func @local_partition(%v: !cute.memref<f32, gmem, "64:1">, %t: !cute.coord<"?">) -> !cute.memref<f32, gmem, "((8)):((8))"> {
  %th = cute.static : !cute.layout<"8:1">
  %0 = cute.local_partition(%v, %th, %t) : (!cute.memref<f32, gmem, "64:1">, !cute.layout<"8:1">, !cute.coord<"?">)
  return %0 : !cute.memref<f32, gmem, "((8)):((8))">
}
// TilePartitionOpLowering: threads of a tiled copy of 16 bytes, eight in a row of 64 halves: t % 8 and t / 8 say where.
// CHECK-LABEL: llvm.func @partition_S
// CHECK: %[[COLUMN:.*]] = arith.remui %arg1, %c8_i32 : i32
// CHECK: %[[X:.*]] = arith.muli %[[COLUMN]], %c8_i32
// CHECK: %[[ROW:.*]] = arith.divui %arg1, %c8_i32 : i32
// CHECK: %[[Y:.*]] = arith.muli %[[ROW]], %c64_i32
// CHECK: %[[AT:.*]] = arith.addi %[[X]], %[[Y]]
// CHECK: llvm.getelementptr %{{.*}}[%[[AT]]]
// CHECK: llvm.return %{{.*}} : !llvm.struct<(ptr<1>, struct<(struct<()>, struct<()>)>)>
!copy = !cute.tiled_copy<!cute_nvgpu.atom.universal_copy<f16, 128 b>, layout_copy_tv = <"((8,16),8):((128,1),16)">, tiler_mn = <"[16:1;64:1]">>
!tensor = !cute.memref<f16, gmem, align<16>, "(64,64):(64,1)">
!part = !cute.memref<f16, gmem, align<16>, "((8,1),4,1):((1,0),1024,0)">
func.func @partition_S(%v: !tensor, %t: !cute.coord<"?">) -> !part {
  %c = cute.static : !copy
  %0 = cute.tiled.copy.partition_S(%c, %v, %t) : (!copy, !tensor, !cute.coord<"?">)
  return %0 : !part
}
// CHECK-LABEL: llvm.func @partition_D
// CHECK: %[[COLUMN:.*]] = arith.remui %arg1, %c8_i32 : i32
// CHECK: %[[X:.*]] = arith.muli %[[COLUMN]], %c8_i32
// CHECK: %[[ROW:.*]] = arith.divui %arg1, %c8_i32 : i32
// CHECK: %[[Y:.*]] = arith.muli %[[ROW]], %c64_i32
// CHECK: %[[AT:.*]] = arith.addi %[[X]], %[[Y]]
// CHECK: llvm.getelementptr %{{.*}}[%[[AT]]]
func.func @partition_D(%v: !tensor, %t: !cute.coord<"?">) -> !part {
  %c = cute.static : !copy
  %0 = cute.tiled.copy.partition_D(%c, %v, %t) : (!copy, !tensor, !cute.coord<"?">)
  return %0 : !part
}
// GetShapeOpLowering, GetStrideOpLowering.
// CHECK-LABEL: llvm.func @get_shape
// CHECK: %[[X:.*]] = llvm.extractvalue %arg0[0] : !llvm.struct<(i32, i32)>
// CHECK: llvm.return %[[X]] : i32
func.func @get_shape(%l: !cute.layout<"(?,8):(1,?)">) -> !cute.shape<"(?,8)"> {
  %s = cute.get_shape(%l) : !cute.layout<"(?,8):(1,?)">
  return %s : !cute.shape<"(?,8)">
}
// CHECK-LABEL: llvm.func @get_stride
// CHECK: %[[X:.*]] = llvm.extractvalue %arg0[1] : !llvm.struct<(i32, i32)>
// CHECK: llvm.return %[[X]] : i32
func.func @get_stride(%l: !cute.layout<"(?,8):(1,?)">) -> !cute.stride<"(1,?)"> {
  %s = cute.get_stride(%l) : !cute.layout<"(?,8):(1,?)">
  return %s : !cute.stride<"(1,?)">
}
// MakeIntTupleOpLowering.
// CHECK-LABEL: llvm.func @make_int_tuple
// CHECK-SAME: (%[[I:.*]]: i32, %[[J:.*]]: i64)
// CHECK: llvm.insertvalue %[[I]], %{{.*}}[0] : !llvm.struct<(i32, i64)>
// CHECK: llvm.insertvalue %[[J]], %{{.*}}[1] : !llvm.struct<(i32, i64)>
func.func @make_int_tuple(%i: i32, %j: i64) -> !cute.int_tuple<"(?,(4,?{i64}))"> {
  %0 = cute.make_int_tuple(%i, %j) : (i32, i64) -> !cute.int_tuple<"(?,(4,?{i64}))">
  return %0 : !cute.int_tuple<"(?,(4,?{i64}))">
}
// RecastIterOpLowering: the same address.
// CHECK-LABEL: llvm.func @recast_iter
// CHECK-SAME: (%[[P:.*]]: !llvm.ptr<3>)
// CHECK: llvm.return %[[P]] : !llvm.ptr<3>
func.func @recast_iter(%p: !cute.ptr<f16, smem, align<16>>) -> !cute.ptr<i32, smem, align<16>> {
  %0 = cute.recast_iter(%p) : !cute.ptr<f16, smem, align<16>> to !cute.ptr<i32, smem, align<16>>
  return %0 : !cute.ptr<i32, smem, align<16>>
}
// AtomGetValueOpLowering: a field of the struct that an atom is.
// CHECK-LABEL: llvm.func @field
// CHECK: %[[F:.*]] = llvm.extractvalue %arg0[0] : !llvm.struct<(i1)>
// CHECK: llvm.return %[[F]] : i1
!wgmma = !cute_nvgpu.sm90.mma<64x8x16, ab_major = (k, k), elem_type = (f16, f16, f32), frag_kind = ss>
func.func @field(%m: !wgmma) -> i1 {
  %0 = cute_nvgpu.atom.get_value(%m : !wgmma) {field = #cute_nvgpu.atom_mma_field_sm90<accum_c>} : i1
  return %0 : i1
}
