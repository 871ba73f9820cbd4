// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Of four lines and 16 ways on from each, the four best go on; scores are integers, equal ones by
// number.
extern "C" __global__ void beam_search(const unsigned *scores, unsigned *lines, unsigned *best,
                                       int steps) {
  __shared__ unsigned score[4], all[64], next[4];
  unsigned t = threadIdx.x;
  if (t < 4)
    score[t] = t * 10;
  for (int s = 0; s < steps; ++s) {
    __syncthreads();
    unsigned mine = score[t / 16] + scores[(s * 16 + t % 16 + t / 16 * 5) % 256] % 100, rank = 0;
    all[t] = mine;
    __syncthreads();
    for (unsigned i = 0; i < 64; ++i)
      rank += all[i] > mine || (all[i] == mine && i < t);
    if (rank < 4)
      next[rank] = mine, lines[s * 4 + rank] = t;
    __syncthreads();
    if (t < 4)
      score[t] = next[t];
  }
  __syncthreads();
  if (t < 4)
    best[t] = score[t];
}
