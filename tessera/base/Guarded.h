// guarded: work of which the machine's memory or threads may run out, without exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rooms return reasons; only the standard library throws, if the machine runs out of memory or
// threads. Code that promises not to throw (the C APIs, the simulator) calls `guarded`, the only
// place that turns exceptions into reasons.
#pragma once

#include "tessera/base/Result.h"

#include <new>
#include <stdexcept>
#include <system_error>

namespace tessera {

/// The ids of reasons that `guarded` returns.
inline constexpr std::string_view outOfMemoryId = "OutOfMemory", outOfThreadsId = "OutOfThreads",
                                  internalId = "Internal";

namespace detail {
/// A reason whose sentence may take memory; where there is none, a short one that a string holds in
/// itself.
template <class Sentence>
Reason reasonOr(std::string_view id, const char *brief, Sentence sentence) noexcept {
  try {
    return {id, sentence()};
  } catch (...) {
    return {id, brief};
  }
}
} // namespace detail

/// The reason for the exception that is being handled. Takes no memory where memory ran out.
inline Reason reasonOfException() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return {outOfMemoryId, "memory ran out"};
  } catch (const std::length_error &) { // more elements than a container can have
    return {outOfMemoryId, "memory ran out"};
  } catch (const std::system_error &error) {
    return detail::reasonOr(outOfThreadsId, "no threads left", [&] {
      return cat("the system refuses another thread: ", error.code().message(),
                 "; fewer threads may do");
    });
  } catch (const std::exception &error) {
    return detail::reasonOr(internalId, "internal error",
                            [&] { return cat("internal error: ", error.what()); });
  } catch (...) {
    return {internalId, "internal error"};
  }
}

/// `body()`; where the machine has no more, what `refused` makes of the reason.
template <class Body, class Refused>
auto guarded(Body &&body, Refused &&refused) -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    return refused(reasonOfException());
  }
}

/// The same for a body that returns a Result.
template <class Body> auto guarded(Body &&body) -> decltype(body()) {
  return guarded(body, [](Reason reason) -> decltype(body()) { return reason; });
}

} // namespace tessera
