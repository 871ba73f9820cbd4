// The types that there are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/gemm/GemmType.h"

#include <algorithm>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

static constexpr GemmType types[] = {
    {f16, 0}, {bf16, 1}, {tf32, 2},     {f8E4M3FN, 3},           {f8E5M2, 3},
    {i8, 4},  {u8, 4},   {f4E2M1FN, 5}, {number::Format::s4, 6},
};
const GemmType *kernels::findGemmType(std::string_view name) {
  const GemmType *found = std::ranges::find(types, name, &GemmType::name);
  return found == std::end(types) ? nullptr : found;
}
