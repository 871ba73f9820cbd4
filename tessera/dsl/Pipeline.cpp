// Steps of a ring.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/dsl/Pipeline.h"

#include "tessera/dsl/Control.h"

namespace tessera::dsl {

Stage Stage::next(int stages, Place at) const {
  Num further = Operand(index, at) + Operand(1, at),
      wraps = Operand(further, at) == Operand(stages, at);
  Num begin = i32(0, at), turned = Operand(parity, at) ^ Operand(1, at);
  return {select(wraps, begin, further, at), select(wraps, turned, parity, at)};
}

void Pipeline::init(int64_t consumerArrivals, int64_t producerArrivals, Place at) const {
  for (int i = 0; i < stages; ++i) {
    full({i, at}).init(i32(producerArrivals, at), at);
    empty({i, at}).init(i32(consumerArrivals, at), at);
  }
}
Stage Pipeline::producerStart(Place at) {
  Num index = i32(0, at);
  return {index, i32(1, at)};
}
Stage Pipeline::consumerStart(Place at) {
  Num index = i32(0, at);
  return {index, i32(0, at)};
}
Barrier Pipeline::acquire(const Stage &stage, int64_t bytes, Place at) const {
  empty({stage.index, at}).wait(stage.parity, at);
  Barrier barrier = full({stage.index, at});
  expect_bytes(barrier, bytes, at);
  return barrier;
}
void Pipeline::wait(const Stage &stage, Place at) const {
  full({stage.index, at}).wait(stage.parity, at);
}

void expect_bytes(Barrier barrier, int64_t bytes, Place at) {
  If(elect_one(at), [&] { barrier.arrive_expect(i32(bytes, at), at); }, {}, at);
}

} // namespace tessera::dsl
