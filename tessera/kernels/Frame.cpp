// Frame: threads, shared memory, stages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/Frame.h"

#include "tessera/base/Sentence.h"
#include "tessera/kernels/Tiles.h"

using namespace mlir;
using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

void Frame::begin() {
  tid = k.sreg("tid.x");
  warp = k.warp_uniform(tid / 32);
  group = warp / 4;
  lane = tid % 32;
  smem = k.dyn_smem(1024);
}
Value Frame::pointer(int64_t bytes, const std::string &element) const {
  return k.recast_iter(k.offset(smem, bytes),
                       cat("!cute.ptr<", element, ", smem, align<1024>, ", swizzle, ">"));
}
Value Frame::barriers(int64_t bytes) const {
  return k.recast_iter(k.offset(smem, bytes), "!cute.ptr<i64, smem, align<8>>");
}
Num Frame::leads() const { return warp % 4 == 0; }

Stage Stage::next(int stages) const {
  dsl::Builder &k = *index.b;
  Num further = index + 1, wraps = further == stages;
  return {k.select(wraps, k.i32(0), further), k.select(wraps, parity ^ 1, parity)};
}
