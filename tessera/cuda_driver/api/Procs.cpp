// cuGetProcAddress.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/Functions.h"
#include "tessera/cuda_driver/Types.h"

using namespace tessera::cuda_driver;

namespace {

/// CUdriverProcAddressQueryResult.
enum QueryResult : int {
  Found = 0,
  NoSymbol = 1,
  NoVersion = 2
};

Code find(const char *name, void (**out)(), int version, uint64_t flags, QueryResult &result) {
  if (!name || !out)
    return Code::InvalidValue;
  constexpr uint64_t perThread = 2; // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
  bool isKnown = false;
  const FunctionRow *row = findFunction(name, version, isKnown);
  result = row ? Found : isKnown ? NoVersion : NoSymbol;
  *out = !row ? nullptr : flags & perThread && row->perThread ? row->perThread : row->function;
  return row ? Code::Success : Code::NotFound;
}

} // namespace

CUDA_API(cuGetProcAddress)(const char *name, void (**out)(), int version, uint64_t flags) {
  QueryResult result = Found;
  return find(name, out, version, flags, result);
}
CUDA_API(cuGetProcAddress_v2)
(const char *name, void (**out)(), int version, uint64_t flags, int *result) {
  QueryResult found = Found;
  Code ended = find(name, out, version, flags, found);
  if (result)
    *result = found;
  return ended;
}
