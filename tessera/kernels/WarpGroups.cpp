// Threads by warpgroup, and rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/WarpGroups.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

ThreadIds ThreadIds::here() {
  Num index = thread_idx(), warp = warp_uniform(index / atom::Threads::ofWarp);
  Num group = warp / atom::Threads::warpsOfGroup;
  return {index, warp, group, index % atom::Threads::ofWarp};
}
Num ThreadIds::leads() const { return warp % atom::Threads::warpsOfGroup == 0; }

Tensor kernels::rowsFrom(Tensor coords, Num first) {
  dsl::Layout layout = get_layout(coords);
  return make_tensor(offset(get_iter(coords), crd2idx(make_coord(first, 0), layout)), layout);
}
Tensor kernels::columnsFrom(Tensor coords, Num first) {
  dsl::Layout layout = get_layout(coords);
  return make_tensor(offset(get_iter(coords), crd2idx(make_coord(0, first), layout)), layout);
}

bool RegisterBudget::fits(int consumers) const {
  constexpr int unit = 8; // of what ptxas gives a thread
  const int groups = consumers + 1;
  const int atEntry = atom::Threads::registers / (groups * atom::Threads::ofGroup) / unit * unit;
  return producer + consumers * consumer <= groups * atEntry;
}
