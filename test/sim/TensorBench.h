// TensorBench: kernels of tcgen05 in tests: images of shared and tensor memory go in, an image of
// tensor memory comes out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Harness.h"

#include <cstring>

namespace tessera::sim::test {

constexpr uint32_t tensorLanes = 128, tensorColumns = 512;

/// What a block has: bytes of shared memory, and all words of tensor memory by lanes.
struct TensorImage {
  std::vector<uint8_t> shared;
  std::vector<uint32_t> tensor = std::vector<uint32_t>(tensorLanes * tensorColumns);

  uint32_t &word(uint32_t lane, uint32_t column) { return tensor[lane * tensorColumns + column]; }
  /// `bits` of an element at a bit of a lane that counts from a column on.
  void put(uint32_t lane, uint32_t column, size_t bit, size_t bits, uint64_t code) {
    word(lane, column + uint32_t(bit / 32)) |=
        uint32_t(code & (bits == 32 ? ~0u : (1u << bits) - 1)) << bit % 32;
  }
};

/// PTX of a kernel of 128 threads that loads the images, runs `body` in thread 0 of the first block
/// with %rt the address of the shared image in units of 16 bytes, waits for an mbarrier `bar` that
/// `body` commits to if `commits`, and stores tensor memory.
inline std::string tensorKernel(size_t sharedBytes, int ctas, const std::string &body) {
  std::string group = cat("cta_group::", ctas);
  return cat(R"(.version 9.0
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) {
  .reg .pred %p<8>;
  .reg .b16 %h<8>;
  .reg .b32 %r<64>, %rt;
  .reg .b64 %d<32>;
  .shared .align 1024 .b8 tile[)",
             sharedBytes, R"(];
  .shared .align 8 .b64 bar;
  .shared .align 8 .b32 slot;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %cluster_ctarank;
  ld.param.u64 %d1, [in];
  ld.param.u64 %d2, [out];
  mad.wide.u32 %d1, %r2, )",
             sharedBytes + 4 * tensorLanes * tensorColumns, ", %d1;\n  mad.wide.u32 %d2, %r2, ",
             4 * tensorLanes * tensorColumns, R"(, %d2;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 mbarrier.init.shared::cta.b64 [bar], 1;
  shl.b32 %r3, %r1, 4;
copy:
  setp.ge.u32 %p2, %r3, )",
             sharedBytes, R"(;
  @%p2 bra copied;
  cvt.u64.u32 %d3, %r3;
  add.u64 %d3, %d1, %d3;
  ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%d3];
  mov.u32 %r4, tile;
  add.u32 %r4, %r4, %r3;
  st.shared.v4.b32 [%r4], {%r10, %r11, %r12, %r13};
  add.u32 %r3, %r3, 2048;
  bra copy;
copied:
  bar.sync 0;
  setp.lt.u32 %p3, %r1, 32;
  @!%p3 bra allocated;
  tcgen05.alloc.)",
             group, R"(.sync.aligned.shared::cta.b32 [slot], 512;
  tcgen05.relinquish_alloc_permit.)",
             group, R"(.sync.aligned;
allocated:
  bar.sync 0;
  ld.shared.b32 %r5, [slot];
  and.b32 %r6, %r1, 0x60;
  shl.b32 %r6, %r6, 16;
  add.u32 %r6, %r6, %r5;
  add.u64 %d4, %d1, )",
             sharedBytes, R"(;
  mad.wide.u32 %d4, %r1, 2048, %d4;
  mov.u32 %r7, 0;
fill:
  ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%d4];
  tcgen05.st.sync.aligned.32x32b.x4.b32 [%r6], {%r10, %r11, %r12, %r13};
  add.u64 %d4, %d4, 16;
  add.u32 %r6, %r6, 4;
  add.u32 %r7, %r7, 4;
  setp.lt.u32 %p4, %r7, 512;
  @%p4 bra fill;
  tcgen05.wait::st.sync.aligned;
  tcgen05.fence::before_thread_sync;
  fence.proxy.async;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  tcgen05.fence::after_thread_sync;
  mad.lo.u32 %r8, %r2, 128, %r1;
  setp.ne.u32 %p5, %r8, 0;
  mov.u32 %rt, tile;
  shr.u32 %rt, %rt, 4;
  and.b32 %rt, %rt, 0x3fff;
  cvt.u64.u32 %d10, %rt;
  @%p5 bra issued;
)",
             body, R"(
issued:
  barrier.cluster.arrive;
  barrier.cluster.wait;
  and.b32 %r6, %r1, 0x60;
  shl.b32 %r6, %r6, 16;
  add.u32 %r6, %r6, %r5;
  mad.wide.u32 %d4, %r1, 2048, %d2;
  mov.u32 %r7, 0;
dump:
  tcgen05.ld.sync.aligned.32x32b.x4.b32 {%r10, %r11, %r12, %r13}, [%r6];
  tcgen05.wait::ld.sync.aligned;
  st.global.v4.b32 [%d4], {%r10, %r11, %r12, %r13};
  add.u64 %d4, %d4, 16;
  add.u32 %r6, %r6, 4;
  add.u32 %r7, %r7, 4;
  setp.lt.u32 %p4, %r7, 512;
  @%p4 bra dump;
  bar.sync 0;
  @!%p3 bra freed;
  tcgen05.dealloc.)",
             group, R"(.sync.aligned.b32 %r5, 512;
freed:
  ret;
}
)");
}

/// Runs it in one cluster, under the sanitizer; tensor memory of each block afterwards, or the
/// reason why it ended.
inline Result<std::vector<TensorImage>> runTensor(const std::string &text,
                                                  std::vector<TensorImage> images) {
  Bench bench({.sanitize = true});
  std::vector<uint8_t> input;
  for (const TensorImage &image : images) {
    input.insert(input.end(), image.shared.begin(), image.shared.end());
    auto bytes = reinterpret_cast<const uint8_t *>(image.tensor.data());
    input.insert(input.end(), bytes, bytes + 4 * image.tensor.size());
  }
  size_t words = tensorLanes * tensorColumns, blocks = images.size();
  uint64_t in = bench.buffer(input), out = bench.buffer(std::vector<uint32_t>(words * blocks));
  LaunchConfig config{
      .grid = {uint32_t(blocks)}, .block = {128}, .cluster = Dim3{uint32_t(blocks)}};
  if (Status status = bench.launch(text, "k", config, {in, out}); !status)
    return std::move(status).reason();
  std::vector<uint32_t> got = bench.read<uint32_t>(out, words * blocks);
  for (size_t block = 0; block < blocks; ++block)
    images[block].tensor.assign(got.begin() + ptrdiff_t(block * words),
                                got.begin() + ptrdiff_t((block + 1) * words));
  return images;
}

} // namespace tessera::sim::test
