// Bulk copies and reductions, and stores to another CTA: every row, against what PTX says it does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/lower/Transfer.h"

#include "tessera/atom/Registry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace tessera::lower::test {

using atom::CopyFamily;
using atom::CopyRow;

namespace {
constexpr int barrierBytes =
    128; // what stands before the data in shared memory: data is aligned to 128 bytes
constexpr int threads = 128;

/// Shared memory of a kernel: a barrier, then tiles of `bytes` each.
struct Shared {
  Value base;
  int bytes;

  Value barrier(Writer &k) const { return k.recast_iter(base, "!cute.ptr<i64, smem, align<8>>"); }
  Value tile(Writer &k, int i) const {
    return k.recast_iter(k.offset(base, barrierBytes + i * bytes),
                         "!cute.ptr<i32, smem, align<16>>");
  }
};
unsigned sharedBytes(int bytes) { return unsigned(barrierBytes + 2 * bytes); }

/// The barrier expects `bytes`, as far as thread 0 has got.
void expect(Writer &k, const Shared &shared, Num tid, int bytes) {
  dsl::If(tid == 0, [&] {
    k.mbarrier_init(shared.barrier(k), dsl::i32(1));
    dsl::mbarrier_init_fence();
    k.mbarrier_expect_tx(shared.barrier(k), dsl::i32(bytes));
  });
}

Value mapped(Writer &k, Value pointer, const std::string &element, Num rank, int alignment) {
  Type type = k.type(cat("!cute.ptr<", element, ", dsmem, align<", alignment, ">>"));
  return cute_nvgpu::MapDsmemPtrOp::create(k.b, k.loc, type, pointer, rank.ir());
}

Words randomWords(size_t count, std::mt19937 &random) {
  Words words(count);
  for (uint32_t &word : words)
    word = uint32_t(random());
  return words;
}

/// From global memory to shared memory, and back.
Transfer roundTrip(int bytes, bool multicast, std::mt19937 &random) {
  Transfer c;
  c.name = cat("g2s and s2g of ", bytes, " bytes", multicast ? ", to the CTAs of a mask" : "");
  c.threads = threads;
  c.input = c.expected = randomWords(size_t(bytes / 4), random);
  c.launch.sharedBytes = sharedBytes(bytes);
  c.instructions = {
      multicast
          ? "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
          : "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
      "cp.async.bulk.global.shared::cta.bulk_group", "cp.async.bulk.prefetch.L2.global"};
  c.body = [=](Writer &k, ValueRange arguments) {
    Num tid = dsl::special_register("tid.x");
    Shared shared{k.dyn_smem(barrierBytes), bytes};
    expect(k, shared, tid, bytes);
    dsl::sync_threads();
    std::string load = cat("atom.bulk_copy_g2s<i32 copy_bits = ", bytes * 8,
                           multicast ? " mcast = true" : "", ">");
    Value mask = arith::ConstantOp::create(k.b, k.loc, k.b.getI16IntegerAttr(1)); // the CTA itself
    Value policy = dsl::i64(0x12F0000000000000).ir();                             // evict first
    Value in = k.make_atom(load, {shared.barrier(k), mask, policy});
    Value out = k.make_atom(cat("atom.bulk_copy_s2g<i32 copy_bits = ", bytes * 8, ">"), {policy});
    Value tile = run(k, shared.tile(k, 0), "i32", "smem", bytes / 4);
    dsl::If(tid == 0, [&] {
      Value source = run(k, arguments[0], "i32", "gmem", bytes / 4);
      cute::PrefetchOp::create(k.b, k.loc, in, source);
      k.copy(in, source, tile);
    });
    k.mbarrier_wait(shared.barrier(k), dsl::i32(0));
    dsl::If(tid == 0, [&] {
      k.copy(out, tile, run(k, arguments[1], "i32", "gmem", bytes / 4));
      waitForBulkGroups(k);
    });
  };
  return c;
}

constexpr int reducedBytes = 512;

/// The output first holds the second half of the input; then the first half is reduced into it.
Transfer reduction(const CopyRow &row, bool hinted, std::mt19937 &random) {
  Reduced r{row.key.reduction, row.key.reduced};
  size_t count = size_t(reducedBytes * 8 / r.bits());
  std::vector<uint64_t> operands = r.random(count, random), old = r.random(count, random);
  Transfer c;
  c.name = row.name;
  c.threads = threads;
  c.input = joined(wordsOf(operands, r.bits()), wordsOf(old, r.bits()));
  c.expected = wordsOf(r.apply(old, operands), r.bits());
  c.launch.sharedBytes = sharedBytes(reducedBytes);
  std::string instruction = row.mnemonic;
  if (hinted)
    instruction.insert(instruction.find(".bulk_group") + 11, ".L2::cache_hint");
  c.instructions = {instruction};
  c.body = [=](Writer &k, ValueRange arguments) {
    Num tid = dsl::special_register("tid.x");
    constexpr int words = reducedBytes / 4;
    Shared shared{k.dyn_smem(barrierBytes), reducedBytes};
    copyWords(k, arguments[0], shared.tile(k, 0), words, tid, threads);
    copyWords(k, k.offset(arguments[0], words), arguments[1], words, tid, threads);
    fenceProxyAsync(k);
    dsl::sync_threads();
    std::string type = cat("atom.bulk_reduce_s2g<", r.element(), " copy_bits = ", reducedBytes * 8,
                           " kind = ", r.kind(), ">");
    Value atom = k.make_atom(type, {dsl::i64(0x1000000000000000).ir()});
    dsl::If(tid == 0, [&] {
      k.copy(atom, run(k, shared.tile(k, 0), r.element(), "smem", int64_t(count)),
             run(k, arguments[1], r.element(), "gmem", int64_t(count)));
      waitForBulkGroups(k);
    });
  };
  return c;
}

/// What moves data to the other CTA of a pair.
using Move = std::function<void(Writer &, const Shared &, Num tid, Num peer)>;

/// Each of two CTAs has a source (its part of the first half of the input) and a destination (of
/// the second half); both move to each other, then write what they got.
Transfer exchange(std::string name, int bytes, const Words &sources, const Words &destinations,
                  const Words &results, bool counted, Move move) {
  Transfer c;
  c.name = std::move(name);
  c.threads = threads;
  c.cluster = c.launch.blocks = 2;
  c.launch.sharedBytes = sharedBytes(bytes);
  c.input = joined(sources, destinations);
  c.expected = results;
  c.body = [=](Writer &k, ValueRange arguments) {
    Num tid = dsl::special_register("tid.x"), rank = dsl::special_register("cluster.ctarank");
    int words = bytes / 4;
    Shared shared{k.dyn_smem(barrierBytes), bytes};
    Value mine = k.offset(arguments[0], rank * words);
    copyWords(k, mine, shared.tile(k, 0), words, tid, threads);
    copyWords(k, k.offset(mine, 2 * words), shared.tile(k, 1), words, tid, threads);
    expect(k, shared, tid, bytes);
    fenceProxyAsync(k);
    dsl::cluster_sync();
    move(k, shared, tid, rank ^ 1);
    if (counted)
      k.mbarrier_wait(shared.barrier(k), dsl::i32(0));
    dsl::cluster_sync(); // nothing arrives at a CTA that has left
    copyWords(k, shared.tile(k, 1), k.offset(arguments[1], rank * words), words, tid, threads);
  };
  return c;
}

/// The halves of a pair's data, the other way round.
Words swapped(const Words &words) {
  size_t half = words.size() / 2;
  return joined(Words(words.begin() + long(half), words.end()),
                Words(words.begin(), words.begin() + long(half)));
}

/// A bulk copy or reduction to the peer, by one thread.
Move bulkMove(std::string atom, std::string element, int64_t count) {
  return [=](Writer &k, const Shared &shared, Num tid, Num peer) {
    Value made = k.make_atom(atom, {mapped(k, shared.barrier(k), "i64", peer, 8)});
    Value there = mapped(k, shared.tile(k, 1), "i32", peer, 16);
    dsl::If(tid == 0, [&] {
      k.copy(made, run(k, shared.tile(k, 0), element, "smem", count),
             run(k, there, element, "dsmem", count));
    });
  };
}
} // namespace

TEST(Bulk, EveryCopyMovesEveryByte) {
  std::mt19937 random(31);
  std::vector<Transfer> cases;
  for (int bytes : {16, 48, 1024, 16384})
    cases.push_back(roundTrip(bytes, false, random));
  cases.push_back(roundTrip(256, true, random));
  for (int bytes : {16, 4096}) {
    Words sources = randomWords(size_t(bytes / 2), random), nothing(size_t(bytes / 2));
    cases.push_back(exchange(
        cat("s2s of ", bytes, " bytes"), bytes, sources, nothing, swapped(sources), true,
        bulkMove(cat("atom.bulk_copy_s2s<i32 copy_bits = ", bytes * 8, ">"), "i32", bytes / 4)));
    cases.back().instructions = {
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"};
  }
  runAll(cases, "bulk copies");
}

TEST(Bulk, EveryReductionReduces) {
  std::mt19937 random(32);
  std::vector<Transfer> cases;
  for (const CopyRow &row : atom::copyRows()) {
    if (row.key.family == CopyFamily::BulkReduceS2G)
      cases.push_back(reduction(row, /*hinted=*/true, random));
    if (row.key.family != CopyFamily::BulkReduceS2S)
      continue;
    Reduced r{row.key.reduction, row.key.reduced};
    size_t count = size_t(reducedBytes * 8 / r.bits());
    std::vector<uint64_t> sources = r.random(2 * count, random), old = r.random(2 * count, random);
    std::vector<uint64_t> arriving(sources.begin() + long(count), sources.end());
    arriving.insert(arriving.end(), sources.begin(), sources.begin() + long(count));
    std::string atom = cat("atom.bulk_reduce_s2s<", r.element(), " copy_bits = ", reducedBytes * 8,
                           " kind = ", r.kind(), ">");
    cases.push_back(exchange(row.name, reducedBytes, wordsOf(sources, r.bits()),
                             wordsOf(old, r.bits()), wordsOf(r.apply(old, arriving), r.bits()),
                             true, bulkMove(atom, r.element(), int64_t(count))));
    cases.back().instructions = {row.mnemonic};
  }
  runAll(cases, "bulk reductions");
}

TEST(Bulk, StoresReachTheOtherCta) {
  std::mt19937 random(33);
  std::vector<Transfer> cases;
  for (int words : {1, 2, 4}) {
    int bytes = threads * words * 4;
    Words sources = randomWords(size_t(bytes / 2), random), nothing(size_t(bytes / 2));
    auto each = [=](Writer &k, const Shared &shared, Num tid, Num peer) {
      Value atom = k.make_atom(cat("atom.dsmem_store<i32, ", words * 32, " b>"),
                               {mapped(k, shared.barrier(k), "i64", peer, 8)});
      Value layout = k.layout(cat(words, ":1"));
      Value registers = k.make_rmem_tensor("i32", cat(words, ":1"));
      auto at = [&](Value pointer, const char *space) {
        Value own = k.offset(pointer, tid * words, words);
        return k.make_tensor(
            k.recast_iter(own, cat("!cute.ptr<i32, ", space, ", align<", words * 4, ">>")), layout);
      };
      k.store_vec(k.load_vec(at(shared.tile(k, 0), "smem")), registers);
      k.copy(atom, registers, at(mapped(k, shared.tile(k, 1), "i32", peer, 16), "dsmem"));
    };
    cases.push_back(exchange(cat("st.async of ", words, " words"), bytes, sources, nothing,
                             swapped(sources), true, each));
    cases.back().instructions = {cat("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes",
                                     words == 1 ? "" : cat(".v", words), ".b32")};
  }
  // Plain stores through a pointer to the other CTA.
  int bytes = threads * 4;
  Words sources = randomWords(size_t(bytes / 2), random), nothing(size_t(bytes / 2));
  cases.push_back(exchange("st.shared::cluster", bytes, sources, nothing, swapped(sources), false,
                           [=](Writer &k, const Shared &shared, Num tid, Num peer) {
                             copyWords(k, shared.tile(k, 0),
                                       mapped(k, shared.tile(k, 1), "i32", peer, 16), threads, tid,
                                       threads);
                           }));
  cases.back().instructions = {"mapa.shared::cluster", "st.shared::cluster.b32"};
  runAll(cases, "ways to store to another CTA");
}

} // namespace tessera::lower::test
