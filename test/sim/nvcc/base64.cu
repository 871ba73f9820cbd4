// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__constant__ char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Three bytes as four letters, written as one word.
extern "C" __global__ void base64(const unsigned char *in, char4 *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = in[3 * t] << 16 | in[3 * t + 1] << 8 | in[3 * t + 2];
  out[t] =
      make_char4(letters[x >> 18], letters[x >> 12 & 63], letters[x >> 6 & 63], letters[x & 63]);
}
