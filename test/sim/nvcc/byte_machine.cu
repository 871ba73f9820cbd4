// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A machine with a stack that runs a program of bytes: numbers, sums, products, jumps.
__constant__ unsigned char program[] = {0, 1, 7, 2, 5, 3, 6, 1, 3, 4, 8, 1, 9, 5, 7, 2, 9, 10, 0};

extern "C" __global__ void byte_machine(const unsigned *in, unsigned *out) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x, stack[8], top = 0, at = 0, rounds = in[t] % 9;
  for (;;) {
    switch (program[at++]) {
    case 0: stack[top++] = in[t]; break;
    case 1: stack[top++] = program[at++]; break;
    case 2: stack[top++] = program[at++] * t; break;
    case 3: --top, stack[top - 1] += stack[top]; break;
    case 4: --top, stack[top - 1] *= stack[top]; break;
    case 5: --top, stack[top - 1] ^= stack[top]; break;
    case 6: stack[top - 1] = __brev(stack[top - 1]); break;
    case 7: stack[top] = stack[top - 1] >> 3, ++top; break;
    case 8: --top, stack[top - 1] -= stack[top] & 0xffff; break;
    case 9: top ? stack[top - 1] += rounds : 0; break;
    case 10:
      if (rounds--) {
        top = at = 1;
        break;
      }
      unsigned sum = 0;
      while (top)
        sum = sum * 5 + stack[--top];
      out[t] = sum;
      return;
    }
  }
}
