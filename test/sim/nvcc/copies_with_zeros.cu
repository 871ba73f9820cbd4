// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that go on by themselves, of 4, 8 and 16 bytes, with zeros behind the end of a row.
extern "C" __global__ void copies_with_zeros(const unsigned *in, unsigned *out, int n) {
  __shared__ alignas(16) unsigned row[3][4 * 64];
  int t = threadIdx.x;
  auto address = [](const void *p) { return (unsigned)__cvta_generic_to_shared(p); };
  int left = max(0, min(16, (n - 4 * t) * 4));
  const unsigned *from = in + min(4 * t, n - 4);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address(&row[0][4 * t])),
               "l"(left ? in + 4 * t : in), "r"(left)
               : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  for (int i = 0; i < 4; i += 2)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(address(&row[1][4 * t + i])),
                 "l"(from + i)
                 : "memory");
  for (int i = 0; i < 4; ++i)
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address(&row[2][4 * t + i])),
                 "l"(in + (4 * t + i) % n), "r"(i == 2 ? 0 : 4)
                 : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  __syncthreads();
  unsigned sum = 0;
  for (int i = 0; i < 4; ++i)
    sum = sum * 31 + row[0][(t * 4 + i) ^ 4];
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (int i = 0; i < 4; ++i)
    sum = sum * 31 + row[1][(t * 4 + i) ^ 8] + row[2][(t * 4 + i) ^ 1] * 3;
  out[t] = sum;
}
