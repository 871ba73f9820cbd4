// What tile blocks see of each other's memory: orders and scopes of atomic updates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Comparison.h"
#include "Programs.h"

#include <gtest/gtest.h>

using namespace tessera;
using namespace tessera::tile_lower::test;
using tile_eval::TypeKind;

namespace {

constexpr const char *targets[] = {"sm_80", "sm_90a", "sm_100a"};

/// Six blocks add to a tile one after the other, between an acquire and a release of a lock. The
/// sanitizer reports a race where either is missing in the PTX.
TEST(Order, Lock) {
  const std::string text = R"(cuda_tile.module @m {
  entry @k(%lock: tile<ptr<i32>>, %data: tile<ptr<i32>>) {
    %zero = constant <i32: 0> : tile<i32>
    %one = constant <i32: 1> : tile<i32>
    %i = iota : tile<256xi32>
    %p = reshape %data : tile<ptr<i32>> -> tile<1xptr<i32>>
    %q = broadcast %p : tile<1xptr<i32>> -> tile<256xptr<i32>>
    %at = offset %q, %i : tile<256xptr<i32>>, tile<256xi32> -> tile<256xptr<i32>>
    %t = make_token : token
    %taken = loop iter_values(%before = %t) : token -> token {
      %old, %after = {TAKE} %lock, {FROM} token = %before : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
      %free = cmpi equal %old, %zero, signed : tile<i32> -> tile<i1>
      if %free { break %after : token }
      continue %after : token
    }
    %x, %u = load_ptr_tko weak %at token = %taken : tile<256xptr<i32>> -> tile<256xi32>, token
    %y = addi %x, %i : tile<256xi32>
    %v = store_ptr_tko weak %at, %y token = %u : tile<256xptr<i32>>, tile<256xi32> -> token
    %last, %w = {GIVE} %lock, {TO} token = %v : tile<ptr<i32>>, tile<i32> -> tile<i32>, token
    return
  }
}
)";
  driver::Compiler compiler;
  const std::vector<Array> arrays = {newArray(TypeKind::I32, 1), newArray(TypeKind::I32, 256)};
  struct Way {
    std::string take, operands, give, operand;
  };
  const Way ways[] = {
      {"atomic_cas_tko acquire device", "%zero, %one", "atomic_rmw_tko release device",
       "xchg, %zero"},
      {"atomic_rmw_tko acquire device", "xchg, %one", "atomic_rmw_tko acq_rel sys", "and, %zero"},
      {"atomic_rmw_tko acq_rel sys", "umax, %one", "atomic_rmw_tko release sys", "xchg, %zero"}};
  for (const Way &way : ways)
    for (const char *target : targets)
      for (int level : {0, 1}) {
        std::string program = replaced(replaced(text, "{TAKE}", way.take), "{FROM}", way.operands);
        program = replaced(replaced(program, "{GIVE}", way.give), "{TO}", way.operand);
        EXPECT_EQ(
            difference(compiler, program, arrays,
                       {.arch = target, .level = level, .grid = {6, 1, 1}, .sanitizes = true}),
            "")
            << way.take << ", " << way.give << " for " << target << " at level " << level;
      }
}

/// Every update of the system has that scope in the PTX, where `atom` alone is one of the device.
TEST(Order, ScopeOfTheSystem) {
  struct Update {
    const char *type, *mode, *instruction;
  };
  const Update updates[] = {
      {"i32", "and", "and.b32"},        {"i64", "or", "or.b64"},    {"i32", "xor", "xor.b32"},
      {"i64", "add", "add.u64"},        {"i32", "max", "max.s32"},  {"i64", "min", "min.s64"},
      {"i32", "umax", "max.u32"},       {"i64", "umin", "min.u64"}, {"f32", "xchg", "exch.b32"},
      {"f64", "xchg", "exch.b64"},      {"f32", "addf", "add.f32"}, {"f64", "addf", "add.f64"},
      {"f16", "addf", "add.noftz.f16"}, {"bf16", "addf", ""}};
  const std::string text = R"(cuda_tile.module @m {
  entry @k(%p: tile<ptr<T>>, %q: tile<ptr<T>>) {
    %x, %t = load_ptr_tko weak %q : tile<ptr<T>> -> tile<T>, token
    %old, %u = atomic_rmw_tko acq_rel sys %p, MODE, %x token = %t : tile<ptr<T>>, tile<T> -> tile<T>, token
    %v = store_ptr_tko weak %q, %old token = %u : tile<ptr<T>>, tile<T> -> token
    return
  }
}
)";
  driver::Compiler compiler;
  for (const Update &update : updates) {
    TypeKind kind = kindNamed(update.type);
    std::vector<Array> arrays(2, newArray(kind, 1));
    auto codeOf = [&](unsigned n) {
      return *update.type == 'i' ? uint64_t(n) : tile_eval::encode(kind, n);
    };
    arrays[0].setCode(0, codeOf(5));
    arrays[1].setCode(0, codeOf(12));
    std::string program =
        replaced(replaced(text, "T>", cat(update.type, ">")), "MODE", update.mode);
    for (const char *target : targets) {
      std::string instruction = cat("atom.relaxed.sys.global.", update.instruction);
      if (!*update.instruction)
        instruction = std::string(target) == "sm_80" ? "atom.relaxed.sys.global.cas.b16"
                                                     : "atom.relaxed.sys.global.add.noftz.bf16";
      EXPECT_EQ(difference(compiler, program, arrays,
                           {.arch = target, .instruction = instruction.c_str()}),
                "")
          << update.type << " " << update.mode << " for " << target;
    }
  }
}

/// Neighbours of 16 bits that belong to different tile blocks: an update of one leaves the other
/// alone, and what comes after the last one.
TEST(Order, NeighboursOfSixteenBits) {
  const std::string text = R"(cuda_tile.module @m {
  entry @k(%p: tile<ptr<T>>) {
    %i, %j, %l = get_tile_block_id : tile<i32>
    %at = offset %p, %i : tile<ptr<T>>, tile<i32> -> tile<ptr<T>>
    %one = constant <T: 1.0> : tile<T>
    %old, %u = atomic_rmw_tko relaxed tl_blk %at, addf, %one : tile<ptr<T>>, tile<T> -> tile<T>, token
    return
  }
}
)";
  driver::Compiler compiler;
  for (const char *type : {"f16", "bf16"})
    for (const char *target : targets)
      for (int level : {0, 1})
        EXPECT_EQ(
            difference(compiler,
                       replaced(replaced(text, "T>", cat(type, ">")), "T:", cat(type, ":")),
                       {integers(type, 3, 1)},
                       {.arch = target, .level = level, .grid = {3, 1, 1}, .sanitizes = true}),
            "")
            << type << " for " << target << " at level " << level;
}

} // namespace
