// HostAccesses: finds what the host does to memory that work uses which may still run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// While the program runs its own code, pages that unfinished work writes cannot be read, and those
// that it reads cannot be written; an access ends in the handler of SIGSEGV here, which reports it,
// opens the page and lets the host go on. Functions of the interface open all pages first.
//
// A page is closed only if such work touches all of its bytes that are allocated: what lies beside
// is the program's, and a system call would fail that is given it. So an access of a page which
// work touches in part is not seen. Nor is any if the program handles SIGSEGV itself.
#pragma once

#include "tessera/sanitize/WorkOrder.h"

#include <csignal>
#include <cstdint>
#include <map>
#include <vector>

namespace tessera::cuda_driver {

class Driver;

class HostAccesses {
public:
  /// A function of the interface begins: all pages may be used.
  void open();
  /// It ends.
  void close(Driver &);
  /// There is other work than before, or the host has waited for some.
  void changed() { isStale = true; }

private:
  static void onFault(int, siginfo_t *, void *context);
  bool caught(Driver &, uint64_t address, bool writes, const void *from);
  bool handlesFaults();

  std::map<uint64_t, bool> closed; // pages; whether also for reading
  std::map<uint64_t, bool> last;   // those that were closed before the function
  bool isStale = false;
  struct sigaction before{};
  bool hasHandler = false;
};

} // namespace tessera::cuda_driver
