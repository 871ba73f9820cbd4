// Instructions by hand: guards, vectors, rare modifiers. Target: sm_90
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

__global__ void odd(const unsigned *in, unsigned *out, unsigned long long *wide) {
  unsigned i = threadIdx.x, a = in[i], b = in[(i + 7) % 32], r[24];
  asm("{\n\t.reg .pred %%p<3>;\n\tsetp.gt.and.u32 %%p1|%%p2, %1, %2, 1;\n\t@!%%p1 mov.u32 %0, "
      "11;\n\t@%%p1 mov.b32 %0, 22;\n\t}"
      : "=r"(r[0])
      : "r"(a), "r"(b));
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(r[1]) : "r"(a), "r"(b), "r"(i & 3));
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(r[2]) : "r"(a));
  asm("szext.wrap.u32 %0, %1, %2;" : "=r"(r[3]) : "r"(a), "r"(i));
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(r[4]) : "r"(i), "r"(5));
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(r[5]) : "r"(a), "r"(b), "r"(i));
  asm("dp2a.hi.u32.u32 %0, %1, %2, %3;" : "=r"(r[6]) : "r"(a), "r"(b), "r"(i));
  asm("mul24.lo.u32 %0, %1, %2;" : "=r"(r[7]) : "r"(a), "r"(b));
  asm("sad.u32 %0, %1, %2, %3;" : "=r"(r[8]) : "r"(a), "r"(b), "r"(i));
  asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(r[9]) : "r"(a), "r"(b), "r"(int(i) - 16));
  asm("{ .reg .b16 lo, hi; mov.b32 {lo, hi}, %1; mov.b32 %0, {hi, lo}; }" : "=r"(r[10]) : "r"(a));
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r[11]) : "r"(a), "r"(b), "r"(i));
  asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(r[12]) : "r"(a), "r"(b), "r"(i));
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;"
      : "=r"(r[13])
      : "r"(int(a % 600) - 100), "r"(int(b % 600) - 100), "r"(i));
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(r[14]) : "r"(a), "r"(b), "r"(i));
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v2.u32 {%0, %1}, [%2];"
               : "=r"(r[15]), "=r"(r[16])
               : "l"(in + (i & ~1u)));
  asm volatile("ld.relaxed.gpu.global.L1::no_allocate.u32 %0, [%1+4];"
               : "=r"(r[17])
               : "l"(in + i % 31));
  asm volatile(
      "prefetch.global.L2::evict_last [%0];\n\tapplypriority.global.L2::evict_normal [%0], 128;" ::
          "l"(in));
  asm volatile("{ .reg .b64 policy; createpolicy.fractional.L2::evict_first.b64 policy, 0.5; "
               "ld.global.L2::cache_hint.u32 %0, [%1], policy; }"
               : "=r"(r[18])
               : "l"(in + i));
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }" : "=r"(r[19]));
  asm volatile("redux.sync.min.s32 %0, %1, 0xffffffff;" : "=r"(r[20]) : "r"(a));
  asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(r[21]) : "r"(a & 3));
  asm volatile("{ .reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync.uni.pred q, p, 0xffffffff; "
               "selp.b32 %0, 7, 8, q; }"
               : "=r"(r[22])
               : "r"(a & 1));
  asm volatile("fns.b32 %0, %1, 0, %2;" : "=r"(r[23]) : "r"(a), "r"(2));
  for (int k = 0; k < 24; ++k)
    out[k * 32 + i] = r[k];
  unsigned long long x = (unsigned long long)a << 32 | b, y;
  asm("{ .reg .u32 lo, hi, c; mov.b64 {lo, hi}, %1; add.cc.u32 lo, lo, %2; addc.cc.u32 hi, hi, 0; "
      "addc.u32 c, 0, 0; shl.b32 c, c, 0; mov.b64 %0, {lo, hi}; }"
      : "=l"(y)
      : "l"(x), "r"(0xffffff00u));
  wide[i] = y;
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(y) : "r"(a), "r"(b), "l"(x));
  wide[32 + i] = y;
  asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(y) : "l"(x), "l"(~x), "r"(i), "r"(20));
  wide[64 + i] = y;
}

int main() {
  std::vector<unsigned> in(32);
  for (unsigned i = 0; i < 32; ++i)
    in[i] = (i * 2654435761u) ^ (i << 7);
  unsigned *x = upload(in), *out = upload(std::vector<unsigned>(24 * 32));
  auto *wide = upload(std::vector<unsigned long long>(96));
  odd<<<1, 32>>>(x, out, wide);
  CHECK(cudaGetLastError());
  auto r = download(out, 24 * 32);
  auto w = download(wide, 96);
  int least = INT32_MAX, leaders = 0;
  for (unsigned v : in)
    least = std::min(least, int(v));
  for (unsigned i = 0; i < 32; ++i) {
    unsigned a = in[i], b = in[(i + 7) % 32], at = 0;
    auto is = [&](unsigned value) {
      if (r[at * 32 + i] != value) {
        std::printf("instruction %u, lane %u: %x, expected %x\n", at, i, r[at * 32 + i], value);
        std::exit(1);
      }
      ++at;
    };
    auto byte = [](unsigned v, unsigned k) { return v >> 8 * k & 255; };
    auto clamp = [](int v) { return unsigned(std::min(std::max(v, 0), 255)); };
    is(a > b ? 22 : 11);
    is(unsigned((((unsigned long long)b << 32 | a) >> 8 * (i & 3)) & 0xffffffff));
    is(a ? unsigned(__builtin_clz(a)) : ~0u);
    unsigned n = i & 31;
    is(n ? a & ((1u << n) - 1) : 0);
    is(unsigned(((1ull << 5) - 1) << i));
    int sum = int(i);
    for (unsigned k = 0; k < 4; ++k)
      sum += int(byte(a, k)) * (signed char)byte(b, k);
    is(unsigned(sum));
    is(i + (a & 65535) * byte(b, 2) + (a >> 16) * byte(b, 3));
    is((a & 0xffffff) * (b & 0xffffff));
    is((a > b ? a - b : b - a) + i);
    is(int(i) - 16 >= 0 ? a : b);
    is(a >> 16 | a << 16);
    is(a ^ b ^ i);
    is(unsigned(((unsigned long long)b << 32 | a) >> i));
    is(i << 16 | clamp(int(a % 600) - 100) << 8 | clamp(int(b % 600) - 100));
    sum = int(i);
    for (unsigned k = 0; k < 4; ++k)
      sum += std::abs(int(byte(a, k)) - int(byte(b, k)));
    is(unsigned(sum));
    is(in[i & ~1u]);
    is(in[i | 1]);
    is(in[i % 31 + 1]);
    is(a);
    leaders += int(r[at++ * 32 + i]);
    is(unsigned(least));
    unsigned same = 0;
    bool all = true;
    for (unsigned k = 0; k < 32; ++k) {
      same |= unsigned((in[k] & 3) == (a & 3)) << k;
      all &= (in[k] & 1) == (in[0] & 1);
    }
    is(same);
    is(all ? 7 : 8);
    unsigned left = 2, found = ~0u;
    for (unsigned k = 0; k < 32 && left; ++k)
      if (a >> k & 1 && !--left)
        found = k;
    is(found);
    unsigned long long big = (unsigned long long)a << 32 | b, ones = (1ull << 20) - 1;
    REQUIRE(w[i] == big + 0xffffff00ull);
    REQUIRE(w[32 + i] == (unsigned long long)a * b + big);
    REQUIRE(w[64 + i] == ((~big & ~(ones << i)) | (big & ones) << i));
  }
  REQUIRE(leaders == 1);
  return passed();
}
