// The comparison of two tensors and its sentence.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/run/Compare.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace tessera::run {

namespace {

/// The Euclidean norm of numbers added one by one, without overflow or underflow of the squares
/// (the method of LAPACK's dlassq).
class Norm {
public:
  void add(double value) {
    double magnitude = std::fabs(value);
    if (magnitude == 0)
      return;
    if (magnitude > scale) {
      sum = 1 + sum * (scale / magnitude) * (scale / magnitude);
      scale = magnitude;
    } else {
      sum += (magnitude / scale) * (magnitude / scale);
    }
  }
  double value() const { return scale * std::sqrt(sum); }
  /// this / other.
  double over(const Norm &other) const {
    if (scale == 0)
      return 0;
    if (other.scale == 0)
      return std::numeric_limits<double>::infinity();
    return scale / other.scale * std::sqrt(sum / other.sum);
  }

private:
  double scale = 0, sum = 0;
};

/// Reads elements as doubles, and differences of integers without rounding.
struct Pair {
  Dtype actualType, expectedType;
  bool exact = isInteger(actualType) && isInteger(expectedType);

  double difference(uint64_t a, uint64_t b) const {
    if (!exact)
      return toDouble(actualType, a) - toDouble(expectedType, b);
    return double(wide(actualType, a) - wide(expectedType, b));
  }

private:
  static __int128 wide(Dtype type, uint64_t code) {
    return type == Dtype::u64 ? __int128(code) : __int128(toInteger(type, code));
  }
};

/// Four digits: enough for an error.
std::string brief(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof(buffer), "%.4g", value);
  return buffer;
}

} // namespace

Result<Comparison> compare(const Tensor &actual, const Tensor &expected, Tolerance tolerance) {
  if (actual.shape() != expected.shape())
    return fail(Error::CompareShape, tuple(actual.shape()), tuple(expected.shape()));
  Comparison out;
  out.tolerance = tolerance;
  out.count = actual.size();
  Pair pair{actual.dtype(), expected.dtype()};
  Norm error, reference;
  int64_t flat = 0, worst = -1;
  walk(actual.shape(), actual.strides(), expected.strides(), [&](int64_t atA, int64_t atB) {
    uint64_t codeA = loadCode(actual.dtype(), actual.bytes().data(), atA);
    uint64_t codeB = loadCode(expected.dtype(), expected.bytes().data(), atB);
    double a = toDouble(actual.dtype(), codeA), b = toDouble(expected.dtype(), codeB);
    bool finite = std::isfinite(a) && std::isfinite(b), passes;
    if (finite) {
      double distance = std::fabs(pair.difference(codeA, codeB)), size = std::fabs(b);
      passes = distance <= tolerance.absolute + tolerance.relative * size;
      if (distance > out.maxAbsolute)
        out.maxAbsolute = distance, worst = flat;
      if (b != 0)
        out.maxRelative = std::max(out.maxRelative, distance / size);
      out.maxExpected = std::max(out.maxExpected, size);
      error.add(distance);
      reference.add(b);
    } else {
      passes = a == b || (tolerance.equalNan && std::isnan(a) && std::isnan(b));
      out.nonFinite += !passes;
    }
    if (!passes && ++out.mismatches <= int64_t(tolerance.shown))
      out.first.push_back({coordinate(actual.shape(), flat), a, b});
    ++flat;
  });
  if (worst >= 0)
    out.worst = coordinate(actual.shape(), worst);
  out.frobenius = error.over(reference);
  return out;
}

std::string Comparison::str() const {
  std::string out = ok() ? cat("all ", count, " elements pass")
                         : cat(mismatches, " of ", count, " elements differ");
  if (nonFinite)
    out += cat(" (", nonFinite, " with NaN or infinity)");
  out += cat(" at rtol ", decimal(tolerance.relative), ", atol ", decimal(tolerance.absolute),
             ": max error ", brief(maxAbsolute));
  if (!worst.empty())
    out += cat(" at ", tuple(worst));
  out += cat(" (of ", brief(maxExpected), "), max relative error ", brief(maxRelative),
             ", Frobenius ", brief(frobenius));
  for (const Mismatch &m : first)
    out += cat("\n  ", tuple(m.coord), ": got ", decimal(m.actual), ", expected ",
               decimal(m.expected));
  if (mismatches > int64_t(first.size()))
    out += cat("\n  and ", mismatches - int64_t(first.size()), " more");
  return out;
}

} // namespace tessera::run
