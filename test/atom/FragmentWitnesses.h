// The PTX ISA's own (row, column) formula for every fragment of an MMA.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The formulas are written down from the PTX ISA's text as it stands, one for each instruction
// shape and operand; nothing here is derived from the layouts. Where PTX has figures only, the
// figure is put into a formula and marked so. Formulas of B give (row, column) of the K x N matrix.
#pragma once

#include "tessera/atom/Fragments.h"

namespace tessera::atom::test {

enum Matrix {
  A,
  B,
  C
}; // (M,K), (K,N), (M,N)

struct Place {
  int row, column;
};

struct Witness {
  Fragment fragment;
  std::string_view what;
  Matrix matrix;
  int threads, values; // per thread
  Place (*place)(int lane, int i);
  Extents extents = {}; // where the fragment is parametric, or has 64 rows
};

// PTX's groupID and threadID_in_group.
inline int group(int lane) { return lane >> 2; }
inline int inGroup(int lane) { return lane % 4; }

// "groupID for ai where 0 <= i < w || 2w <= i < 3w, groupID + 8 otherwise"
template <int w> int rowOfA(int lane, int i) {
  return (0 <= i && i < w) || (2 * w <= i && i < 3 * w) ? group(lane) : group(lane) + 8;
}

// Accumulators of all m16n8 shapes: row groupID for c0, c1 and groupID + 8 for c2, c3.
inline Place accumulator16x8(int lane, int i) {
  return {i < 2 ? group(lane) : group(lane) + 8, inGroup(lane) * 2 + (i & 0x1)};
}
// Accumulators of all m8n8 shapes.
inline Place accumulator8x8(int lane, int i) {
  return {group(lane), inGroup(lane) * 2 + (i & 0x1)};
}

// Sparse A. PTX says which columns [firstcol ... lastcol] a stored element a_i comes from; a
// logical value v of a thread is column v of that range. `stored` of every `chunk` logical values
// are stored.
template <int chunk, int run, int jump> Place sparseA(int lane, int v) {
  // run: logical values of one row before the next; jump: columns between the first and the second
  // half.
  int i = v / 2; // two logical values for each stored one
  bool second = i >= run;
  int row =
      (0 <= i && i < run / 2) || (run <= i && i < 3 * run / 2) ? group(lane) : group(lane) + 8;
  int firstcol = inGroup(lane) * chunk + (second ? jump : 0);
  return {row, firstcol + v % chunk};
}

// Quad pairs: four independent products; lanes 0-3 and 16-19 make the first.
inline int laneOfQuadPair(int thread) { return thread % 4 + 16 * (thread / 4); }

inline const Witness witnesses[] = {
    // 9.7.14.5.1 mma.m8n8k4 with f16
    {Fragment::QuadPairRow8x4, "m8n8k4 f16, A row-major", A, 8, 4,
     [](int thread, int i) {
       int laneid = laneOfQuadPair(thread);
       return Place{laneid < 16 ? laneid % 4 : laneid % 4 + 4, i};
     }},
    {Fragment::QuadPairCol8x4, "m8n8k4 f16, A column-major", A, 8, 4,
     [](int thread, int i) {
       int laneid = laneOfQuadPair(thread);
       return Place{laneid < 16 ? i % 4 : i % 4 + 4, laneid % 4};
     }},
    {Fragment::QuadPairCol8x4, "m8n8k4 f16, B row-major", B, 8, 4,
     [](int thread, int i) {
       int laneid = laneOfQuadPair(thread);
       return Place{laneid % 4, laneid < 16 ? i : i + 4};
     }},
    {Fragment::QuadPairRow8x4, "m8n8k4 f16, B column-major", B, 8, 4,
     [](int thread, int i) {
       int laneid = laneOfQuadPair(thread);
       return Place{i, laneid < 16 ? laneid % 4 : laneid % 4 + 4};
     }},
    {Fragment::QuadPairRow8x8, "m8n8k4 f16, C f16", C, 8, 8,
     [](int thread, int i) {
       int laneid = laneOfQuadPair(thread);
       return Place{laneid < 16 ? laneid % 4 : laneid % 4 + 4, i};
     }},
    {Fragment::QuadPair2x2, "m8n8k4 f16, C f32", C, 8, 8,
     [](int thread, int i) {
       int laneid = laneOfQuadPair(thread);
       int x = (laneid & 0b1) + (i & 0b10);
       return Place{laneid < 16 ? x : x + 4, (i & 0b100) + (laneid & 0b10) + (i & 0b1)};
     }},

    // 9.7.14.5.2 mma.m8n8k4 with f64
    {Fragment::W8x4_1, "m8n8k4 f64, A", A, 32, 1,
     [](int lane, int) { return Place{lane >> 2, lane % 4}; }},
    {Fragment::W8x4_1, "m8n8k4 f64, B", B, 32, 1,
     [](int lane, int) { return Place{lane % 4, lane >> 2}; }},
    {Fragment::W8x8_2, "m8n8k4 f64, C", C, 32, 2, accumulator8x8},

    // 9.7.14.5.3 mma.m8n8k16
    {Fragment::W8x16_4, "m8n8k16 s8, A", A, 32, 4,
     [](int lane, int i) { return Place{group(lane), inGroup(lane) * 4 + i}; }},
    {Fragment::W8x16_4, "m8n8k16 s8, B", B, 32, 4,
     [](int lane, int i) { return Place{inGroup(lane) * 4 + i, group(lane)}; }},

    // 9.7.14.5.4 mma.m8n8k32
    {Fragment::W8x32_8, "m8n8k32 s4, A", A, 32, 8,
     [](int lane, int i) { return Place{group(lane), inGroup(lane) * 8 + i}; }},
    {Fragment::W8x32_8, "m8n8k32 s4, B", B, 32, 8,
     [](int lane, int i) { return Place{inGroup(lane) * 8 + i, group(lane)}; }},

    // 9.7.14.5.5 mma.m8n8k128
    {Fragment::W8x128_32, "m8n8k128 b1, A", A, 32, 32,
     [](int lane, int i) { return Place{group(lane), inGroup(lane) * 32 + i}; }},
    {Fragment::W8x128_32, "m8n8k128 b1, B", B, 32, 32,
     [](int lane, int i) { return Place{inGroup(lane) * 32 + i, group(lane)}; }},

    // 9.7.14.5.6 mma.m16n8k4
    {Fragment::W16x4_1, "m16n8k4 tf32, A", A, 32, 2,
     [](int lane, int i) {
       return Place{i == 0 ? group(lane) : group(lane) + 8, inGroup(lane)};
     }},
    {Fragment::W8x4_1, "m16n8k4 tf32, B", B, 32, 1,
     [](int lane, int) { return Place{inGroup(lane), group(lane)}; }},
    {Fragment::W16x8_2, "m16n8k4 tf32, C", C, 32, 4, accumulator16x8},

    // 9.7.14.5.7 mma.m16n8k8
    {Fragment::W16x8_2, "m16n8k8 f16, A", A, 32, 4,
     [](int lane, int i) {
       return Place{i < 2 ? group(lane) : group(lane) + 8, inGroup(lane) * 2 + (i & 0x1)};
     }},
    {Fragment::W8x8_2, "m16n8k8 f16, B", B, 32, 2,
     [](int lane, int i) { return Place{inGroup(lane) * 2 + i, group(lane)}; }},
    {Fragment::W16x8_1, "m16n8k8 tf32, A", A, 32, 4,
     [](int lane, int i) {
       return Place{i == 0 || i == 2 ? group(lane) : group(lane) + 8,
                    i < 2 ? inGroup(lane) : inGroup(lane) + 4};
     }},
    {Fragment::W8x8_1, "m16n8k8 tf32, B", B, 32, 2,
     [](int lane, int i) {
       return Place{i == 0 ? inGroup(lane) : inGroup(lane) + 4, group(lane)};
     }},

    // 9.7.14.5.8 mma.m16n8k16, f16 and f64
    {Fragment::W16x16_2, "m16n8k16 f16, A", A, 32, 8,
     [](int lane, int i) {
       return Place{rowOfA<2>(lane, i), inGroup(lane) * 2 + (i & 0x1) + (i < 4 ? 0 : 8)};
     }},
    {Fragment::W8x16_2, "m16n8k16 f16, B", B, 32, 4,
     [](int lane, int i) {
       return Place{inGroup(lane) * 2 + (i & 0x1) + (i < 2 ? 0 : 8), group(lane)};
     }},
    {Fragment::W16x16_1, "m16n8k16 f64, A", A, 32, 8,
     [](int lane, int i) {
       return Place{i % 2 == 0 ? group(lane) : group(lane) + 8,
                    i % 2 == 0 ? i * 2 + inGroup(lane)
                               : i * 2 - 2 + inGroup(lane)};
     }},
    {Fragment::W8x16_1, "m16n8k16 f64, B", B, 32, 4,
     [](int lane, int i) { return Place{inGroup(lane) + i * 4, group(lane)}; }},

    // 9.7.14.5.9 mma.m16n8k16, 8-bit
    {Fragment::W16x16_4, "m16n8k16 s8, A", A, 32, 8,
     [](int lane, int i) {
       return Place{i < 4 ? group(lane) : group(lane) + 8, inGroup(lane) * 4 + (i & 0x3)};
     }},
    {Fragment::W8x16_4, "m16n8k16 s8, B", B, 32, 4,
     [](int lane, int i) { return Place{inGroup(lane) * 4 + i, group(lane)}; }},

    // 9.7.14.5.10 mma.m16n8k32
    {Fragment::W16x32_8, "m16n8k32 s4, A", A, 32, 16,
     [](int lane, int i) {
       return Place{i < 8 ? group(lane) : group(lane) + 8, inGroup(lane) * 8 + (i & 0x7)};
     }},
    {Fragment::W8x32_8, "m16n8k32 s4, B", B, 32, 8,
     [](int lane, int i) { return Place{inGroup(lane) * 8 + (i & 0x7), group(lane)}; }},
    {Fragment::W16x32_4, "m16n8k32 s8 and fp8, A", A, 32, 16,
     [](int lane, int i) {
       return Place{rowOfA<4>(lane, i), inGroup(lane) * 4 + (i & 0x3) + (i < 8 ? 0 : 16)};
     }},
    {Fragment::W8x32_4, "m16n8k32 s8 and fp8, B", B, 32, 8,
     [](int lane, int i) {
       return Place{inGroup(lane) * 4 + (i & 0x3) + (i < 4 ? 0 : 16), group(lane)};
     }},

    // 9.7.14.5.11 mma.m16n8k64
    {Fragment::W16x64_8, "m16n8k64 s4 and fp4, A", A, 32, 32,
     [](int lane, int i) {
       return Place{rowOfA<8>(lane, i), inGroup(lane) * 8 + (i & 0x7) + (i < 16 ? 0 : 32)};
     }},
    {Fragment::W8x64_8, "m16n8k64 s4 and fp4, B", B, 32, 16,
     [](int lane, int i) {
       return Place{inGroup(lane) * 8 + (i & 0x7) + (i < 8 ? 0 : 32), group(lane)};
     }},

    // 9.7.14.5.12 mma.m16n8k128
    {Fragment::W16x128_32, "m16n8k128 b1, A", A, 32, 64,
     [](int lane, int i) {
       return Place{i < 32 ? group(lane) : group(lane) + 8,
                    inGroup(lane) * 32 + (i & 0x1F)};
     }},
    {Fragment::W8x128_32, "m16n8k128 b1, B", B, 32, 32,
     [](int lane, int i) { return Place{inGroup(lane) * 32 + i, group(lane)}; }},

    // 9.7.14.5.13 mma.m16n8k256. (PTX writes "+ i" for i < 64 where i & 0x1F is meant.)
    {Fragment::W16x256_32, "m16n8k256 b1, A", A, 32, 128,
     [](int lane, int i) {
       return Place{rowOfA<32>(lane, i),
                    inGroup(lane) * 32 + (i & 0x1F) + (i < 64 ? 0 : 128)};
     }},
    {Fragment::W8x256_32, "m16n8k256 b1, B", B, 32, 64,
     [](int lane, int i) {
       return Place{inGroup(lane) * 32 + (i & 0x1F) + (i < 32 ? 0 : 128), group(lane)};
     }},

    // 9.7.14.6.2 sparse A: <columns of a thread, stored elements of a half, columns to the next>
    {Fragment::W16x16_4, "sparse m16n8k16 f16, A", A, 32, 8, sparseA<4, 4, 0>},
    {Fragment::W16x32_4, "sparse m16n8k32 f16, A", A, 32, 16, sparseA<4, 4, 16>},
    {Fragment::W16x16_2, "sparse m16n8k16 tf32, A", A, 32, 8, sparseA<2, 2, 8>},
    {Fragment::W16x8_2, "sparse m16n8k8 tf32, A", A, 32, 4, sparseA<2, 2, 0>},
    {Fragment::W16x32_8, "sparse m16n8k32 s8, A", A, 32, 16, sparseA<8, 8, 0>},
    {Fragment::W16x64_8, "sparse m16n8k64 s8 and fp8, A", A, 32, 32, sparseA<8, 8, 32>},
    {Fragment::W16x64_16, "sparse m16n8k64 s4, A", A, 32, 32, sparseA<16, 16, 0>},
    {Fragment::W16x128_16, "sparse m16n8k128 s4 and fp4, A", A, 32, 64, sparseA<16, 16, 64>},
    // B of the shapes that have no dense twin; figures 121, 124, 132-135, 142-145: register r holds
    // the rows of the r-th quarter of K that a dense instruction of that quarter would take.
    {Fragment::W8x32_2, "sparse m16n8k32 f16, B", B, 32, 8,
     [](int lane, int i) {
       return Place{inGroup(lane) * 2 + (i & 0x1) + i / 2 * 8, group(lane)};
     }},
    {Fragment::W8x16_1, "sparse m16n8k16 tf32, B", B, 32, 4,
     [](int lane, int i) { return Place{inGroup(lane) + i * 4, group(lane)}; }},
    {Fragment::W8x64_4, "sparse m16n8k64 s8 and fp8, B", B, 32, 16,
     [](int lane, int i) {
       return Place{inGroup(lane) * 4 + (i & 0x3) + i / 4 * 16, group(lane)};
     }},
    {Fragment::W8x128_8, "sparse m16n8k128 s4 and fp4, B", B, 32, 32,
     [](int lane, int i) {
       return Place{inGroup(lane) * 8 + (i & 0x7) + i / 8 * 32, group(lane)};
     }},

    // Metadata: figures 119 to 147 and the selector rules of 9.7.14.6.1, for selector 0; lanes that
    // another selector picks repeat. i counts logical elements in the order of the bits about them.
    // HardwareTest.cpp tries all selectors on a GPU.
    {Fragment::MetaQuad16,
     "metadata m16n8k16 f16: one lane of a quad, low half row g, high half g + 8", A,
     32, 32,
     [](int lane, int i) { return Place{i < 16 ? group(lane) : group(lane) + 8, i % 16}; }},
    {Fragment::MetaPair16,
     "metadata m16n8k32 f16: lane t of a pair has columns 16t to 16t + 15", A, 32, 32,
     [](int lane, int i) {
       return Place{i < 16 ? group(lane) : group(lane) + 8, lane % 2 * 16 + i % 16};
     }},
    {Fragment::MetaQuad8, "metadata m16n8k8 tf32", A, 32, 16,
     [](int lane, int i) { return Place{i < 8 ? group(lane) : group(lane) + 8, i % 8}; }},
    {Fragment::MetaPair8,
     "metadata m16n8k16 tf32: lane t of a pair has columns 8t to 8t + 7", A, 32, 16,
     [](int lane, int i) {
       return Place{i < 8 ? group(lane) : group(lane) + 8, lane % 2 * 8 + i % 8};
     }},
    {Fragment::MetaPair32,
     "metadata m16n8k32 s8: lane 0 of a pair has row g, lane 1 row g + 8", A, 32, 32,
     [](int lane, int i) { return Place{lane % 2 == 0 ? group(lane) : group(lane) + 8, i}; }},
    {Fragment::MetaAll32,
     "metadata m16n8k64 s8: lanes 0, 1 have columns 0-31, lanes 2, 3 columns 32-63", A,
     32, 32,
     [](int lane, int i) {
       return Place{lane % 2 == 0 ? group(lane) : group(lane) + 8, lane % 4 / 2 * 32 + i};
     }},
    {Fragment::MetaPair64, "metadata m16n8k64 s4", A, 32, 64,
     [](int lane, int i) { return Place{lane % 2 == 0 ? group(lane) : group(lane) + 8, i}; }},
    {Fragment::MetaAll64, "metadata m16n8k128 s4", A, 32, 64,
     [](int lane, int i) {
       return Place{lane % 2 == 0 ? group(lane) : group(lane) + 8, lane % 4 / 2 * 64 + i};
     }},
    {Fragment::MetaGroup8,
     "metadata m64nNk16 tf32: warp w has rows 16w to 16w + 15, as m16n8k16", A, 128, 16,
     [](int thread, int i) {
       int lane = thread % 32;
       return Place{thread / 32 * 16 + group(lane) + (i < 8 ? 0 : 8), lane % 2 * 8 + i % 8};
     }, {.m = 64}},
    {Fragment::MetaGroup16, "metadata m64nNk32 f16", A, 128, 32,
     [](int thread, int i) {
       int lane = thread % 32;
       return Place{thread / 32 * 16 + group(lane) + (i < 16 ? 0 : 8), lane % 2 * 16 + i % 16};
     }, {.m = 64}},
    {Fragment::MetaGroup32, "metadata m64nNk64 8-bit", A, 128, 32,
     [](int thread, int i) {
       int lane = thread % 32;
       return Place{thread / 32 * 16 + group(lane) + (lane % 2 == 0 ? 0 : 8),
                    lane % 4 / 2 * 32 + i};
     }, {.m = 64}},

    // 9.7.14.3: with thread-id-a 0 lanes 0 and 1 of a quad give the factors of rows g and g + 8
    // (figure 43); with thread-id-b 0 lane 0 gives that of column g (figure 44), all along K.
    {Fragment::ScaleA, "scale factors of A", A, 32, 64,
     [](int lane, int i) { return Place{lane % 2 == 0 ? group(lane) : group(lane) + 8, i}; },
     {.k = 64}},
    {Fragment::ScaleB, "scale factors of B", B, 32, 64,
     [](int lane, int i) { return Place{i, group(lane)}; }, {.k = 64}},

    // 9.7.15.5.1.1 wgmma: warp w of the group has rows 16w to 16w + 15 (figures 148 to 154).
    {Fragment::G64x8_1, "m64nNk8 tf32, A", A, 128, 4,
     [](int thread, int i) {
       int lane = thread % 32;
       return Place{thread / 32 * 16 + group(lane) + (i % 2 ? 8 : 0),
                    inGroup(lane) + (i / 2 ? 4 : 0)};
     }, {.m = 64}},
    {Fragment::G64x16_2, "m64nNk16 f16, A", A, 128, 8,
     [](int thread, int i) {
       int lane = thread % 32;
       return Place{thread / 32 * 16 + rowOfA<2>(lane, i),
                    inGroup(lane) * 2 + (i & 0x1) + (i < 4 ? 0 : 8)};
     }, {.m = 64}},
    {Fragment::G64x32_4, "m64nNk32 8-bit, A", A, 128, 16,
     [](int thread, int i) {
       int lane = thread % 32;
       return Place{thread / 32 * 16 + rowOfA<4>(lane, i),
                    inGroup(lane) * 4 + (i & 0x3) + (i < 8 ? 0 : 16)};
     }, {.m = 64}},
    {Fragment::G64x64_8, "sparse m64nNk64 8-bit, A", A, 128, 32,
     [](int thread, int i) {
       int lane = thread % 32;
       Place inWarp = sparseA<8, 8, 32>(lane, i);
       return Place{thread / 32 * 16 + inWarp.row, inWarp.column};
     }, {.m = 64}},
    {Fragment::G64x256_32, "m64nNk256 b1, A", A, 128, 128,
     [](int thread, int i) {
       int lane = thread % 32;
       return Place{thread / 32 * 16 + rowOfA<32>(lane, i),
                    inGroup(lane) * 32 + (i & 0x1F) + (i < 64 ? 0 : 128)};
     }, {.m = 64}},
    {Fragment::G64xN, "m64nNk, D", C, 128, 12, // N = 24
     [](int thread, int i) {
       int lane = thread % 32;
       return Place{thread / 32 * 16 + group(lane) + (i / 2 % 2 ? 8 : 0),
                    i / 4 * 8 + inGroup(lane) * 2 + i % 2};
     }, {.m = 64, .n = 24}},

    // Operands without registers. CuTe's convention: the tile as it is, M or N first; every thread
    // of a warpgroup sees all of it; two CTAs take halves of M, and of N for B.
    {Fragment::GroupMK, "wgmma, A in shared memory", A, 128, 64 * 16,
     [](int, int i) { return Place{i % 64, i / 64}; }, {.m = 64, .k = 16}},
    {Fragment::GroupNK, "wgmma, B in shared memory", B, 128, 24 * 16,
     [](int, int i) { return Place{i / 24, i % 24}; }, {.n = 24, .k = 16}},
    {Fragment::OneMK, "tcgen05.mma, A", A, 1, 64 * 16,
     [](int, int i) { return Place{i % 64, i / 64}; },
     {.m = 64, .k = 16}},
    {Fragment::OneNK, "tcgen05.mma, B", B, 1, 24 * 16,
     [](int, int i) { return Place{i / 24, i % 24}; },
     {.n = 24, .k = 16}},
    {Fragment::OneMN, "tcgen05.mma, D", C, 1, 64 * 24,
     [](int, int i) { return Place{i % 64, i / 64}; },
     {.m = 64, .n = 24}},
    {Fragment::TwoMK, "tcgen05.mma for two CTAs, A", A, 2, 64 * 16,
     [](int cta, int i) { return Place{cta * 64 + i % 64, i / 64}; }, {.m = 128, .k = 16}},
    {Fragment::TwoNK, "tcgen05.mma for two CTAs, B", B, 2, 16 * 16,
     [](int cta, int i) { return Place{i / 16, cta * 16 + i % 16}; }, {.n = 32, .k = 16}},
    {Fragment::TwoMN, "tcgen05.mma for two CTAs, D", C, 2, 64 * 32,
     [](int cta, int i) { return Place{cta * 64 + i % 64, i / 64}; }, {.m = 128, .n = 32}},
    {Fragment::Scalar, "fma", A, 1, 1, [](int, int) { return Place{0, 0}; }},
};

} // namespace tessera::atom::test
