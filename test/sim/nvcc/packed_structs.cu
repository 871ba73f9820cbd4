// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bit fields, unions, members out of line with their alignment, copies of structures.
struct Fields {
  unsigned low : 5;
  int middle : 11;
  unsigned high : 16;
};
struct __attribute__((packed)) Odd {
  unsigned char kind;
  unsigned value;
  unsigned short more;
};
union Either {
  float real;
  unsigned bits;
  unsigned char bytes[4];
};
extern "C" __global__ void packed_structs(const unsigned *in, unsigned *out, Odd *odd) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, x = in[t];
  Fields fields;
  fields.low = x, fields.middle = x >> 9, fields.high = x * 3;
  fields.middle += 5, fields.low += 7;
  Either either;
  either.bits = x;
  either.bytes[t % 4] ^= 0x5a;
  Odd mine = {(unsigned char)x, x ^ t, (unsigned short)(x >> 16)};
  odd[t] = mine;
  out[t] = fields.low + fields.middle * 3 + fields.high * 5 + either.bits;
}
