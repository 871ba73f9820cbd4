// Pool: pieces of work in processes of their own, as what is tried may crash a driver's compiler or
// never end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace tessera::hw {

/// Work on items [first, last) in a process of its own: it prints to its standard output; false if
/// a device failed so that nothing more can be done in this process.
using Work = std::function<bool(size_t first, size_t last)>;
/// What a process has printed, or, where one item ended the process, why ("signal 11", "no end in
/// 60 seconds", "the device failed").
struct Outcome {
  size_t first = 0, last = 0;
  std::string printed, failure;
};

/// All items, in pieces of `piece`, `processes` at once. A piece that ends its process is halved
/// until one item is to blame.
void runInProcesses(size_t items, size_t piece, unsigned processes, unsigned seconds, const Work &,
                    const std::function<void(const Outcome &)> &);

} // namespace tessera::hw
