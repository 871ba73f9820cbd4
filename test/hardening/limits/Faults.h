// Faults: makes one allocation of the process fail, or the start of a thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tessera::test {

/// The n-th allocation (operator new) from now on fails, on whichever thread, counted from 1; 0:
/// none.
void failAllocation(long n);
/// Whether one has failed since.
bool allocationFailed();
/// How many would still succeed before the one that is to fail.
long allocationsLeftOver();
/// The n-th start of a thread fails as it does where the system has no more; 0: none.
void failThread(long n);

[[noreturn]] inline void wrong(const char *what, const char *got) {
  std::fprintf(stderr, "%s: %s\n", what, got);
  std::exit(1);
}

/// Calls f(&error) with the first allocation failing, then the second, and so on until a call meets
/// no failure. A call that fails has to say OutOfMemory and nothing else; one that succeeds
/// although an allocation failed did without. `Api` has the type Error, id(error), text(error),
/// destroy(error) and giveBack(result). Gives what the last call gave.
template <class Api, class F> auto exhausted(const char *what, F f) {
  for (long n = 1;; ++n) {
    typename Api::Error *error = nullptr;
    failAllocation(n);
    auto result = f(&error);
    bool failed = allocationFailed();
    failAllocation(0);
    if (!failed) {
      if (!result || error)
        wrong(what, error ? Api::text(error) : "nothing failed, and it gives nothing");
      return result;
    }
    if (!result && std::strcmp(Api::id(error), "OutOfMemory") != 0)
      wrong(what, Api::text(error));
    if (result && error)
      wrong(what, "an error and a result");
    Api::destroy(error);
    if (result)
      Api::giveBack(result);
    if (n > 1000000)
      wrong(what, "no end of allocations");
  }
}

} // namespace tessera::test
