// AsStated: the results of an op in the profiles that its result types state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/cute/Evaluate.h"

namespace tessera::cute {

class AlgebraOpInterface;

/// The results for these operands, each converted to its type as by `conformed`. Types know no bits
/// of dynamic leaves, so what operands know of them must not decide a result's form: a slice of a
/// swizzled layout would be without swizzle, where the type states one.
Result<Data> resultsAsStated(AlgebraOpInterface op, Domain &domain, Data operands,
                             llvm::function_ref<layout::Int(int64_t, const layout::Int &)> dynamic);

} // namespace tessera::cute
