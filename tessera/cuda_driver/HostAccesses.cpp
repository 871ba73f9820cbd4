// Closes pages to the host, and says who comes there.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/HostAccesses.h"

#include "tessera/base/Demangled.h"
#include "tessera/cuda_driver/Driver.h"

#include <cerrno>
#include <dlfcn.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace tessera::cuda_driver {

namespace {

/// Pages that are looked at after a call: a bound for what a program with much managed memory
/// pays.
constexpr size_t mostPages = 4096;

void protect(uint64_t page, uint64_t bytes, int how) {
  (void)::mprotect(reinterpret_cast<void *>(page), bytes, how); // NOLINT: an address of the host
}

struct Fault {
  bool isKnown = false, writes = false;
  const void *from = nullptr;
};
/// What the processor says of a fault. Elsewhere an access is not told from others.
Fault faultOf(const void *context) {
#if defined(__x86_64__)
  const auto &registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
  return {true, (registers[REG_ERR] & 2) != 0, reinterpret_cast<const void *>(registers[REG_RIP])};
#else
  (void)context;
  return {};
#endif
}

/// "in main", or the place in its file, where the program does not tell names.
std::string placeOf(const void *code) {
  Dl_info info{};
  if (!::dladdr(code, &info) || !info.dli_fname)
    return "";
  const std::string file = info.dli_fname;
  const auto offset = uint64_t(code) - uint64_t(info.dli_fbase);
  return cat(" in ", info.dli_sname ? cat("'", demangled(info.dli_sname), "', ") : "",
             file.substr(file.rfind('/') + 1), "+", sim::hex(offset));
}

} // namespace

void HostAccesses::open() {
  for (auto at = closed.begin(); at != closed.end();) {
    const uint64_t first = at->first;
    uint64_t end = first;
    for (; at != closed.end() && at->first == end; ++at)
      end += sanitize::BusyPage::bytes;
    protect(first, end - first, PROT_READ | PROT_WRITE);
  }
  last = std::exchange(closed, {});
}

void HostAccesses::close(Driver &driver) {
  if (!driver.isChecked() || !faultOf(nullptr).isKnown)
    return;
  if (!std::exchange(isStale, false))
    closed = std::move(last);
  else
    for (const sanitize::BusyPage &page : driver.busyPages(mostPages))
      closed.emplace(page.start, page.isWritten);
  if (!closed.empty() && !handlesFaults())
    closed.clear();
  for (auto at = closed.begin(); at != closed.end();) {
    const auto [first, isWritten] = *at;
    uint64_t end = first;
    for (; at != closed.end() && at->first == end && at->second == isWritten; ++at)
      end += sanitize::BusyPage::bytes;
    protect(first, end - first, isWritten ? PROT_NONE : PROT_READ);
  }
}

/// Takes the signal the first time; false if the program has taken it since.
bool HostAccesses::handlesFaults() {
  struct sigaction now{};
  if (::sysconf(_SC_PAGESIZE) != long(sanitize::BusyPage::bytes))
    return false;
  if (!hasHandler) {
    now.sa_sigaction = onFault;
    now.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    hasHandler = ::sigaction(SIGSEGV, &now, &before) == 0;
    return hasHandler;
  }
  return ::sigaction(SIGSEGV, nullptr, &now) == 0 && now.sa_sigaction == onFault;
}

void HostAccesses::onFault(int signal, siginfo_t *info, void *context) {
  const int error = errno;
  Driver &driver = Driver::get();
  const Fault fault = faultOf(context);
  const auto address = reinterpret_cast<uint64_t>(info->si_addr);
  HostAccesses &self = driver.hostAccesses;
  if (info->si_code == SEGV_ACCERR && self.caught(driver, address, fault.writes, fault.from)) {
    errno = error;
    return;
  }
  // A fault of the program's own: as if nobody had taken the signal.
  (void)::sigaction(SIGSEGV, &self.before, nullptr);
  if (self.before.sa_flags & SA_SIGINFO && self.before.sa_sigaction)
    self.before.sa_sigaction(signal, info, context);
  else if (self.before.sa_handler != SIG_DFL && self.before.sa_handler != SIG_IGN)
    self.before.sa_handler(signal);
  // Otherwise the access comes again, and ends the program.
}

bool HostAccesses::caught(Driver &driver, uint64_t address, bool writes, const void *from) {
  std::lock_guard lock(driver.mutex);
  const uint64_t page = address / sanitize::BusyPage::bytes * sanitize::BusyPage::bytes;
  auto found = closed.find(page);
  if (found == closed.end()) { // another thread has called a function meanwhile, which opened it
    const sim::Allocation *known = driver.allocationOf(address);
    return known && known->residence != sim::Residence::Device;
  }
  closed.erase(found);
  protect(page, sanitize::BusyPage::bytes, PROT_READ | PROT_WRITE);
  try {
    driver.hostAccess(cat(writes ? "a write" : "a read", " by the host", placeOf(from)), address,
                      writes);
  } catch (...) { // no report, for want of memory
  }
  return true;
}

} // namespace tessera::cuda_driver
