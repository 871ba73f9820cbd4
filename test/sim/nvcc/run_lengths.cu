// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs of equal numbers as values and lengths; where runs begin is known by a scan of flags.
extern "C" __global__ void run_lengths(const unsigned *in, unsigned *values, unsigned *lengths,
                                       unsigned *runs) {
  __shared__ unsigned scan[256], starts[257];
  unsigned t = threadIdx.x, x = in[t] & 1;
  unsigned head = t == 0 || x != (in[t - 1] & 1);
  scan[t] = head;
  __syncthreads();
  for (unsigned step = 1; step < 256; step *= 2) {
    unsigned more = t >= step ? scan[t - step] : 0;
    __syncthreads();
    scan[t] += more;
    __syncthreads();
  }
  if (head)
    starts[scan[t] - 1] = t;
  if (t == 255)
    starts[scan[t]] = 256, *runs = scan[t];
  __syncthreads();
  if (t < scan[255])
    values[t] = in[starts[t]] & 1, lengths[t] = starts[t + 1] - starts[t];
}
