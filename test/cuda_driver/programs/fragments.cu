// Products of fragments of f16, bf16, tf32 and bytes, whole and with edges.
// Also: -G
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cuda_bf16.h>
#include <mma.h>

using namespace nvcuda;

/// One tile for each block, with edges.
template <class T> __global__ void multiply(const T *a, const T *b, float *c, int M, int N, int K) {
  int m = blockIdx.x * 16, n = blockIdx.y * 16;
  __shared__ T ta[16 * 24], tb[16 * 24];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.f);
  for (int k = 0; k < K; k += 16) {
    for (int i = threadIdx.x; i < 256; i += 32) {
      ta[i / 16 * 24 + i % 16] = m + i / 16 < M ? a[(m + i / 16) * K + k + i % 16] : T(0.f);
      tb[i / 16 * 24 + i % 16] = n + i / 16 < N ? b[(n + i / 16) * K + k + i % 16] : T(0.f);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> fb;
    wmma::load_matrix_sync(fa, ta, 24);
    wmma::load_matrix_sync(fb, tb, 24);
    wmma::mma_sync(acc, fa, fb, acc);
    __syncwarp();
  }
  __shared__ float tc[16 * 20];
  for (int i = 0; i < acc.num_elements; ++i)
    acc.x[i] *= 2.f;
  wmma::store_matrix_sync(tc, acc, 20, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32)
    if (m + i / 16 < M && n + i % 16 < N)
      c[(m + i / 16) * N + n + i % 16] = tc[i / 16 * 20 + i % 16];
}

/// Rows beyond the matrix are left as they are: what is made of them is thrown away.
__global__ void ragged(const __half *a, const __half *b, float *c, int M) {
  __shared__ __half ta[256], tb[256];
  __shared__ float tc[256];
  for (int i = threadIdx.x; i < 256; i += 32) {
    if (i / 16 < M)
      ta[i] = a[i];
    tb[i] = b[i];
  }
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.f);
  wmma::load_matrix_sync(fa, ta, 16);
  wmma::load_matrix_sync(fb, tb, 16);
  wmma::mma_sync(acc, fa, fb, acc);
  wmma::store_matrix_sync(tc, acc, 16, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < M * 16; i += 32)
    c[i] = tc[i];
}

__global__ void bytes(const signed char *a, const signed char *b, int *c) {
  wmma::fragment<wmma::matrix_a, 8, 32, 16, signed char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 32, 16, signed char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 32, 16, int> acc;
  wmma::fill_fragment(acc, 1);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(acc, fa, fb, acc, true);
  wmma::store_matrix_sync(c, acc, 8, wmma::mem_col_major);
}

__global__ void rounded(const float *a, const float *b, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> acc;
  wmma::fill_fragment(acc, 0.f);
  wmma::load_matrix_sync(fa, a, 8);
  wmma::load_matrix_sync(fb, b, 16);
  for (int i = 0; i < fa.num_elements; ++i)
    fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  wmma::mma_sync(acc, fa, fb, acc);
  wmma::store_matrix_sync(c, acc, 16, wmma::mem_row_major);
}

template <class T> void check() {
  int M = 40, N = 24, K = 32;
  auto a = numbers(M * K), b = numbers(N * K, 3);
  std::vector<T> ha, hb;
  for (float v : a)
    ha.push_back(T(v));
  for (float v : b)
    hb.push_back(T(v));
  T *da = upload(ha), *db = upload(hb);
  float *c = upload(std::vector<float>(M * N));
  multiply<T><<<dim3(3, 2), 32>>>(da, db, c, M, N, K);
  auto r = download(c, M * N);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j) {
      float w = 0;
      for (int k = 0; k < K; ++k)
        w += a[i * K + k] * b[j * K + k];
      REQUIRE(r[i * N + j] == 2 * w);
    }
}

int main() {
  check<__half>();
  check<__nv_bfloat16>();
  auto a = numbers(256), b = numbers(256, 3);
  std::vector<__half> ha, hb;
  for (float v : a)
    ha.push_back(__float2half(v));
  for (float v : b)
    hb.push_back(__float2half(v));
  float *c = upload(std::vector<float>(256));
  ragged<<<1, 32>>>(upload(ha), upload(hb), c, 11);
  auto r = download(c, 256);
  for (int i = 0; i < 11; ++i)
    for (int j = 0; j < 16; ++j) {
      float w = 0;
      for (int k = 0; k < 16; ++k)
        w += a[i * 16 + k] * b[j * 16 + k];
      REQUIRE(r[i * 16 + j] == w);
    }
  std::vector<signed char> ba, bb;
  for (int i = 0; i < 128; ++i)
    ba.push_back((signed char)number(i));
  for (int i = 0; i < 512; ++i)
    bb.push_back((signed char)number(i + 5));
  int *ci = upload(std::vector<int>(256));
  bytes<<<1, 32>>>(upload(ba), upload(bb), ci);
  auto ri = download(ci, 256);
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 32; ++j) {
      int w = 1;
      for (int k = 0; k < 16; ++k)
        w += ba[i * 16 + k] * bb[j * 16 + k];
      REQUIRE(ri[j * 8 + i] == w);
    }
  rounded<<<1, 32>>>(upload(numbers(128)), upload(numbers(128, 3)), c);
  auto rt = download(c, 256);
  auto ta = numbers(128), tb = numbers(128, 3);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float w = 0;
      for (int k = 0; k < 8; ++k)
        w += ta[i * 8 + k] * tb[k * 16 + j];
      REQUIRE(rt[i * 16 + j] == w);
    }
  return passed();
}
