// The texts of the ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Samples.h"

#include <algorithm>
#include <cctype>

namespace tessera::cuda_tile::test {

const std::vector<std::pair<std::string_view, std::string_view>> arguments = {
    {"i1", "tile<i1>"},
    {"i", "tile<i32>"},
    {"l", "tile<i64>"},
    {"b4", "tile<4xi1>"},
    {"i4", "tile<4xi32>"},
    {"l4", "tile<4xi64>"},
    {"c4", "tile<4xi8>"},
    {"f4", "tile<4xf32>"},
    {"h4", "tile<4xf16>"},
    {"d4", "tile<4xf64>"},
    {"q8", "tile<8xi8>"},
    {"x", "tile<f32>"},
    {"f24", "tile<2x4xf32>"},
    {"f44", "tile<4x4xf32>"},
    {"f14", "tile<1x4xf32>"},
    {"p", "tile<ptr<f32>>"},
    {"p4", "tile<4xptr<f32>>"},
    {"pi4", "tile<4xptr<i32>>"},
    {"t", "token"},
    {"u", "token"},
    {"lhs", "tile<4x8xf16>"},
    {"rhs", "tile<8x16xf16>"},
    {"acc", "tile<4x16xf32>"},
    {"lhs8", "tile<4x8xi8>"},
    {"rhs8", "tile<8x16xi8>"},
    {"acci", "tile<4x16xi32>"},
    {"lhse", "tile<16x64xf8E4M3FN>"},
    {"rhse", "tile<64x16xf8E4M3FN>"},
    {"acce", "tile<16x16xf32>"},
    {"lhss", "tile<16x2xf8E8M0FNU>"},
    {"rhss", "tile<2x16xf8E8M0FNU>"},
    {"tv", "tensor_view<?x64xf32, strides=[?,1]>"},
    {"pv", "partition_view<tile=(4x16), tensor_view<?x64xf32, strides=[?,1]>>"},
    {"gv", "gather_scatter_view<tile=(4x16), tensor_view<?x64xf32, strides=[?,1]>, sparse_dim=0>"},
    {"iv", "partition_view<tile=(4), tensor_view<64xi32, strides=[1]>>"},
};

const std::vector<Sample> samples = {
    // Integers
    {"cuda_tile.addi %i4, %i4 : tile<4xi32>"},
    {"cuda_tile.addi %i4, %i4 overflow<no_signed_wrap> : tile<4xi32>"},
    {"cuda_tile.subi %l4, %l4 overflow<no_unsigned_wrap> : tile<4xi64>"},
    {"cuda_tile.muli %c4, %c4 overflow<no_wrap> : tile<4xi8>"},
    {"cuda_tile.shli %i4, %i4 : tile<4xi32>"},
    {"cuda_tile.shri %i4, %i4 unsigned : tile<4xi32>"},
    {"cuda_tile.divi %i4, %i4 signed : tile<4xi32>"},
    {"cuda_tile.divi %i4, %i4 signed rounding<negative_inf> : tile<4xi32>"},
    {"cuda_tile.divi %i4, %i4 unsigned rounding<positive_inf> : tile<4xi32>"},
    {"cuda_tile.remi %i, %i unsigned : tile<i32>"},
    {"cuda_tile.maxi %i4, %i4 signed : tile<4xi32>"},
    {"cuda_tile.mini %i4, %i4 unsigned : tile<4xi32>"},
    {"cuda_tile.mulhii %l4, %l4 : tile<4xi64>"},
    {"cuda_tile.negi %i4 overflow<no_signed_wrap> : tile<4xi32>"},
    {"cuda_tile.absi %i4 : tile<4xi32>"},
    {"cuda_tile.andi %b4, %b4 : tile<4xi1>"},
    {"cuda_tile.ori %i4, %i4 : tile<4xi32>"},
    {"cuda_tile.xori %i4, %i4 : tile<4xi32>"},
    // Floating point
    {"cuda_tile.addf %f4, %f4 : tile<4xf32>"},
    {"cuda_tile.addf %f4, %f4 rounding<zero> flush_to_zero : tile<4xf32>"},
    {"cuda_tile.subf %h4, %h4 rounding<negative_inf> : tile<4xf16>"},
    {"cuda_tile.mulf %d4, %d4 rounding<positive_inf> : tile<4xf64>"},
    {"cuda_tile.divf %f4, %f4 rounding<approx> flush_to_zero : tile<4xf32>"},
    {"cuda_tile.divf %f4, %f4 rounding<full> : tile<4xf32>"},
    {"cuda_tile.fma %f4, %f4, %f4 rounding<zero> flush_to_zero : tile<4xf32>"},
    {"cuda_tile.sqrt %f4 rounding<approx> flush_to_zero : tile<4xf32>"},
    {"cuda_tile.rsqrt %f4 flush_to_zero : tile<4xf32>"},
    {"cuda_tile.exp2 %f4 flush_to_zero : tile<4xf32>"},
    {"cuda_tile.exp %f4 rounding<approx> : tile<4xf32>"},
    {"cuda_tile.tanh %h4 : tile<4xf16>"},
    {"cuda_tile.tanh %f4 rounding<approx> : tile<4xf32>"},
    {"cuda_tile.sin %f4 : tile<4xf32>"},
    {"cuda_tile.cos %f4 : tile<4xf32>"},
    {"cuda_tile.tan %f4 : tile<4xf32>"},
    {"cuda_tile.sinh %f4 : tile<4xf32>"},
    {"cuda_tile.cosh %f4 : tile<4xf32>"},
    {"cuda_tile.log %f4 : tile<4xf32>"},
    {"cuda_tile.log2 %f4 : tile<4xf32>"},
    {"cuda_tile.ceil %f4 : tile<4xf32>"},
    {"cuda_tile.floor %f4 : tile<4xf32>"},
    {"cuda_tile.absf %f4 : tile<4xf32>"},
    {"cuda_tile.negf %f4 : tile<4xf32>"},
    {"cuda_tile.pow %f4, %f4 : tile<4xf32>"},
    {"cuda_tile.fpowi %f4, %i4 : tile<4xf32>, tile<4xi32>"},
    {"cuda_tile.atan2 %f4, %f4 : tile<4xf32>"},
    {"cuda_tile.remf %f4, %f4 : tile<4xf32>"},
    {"cuda_tile.maxf %f4, %f4 flush_to_zero propagate_nan : tile<4xf32>"},
    {"cuda_tile.minf %f4, %f4 : tile<4xf32>"},
    {"cuda_tile.cmpi less_than %i4, %i4, signed : tile<4xi32> -> tile<4xi1>"},
    {"cuda_tile.cmpf not_equal unordered %f4, %f4 : tile<4xf32> -> tile<4xi1>"},
    {"cuda_tile.select %b4, %f4, %f4 : tile<4xi1>, tile<4xf32>"},
    // Conversions
    {"cuda_tile.exti %i4 signed : tile<4xi32> -> tile<4xi64>"},
    {"cuda_tile.trunci %l4 overflow<no_unsigned_wrap> : tile<4xi64> -> tile<4xi32>"},
    {"cuda_tile.ftof %f4 : tile<4xf32> -> tile<4xf16>"},
    {"cuda_tile.ftof %f4 rounding<positive_inf> : tile<4xf32> -> tile<4xf8E8M0FNU>"},
    {"cuda_tile.ftof %f4 rounding<nearest_away> : tile<4xf32> -> tile<4xtf32>"},
    {"cuda_tile.ftoi %f4 signed : tile<4xf32> -> tile<4xi32>"},
    {"cuda_tile.ftoi %f4 unsigned saturating : tile<4xf32> -> tile<4xi8>"},
    {"cuda_tile.itof %i4 unsigned : tile<4xi32> -> tile<4xf32>"},
    {"cuda_tile.bitcast %f4 : tile<4xf32> -> tile<4xi32>"},
    {"cuda_tile.bitcast %f4 : tile<4xf32> -> tile<4xtf32>"}, // which is kept in 32 bits
    {"cuda_tile.int_to_ptr %l : tile<i64> -> tile<ptr<f32>>"},
    {"cuda_tile.ptr_to_int %p4 : tile<4xptr<f32>> -> tile<4xi64>"},
    {"cuda_tile.ptr_to_ptr %p : tile<ptr<f32>> -> tile<ptr<i8>>"},
    {"cuda_tile.pack %f4 : tile<4xf32> -> tile<16xi8>"},
    {"cuda_tile.unpack %q8 : tile<8xi8> -> tile<16xf4E2M1FN>"},
    {"cuda_tile.unpack %q8 : tile<8xi8> -> tile<16xi4>"},
    {"cuda_tile.unpack %q8 : tile<8xi8> -> tile<2xtf32>"},
    // Constants and shapes
    {"cuda_tile.constant <i32: 4> : tile<i32>"},
    {"cuda_tile.constant <i8: -1> : tile<4xi8>"},
    {"cuda_tile.constant <i1: true> : tile<i1>"},
    {"cuda_tile.constant <i1: [true, false]> : tile<2xi1>"},
    {"cuda_tile.constant <i64: [[1, 2], [3, 4]]> : tile<2x2xi64>"},
    {"cuda_tile.constant <f32: 1.500000e+00> : tile<4xf32>"},
    {"cuda_tile.constant <f32: 0xFF800000> : tile<f32>"},
    {"cuda_tile.constant <f64: [1.000000e+00, 0x7FF8000000000000]> : tile<2xf64>"},
    {"cuda_tile.constant <bf16: 2.000000e+00> : tile<bf16>"},
    {"cuda_tile.constant <tf32: 1.000000e+00> : tile<2xtf32>"},
    {"cuda_tile.constant <f8E4M3FN: 2.000000e+00> : tile<f8E4M3FN>"},
    {"cuda_tile.constant <f8E8M0FNU: 1.000000e+00> : tile<f8E8M0FNU>"},
    {"cuda_tile.constant <f4E2M1FN: [1.000000e+00, 6.000000e+00]> : tile<2xf4E2M1FN>"},
    {"cuda_tile.iota : tile<256xi8>"},
    {"cuda_tile.broadcast %f14 : tile<1x4xf32> -> tile<2x4xf32>"},
    {"cuda_tile.reshape %f4 : tile<4xf32> -> tile<1x2x2xf32>"},
    {"cuda_tile.permute %f24 [1, 0] : tile<2x4xf32> -> tile<4x2xf32>"},
    {"cuda_tile.cat %f24, %f24 dim = 0 : tile<2x4xf32>, tile<2x4xf32> -> tile<4x4xf32>"},
    {"cuda_tile.extract %f44[%i, %i] : tile<4x4xf32> -> tile<2x1xf32>"},
    {"cuda_tile.insert %f24, %f44[%i, %i] : tile<2x4xf32>, tile<4x4xf32> -> tile<4x4xf32>"},
    {"cuda_tile.assume div_by<16>, %p : tile<ptr<f32>>"},
    {"cuda_tile.assume div_by<4, every 2 along 0>, %i4 : tile<4xi32>"},
    {"cuda_tile.assume div_by<8>, %tv : tensor_view<?x64xf32, strides=[?,1]>"},
    {"cuda_tile.assume same_elements<[2]>, %i4 : tile<4xi32>"},
    {"cuda_tile.assume bounded<0, ?>, %i : tile<i32>"},
    {"cuda_tile.assume bounded<?, -5>, %i : tile<i32>"},
    // Products
    {"cuda_tile.mmaf %lhs, %rhs, %acc : tile<4x8xf16>, tile<8x16xf16>, tile<4x16xf32>"},
    {"cuda_tile.mmaf %lhse, %rhse, %acce fast_acc : tile<16x64xf8E4M3FN>, tile<64x16xf8E4M3FN>, "
     "tile<16x16xf32>"},
    {"cuda_tile.mmai %lhs8, %rhs8, %acci signed unsigned : tile<4x8xi8>, tile<8x16xi8>, "
     "tile<4x16xi32>"},
    {"cuda_tile.mmaf_scaled %lhse, %rhse, %acce, %lhss, %rhss : tile<16x64xf8E4M3FN>, "
     "tile<64x16xf8E4M3FN>, tile<16x16xf32>, "
     "tile<16x2xf8E8M0FNU>, tile<2x16xf8E8M0FNU>"},
    // Reductions
    {"cuda_tile.reduce %f24 dim=1 identities=[0.000000e+00 : f32] : tile<2x4xf32> -> tile<2xf32> "
     "(%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) "
     "{ %0 = addf %reduce_lhs, %reduce_rhs : tile<f32> yield %0 : tile<f32> }"},
    {"cuda_tile.reduce %f4, %i4 dim=0 identities=[0.000000e+00 : f32, -1 : i32] : tile<4xf32>, "
     "tile<4xi32> -> tile<f32>, tile<i32> "
     "(%reduce_lhs0: tile<f32>, %reduce_rhs0: tile<f32>, %reduce_lhs1: tile<i32>, %reduce_rhs1: "
     "tile<i32>) "
     "{ yield %reduce_lhs0, %reduce_rhs1 : tile<f32>, tile<i32> }"},
    {"cuda_tile.scan %f24 dim=1 reverse=true identities=[1.000000e+00 : f32] : tile<2x4xf32> -> "
     "tile<2x4xf32> (%scan_lhs: tile<f32>, "
     "%scan_rhs: tile<f32>) { %0 = mulf %scan_lhs, %scan_rhs : tile<f32> yield %0 : tile<f32> }"},
    {"cuda_tile.yield %reduce_lhs : tile<f32>", Place::Reduction},
    // Views
    {"cuda_tile.make_tensor_view %p, shape = [%i, 64], strides = [%i, 1] : tile<i32> -> "
     "tensor_view<?x64xf32, strides=[?,1]>"},
    {"cuda_tile.make_tensor_view %p, shape = [32, 64], strides = [64, 1] : tensor_view<32x64xf32, "
     "strides=[64,1]>"},
    {"cuda_tile.make_tensor_view %p, shape = [], strides = [] : tensor_view<f32>"},
    {"cuda_tile.make_partition_view %tv : partition_view<tile=(4x16), padding_value = neg_zero, "
     "tensor_view<?x64xf32, strides=[?,1]>, "
     "dim_map=[1, 0]>"},
    {"cuda_tile.make_strided_view %tv : strided_view<tile=(4x16), traversal_strides=[2,16], "
     "tensor_view<?x64xf32, strides=[?,1]>>"},
    {"cuda_tile.make_gather_scatter_view %tv : gather_scatter_view<tile=(4x16), padding_value = "
     "zero, tensor_view<?x64xf32, "
     "strides=[?,1]>, sparse_dim=1>"},
    {"cuda_tile.get_tensor_shape %tv : tensor_view<?x64xf32, strides=[?,1]> -> tile<i64>"},
    {"cuda_tile.get_index_space_shape %pv : partition_view<tile=(4x16), tensor_view<?x64xf32, "
     "strides=[?,1]>> -> tile<i32>"},
    {"cuda_tile.load_view_tko weak %pv[%i, %i] : partition_view<tile=(4x16), tensor_view<?x64xf32, "
     "strides=[?,1]>>, tile<i32> -> "
     "tile<4x16xf32>, token"},
    {"cuda_tile.load_view_tko acquire device %pv[%l, %l] token = %t optimization_hints = <sm_100 = "
     "{allow_tma = false, latency = 3}> "
     "attributes {inbounds = array<i1: true, false>} : partition_view<tile=(4x16), "
     "tensor_view<?x64xf32, "
     "strides=[?,1]>>, tile<i64> -> "
     "tile<4x16xf32>, token"},
    {"cuda_tile.load_view_tko weak %gv[%i4, %i] : gather_scatter_view<tile=(4x16), "
     "tensor_view<?x64xf32, strides=[?,1]>, sparse_dim=0>, "
     "tile<4xi32>, tile<i32> -> tile<4x16xf32>, token"},
    {"cuda_tile.store_view_tko release sys %acc, %pv[%i, %i] token = %t : tile<4x16xf32>, "
     "partition_view<tile=(4x16), tensor_view<?x64xf32, "
     "strides=[?,1]>>, tile<i32> -> token"},
    {"cuda_tile.atomic_red_view_tko relaxed device %iv[%i], add, %i4 token = %t : tile<4xi32>, "
     "partition_view<tile=(4), tensor_view<64xi32, "
     "strides=[1]>>, tile<i32> -> token"},
    // Memory
    {"cuda_tile.offset %p4, %l4 : tile<4xptr<f32>>, tile<4xi64> -> tile<4xptr<f32>>"},
    {"cuda_tile.load_ptr_tko weak %p4 : tile<4xptr<f32>> -> tile<4xf32>, token"},
    {"cuda_tile.load_ptr_tko relaxed tl_blk %p4, %b4, %f4 token=%t optimization_hints = <default = "
     "{latency = 5}> : tile<4xptr<f32>>, tile<4xi1>, "
     "tile<4xf32> -> tile<4xf32>, token"},
    {"cuda_tile.load_ptr_tko weak %p4, padding = %f4 : tile<4xptr<f32>>, tile<4xf32> -> "
     "tile<4xf32>, token"},
    {"cuda_tile.store_ptr_tko weak %p4, %f4, %b4 token=%t : tile<4xptr<f32>>, tile<4xf32>, "
     "tile<4xi1> -> token"},
    {"cuda_tile.atomic_rmw_tko acq_rel device %p4, addf, %f4 : tile<4xptr<f32>>, tile<4xf32> -> "
     "tile<4xf32>, token"},
    {"cuda_tile.atomic_rmw_tko relaxed sys %pi4, umax, %i4, %b4 token=%t : tile<4xptr<i32>>, "
     "tile<4xi32>, tile<4xi1> -> tile<4xi32>, token"},
    {"cuda_tile.atomic_cas_tko acquire tl_blk %pi4, %i4, %i4, %b4 token=%t : tile<4xptr<i32>>, "
     "tile<4xi32>, tile<4xi1> -> tile<4xi32>, token"},
    {"cuda_tile.alloca num_elem = 128, alignment = 16 global : tile<ptr<f32>>"},
    {"cuda_tile.make_token : token"},
    {"cuda_tile.join_tokens %t, %u, %t : token"},
    {"cuda_tile.gdc_launch_dependents_tko token=%t -> token"},
    {"cuda_tile.gdc_wait_tko -> token"},
    {"cuda_tile.memory_fence_alias_tko token=%t -> token"},
    {"cuda_tile.assert %b4, \"expected 100% of it\" : tile<4xi1>"},
    {"cuda_tile.print_tko \"no numbers\" -> token"},
    {"cuda_tile.print_tko \"%d %+5.3f%%\", %i, %f4 token=%t : tile<i32>, tile<4xf32> -> token"},
    // Control flow
    {"cuda_tile.for %loopIdx in (%i to %i, step %i) : tile<i32> { }"},
    {"cuda_tile.for unsigned %loopIdx in (%i to %i, step %i) : tile<i32> iter_values(%iterArg0 = "
     "%f4) -> (tile<4xf32>) "
     "{ continue %iterArg0 : tile<4xf32> }"},
    {"cuda_tile.loop { break }"},
    {"cuda_tile.loop iter_values(%iterArg0 = %i, %iterArg1 = %t) : tile<i32>, token -> tile<4xf32> "
     "{ if %i1 { break %f4 : tile<4xf32> } "
     "continue %iterArg0, %iterArg1 : tile<i32>, token }"},
    {"cuda_tile.loop : tile<4xf32> { break %f4 : tile<4xf32> }"},
    {"cuda_tile.if %i1 -> (tile<4xf32>, token) { yield %f4, %t : tile<4xf32>, token } else { yield "
     "%f4, %u : tile<4xf32>, token }"},
    {"cuda_tile.if %i1 { return }"},
    {"cuda_tile.continue %i, %t : tile<i32>, token", Place::Loop},
    {"cuda_tile.break %i, %t : tile<i32>, token", Place::Loop},
    {"cuda_tile.return"},
    // Modules
    {"cuda_tile.module @inner attributes {producer = \"someone\"} { }", Place::Module},
    {"cuda_tile.entry @kernel(%arg0: tile<ptr<f32>>, %arg1: tile<i32>) optimization_hints=<default "
     "= {num_cta_in_cga = 2, occupancy = 3}> "
     "{ return }",
     Place::Module},
    {"cuda_tile.testing$func @function() -> tile<i32> { %cst_4_i32 = constant <i32: 4> : tile<i32> "
     "return %cst_4_i32 : tile<i32> }",
     Place::Module},
    {"cuda_tile.global private constant @numbers alignment = 16 <f32: [1.000000e+00, "
     "2.000000e+00]> : tile<2xf32>",
     Place::Module},
    {"cuda_tile.get_global @g : tile<ptr<f32>>"},
    {"cuda_tile.get_tile_block_id : tile<i32>"},
    {"cuda_tile.get_num_tile_blocks : tile<i32>"},
    {"cuda_tile.testing$bytecode_test_evolution(%f4 : !cuda_tile.tile<4xf32>) token = %t : "
     "!cuda_tile.token -> token"},
    {"cuda_tile.testing$bytecode_test_new_attribute new_param = 5 new_flag"},
};

std::string_view opOf(const Sample &sample) {
  return sample.text.substr(0, sample.text.find_first_of(" ("));
}

std::string moduleWith(const Sample &sample, std::string_view function) {
  std::string text(sample.text);
  if (sample.place != Place::Module) {
    std::string parameters;
    for (const auto &[name, type] : arguments)
      parameters +=
          (parameters.empty() ? "%" : ", %") + std::string(name) + ": " + std::string(type);
    if (sample.place == Place::Loop)
      text = "%0:2 = loop iter_values(%first = %i, %second = %t) : tile<i32>, token -> tile<i32>, "
             "token { " +
             text + "\n}";
    else if (sample.place == Place::Reduction)
      text = "%0 = reduce %f4 dim=0 identities=[0.0 : f32] : tile<4xf32> -> tile<f32> "
             "(%reduce_lhs: tile<f32>, %reduce_rhs: tile<f32>) { " +
             text + "\n}";
    text = std::string(function) + " @sample(" + parameters + ") {\n" + text + "\n}";
  }
  return "cuda_tile.module @m {\nglobal @g <f32: 1.0> : tile<4xf32>\n" + text + "\n}";
}

std::string normalized(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (isspace(static_cast<unsigned char>(text[i]))) {
      if (!out.empty() && out.back() != ' ')
        out += ' ';
      continue;
    }
    out += text[i];
    if (text[i] != '%')
      continue;
    size_t end = i + 1;
    while (end < text.size() &&
           (isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    std::string_view name = text.substr(i + 1, end - i - 1);
    auto found = std::find_if(arguments.begin(), arguments.end(),
                              [&](const auto &argument) { return argument.first == name; });
    out += found == arguments.end() ? std::string(name)
                                    : "arg" + std::to_string(found - arguments.begin());
    i = end - 1;
  }
  while (!out.empty() && out.back() == ' ')
    out.pop_back();
  return out;
}

} // namespace tessera::cuda_tile::test
