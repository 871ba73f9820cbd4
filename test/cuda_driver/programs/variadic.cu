// Functions that take any number of arguments, and what printf gives back.
// Prints: 1099511627776|   ab|4464
// Also: -G
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Program.h"

#include <cstdarg>

struct Padded {
  double real;
  char small;
};

__device__ __noinline__ double sum(const char *kinds, ...) {
  va_list list;
  va_start(list, kinds);
  double out = 0;
  for (; *kinds; ++kinds)
    switch (*kinds) {
    case 'i': out += va_arg(list, int); break;
    case 'l': out += double(va_arg(list, long long)); break;
    case 'd': out += va_arg(list, double); break;
    case 'p': out += *va_arg(list, const int *); break;
    default: {
      Padded padded = va_arg(list, Padded);
      out += padded.real + padded.small;
    }
    }
  va_end(list);
  return out;
}

__device__ double (*pointer)(const char *, ...) = sum;

__global__ void call(double *out, int *printed) {
  int value = 1000;
  out[0] = sum("");
  out[1] = sum("ildp", 1, 1ll << 40, 0.5, &value);
  out[2] = sum("ispi", 1, Padded{2.5, 3}, &value, 4);
  out[3] = pointer("dddddd", 1., 2., 3., 4., 5., 6.);
  printed[0] = printf("%lu\n", size_t(1) << 40);
  printed[1] = printf("%*s\n", 5, "ab");
  printed[2] = printf("%hu\n", 70000);
}

int main() {
  double *x = upload(std::vector<double>(4));
  int *printed = upload(std::vector<int>(3));
  call<<<1, 1>>>(x, printed);
  REQUIRE(download(x, 4) == (std::vector<double>{0, 1 + 1099511627776. + 0.5 + 1000, 1010.5, 21}));
  REQUIRE(download(printed, 3) == (std::vector<int>{1, 2, 1}));
  return passed();
}
