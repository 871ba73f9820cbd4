// Entries of a tile program for TileTest.c: numbers of every kind, a product whose block is another one on each GPU, and a name
// that C does not take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
cuda_tile.module @m {
  // Tile block (x, y, z) writes its parameters, as f32, to the 8 numbers from p + 8 * (x + X * (y + Y * z)) on.
  entry @numbers(%p: tile<ptr<f32>>, %half: tile<f16>, %brain: tile<bf16>, %tensor: tile<tf32>, %single: tile<f32>, %double: tile<f64>, %flag: tile<i1>, %n0: tile<i32>, %wide: tile<i64>) {
    %n = assume div_by<4>, %n0 : tile<i32>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %gx, %gy, %gz = get_num_tile_blocks : tile<i32>
    %zy = muli %z, %gy : tile<i32>
    %row = addi %zy, %y : tile<i32>
    %across = muli %row, %gx : tile<i32>
    %block = addi %across, %x : tile<i32>
    %c8 = constant <i32: 8> : tile<i32>
    %at = muli %block, %c8 : tile<i32>
    %p0 = offset %p, %at : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %one = constant <i32: 1> : tile<i32>
    %p1 = offset %p0, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %p2 = offset %p1, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %p3 = offset %p2, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %p4 = offset %p3, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %p5 = offset %p4, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %p6 = offset %p5, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %p7 = offset %p6, %one : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %f0 = ftof %half : tile<f16> -> tile<f32>
    %f1 = ftof %brain : tile<bf16> -> tile<f32>
    %f2 = ftof %tensor : tile<tf32> -> tile<f32>
    %f4 = ftof %double : tile<f64> -> tile<f32>
    %f5 = itof %flag unsigned : tile<i1> -> tile<f32>
    %f6 = itof %n signed : tile<i32> -> tile<f32>
    %f7 = itof %wide signed : tile<i64> -> tile<f32>
    %t0 = store_ptr_tko weak %p0, %f0 : tile<ptr<f32>>, tile<f32> -> token
    %t1 = store_ptr_tko weak %p1, %f1 : tile<ptr<f32>>, tile<f32> -> token
    %t2 = store_ptr_tko weak %p2, %f2 : tile<ptr<f32>>, tile<f32> -> token
    %t3 = store_ptr_tko weak %p3, %single : tile<ptr<f32>>, tile<f32> -> token
    %t4 = store_ptr_tko weak %p4, %f4 : tile<ptr<f32>>, tile<f32> -> token
    %t5 = store_ptr_tko weak %p5, %f5 : tile<ptr<f32>>, tile<f32> -> token
    %t6 = store_ptr_tko weak %p6, %f6 : tile<ptr<f32>>, tile<f32> -> token
    %t7 = store_ptr_tko weak %p7, %f7 : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  // C = A B, each a pointer, two extents and two strides; tiles of 64 x 64, 32 of K at a time.
  entry @product(%pa0: tile<ptr<f16>>, %m0: tile<i32>, %k0: tile<i32>, %la0: tile<i32>, %ua: tile<i32>, %pb0: tile<ptr<f16>>, %kb: tile<i32>, %n0: tile<i32>, %lb0: tile<i32>, %ub: tile<i32>, %pc: tile<ptr<f32>>, %mc: tile<i32>, %nc: tile<i32>, %lc: tile<i32>, %uc: tile<i32>) {
    %pa = assume div_by<16>, %pa0 : tile<ptr<f16>>
    %pb = assume div_by<16>, %pb0 : tile<ptr<f16>>
    %m = assume bounded<0, ?>, %m0 : tile<i32>
    %n = assume bounded<0, ?>, %n0 : tile<i32>
    %k = assume bounded<0, ?>, %k0 : tile<i32>
    %la1 = assume bounded<0, ?>, %la0 : tile<i32>
    %la = assume div_by<8>, %la1 : tile<i32>
    %lb1 = assume bounded<0, ?>, %lb0 : tile<i32>
    %lb = assume div_by<8>, %lb1 : tile<i32>
    %va = make_tensor_view %pa, shape = [%m, %k], strides = [%la, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %a = make_partition_view %va : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %vb = make_tensor_view %pb, shape = [%k, %n], strides = [%lb, 1] : tile<i32> -> tensor_view<?x?xf16, strides=[?,1]>
    %b = make_partition_view %vb : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>
    %vc = make_tensor_view %pc, shape = [%m, %n], strides = [%lc, 1] : tile<i32> -> tensor_view<?x?xf32, strides=[?,1]>
    %c = make_partition_view %vc : partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>
    %x, %y, %z = get_tile_block_id : tile<i32>
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %tk = constant <i32: 32> : tile<i32>
    %start = constant <f32: 0.0> : tile<64x64xf32>
    %steps = divi %k, %tk signed rounding<positive_inf> : tile<i32>
    %sum = for %i in (%zero to %steps, step %one) : tile<i32> iter_values(%acc = %start) -> (tile<64x64xf32>) {
      %ta, %oa = load_view_tko weak %a[%x, %i] : partition_view<tile=(64x32), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<64x32xf16>, token
      %tb, %ob = load_view_tko weak %b[%i, %y] : partition_view<tile=(32x64), padding_value = zero, tensor_view<?x?xf16, strides=[?,1]>>, tile<i32> -> tile<32x64xf16>, token
      %next = mmaf %ta, %tb, %acc : tile<64x32xf16>, tile<32x64xf16>, tile<64x64xf32>
      continue %next : tile<64x64xf32>
    }
    %s = store_view_tko weak %sum, %c[%x, %y] : tile<64x64xf32>, partition_view<tile=(64x64), tensor_view<?x?xf32, strides=[?,1]>>, tile<i32> -> token
    return
  }
  entry @"odd$name"() {
    return
  }
}
