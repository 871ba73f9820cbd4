// Kernels, the host functions that launch them, and the checks of these functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Scalars.h"

#include <concepts>
#include <functional>
#include <string>

namespace tessera::dsl {

/// The arguments of a function, by position. A position that does not exist is a mistake.
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

/// The threads of a block along each axis. A number is along x.
struct BlockShape {
  int64_t x, y, z;
  template <std::integral T>
  BlockShape(T x, int64_t y = 1, int64_t z = 1) : x(int64_t(x)), y(y), z(z) {}
};
/// Threads per block, and the number of blocks that must fit on a multiprocessor, which limits the
/// registers per thread.
struct BlockLimits {
  BlockShape threads;
  int64_t together;
  template <std::convertible_to<BlockShape> T>
  BlockLimits(T threads, int64_t together = 1) : threads(threads), together(together) {}
};

/// A kernel of this many threads per block, with parameters of these types.
void kernel(const std::string &name, BlockLimits, mlir::TypeRange,
            const std::function<void(Arguments)> &body, Place = Place::current());

struct LaunchConfig;

namespace detail {
void kernel(const std::string &name, BlockLimits, const std::vector<Handle *> &parameters,
            const std::function<void()> &body, Place);
void launch(const std::string &kernel, const LaunchConfig &, Stream,
            const std::vector<Handle *> &arguments, Place);
} // namespace detail

/// A kernel whose parameters have the types of `values`, a group of values (Values.h) that a host
/// function passes to `launch`. The body gets the kernel's own values.
template <class Values, class Body>
  requires std::invocable<Body, Values &>
void kernel(const std::string &name, BlockLimits limits, Values like, Body body,
            Place at = Place::current()) {
  detail::kernel(name, limits, handlesOf(like), [&] { body(like); }, at);
}

/// A host function, with a stream as additional last parameter. It returns 0 or the number of a
/// CUDA error.
void host(const std::string &name, mlir::TypeRange,
          const std::function<void(Arguments, Stream)> &body, Place = Place::current());
/// In host code: unless the condition holds, the call fails with this message.
void check(Num condition, const std::string &otherwise, Place = Place::current());

/// In host code: unless the condition holds, the call ends here and returns 0.
void return_unless(Num condition, Place = Place::current());

struct LaunchConfig {
  Num gridX = {}, gridY = {}, gridZ = {}; // blocks; 1 if not set
  BlockShape threads = 0;                 // of a block
  int64_t smemBytes = 0;                  // dynamic shared memory of a block
  int64_t clusterX = 1, clusterY = 1;     // blocks of a cluster
  bool overlaps = false; // may begin before earlier kernels have ended: griddepcontrol_wait
};
/// In host code: launches the kernel with a group of values.
template <class Values>
void launch(const std::string &kernel, const LaunchConfig &config, Stream stream, Values passed,
            Place at = Place::current()) {
  detail::launch(kernel, config, stream, handlesOf(passed), at);
}

} // namespace tessera::dsl
