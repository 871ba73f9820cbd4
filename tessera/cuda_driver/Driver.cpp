// The state of the process, and the way into and out of every function.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Driver.h"

#include "tessera/base/Guarded.h"
#include "tessera/base/PerThread.h"
#include "tessera/base/Printable.h"
#include "tessera/cuda_driver/Checks.h"
#include "tessera/sim/Variables.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>
#include <unistd.h>

namespace tessera::cuda_driver {

//===--- Messages ----------------------------------------------------------------------------===//

/// The text may have names of kernels and files, with any characters in them.
void say(const std::string &text) noexcept {
  try {
    std::fprintf(stderr, "tessera: %s\n", printable(text).c_str());
  } catch (...) {
    std::fputs("tessera: memory ran out\n", stderr);
  }
}
void say(const Reason &reason) noexcept { say(reason.text); }

Code refuse(const char *function, const char *why) noexcept {
  try {
    static std::mutex mutex;
    static std::set<std::string_view> said;
    std::lock_guard lock(mutex);
    if (said.insert(function).second)
      say(fail(Error::NotThere, function, why));
  } catch (...) { // refused without a message
  }
  return Code::NotSupported;
}

//===--- The end of the process --------------------------------------------------------------===//

namespace {

constexpr int exitAfterTime = 4; // TimedOut of docs/exit-codes.md
int exitStatus = 0;
/// From the first initialisation on. Never destroyed, as what ends the process needs it.
std::shared_ptr<Checks> *checks = nullptr;

/// A program that ends well although there are reports or faults gets an exit code of ours. Done
/// when the library goes, after the program's own destructors.
__attribute__((destructor)) void endWithReports() {
  if (!checks)
    return;
  int code = exitStatus;
  try {
    code = (*checks)->finish(exitStatus);
  } catch (...) {
    std::fputs("tessera: memory ran out, and reports are lost\n", stderr);
  }
  std::fflush(nullptr);
  if (code != exitStatus)
    ::_exit(code);
}

/// A positive number of the environment, where there is one.
template <class N> Result<std::optional<N>> positive(const char *name, std::string_view expected) {
  const char *value = std::getenv(name);
  if (!value || !*value)
    return std::optional<N>();
  N number{};
  const char *end = value + std::strlen(value);
  auto [read, error] = std::from_chars(value, end, number);
  if (error != std::errc() || read != end || !(number > 0 && number <= N(1e18)))
    return fail(Error::Setting, name, value, expected);
  return std::optional(number);
}

/// Ends the program as a time limit of the shell does: destructors do not run.
[[noreturn]] void endAfterTime() {
  const char *seconds = std::getenv("TESSERA_TIMEOUT");
  say(fail(Error::TimedOut, seconds ? seconds : "", exitAfterTime));
  if (checks)
    (*checks)->finish(exitAfterTime);
  std::fflush(nullptr);
  ::_exit(exitAfterTime);
}

/// Ends a program whose host code does not end in time. The simulator ends kernels a little
/// earlier, and says where they were.
void watchTime(double seconds) {
  constexpr double grace = 2;
  std::thread([seconds] {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds + grace));
    endAfterTime();
  }).detach();
}

/// How many threads the process has; many where the system does not say.
size_t threadsOfProcess() {
  std::error_code failed;
  std::filesystem::directory_iterator tasks("/proc/self/task", failed);
  return failed ? ~size_t(0) : size_t(std::distance(tasks, {}));
}

} // namespace

//===--- Beginning ---------------------------------------------------------------------------===//

Driver &Driver::get() {
  static Driver *one = new Driver;
  return *one;
}

Code Driver::initialise() {
  if (machine)
    return Code::Success;
  const char *key = std::getenv("TESSERA_GPU");
  const Gpu *chosen = findGpu(key && *key ? key : "h100");
  if (!chosen) {
    say(fail(Error::UnknownGpu, key, gpuNames()));
    return Code::NoDevice;
  }
  sim::Limits allowed;
  allowed.globalBytes = chosen->bytes();
  allowed.sharedBytes = uint32_t(chosen->multiprocessor().sharedOfBlock());
  if (const char *threads = std::getenv("TESSERA_THREADS"))
    allowed.hostThreads = unsigned(std::max(0, std::atoi(threads)));
  auto limit = positive<uint64_t>("TESSERA_MAX_INSTRUCTIONS",
                                  "how many instructions a warp may run, at least 1");
  auto time = positive<double>("TESSERA_TIMEOUT", "seconds, such as 60 or 0.5");
  if (!limit || !time) {
    say(limit ? time.reason() : limit.reason());
    return Code::NoDevice;
  }
  if (*limit)
    allowed.instructions = **limit;
  double seconds = std::min(time->value_or(0), 1e9);
  if (seconds > 0)
    allowed.deadline = std::chrono::steady_clock::now() +
                       std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                           std::chrono::duration<double>(seconds));
  allowed.isAlone = [watches = seconds > 0](unsigned ofKernel) {
    return threadsOfProcess() <= ofKernel + watches;
  };
  Result<std::shared_ptr<Checks>> asked = Checks::make(limit->has_value());
  if (!asked) {
    say(asked.reason());
    return Code::NoDevice;
  }
  auto made = std::make_unique<sim::Machine>(allowed, *asked);
  // CUDA C++ Programming Guide, "Device Runtime" and "Formatted Output": the defaults.
  limits = {{0, 1024}, {1, 1 << 20}, {2, made->heapBytes()}, {3, 2}, {4, 2048}, {5, 64}, {6, 0}};
  std::atexit([] { Driver::get().flush(); });
  gpu = chosen;
  ::on_exit([](int status, void *) { exitStatus = status; }, nullptr);
  checks = new std::shared_ptr<Checks>(*asked);
  if (seconds > 0)
    watchTime(seconds);      // its thread looks at checks
  machine = std::move(made); // last: it tells that all is ready
  return Code::Success;
}

Context *&Driver::current() {
  thread_local Context *context = nullptr;
  return context;
}
std::vector<Context *> &Driver::pushed() {
  static constinit PerThread<std::vector<Context *>> stacks;
  return stacks.get();
}

Stream *Driver::find(Stream *handle) {
  if (!handle || handle == legacyStream)
    return &legacy;
  if (handle == perThreadStream)
    return &perThread;
  return streams.has(handle) ? handle : nullptr;
}

//===--- Code --------------------------------------------------------------------------------===//

Result<Module *> Driver::load(const std::string &ptx) {
  TESSERA_TRY(sim::Program program, sim::Program::parse(ptx, sim::Missing::RefusesLaunches));
  TESSERA_TRY(sim::LoadedProgram loaded,
              machine->load(std::make_shared<const sim::Program>(std::move(program))));
  Module *module = modules.make(Module{std::move(loaded)});
  for (std::string_view name : module->loaded.program->kernels())
    if (const sim::Function *function = module->loaded.program->findKernel(name))
      module->kernels.emplace(name, kernels.make(Kernel{module, function}));
  return module;
}

Result<Module *> Driver::moduleOf(Library &library) {
  if (library.module)
    return library.module;
  if (library.ptx.empty())
    return Reason{"NoPtx", library.reason};
  TESSERA_TRY(library.module, load(library.ptx));
  return library.module;
}

void Driver::unload(Module *module) {
  for (auto &[name, kernel] : module->kernels)
    kernels.remove(kernel);
  (void)machine->unload(module->loaded);
  modules.remove(module);
}

//===--- Memory ------------------------------------------------------------------------------===//

const sim::Allocation *Driver::allocationOf(DevicePointer address) const {
  const sim::Allocation *found = machine->memory().find(address);
  return found && address - found->start < std::max<uint64_t>(found->size, 1) ? found : nullptr;
}

std::byte *Driver::place(DevicePointer address, size_t bytes) {
  const sim::Allocation *found = allocationOf(address);
  if (!found)
    return nullptr;
  return found->contains(address, bytes) ? found->host + (address - found->start) : nullptr;
}

void Driver::reset() {
  flush();
  hostWaits();
  for (DevicePointer address : std::exchange(given, {}))
    (void)machine->memory().free(address);
  pinned.clear();
  defaultPool.allocations.clear();
  pools.forEach([](Pool &of) { of.allocations.clear(); });
  graphMemory = {};
  modules.forEach([&](Module &module) {
    const sim::LoadedProgram &loaded = module.loaded;
    if (std::byte *at = place(loaded.globals, loaded.program->globalBytes))
      std::memset(at, 0, loaded.program->globalBytes);
    (void)sim::initialiseVariables(machine->memory(), loaded);
  });
}

//===--- Launches ----------------------------------------------------------------------------===//

Code codeOf(const Reason &reason) {
  struct Row {
    std::string_view id;
    Code code;
  };
  static constexpr Row rows[] = {
#define FAULT(id, code) {#id, Code::code},
#include "tessera/cuda_driver/Faults.def"
#undef FAULT
  };
  auto found = std::find_if(std::begin(rows), std::end(rows),
                            [&](const Row &row) { return row.id == reason.id; });
  return found == std::end(rows) ? Code::LaunchFailed : found->code;
}

Code Driver::launch(const LaunchWork &work) {
  flush(); // a launch empties the buffer of the ones before
  auto extents = [](const Extents &e) { return sim::Dim3{e.x, e.y, e.z}; };
  sim::LaunchConfig config{.grid = extents(work.grid),
                           .block = extents(blockOf(work)),
                           .dynamicShared = work.sharedBytes,
                           .cooperative = work.cooperative};
  if (work.cluster)
    config.cluster = extents(*work.cluster);
  const sim::LoadedProgram &loaded = work.kernel->module->loaded;
  hostAccesses.changed();
  (*checks)->begin(order.now, loaded.program, std::exchange(dependsOn, 0));
  sim::Status ended = machine->launch(loaded, work.kernel->function->name, config, work.parameters);
  if ((*checks)->toldHost())
    hostWaitsForWork();
  if (ended)
    return Code::Success;
  const std::string &fault = (*checks)->lastFault();
  say(fault.empty() ? ended.reason().text : fault);
  // If the host has no more memory or threads, the kernel did nothing wrong: the launch is refused,
  // and the device stays usable.
  if (ended.reason().id == outOfMemoryId)
    return Code::OutOfMemory;
  if (ended.reason().id == outOfThreadsId)
    return Code::OperatingSystem;
  if (ended.reason().id == sim::errors[size_t(sim::Error::MissingInstruction)].id) {
    (*checks)->countFault(); // it did not run, whether the program asks or not
    return Code::NotSupported;
  }
  if (ended.reason().id == sim::errors[size_t(sim::Error::Time)].id)
    flush(), endAfterTime();
  (*checks)->countFault();
  kept = codeOf(ended.reason());
  return Code::Success;
}

//===--- Order, for the sanitizer ------------------------------------------------------------===//

bool Driver::letDependentsBegin() const { return (*checks)->beganDependents(); }

bool Driver::isChecked() const { return (*checks)->hasSanitizer(); }

void Driver::tell(const char *what, const std::vector<sanitize::WorkRange> &ranges) {
  (*checks)->work(what, ranges, order.now);
  hostAccesses.changed();
}

void Driver::drop(const sim::Allocation &allocation) {
  (*checks)->drop({allocation.start, allocation.size, true});
  hostAccesses.changed();
}

std::vector<sanitize::BusyPage> Driver::busyPages(size_t most) const {
  std::vector<sanitize::BusyPage> out;
  machine->memory().forEach([&](const sim::Allocation &a) {
    if (a.residence == sim::Residence::Device || out.size() >= most)
      return;
    for (const sanitize::BusyPage &page : (*checks)->busyPages({a.start, a.size}, most))
      // What lies beside memory that the program has registered is its own.
      if (a.residence == sim::Residence::Both ||
          (page.start >= a.start && page.start + page.bytes <= a.start + a.size))
        out.push_back(page);
  });
  return out;
}

void Driver::hostAccess(const std::string &by, DevicePointer address, bool writes) {
  (*checks)->hostAccess(by, address, writes);
}

void Driver::forgetEnded() {
  (*checks)->forget(order.ofHost());
  hostAccesses.changed();
}

void Driver::hostWaits() {
  order.hostWaitsForAll();
  forgetEnded();
}

void Driver::hostWaitsForWork() {
  order.hostWaits();
  forgetEnded();
}

void Driver::flush() noexcept {
  std::lock_guard lock(mutex);
  if (!machine)
    return;
  try {
    std::string text = machine->takeOutput();
    if (text.empty())
      return;
    if (::isatty(::fileno(stdout)))
      text = printable(text);
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  } catch (...) {
    std::fputs("tessera: memory ran out, and what kernels printed is lost\n", stderr);
  }
}

//===--- Calls -------------------------------------------------------------------------------===//

namespace {
/// While a function of the interface runs, the library uses memory that is closed to the host.
class Inside {
public:
  explicit Inside(Driver &driver) : driver(driver) {
    if (driver.depth++ == 0)
      driver.hostAccesses.open();
  }
  Inside(const Inside &) = delete;
  ~Inside() {
    if (--driver.depth == 0 && driver.isInitialised())
      driver.hostAccesses.close(driver);
  }

private:
  Driver &driver;
};
} // namespace

Code enter(Needs needs, Code (*body)(void *), void *state) noexcept {
  try {
    Driver &driver = Driver::get();
    std::lock_guard lock(driver.mutex);
    if (needs != Needs::Nothing && !driver.isInitialised())
      return Code::NotInitialized;
    if ((needs == Needs::Sound || needs == Needs::Working) && driver.fault() != Code::Success)
      return driver.fault();
    if (needs == Needs::Working && !driver.current())
      return Code::InvalidContext;
    if (needs == Needs::Working && !driver.has(driver.current()))
      return Code::ContextIsDestroyed; // by another thread
    const Inside inside(driver);
    return body(state);
  } catch (...) {
    Reason reason = reasonOfException();
    return reason.id == outOfMemoryId    ? Code::OutOfMemory
           : reason.id == outOfThreadsId ? Code::OperatingSystem
                                         : Code::Unknown;
  }
}

} // namespace tessera::cuda_driver
