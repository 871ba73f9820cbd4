// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A struct by value, and a table of constants.
struct Line {
  float slope;
  char kind;
  double offset;
  const float *in;
  short scale[3];
};
__constant__ float table[8] = {1, 2, 4, 8, 16, 32, 64, 128};
extern "C" __global__ void by_value(const Line line, float *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] =
      line.slope * line.in[t] + (float)line.offset + table[t % 8] * line.scale[t % 3] + line.kind;
}
