// Names and sizes of element types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Dtype.h"

#include <cmath>

namespace tessera::run {

std::string dtypeNames() {
  std::string out;
  for (const number::Row &row : number::formats())
    if (row.bufferBits)
      out += cat(out.empty() ? "" : " ", row.name);
  return out;
}

Result<Dtype> parseDtype(std::string_view text) {
  std::optional<Dtype> found = number::findName(text);
  if (found && storageBits(*found))
    return *found;
  return fail(Error::DtypeUnknown, text, dtypeNames());
}

Result<int64_t> storageBytes(Dtype type, int64_t count) {
  if (std::optional<int64_t> bytes = number::bytesOf(count, storageBits(type)))
    return *bytes;
  return fail(Error::TensorTooLarge, count, name(type));
}

double toDouble(Dtype type, uint64_t code) {
  double value = number::decode(type, code);
  const number::Row &row = number::row(type);
  bool negative = code >> row.lowZeros & row.floating.signBit();
  return std::isnan(value) && negative ? std::copysign(value, -1.0) : value;
}

} // namespace tessera::run
