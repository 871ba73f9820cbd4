// TensorRows: rows of tensor memory; each thread of four warps has one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/dsl/Dsl.h"

namespace tessera::kernels::sm100 {

/// Loads columns from the pointer on, by threads 0 to 127: thread t gets those of lane t.
dsl::Num loadRow(dsl::Pointer from, int columns, dsl::Num thread);
/// Stores registers with as many words to such columns.
void storeRow(dsl::Tensor registers, dsl::Pointer to, int columns, dsl::Num thread);
void storeRow(dsl::Num values, dsl::Pointer to, dsl::Num thread);

} // namespace tessera::kernels::sm100
