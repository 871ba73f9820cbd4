// The table of functions, those that are refused, and the entries for per-thread default streams.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Functions.h"

#include "tessera/cuda_driver/Driver.h"
#include "tessera/cuda_driver/Entry.h"

namespace tessera::cuda_driver {

namespace {
namespace reasons {
#define REASON(id, text) constexpr const char *id = text;
#include "tessera/cuda_driver/Reasons.def"
#undef REASON
} // namespace reasons
} // namespace

} // namespace tessera::cuda_driver

#define DONE(symbol, name, version, perThread)                                                     \
  extern "C" void symbol();                                                                        \
  ENTRY_##perThread(symbol)
#define REFUSED(symbol, name, version, perThread, reason)                                          \
  CUDA_API(symbol)() {                                                                             \
    return tessera::cuda_driver::refuse(#symbol, tessera::cuda_driver::reasons::reason);           \
  }                                                                                                \
  ENTRY_##perThread(symbol)
#include "tessera/cuda_driver/Functions.def"
#undef DONE
#undef REFUSED

namespace tessera::cuda_driver {

namespace {
template <class F> void (*pointer(F *function))() { return reinterpret_cast<void (*)()>(function); }

const FunctionRow rows[] = {
#define PER_THREAD_none(symbol) nullptr
#define PER_THREAD_ptds(symbol) symbol##_ptds
#define PER_THREAD_ptsz(symbol) symbol##_ptsz
#define DONE(symbol, name, version, perThread)                                                     \
  {#symbol, #name, version, pointer(symbol), PER_THREAD_##perThread(symbol), ""},
#define REFUSED(symbol, name, version, perThread, reason)                                          \
  {#symbol, #name, version, pointer(symbol), PER_THREAD_##perThread(symbol), reasons::reason},
#include "tessera/cuda_driver/Functions.def"
#undef DONE
#undef REFUSED
};
} // namespace

std::span<const FunctionRow> functionRows() { return rows; }

const FunctionRow *findFunction(std::string_view name, int version, bool &isKnown) {
  const FunctionRow *found = nullptr;
  isKnown = false;
  for (const FunctionRow &row : rows) {
    if (row.name != name)
      continue;
    isKnown = true;
    if (row.version <= version && (!found || row.version > found->version))
      found = &row;
  }
  return found;
}

} // namespace tessera::cuda_driver
