// Rows: special registers, which both sides write alike.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/import/rows/Rows.h"

namespace tessera::import {

using enum Slot;
using enum Witness;

/// A 32-bit register; the form may state the range of its values.
#define REGISTER(suffix, seen)                                                                     \
  Row {                                                                                            \
    .name = "nvvm.read.ptx.sreg." suffix, .form = "[ range bounds ] attr-dict : results",          \
    .result = I32, .witness = seen                                                                 \
  }
/// A 64-bit register.
#define WIDE_REGISTER(suffix, seen)                                                                \
  Row {                                                                                            \
    .name = "nvvm.read.ptx.sreg." suffix, .form = "attr-dict : results", .result = I64,            \
    .witness = seen                                                                                \
  }
/// Three registers.
#define VECTOR_REGISTER(suffix, seen)                                                              \
  REGISTER(suffix ".x", seen), REGISTER(suffix ".y", seen), REGISTER(suffix ".z", seen)

static constexpr Row table[] = {
    VECTOR_REGISTER("tid", Corpus),
    REGISTER("ntid.x", Corpus),
    REGISTER("ntid.y", Corpus),
    REGISTER("ntid.z", Family),
    VECTOR_REGISTER("ctaid", Corpus),
    VECTOR_REGISTER("nctaid", Corpus),
    VECTOR_REGISTER("clusterid", Corpus),
    VECTOR_REGISTER("nclusterid", Corpus),
    VECTOR_REGISTER("cluster.ctaid", Corpus),
    VECTOR_REGISTER("cluster.nctaid", Family),
    REGISTER("cluster.ctarank", Corpus),
    REGISTER("cluster.nctarank", Family),
    REGISTER("laneid", Corpus),
    REGISTER("warpid", Family),
    REGISTER("nwarpid", Family),
    REGISTER("warpsize", Family),
    REGISTER("smid", Family),
    REGISTER("nsmid", Family),
    REGISTER("gridid", Family),
    REGISTER("lanemask.eq", Family),
    REGISTER("lanemask.le", Family),
    REGISTER("lanemask.lt", Family),
    REGISTER("lanemask.ge", Family),
    REGISTER("lanemask.gt", Family),
    REGISTER("clock", Family),
    REGISTER("globaltimer.lo", Family),
    WIDE_REGISTER("clock64", Family),
    WIDE_REGISTER("globaltimer", Family),
};

llvm::ArrayRef<Row> registerRows() { return table; }

} // namespace tessera::import
