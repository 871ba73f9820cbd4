// Rows of tensor memory by tcgen05.ld and tcgen05.st.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/sm100/TensorRows.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

/// The columns that an instruction moves: a power of two that divides `columns`.
static int columnsAtOnce(int columns) { return std::min(columns & -columns, 64); }

/// `body(lanes' columns, registers)` for each instruction.
template <class Body>
static void eachPart(Pointer tensor, Pointer registers, Element element, int columns, Body body) {
  constexpr int lanes = 128;
  int part = columnsAtOnce(columns);
  for (int first = 0; first < columns; first += part)
    body(
        make_tensor(offset(tensor, first), make_layout(make_shape(make_shape(lanes, part), 1, 1),
                                                       make_stride(make_stride(65536, 1), 0, 0))),
        make_tensor(offset(registers, first), make_layout(make_shape(make_shape(part, 1), 1, 1, 1),
                                                          make_stride(make_stride(1, 0), 0, 0, 0))),
        part);
}

Num sm100::loadRow(Pointer from, int columns, Num thread) {
  Element element = element_of(from).value_or(f32);
  Tensor registers = make_rmem_tensor(element, make_layout(columns));
  eachPart(from, get_iter(registers), element, columns, [&](Tensor box, Tensor mine, int part) {
    TiledCopy loading = make_tmem_copy(make_tmem_load(element, part), box);
    copy(loading, partition_S(loading, box, thread), mine);
  });
  return load_vec(registers);
}
void sm100::storeRow(Tensor registers, Pointer to, int columns, Num thread) {
  Element element = element_of(to).value_or(f32);
  Pointer words = recast_ptr(get_iter(registers), element);
  eachPart(to, words, element, columns, [&](Tensor box, Tensor mine, int part) {
    TiledCopy storing = make_tmem_copy(make_tmem_store(element, part), box);
    copy(storing, mine, partition_D(storing, box, thread));
  });
}
void sm100::storeRow(Num values, Pointer to, Num thread) {
  int columns = int(count(values));
  Tensor registers = make_rmem_tensor(element_of(values).value_or(f32), make_layout(columns));
  store_vec(values, registers);
  storeRow(registers, to, columns, thread);
}
