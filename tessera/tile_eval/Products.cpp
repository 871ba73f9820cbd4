// Matrix products: mmaf, mmai, mmaf_scaled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The dialect leaves the order of the sum and its precision open. Here products of types up to 24
// bits of precision are exact, their sum over K is formed in double precision, and the accumulator
// is added to it and rounded once; f64 uses fused products in the order of K. So a result is nearer
// to the exact sum than that of a GPU, which is what a reference is for.
#include "tessera/tile_eval/Semantics.h"

#include <cmath>

namespace tessera::tile_eval {

namespace {

using tile_bytecode::Signedness;

/// The extents of a product, with 1 for a batch that is not there.
struct Extents {
  size_t batch = 1, m, n, k;
};
Extents extentsOf(const Type &lhs, const Type &rhs) {
  size_t rank = lhs.shape.size();
  Extents out{1, size_t(lhs.shape[rank - 2]), size_t(rhs.shape[rank - 1]),
              size_t(lhs.shape[rank - 1])};
  if (rank == 3)
    out.batch = size_t(lhs.shape[0]);
  return out;
}

/// Each element of the result from a row of the first and a column of the second matrix:
/// f(row, column with its step, element of the accumulator).
template <class T, class F>
Codes product(const Extents &e, const std::vector<T> &lhs, const std::vector<T> &rhs,
              const Codes &acc, F f) {
  Codes out(acc.size());
  std::vector<T> column(e.k);
  for (size_t b = 0; b < e.batch; ++b)
    for (size_t n = 0; n < e.n; ++n) {
      for (size_t k = 0; k < e.k; ++k)
        column[k] = rhs[(b * e.k + k) * e.n + n];
      for (size_t m = 0; m < e.m; ++m) {
        size_t at = (b * e.m + m) * e.n + n;
        out[at] = f(&lhs[(b * e.m + m) * e.k], column.data(), acc[at]);
      }
    }
  return out;
}

double dot(const double *a, const double *b, size_t count) {
  double sum = 0;
  for (size_t k = 0; k < count; ++k)
    sum += a[k] * b[k];
  return sum;
}
/// A product of matrices whose sums are formed in double precision.
Codes floatProduct(const Extents &e, const std::vector<double> &lhs, const std::vector<double> &rhs,
                   const Codes &acc, TypeKind kind) {
  return product(e, lhs, rhs, acc, [&](const double *a, const double *b, uint64_t c) {
    return encode(kind, dot(a, b, e.k) + decode(kind, c));
  });
}

Status runFloat(Step &step) {
  Extents e = extentsOf(step.operandType(0), step.operandType(1));
  std::vector<double> lhs = decodeAll(step.elementOf(0), step.codes(0)),
                      rhs = decodeAll(step.elementOf(1), step.codes(1));
  TypeKind kind = step.element(step.result());
  if (kind != TypeKind::F64) {
    step.add(floatProduct(e, lhs, rhs, step.codes(2), kind));
    return Done{};
  }
  step.add(product(e, lhs, rhs, step.codes(2), [&](const double *a, const double *b, uint64_t c) {
    double sum = std::bit_cast<double>(c);
    for (size_t k = 0; k < e.k; ++k)
      sum = std::fma(a[k], b[k], sum);
    return std::bit_cast<uint64_t>(sum);
  }));
  return Done{};
}

Status runInteger(Step &step) {
  Extents e = extentsOf(step.operandType(0), step.operandType(1));
  auto numbers = [&](size_t operand) {
    bool isSigned = step.attributeAs<Signedness>(operand) == Signedness::Signed;
    std::vector<int64_t> out;
    for (uint64_t code : step.codes(operand))
      out.push_back(isSigned ? signedOf(code, 8) : int64_t(code));
    return out;
  };
  step.add(product(e, numbers(0), numbers(1), step.codes(2),
                   [&](const int64_t *a, const int64_t *b, uint64_t c) {
                     uint64_t sum = c; // wraps
                     for (size_t k = 0; k < e.k; ++k)
                       sum += uint64_t(a[k] * b[k]);
                     return sum & 0xffffffff;
                   }));
  return Done{};
}

/// Elements of an operand times the scales of their blocks along K, which is dimension `dim` of the
/// last two.
std::vector<double> scaled(const Step &step, size_t operand, size_t scale, size_t dim) {
  const Type &type = step.operandType(operand), &scales = step.operandType(scale);
  std::vector<double> out = decodeAll(step.elementOf(operand), step.codes(operand)),
                      by = decodeAll(step.elementOf(scale), step.codes(scale));
  size_t rank = type.shape.size();
  size_t rows = size_t(type.shape[rank - 2]), columns = size_t(type.shape[rank - 1]);
  size_t scaleRows = size_t(scales.shape[rank - 2]), scaleColumns = size_t(scales.shape[rank - 1]);
  for (size_t i = 0; i < out.size(); ++i) {
    size_t column = i % columns, row = i / columns % rows, batch = i / columns / rows;
    if (dim == 0)
      row = row * scaleRows / rows;
    else
      column = column * scaleColumns / columns;
    out[i] *= by[(batch * scaleRows + row) * scaleColumns + column];
  }
  return out;
}
Status runScaled(Step &step) {
  Extents e = extentsOf(step.operandType(0), step.operandType(1));
  step.add(
      floatProduct(e, scaled(step, 0, 3, 1), scaled(step, 1, 4, 0), step.codes(2), TypeKind::F32));
  return Done{};
}

//===--- Checks

using Problem = std::optional<std::string>;

Problem checkExtents(const Signed &s) {
  const auto &a = s.operand(0).shape, &b = s.operand(1).shape, &c = s.operand(2).shape;
  size_t rank = a.size();
  if ((rank != 2 && rank != 3) || b.size() != rank || c.size() != rank)
    return "expects three matrices, or three batches of them";
  bool fits =
      a[rank - 1] == b[rank - 2] && c[rank - 2] == a[rank - 2] && c[rank - 1] == b[rank - 1];
  if (rank == 3)
    fits &= a[0] == b[0] && a[0] == c[0];
  if (!fits)
    return "expects matrices of MxK, KxN and MxN";
  return {};
}
/// Whether an element type has the accumulator: a row of the table in the dialect's section on mma.
Problem checkFloat(const Signed &s) {
  if (Problem problem = checkExtents(s))
    return problem;
  TypeKind in = s.element(s.operand(0)), acc = s.element(s.operand(2));
  bool fits = false;
  switch (in) {
  case TypeKind::F16:
  case TypeKind::F8E4M3FN:
  case TypeKind::F8E5M2: fits = acc == TypeKind::F16 || acc == TypeKind::F32; break;
  case TypeKind::BF16:
  case TypeKind::TF32:
  case TypeKind::F32: fits = acc == TypeKind::F32; break;
  case TypeKind::F64: fits = acc == TypeKind::F64; break;
  default: break;
  }
  if (!fits)
    return cat("expects types of operands and accumulator that go together, but got ",
               rowOf(in).text, " and ", rowOf(acc).text);
  return {};
}
Problem checkInteger(const Signed &s) { return checkExtents(s); }
Problem checkScaled(const Signed &s) {
  if (Problem problem = checkExtents(s))
    return problem;
  if (s.element(s.operand(2)) != TypeKind::F32)
    return "expects an accumulator of f32";
  TypeKind in = s.element(s.operand(0)), scale = s.element(s.operand(3));
  bool is4Bits = in == TypeKind::F4E2M1FN;
  if (in != TypeKind::F8E4M3FN && in != TypeKind::F8E5M2 && !is4Bits)
    return cat("expects f8 or f4 operands, but got ", rowOf(in).text);
  const auto &a = s.operand(0).shape, &b = s.operand(1).shape, &x = s.operand(3).shape,
             &y = s.operand(4).shape;
  size_t rank = a.size();
  if (x.size() != rank || y.size() != rank || (rank == 3 && (x[0] != a[0] || y[0] != a[0])) ||
      x[rank - 2] != a[rank - 2] || y[rank - 1] != b[rank - 1] || x[rank - 1] != y[rank - 2] ||
      x[rank - 1] > a[rank - 1])
    return "expects scales of M x K/v and K/v x N";
  int64_t v = a[rank - 1] / x[rank - 1];
  bool hasMantissa = scale == TypeKind::F8E4M3FN || scale == TypeKind::F8E5M3FNU;
  bool fits = scale == TypeKind::F8E8M0FNU ? v == 32 || (is4Bits && v == 16)
                                           : hasMantissa && is4Bits && v == 16;
  if (!fits)
    return cat("expects blocks of 32, or of 16 for f4, with scales of f8E8M0FNU (f8E4M3FN and "
               "f8E5M3FNU: f4 with 16), but got ",
               v, " with ", rowOf(scale).text);
  return {};
}

constexpr Semantics rows[] = {
    {Op::MmaF, "*/e:anyfloat */e C/c:anyfloat -> C/c", runFloat, checkFloat},
    {Op::MmaI, "*:i8 *:i8 C:i32 -> C:i32", runInteger, checkInteger},
    {Op::MmaFScaled, "*/e:anyfloat */e C/c:anyfloat */s:anyfloat */s -> C/c", runScaled,
     checkScaled},
};

} // namespace

std::span<const Semantics> productRows() { return rows; }

} // namespace tessera::tile_eval
