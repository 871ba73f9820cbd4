// Kernels, the host functions that launch them, and what these check.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Scalars.h"

#include <concepts>
#include <functional>
#include <string>

namespace tessera::dsl {

/// What a function was called with, by position; a position that it lacks is a mistake.
class Arguments {
public:
  explicit Arguments(mlir::ValueRange values) : values(values.begin(), values.end()) {}
  size_t size() const { return values.size(); }
  Num num(size_t i, Place at = Place::current()) const { return Num(get(i, at)); }
  Tensor tensor(size_t i, Place at = Place::current()) const { return Tensor(get(i, at)); }
  Pointer pointer(size_t i, Place at = Place::current()) const { return Pointer(get(i, at)); }
  Atom atom(size_t i, Place at = Place::current()) const { return Atom(get(i, at)); }

private:
  mlir::Value get(size_t i, Place) const;
  llvm::SmallVector<mlir::Value> values;
};

/// Threads of a block, and how many blocks a multiprocessor is to have room for, which limits the
/// registers of a thread.
struct BlockLimits {
  int64_t threads;
  int64_t together;
  template <std::integral T>
  BlockLimits(T threads, int64_t together = 1) : threads(threads), together(together) {}
};

/// A kernel of so many threads a block, with parameters of these types.
void kernel(const std::string &name, BlockLimits, mlir::TypeRange,
            const std::function<void(Arguments)> &body, Place = Place::current());

struct LaunchConfig;

namespace detail {
void kernel(const std::string &name, BlockLimits, const std::vector<Handle *> &parameters,
            const std::function<void()> &body, Place);
void launch(const std::string &kernel, const LaunchConfig &, Stream,
            const std::vector<Handle *> &arguments, Place);
} // namespace detail

/// A kernel that takes values of the types of those given, which go together (Values.h): what a
/// host function passes to `launch`. The body gets the kernel's own.
template <class Values, class Body>
  requires std::invocable<Body, Values &>
void kernel(const std::string &name, BlockLimits limits, Values like, Body body,
            Place at = Place::current()) {
  detail::kernel(name, limits, handlesOf(like), [&] { body(like); }, at);
}

/// A host function, to which a stream is appended; it returns 0, or the number of a CUDA error.
void host(const std::string &name, mlir::TypeRange,
          const std::function<void(Arguments, Stream)> &body, Place = Place::current());
/// In host code: the call fails with these words unless the condition holds.
void check(Num condition, const std::string &otherwise, Place = Place::current());

/// In host code: the call ends here, with 0, unless the condition holds.
void return_unless(Num condition, Place = Place::current());

struct LaunchConfig {
  Num gridX = {}, gridY = {}, gridZ = {}; // blocks; one where it is not set
  int64_t threads = 0;                    // of a block
  int64_t smemBytes = 0;                  // dynamic shared memory of a block
  int64_t clusterX = 1, clusterY = 1;     // blocks of a cluster
  bool overlaps = false; // may begin before kernels before it have ended: griddepcontrol_wait
};
/// In host code: launches the kernel with values that go together.
template <class Values>
void launch(const std::string &kernel, const LaunchConfig &config, Stream stream, Values passed,
            Place at = Place::current()) {
  detail::launch(kernel, config, stream, handlesOf(passed), at);
}

} // namespace tessera::dsl
