// Driver: the state of the process that stands in for the CUDA driver's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every operation has run when the function that queues it returns. This is one of the orders that
// streams allow, but a kernel cannot wait for something that the host does after its launch.
#pragma once

#include "tessera/cuda_driver/Advice.h"
#include "tessera/cuda_driver/Errors.h"
#include "tessera/cuda_driver/Gpu.h"
#include "tessera/cuda_driver/HostAccesses.h"
#include "tessera/cuda_driver/Objects.h"
#include "tessera/cuda_driver/StreamOrder.h"
#include "tessera/cuda_driver/VirtualMemory.h"

#include <mutex>

namespace tessera::cuda_driver {

class Driver {
public:
  /// The driver of the process. It is never destroyed, since programs use it until they end.
  static Driver &get();

  /// cuInit: reads the environment and makes the machine. Reports a wrong environment as an error.
  Code initialise();
  bool isInitialised() const { return machine != nullptr; }

  /// Runs a launch and keeps its error, as a GPU does: the next calls return it.
  Code launch(const LaunchWork &);
  Code fault() const { return kept; }
  /// Tells the sanitizer of a copy or a fill, the work that runs.
  void tell(const char *what, const std::vector<sanitize::WorkRange> &);
  /// Tells the sanitizer that nothing uses this memory any more.
  void drop(const sim::Allocation &);
  /// Whether the last launch let those that depend on it begin.
  bool letDependentsBegin() const;
  /// Whether there is a sanitizer.
  bool isChecked() const;
  /// Pages of memory that the host uses too, and that work touches which it has not waited for.
  std::vector<sanitize::BusyPage> busyPages(size_t most) const;
  /// Tells the sanitizer of an access by the host.
  void hostAccess(const std::string &by, DevicePointer, bool writes);
  /// Tells the sanitizer that the host waits for all work, or for the work, stream or event given.
  void hostWaits();
  template <class Subject> void hostWaits(Subject &&subject) {
    order.hostWaits(subject);
    forgetEnded();
  }
  void hostWaitsForWork();
  /// Frees all memory of the device and gives variables their first values, as cudaDeviceReset
  /// does. Handles stay.
  void reset();
  /// Prints the output of kernels, as a driver does when it empties its buffer.
  void flush() noexcept;

  Result<Module *> load(const std::string &ptx);
  /// The module of a library, loaded when it is first needed.
  Result<Module *> moduleOf(Library &);
  void unload(Module *);

  /// The device's memory or the host's, at addresses of either.
  std::byte *place(DevicePointer, size_t bytes);
  /// The allocation that holds an address, or null.
  const sim::Allocation *allocationOf(DevicePointer) const;
  /// The context of the thread: null before there is one.
  Context *&current();
  bool has(const Context *context) const { return context == &primary || contexts.has(context); }
  std::vector<Context *> &pushed();
  /// The stream of a handle, or null.
  Stream *find(Stream *);
  uint64_t nextId() { return ++ids; }
  /// The addresses that programs reserve.
  VirtualMemory &addresses() {
    if (!reserved)
      reserved.emplace(machine->memory());
    return *reserved;
  }

  std::recursive_mutex mutex;
  const Gpu *gpu = nullptr;
  std::unique_ptr<sim::Machine> machine;
  Context primary{.isPrimary = true};
  int primaryUses = 0;
  unsigned primaryFlags = 0;
  Stream legacy{}, perThread{};
  StreamOrder order{legacy};
  HostAccesses hostAccesses{};
  unsigned depth = 0; // of functions of the interface that call each other
  Pool defaultPool{};
  Pool *pool = &defaultPool;      // of the device
  uint32_t dependsOn = 0;         // the launch that the next one need not come after, or 0
  std::map<int, size_t> limits;   // by CUlimit
  std::set<DevicePointer> given;  // allocations of the program
  std::set<DevicePointer> pinned; // those that are the host's
  std::map<unsigned long long, std::shared_ptr<PhysicalMemory>> physical; // by handle
  std::map<uint64_t, Condition> conditions;                               // of graphs, by handle
  GraphMemory graphMemory;                                                // of nodes that allocate
  AdviceByRange advice;                        // by cuMemAdvise and cuMemPrefetchAsync
  std::map<const Graph *, NodeCopies> clones;  // what the nodes of cuGraphClone stand for
  std::set<std::shared_ptr<Capture>> captures; // the ongoing ones
  Registry<Context> contexts;
  Registry<Module> modules;
  Registry<Kernel> kernels;
  Registry<Library> libraries;
  Registry<Stream> streams;
  Registry<Event> events;
  Registry<Pool> pools;
  Registry<Graph> graphs;
  Registry<GraphExec> executables;
  Registry<UserObject> userObjects;
  std::map<std::pair<void *, void *>, void *> contextStorage; // by context and key

private:
  void forgetEnded();

  uint64_t ids = 0;
  std::optional<VirtualMemory> reserved;
  Code kept = Code::Success;
};

/// Prints a line on stderr.
void say(const std::string &) noexcept;
void say(const Reason &) noexcept;

/// The state that a function of the interface needs. Before its work, each function takes the lock;
/// exceptions of the standard library become codes.
enum class Needs : uint8_t {
  Nothing,     // works before cuInit
  Initialised, // works after a fault of a kernel
  Sound,       // returns the fault of an earlier kernel
  Working      // does so, and needs a current context
};
Code enter(Needs, Code (*body)(void *), void *state) noexcept;

template <class Body> Code call(Needs needs, Body &&body) noexcept {
  return enter(
      needs,
      [](void *state) {
        return (*static_cast<std::remove_reference_t<Body> *>(state))(Driver::get());
      },
      &body);
}
template <class Body> Code call(Body &&body) noexcept {
  return call(Needs::Working, std::forward<Body>(body));
}

/// Registers per thread, as the simulator does not allocate any: the number that each has if all
/// threads of a multiprocessor are resident.
inline constexpr int registersAssumed = 32;
/// Number of blocks of a kernel that are resident on a multiprocessor at once. CUDA C++ Programming
/// Guide, technical specifications.
int activeBlocks(const Kernel &, int threads, size_t dynamicSharedBytes);

/// The code for a reason of the simulator.
Code codeOf(const Reason &);
/// Reports what is missing, once for each function, and returns NotSupported.
Code refuse(const char *function, const char *why) noexcept;

} // namespace tessera::cuda_driver
