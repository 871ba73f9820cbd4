// Types, order and extents of the operands of a GEMM.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/gemm/GemmCall.h"

#include "tessera/kernels/Errors.h"
#include "tessera/kernels/gemm/GemmType.h"
#include "tessera/kernels/gemm/GemmWalk.h"
#include "tessera/layout/Domains.h"

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;

/// A matrix, or many, whose rows (columns) begin at multiples of 16 bytes, as TMA wants them.
static mlir::Type matrix(Element element, bool rowMajor, bool many = false) {
  auto extent = layout::Int::dynamic(layout::Symbolic::anonymous);
  auto pitch =
      layout::Int::dynamic(layout::Symbolic::anonymous, layout::Width::I64, 128 / element.bits());
  layout::Tree shape = layout::Tree::of({extent, extent});
  layout::Tree stride =
      rowMajor ? layout::Tree::of({pitch, int64_t(1)}) : layout::Tree::of({int64_t(1), pitch});
  if (many) {
    shape = layout::Tree::of({extent, shape[0], shape[1]});
    stride = layout::Tree::of({pitch, stride[0], stride[1]});
  }
  return tensor_type(element, layout::Layout{shape, stride}, AddressSpace::Gmem, 16);
}
/// A vector of so many elements; 0: of any number.
static mlir::Type vector(Element element, int64_t extent, int64_t alignment = 0) {
  layout::Int n = extent ? layout::Int(extent) : layout::Int::dynamic(layout::Symbolic::anonymous);
  return tensor_type(element, layout::Layout{layout::Tree::of({n}), layout::Tree::of({int64_t(1)})},
                     AddressSpace::Gmem, alignment);
}

/// Factors of blocks, in any order: (rows, blocks of K), or many of them.
static mlir::Type blockFactors(Element element, bool many) {
  layout::Int extent = layout::Int::dynamic(layout::Symbolic::anonymous);
  layout::Int pitch = layout::Int::dynamic(layout::Symbolic::anonymous, layout::Width::I64);
  layout::Tree shape = layout::Tree::of({extent, extent}),
               stride = layout::Tree::of({pitch, pitch});
  if (many) {
    shape = layout::Tree::of({extent, extent, extent});
    stride = layout::Tree::of({pitch, pitch, pitch});
  }
  return tensor_type(element, layout::Layout{shape, stride}, AddressSpace::Gmem,
                     element.bits() / 8);
}

/// K in slices that meet in a workspace; those of the swapped kernel meet in a cluster.
static bool meetsInMemory(const GemmConfig &c) { return c.splitK > 1 && !c.swap; }

llvm::SmallVector<mlir::Type> GemmCall::types(const GemmConfig &c) {
  llvm::SmallVector<mlir::Type> types;
  const GemmType &a = *findGemmType(c.a), &b = *findGemmType(c.b);
  Element d = *Element::named(c.d);
  bool many = c.groups != "none", batched = many && c.groups != "contiguous";
  types.push_back(matrix(a.memory(), c.major[0] == 'k', batched));
  types.push_back(matrix(b.memory(), c.major[1] == 'k', many));
  types.push_back(matrix(d, true, batched));
  mlir::Type number = f32.type(Context::current()->mlirContext());
  if (c.c)
    types.push_back(matrix(d, true, batched));
  if (c.bias != "none")
    types.push_back(vector(*Element::named(c.bias), 0));
  if (c.scales)
    types.append({vector(f32, 1), vector(f32, 1)});
  if (c.scalesBlocks())
    types.append({blockFactors(f32, batched), blockFactors(f32, many)});
  else if (c.factors)
    types.append({matrix(i32, true), matrix(i32, true)});
  if (c.groupScales)
    types.push_back(blockFactors(a.mma, false));
  if (c.alpha)
    types.push_back(number);
  if (c.c)
    types.push_back(number);
  if (meetsInMemory(c))
    types.append({vector(a.sum(), 0, 16), vector(i32, 0)});
  if (many && c.groups != "batches")
    types.push_back(vector(i32, 0));
  return types;
}

/// For many matrices, the mode that counts them comes last.
static Tensor manyLast(Tensor tensor, bool many) {
  return many ? make_tensor(get_iter(tensor), select(get_layout(tensor), {1, 2, 0})) : tensor;
}

GemmCall::GemmCall(const GemmConfig &config, const Arguments &arguments)
    : config(config), batched(config.groups == "batches" || config.groups == "masked"),
      contiguous(config.groups == "contiguous") {
  a = manyLast(arguments.tensor(0), batched);
  b = manyLast(arguments.tensor(1), batched || contiguous);
  d = manyLast(arguments.tensor(2), batched);
  // In the order of types().
  size_t next = 3;
  if (config.c)
    c = manyLast(arguments.tensor(next++), batched);
  if (config.bias != "none")
    bias = arguments.tensor(next++);
  if (config.scales)
    scaleA = arguments.tensor(next++), scaleB = arguments.tensor(next++);
  if (config.factors) {
    factorsA = manyLast(arguments.tensor(next++), batched);
    factorsB = manyLast(arguments.tensor(next++), batched || contiguous);
  }
  if (config.groupScales)
    groupScales = arguments.tensor(next++);
  if (config.alpha)
    alpha = arguments.num(next++);
  if (config.c)
    beta = arguments.num(next++);
  if (meetsInMemory(config))
    workspace = arguments.tensor(next++), counters = arguments.tensor(next++);
  if (contiguous || config.groups == "masked")
    bounds = arguments.tensor(next++);
}

GemmExtras GemmCall::extras() const {
  GemmExtras extras{.bias = bias,
                    .scaleA = scaleA,
                    .scaleB = scaleB,
                    .alpha = alpha,
                    .beta = beta,
                    .workspace = workspace,
                    .counters = counters,
                    .bounds = bounds};
  if (batched || contiguous)
    extras.products = size(b, 2);
  if (config.scalesBlocks())
    extras.blockFactorsA = factorsA, extras.blockFactorsB = factorsB;
  extras.plainD = d;
  return extras;
}

void GemmCall::begin() const {
  check();
  Num isThere = (size(d, 0) > 0) & (size(d, 1) > 0);
  if (batched || contiguous) // many, whose sizes may be none
    isThere = isThere & (size(b, 2) > 0);
  return_unless(isThere);
}

void GemmCall::check() const {
  auto expect = [&](Tensor one, int mode, Tensor other, int otherMode, Error otherwise) {
    dsl::check(size(one, mode) == size(other, otherMode), fail(otherwise).text);
  };
  if (config.groupScales) {
    int packed = findGemmType(config.b)->packed();
    std::string why = fail(Error::GemmWeightsExtents, config.groupScales).text;
    dsl::check(size(b, 1) == tilesOf(size(a, 1), packed), fail(Error::GemmOperands).text);
    dsl::check(size(*groupScales, 0) == size(b, 0), why);
    dsl::check(size(*groupScales, 1) == tilesOf(size(a, 1), config.groupScales), why);
  } else
    expect(a, 1, b, 1, Error::GemmOperands);
  expect(d, 0, a, 0, Error::GemmOperands);
  expect(d, 1, b, 0, Error::GemmOperands);
  if (c)
    for (int mode : {0, 1})
      expect(*c, mode, d, mode, Error::GemmOperands);
  if (batched) {
    expect(a, 2, b, 2, Error::GemmBatches);
    expect(d, 2, b, 2, Error::GemmBatches);
    if (c)
      expect(*c, 2, b, 2, Error::GemmBatches);
  }
  if (bounds)
    dsl::check(size(*bounds, 0) == (contiguous ? size(b, 2) + 1 : size(b, 2)),
               fail(contiguous ? Error::GemmStarts : Error::GemmCounts).text);
  if (bias)
    expect(*bias, 0, d, 1, Error::GemmBiasExtent);
  if (config.scalesBlocks()) {
    std::string why = fail(Error::GemmBlockFactors).text;
    constexpr int block = GemmConfig::scaledBlock;
    dsl::check(size(*factorsA, 0) == size(a, 0), why);
    dsl::check(size(*factorsB, 0) == tilesOf(size(b, 0), block), why);
    for (const Tensor &factors : {*factorsA, *factorsB})
      dsl::check(size(factors, 1) == tilesOf(size(a, 1), block), why);
    if (batched)
      expect(*factorsA, 2, a, 2, Error::GemmBlockFactors);
    if (batched || contiguous)
      expect(*factorsB, 2, b, 2, Error::GemmBlockFactors);
    return;
  }
  for (auto [factors, of] : {std::pair(&factorsA, &a), {&factorsB, &b}})
    if (*factors) {
      constexpr int tile = 128; // rows, and words of the factors of their elements
      std::string why = fail(Error::GemmFactors, config.elementsOfWord()).text;
      int inMemory = config.elementsOfWord() / findGemmType(config.a)->packed();
      dsl::check(size(**factors, 0) == tilesOf(size(*of, 0), tile), why);
      dsl::check(size(**factors, 1) == tilesOf(size(*of, 1), inMemory) * tile, why);
    }
}

Tensor kernels::factorsOfRow(const Tensor &factors, Num row) {
  return factors(min(row, size(factors, 0) - 1), _);
}
