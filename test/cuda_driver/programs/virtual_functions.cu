// Objects with virtual functions, made on the device, and a table of functions.
// Also: -G
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float side) : side(side) {}
  __device__ float area() const override { return side * side; }
};
struct Box : Shape {
  float a, b;
  __device__ Box(float a, float b) : a(a), b(b) {}
  __device__ float area() const override { return a * b; }
};

__device__ float twice(float x) { return 2 * x; }
__device__ float plusOne(float x) { return x + 1; }
using Function = float (*)(float);
__device__ Function functions[] = {twice, plusOne};

__global__ void make(Shape **shapes, int count) {
  int i = threadIdx.x;
  if (i < count)
    shapes[i] = i % 2 ? static_cast<Shape *>(new Square(float(i))) : new Box(float(i), 2);
}
__global__ void measure(Shape *const *shapes, float *out) {
  out[threadIdx.x] = functions[threadIdx.x % 2](shapes[threadIdx.x]->area());
}
__global__ void destroy(Shape **shapes) { delete shapes[threadIdx.x]; }

int main() {
  constexpr int count = 20;
  Shape **shapes = upload(std::vector<Shape *>(count));
  float *areas = upload(std::vector<float>(count));
  make<<<1, 32>>>(shapes, count);
  measure<<<1, count>>>(shapes, areas);
  destroy<<<1, count>>>(shapes);
  std::vector<float> out = download(areas, count);
  for (int i = 0; i < count; ++i)
    REQUIRE(out[i] == (i % 2 ? float(i * i) + 1 : float(i) * 2 * 2));
  return passed();
}
