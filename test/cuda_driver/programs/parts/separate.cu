// What separate.cu is linked with.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct Shape {
  __device__ virtual int area(int width) const = 0;
};
struct Rectangle : Shape {
  int height;
  __device__ Rectangle(int height) : height(height) {}
  __device__ int area(int width) const override { return width * height; }
};

static __device__ __noinline__ int own(int x) { return x - 5; }
__device__ int squared(int x) { return x * x; }

__device__ int counter = 10;
__constant__ float table[4] = {1, 2, 3, 4};
__device__ int (*pointer)(int) = squared;
__device__ int tripled(int x) { return 3 * x; }
__device__ Shape *makeShape(int height) { return new Rectangle(height); }
__global__ void ofTheOther(int *out) { out[0] = own(counter); }
