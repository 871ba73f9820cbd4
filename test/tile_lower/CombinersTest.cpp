// Regions of reductions and scans that are more than elementwise: loops, branches, tiles, views;
// simulated, and compared with the interpreter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Programs.h"

#include <gtest/gtest.h>

#include <iterator>

using namespace tessera;
using namespace tessera::tile_lower::test;

namespace {

constexpr const char *targets[] = {"sm_80", "sm_90a", "sm_100a", "sm_120a"};

/// A region of one operand: it combines the next element %c with %a, which was before it.
struct Region {
  const char *name;
  std::string type, identity, body; // T is the type
  std::string before = {};          // ops outside of it
};

/// Loads a tile, combines along the last but one dimension, and stores what comes of it.
struct Combining {
  int64_t outer = 1, along = 1, inner = 1;
  const char *op = "reduce"; // or scan, with a flag
};
std::string programOf(const Region &r, const Combining &c) {
  bool isScan = c.op[0] == 's';
  std::string whole = cat(c.outer, "x", c.along, "x", c.inner), rest = cat(c.outer, "x", c.inner);
  int64_t count = c.outer * c.along * c.inner;
  return filledIn(R"(cuda_tile.module @m {
  global @g <i32: [5, 6, 7, 8]> : tile<4xi32>
  entry @k(%px: tile<ptr<{T}>>, %pr: tile<ptr<{T}>>) {
    {before}
    %io = iota : tile<{N}xi32>
    %bx = reshape %px : tile<ptr<{T}>> -> tile<1xptr<{T}>>
    %cx = broadcast %bx : tile<1xptr<{T}>> -> tile<{N}xptr<{T}>>
    %ax = offset %cx, %io : tile<{N}xptr<{T}>>, tile<{N}xi32> -> tile<{N}xptr<{T}>>
    %loaded, %tx = load_ptr_tko weak %ax : tile<{N}xptr<{T}>> -> tile<{N}x{T}>, token
    %whole = reshape %loaded : tile<{N}x{T}> -> tile<{whole}x{T}>
    %combined = {op} %whole dim=1{reverse} identities=[{identity} : {T}] : tile<{whole}x{T}> -> tile<{rest}x{T}> (%c: tile<{T}>, %a: tile<{T}>) {
{body}
    }
    %jo = iota : tile<{M}xi32>
    %br = reshape %pr : tile<ptr<{T}>> -> tile<1xptr<{T}>>
    %cr = broadcast %br : tile<1xptr<{T}>> -> tile<{M}xptr<{T}>>
    %ar = offset %cr, %jo : tile<{M}xptr<{T}>>, tile<{M}xi32> -> tile<{M}xptr<{T}>>
    %flat = reshape %combined : tile<{rest}x{T}> -> tile<{M}x{T}>
    %tr = store_ptr_tko weak %ar, %flat : tile<{M}xptr<{T}>>, tile<{M}x{T}> -> token
    return
  }
})",
                  {{"before", r.before},
                   {"body", r.body},
                   {"op", isScan ? "scan" : "reduce"},
                   {"reverse", isScan ? cat(" reverse=", c.op + 4) : ""},
                   {"identity", r.identity},
                   {"whole", whole},
                   {"rest", isScan ? whole : rest},
                   {"N", str(count)},
                   {"M", str(isScan ? count : c.outer * c.inner)},
                   {"T", r.type}});
}

void check(driver::Compiler &compiler, const Region &r, const Combining &c, const Setup &setup) {
  int64_t count = c.outer * c.along * c.inner, left = c.op[0] == 's' ? count : count / c.along;
  EXPECT_EQ(difference(compiler, programOf(r, c),
                       {integers(r.type, count, 7, 40), integers(r.type, left, 8)}, setup),
            "")
      << r.name << ": " << c.op << " of " << c.outer << "x" << c.along << "x" << c.inner
      << " at level " << setup.level << " for " << setup.arch;
}

const Region regions[] = {
    // Euclid's algorithm: as many turns as the numbers need.
    {"gcd", "i32", "0", R"(
      %z = constant <i32: 0> : tile<i32>
      %p = absi %a : tile<i32>
      %q = absi %c : tile<i32>
      %g = loop iter_values(%u = %p, %v = %q) : tile<i32>, tile<i32> -> tile<i32> {
        %e = cmpi equal %v, %z, signed : tile<i32> -> tile<i1>
        if %e {
          break %u : tile<i32>
        }
        %w = remi %u, %v signed : tile<i32>
        continue %v, %w : tile<i32>, tile<i32>
      }
      yield %g : tile<i32>)"},
    // A loop with as many turns as the element says, some of which are left early.
    {"for", "i16", "1", R"(
      %z = constant <i16: 0> : tile<i16>
      %o = constant <i16: 1> : tile<i16>
      %m = constant <i16: 7> : tile<i16>
      %n = andi %c, %m : tile<i16>
      %s, %k = for %i in (%z to %n, step %o) : tile<i16> iter_values(%u = %a, %t = %o) -> (tile<i16>, tile<i16>) {
        %b = andi %u, %o : tile<i16>
        %d = cmpi equal %b, %z, signed : tile<i16> -> tile<i1>
        if %d {
          %h = shri %u, %o signed : tile<i16>
          continue %h, %t : tile<i16>, tile<i16>
        }
        %x3 = addi %u, %i : tile<i16>
        %x4 = muli %x3, %m : tile<i16>
        %t1 = addi %t, %o : tile<i16>
        continue %x4, %t1 : tile<i16>, tile<i16>
      }
      %r0 = xori %s, %c : tile<i16>
      %r1 = addi %r0, %k : tile<i16>
      yield %r1 : tile<i16>)"},
    // A number that wraps around ends a loop; unsigned bounds; a token goes round.
    {"wraps", "i8", "3", R"(
      %l = constant <i8: 100> : tile<i8>
      %h = constant <i8: 127> : tile<i8>
      %f = constant <i8: -3> : tile<i8>
      %p = constant <i8: 20> : tile<i8>
      %t0 = make_token : token
      %s, %t = for %i in (%l to %h, step %p) : tile<i8> iter_values(%u = %a, %tt = %t0) -> (tile<i8>, token) {
        %v = addi %u, %i : tile<i8>
        %t2 = join_tokens %tt, %t0 : token
        continue %v, %t2 : tile<i8>, token
      }
      %w = for unsigned %i in (%l to %f, step %p) : tile<i8> iter_values(%u = %s) -> (tile<i8>) {
        %v = xori %u, %i : tile<i8>
        continue %v : tile<i8>
      }
      %r1 = subi %w, %c : tile<i8>
      yield %r1 : tile<i8>)"},
    // Loops in loops and in branches, with results of another type than what goes round.
    {"nested", "i32", "0", R"(
      %z = constant <i32: 0> : tile<i32>
      %o = constant <i32: 1> : tile<i32>
      %m = constant <i32: 3> : tile<i32>
      %n = andi %c, %m : tile<i32>
      %y = for %i in (%z to %m, step %o) : tile<i32> iter_values(%u = %a) -> (tile<i32>) {
        %b, %done = loop iter_values(%v = %i) : tile<i32> -> tile<i64>, tile<i1> {
          %e = cmpi greater_than_or_equal %v, %n, signed : tile<i32> -> tile<i1>
          if %e {
            %x = exti %v signed : tile<i32> -> tile<i64>
            %odd = andi %v, %o : tile<i32>
            %is = trunci %odd : tile<i32> -> tile<i1>
            break %x, %is : tile<i64>, tile<i1>
          } else {
            %v1 = addi %v, %o : tile<i32>
            continue %v1 : tile<i32>
          }
          continue %v : tile<i32>
        }
        %q = trunci %b : tile<i64> -> tile<i32>
        %s = if %done -> (tile<i32>) {
          %w = for %j in (%z to %q, step %o) : tile<i32> iter_values(%k = %u) -> (tile<i32>) {
            %k1 = muli %k, %m : tile<i32>
            continue %k1 : tile<i32>
          }
          yield %w : tile<i32>
        } else {
          %w = subi %u, %q : tile<i32>
          yield %w : tile<i32>
        }
        continue %s : tile<i32>
      }
      %r1 = addi %y, %c : tile<i32>
      yield %r1 : tile<i32>)"},
    // Tiles, of which each thread has its own; one of them from outside.
    {"tiles", "i32", "2", R"(
      %rc = reshape %c : tile<i32> -> tile<1x1xi32>
      %bc = broadcast %rc : tile<1x1xi32> -> tile<2x4xi32>
      %ra = reshape %a : tile<i32> -> tile<1xi32>
      %ba = broadcast %ra : tile<1xi32> -> tile<8xi32>
      %i = iota : tile<8xi32>
      %ia = muli %ba, %i : tile<8xi32>
      %sa = reshape %ia : tile<8xi32> -> tile<4x2xi32>
      %pa = permute %sa [1, 0] : tile<4x2xi32> -> tile<2x4xi32>
      %k = xori %pa, %bc : tile<2x4xi32>
      %l = addi %k, %outside : tile<2x4xi32>
      %both = cat %l, %k dim = 1 : tile<2x4xi32>, tile<2x4xi32> -> tile<2x8xi32>
      %one = constant <i32: 1> : tile<i32>
      %which = andi %c, %one : tile<i32>
      %part = extract %both[%which, %which] : tile<2x8xi32> -> tile<1x4xi32>
      %sc = scan %part dim=1 reverse=true identities=[0 : i32] : tile<1x4xi32> -> tile<1x4xi32> (%y: tile<i32>, %z: tile<i32>) {
        %two = constant <i32: 2> : tile<i32>
        %z2 = muli %z, %two : tile<i32>
        %yz = addi %y, %z2 : tile<i32>
        yield %yz : tile<i32>
      }
      %in = insert %sc, %both[%which, %one] : tile<1x4xi32>, tile<2x8xi32> -> tile<2x8xi32>
      %s0 = reduce %in dim=0 identities=[0 : i32] : tile<2x8xi32> -> tile<8xi32> (%y: tile<i32>, %z: tile<i32>) {
        %yz = subi %y, %z : tile<i32>
        %yw = xori %yz, %a : tile<i32>
        yield %yw : tile<i32>
      }
      %s1 = reduce %s0 dim=0 identities=[0 : i32] : tile<8xi32> -> tile<i32> (%y: tile<i32>, %z: tile<i32>) {
        %yz = addi %y, %z : tile<i32>
        yield %yz : tile<i32>
      }
      yield %s1 : tile<i32>)",
     "%outside = constant <i32: [[1, 2, 3, 4], [50, 60, 70, 80]]> : tile<2x4xi32>"},
    // What all threads know.
    {"uniform", "i32", "0", R"(
      %x3, %y3, %z3 = get_tile_block_id : tile<i32>
      %nx, %ny, %nz = get_num_tile_blocks : tile<i32>
      %four = constant <i32: 4> : tile<i32>
      %n = muli %nx, %four : tile<i32>
      %v = make_tensor_view %px, shape = [%n], strides = [1] : tile<i32> -> tensor_view<?xi32, strides=[1]>
      %p = make_partition_view %v : partition_view<tile=(2), tensor_view<?xi32, strides=[1]>>
      %e = get_index_space_shape %p : partition_view<tile=(2), tensor_view<?xi32, strides=[1]>> -> tile<i32>
      %f = get_tensor_shape %v : tensor_view<?xi32, strides=[1]> -> tile<i32>
      %g = get_global @g : tile<ptr<i32>>
      %g1 = offset %g, %c : tile<ptr<i32>>, tile<i32> -> tile<ptr<i32>>
      %i0 = ptr_to_int %g : tile<ptr<i32>> -> tile<i64>
      %i1 = ptr_to_int %g1 : tile<ptr<i32>> -> tile<i64>
      %d = subi %i1, %i0 : tile<i64>
      %d1 = trunci %d : tile<i64> -> tile<i32>
      %s0 = addi %a, %d1 : tile<i32>
      %s1 = muli %s0, %e : tile<i32>
      %s2 = addi %s1, %f : tile<i32>
      %s3 = addi %s2, %nx : tile<i32>
      yield %s3 : tile<i32>)"},
};

} // namespace

TEST(Combiners, LoopAndBranch) {
  driver::Compiler compiler;
  int turn = 0;
  for (const Region &r : regions)
    for (const char *op : {"reduce", "scanfalse", "scantrue"})
      for (Combining c : {Combining{1, 64, 1}, {4, 64, 1}, {1, 16, 16}, {8, 4, 16}})
        for (int level : {0, 1}) {
          // Most of them depend on the order, which at level 1 is that of the interpreter only
          // where each thread has a row.
          if (level == 1 && op[0] == 's' && &r != regions && c.outer * c.inner < 128)
            continue;
          c.op = op;
          check(compiler, r, c, {.arch = targets[turn++ % std::size(targets)], .level = level});
        }
}

// Tiles in local memory.
TEST(Combiners, LoopOverLargeTiles) {
  driver::Compiler compiler;
  for (const Region &r : {regions[0], regions[1]})
    for (const char *op : {"reduce", "scanfalse"})
      check(compiler, r, {1, 2, 2048, op}, {.arch = "sm_90a", .level = 0});
}

// Scans whose rows threads share, or that come in pieces: x -> a x + b, one after the other, which
// is associative, and depends on the order.
TEST(Scans, ShareRows) {
  driver::Compiler compiler;
  struct Shape {
    int64_t outer, along, inner;
  };
  for (std::string type : {"i8", "i32", "i64"})
    for (Shape s : {Shape{1, 16, 1},
                    {1, 64, 1},
                    {1, 1024, 1},
                    {1, 16384, 1},
                    {2, 2048, 1},
                    {1, 512, 4},
                    {4, 32, 8},
                    {1, 4096, 8},
                    {256, 32, 1}})
      for (std::string reverse : {"false", "true"})
        for (int level : {0, 1}) {
          int64_t count = s.outer * s.along * s.inner;
          std::string text = filledIn(R"(cuda_tile.module @m {
  entry @k(%px: tile<ptr<{T}>>, %pr: tile<ptr<{T}>>) {
    %i = iota : tile<{N}xi32>
    %bx = reshape %px : tile<ptr<{T}>> -> tile<1xptr<{T}>>
    %cx = broadcast %bx : tile<1xptr<{T}>> -> tile<{N}xptr<{T}>>
    %ax = offset %cx, %i : tile<{N}xptr<{T}>>, tile<{N}xi32> -> tile<{N}xptr<{T}>>
    %x, %tx = load_ptr_tko weak %ax : tile<{N}xptr<{T}>> -> tile<{N}x{T}>, token
    %three = constant <{T}: 3> : tile<{N}x{T}>
    %f = muli %x, %three : tile<{N}x{T}>
    %a = reshape %f : tile<{N}x{T}> -> tile<{S}x{T}>
    %b = reshape %x : tile<{N}x{T}> -> tile<{S}x{T}>
    %r:2 = scan %a, %b dim=1 reverse={reverse} identities=[1 : {T}, 0 : {T}] : tile<{S}x{T}>, tile<{S}x{T}> -> tile<{S}x{T}>, tile<{S}x{T}>
    (%c0: tile<{T}>, %p0: tile<{T}>, %c1: tile<{T}>, %p1: tile<{T}>) {
      %m = muli %p0, %c0 : tile<{T}>
      %n = muli %p1, %c0 : tile<{T}>
      %o = addi %n, %c1 : tile<{T}>
      yield %m, %o : tile<{T}>, tile<{T}>
    }
    %s = xori %r#0, %r#1 : tile<{S}x{T}>
    %t = reshape %s : tile<{S}x{T}> -> tile<{N}x{T}>
    %br = reshape %pr : tile<ptr<{T}>> -> tile<1xptr<{T}>>
    %cr = broadcast %br : tile<1xptr<{T}>> -> tile<{N}xptr<{T}>>
    %ar = offset %cr, %i : tile<{N}xptr<{T}>>, tile<{N}xi32> -> tile<{N}xptr<{T}>>
    %tr = store_ptr_tko weak %ar, %t : tile<{N}xptr<{T}>>, tile<{N}x{T}> -> token
    return
  }
})",
                                      {{"T", type},
                                       {"N", str(count)},
                                       {"S", cat(s.outer, "x", s.along, "x", s.inner)},
                                       {"reverse", reverse}});
          EXPECT_EQ(difference(compiler, text, {integers(type, count, 3), integers(type, count, 4)},
                               {.level = level, .sanitizes = count <= 4096}),
                    "")
              << s.outer << "x" << s.along << "x" << s.inner << " of " << type << " at level "
              << level;
        }
}
