// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Forces between bodies, summed in a fixed order, tiles of them in shared memory.
extern "C" __global__ void many_bodies(const float4 *bodies, float3 *forces, int n) {
  __shared__ float4 tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  float4 me = bodies[i];
  float3 sum = make_float3(0, 0, 0);
  for (int first = 0; first < n; first += 64) {
    tile[threadIdx.x] = bodies[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 64; ++j) {
      float x = __fsub_rn(tile[j].x, me.x), y = __fsub_rn(tile[j].y, me.y),
            z = __fsub_rn(tile[j].z, me.z);
      float square = fmaf(x, x, fmaf(y, y, fmaf(z, z, 0.01f)));
      float scale = __fdiv_rn(tile[j].w, __fmul_rn(square, __fsqrt_rn(square)));
      sum.x = fmaf(x, scale, sum.x), sum.y = fmaf(y, scale, sum.y), sum.z = fmaf(z, scale, sum.z);
    }
    __syncthreads();
  }
  forces[i] = sum;
}
