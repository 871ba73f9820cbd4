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

/// A row, or null with the reason.
const FunctionRow *find(const char *name, int version, QueryResult &result) {
  bool isKnown = false;
  const FunctionRow *row = findFunction(name, version, isKnown);
  result = row ? Found : isKnown ? NoVersion : NoSymbol;
  return row;
}
void (*functionOf(const FunctionRow &row, uint64_t flags))() {
  constexpr uint64_t perThread = 2; // CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM
  return flags & perThread && row.perThread ? row.perThread : row.function;
}

} // namespace

// Of what is not there, the second version says Success, null and why; the first NotFound, and it
// leaves the pointer as it is. So does the driver of an H200 (580.159, CUDA 13.0, 2026-11-30), with
// and without a place for the reason.
CUDA_API(cuGetProcAddress)(const char *name, void (**out)(), int version, uint64_t flags) {
  if (!name || !out)
    return Code::InvalidValue;
  QueryResult result = Found;
  const FunctionRow *row = find(name, version, result);
  if (!row)
    return Code::NotFound;
  *out = functionOf(*row, flags);
  return Code::Success;
}
CUDA_API(cuGetProcAddress_v2)
(const char *name, void (**out)(), int version, uint64_t flags, int *result) {
  if (!name || !out)
    return Code::InvalidValue;
  QueryResult found = Found;
  const FunctionRow *row = find(name, version, found);
  *out = row ? functionOf(*row, flags) : nullptr;
  if (result)
    *result = found;
  return Code::Success;
}
