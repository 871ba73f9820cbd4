// Pages of shadow.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/Shadow.h"

namespace tessera::sanitize {

void GlobalShadow::forget(uint64_t address, uint64_t bytes) {
  for (uint64_t at = address; at < address + bytes; at += Cell::bytes) {
    Page &of = page(at);
    std::lock_guard lock(of.mutex);
    of.cells[at % pageBytes / Cell::bytes] = {};
  }
}

GlobalShadow::Page &GlobalShadow::page(uint64_t address) {
  std::lock_guard lock(pagesMutex);
  std::unique_ptr<Page> &page = pages[address / pageBytes];
  if (!page)
    page = std::make_unique<Page>();
  return *page;
}

} // namespace tessera::sanitize
