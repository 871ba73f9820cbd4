// ApiError: the errors of a C API, which its caller gets through a pointer and destroys.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// E is the API's struct, whose first fields are `std::string id, text`. All that follows is the
// same for each API: the first error of a caller stays, a caller may want none, and no exception
// leaves.
#pragma once

#include "tessera/base/Guarded.h"

#include <cstddef>

namespace tessera {

/// What stands for an error that there is no memory for; never destroyed. Its texts fit the space
/// that a std::string has inside.
template <class E> E &memoryError() {
  static E error{std::string(outOfMemoryId), "memory ran out"};
  return error;
}

/// Stores a new error in *error, if the caller wants one and no earlier call has. `more` are E's
/// further fields.
template <class E, class... More>
void refuse(E **error, const Reason &reason, const More &...more) {
  if (error && !*error)
    *error = new E{std::string(reason.id), reason.text, more...};
}

/// The same for what `guarded` refuses, where there may be no memory for an error.
template <class E> void refuseException(E **error, const Reason &reason) noexcept {
  if (!error || *error)
    return;
  *error = &memoryError<E>();
  if (reason.id == outOfMemoryId)
    return;
  try {
    *error = new E{std::string(reason.id), reason.text};
  } catch (const std::bad_alloc &) { // it stays OutOfMemory
  }
}

/// `body()`, and nothing after an exception: memory or threads that run out are errors too. Every
/// function of an API that does more than look something up is a body of this.
template <class E, class Body> auto guarded(E **error, Body &&body) -> decltype(body()) {
  return tessera::guarded(body, [&](const Reason &reason) -> decltype(body()) {
    refuseException(error, reason);
    return {};
  });
}

/// The same where the API's function has no way to say why.
template <class Body> auto guarded(std::nullptr_t, Body &&body) -> decltype(body()) {
  return tessera::guarded(body, [](const Reason &) -> decltype(body()) { return {}; });
}

/// Null is allowed in these.
template <class E> const char *idOf(const E *error) { return error ? error->id.c_str() : ""; }
template <class E> const char *textOf(const E *error) { return error ? error->text.c_str() : ""; }
template <class E> void destroyError(E *error) {
  if (error != &memoryError<E>())
    delete error;
}

} // namespace tessera
