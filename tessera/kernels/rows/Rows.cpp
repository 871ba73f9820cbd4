// Which kernels of rows there are, and their host functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/rows/Rows.h"

#include "tessera/kernels/Activation.h"
#include "tessera/kernels/Errors.h"
#include "tessera/kernels/rows/RowKernel.h"

#include <algorithm>
#include <limits>

using namespace tessera;
using namespace tessera::dsl;
using namespace tessera::kernels;
using namespace tessera::kernels::rows;

//===--- the list -----------------------------------------------------------------------------===//

using enum Extent;
static constexpr RowOperand norm[] = {
    {"x"}, {"w", OfColumn}, {"y", Matrix, Holds::Result}, {"eps", Number}};
static constexpr RowOperand norms[] = {
    {"x"}, {"w", OfColumn}, {"b", OfColumn}, {"y", Matrix, Holds::Result}, {"eps", Number}};
static constexpr RowOperand backOfNorm[] = {{"x"},
                                            {"w", OfColumn},
                                            {"dy"},
                                            {"dx", Matrix, Holds::Result},
                                            {"rstd", OfRow, Holds::F32},
                                            {"eps", Number}};
static constexpr RowOperand backOfNorms[] = {{"x"},
                                             {"w", OfColumn},
                                             {"dy"},
                                             {"dx", Matrix, Holds::Result},
                                             {"mean", OfRow, Holds::F32},
                                             {"rstd", OfRow, Holds::F32},
                                             {"eps", Number}};
static constexpr RowOperand weightsOfNorm[] = {
    {"x"}, {"dy"}, {"rstd", OfRow, Holds::F32}, {"dw", OfColumn, Holds::Result}};
static constexpr RowOperand weightsOfNorms[] = {{"x"},
                                                {"dy"},
                                                {"mean", OfRow, Holds::F32},
                                                {"rstd", OfRow, Holds::F32},
                                                {"dw", OfColumn, Holds::Result},
                                                {"db", OfColumn, Holds::Result}};
static constexpr RowOperand one[] = {{"x"}, {"y", Matrix, Holds::Result}};
static constexpr RowOperand backOfOne[] = {{"y"}, {"dy"}, {"dx", Matrix, Holds::Result}};
static constexpr RowOperand two[] = {{"gate"}, {"up"}, {"y", Matrix, Holds::Result}};
static constexpr RowOperand turned[] = {{"x", Heads},
                                        {"cos", Tokens, Holds::F32},
                                        {"sin", Tokens, Holds::F32},
                                        {"y", Heads, Holds::Result}};
static constexpr RowOperand quantized[] = {
    {"x"}, {"y", Matrix, Holds::Result}, {"scales", OfRow, Holds::F32}};
static constexpr RowOperand loss[] = {
    {"x"}, {"labels", OfRow, Holds::I64}, {"loss", OfRow, Holds::F32}, {"lse", OfRow, Holds::F32}};
static constexpr RowOperand backOfLoss[] = {{"x"},
                                            {"labels", OfRow, Holds::I64},
                                            {"lse", OfRow, Holds::F32},
                                            {"dloss", OfRow, Holds::F32},
                                            {"dx", Matrix, Holds::Result}};

static constexpr RowKernel kernelsOfRows[] = {
    {"rmsnorm", "y = x / sqrt(mean(x^2) + eps) w", norm, rmsNorm},
    {"layernorm", "y = (x - mean(x)) / sqrt(var(x) + eps) w + b", norms, layerNorm},
    {"rmsnorm-backward", "dx = rstd (g - n mean(g n)) of g = dy w, n = x rstd", backOfNorm,
     rmsNormBackward, true, false, 512},
    {"rmsnorm-weights-backward", "dw = sum over rows of dy x rstd", weightsOfNorm, nullptr, false,
     true, 1024, buildNormWeights},
    {"layernorm-backward", "dx = rstd (g - mean(g) - n mean(g n)) of g = dy w, n = (x - mean) rstd",
     backOfNorms, layerNormBackward, true, false, 768},
    {"layernorm-weights-backward", "dw = sum over rows of dy (x - mean) rstd, db = of dy",
     weightsOfNorms, nullptr, false, true, 1024, buildNormWeights},
    {"softmax", "y = e^x / sum(e^x)", one, softmax, true, false, 1024, nullptr, softmaxOfLong},
    {"softmax-backward", "dx = y (dy - sum(y dy))", backOfOne, softmaxBackward, true, false, 256},
    {"cross-entropy", "lse = log(sum(e^x)), loss = lse - x[label]", loss, crossEntropy, true, true},
    {"cross-entropy-backward", "dx = (e^(x - lse) - [column = label]) dloss", backOfLoss,
     crossEntropyBackward, false},
    {"rope", "y = x turned by the token's angles, pairs half a head apart", turned, rope, false},
    {"rope-backward", "y = x turned back", turned, ropeBackward, false},
    {"act-mul", "y = activation(gate) up", two, activateAndMultiply, false},
    {"quantize", "scale = max|x| / the largest of y's type, y = x / scale", quantized, quantize},
    {"transpose", "y[j, i] = x[i, j]", one, nullptr, false, false, 1024, buildTranspose},
};
const RowKernel *rows::findRowKernel(std::string_view name) {
  const RowKernel *found = std::ranges::find(kernelsOfRows, name, &RowKernel::name);
  return found == std::end(kernelsOfRows) ? nullptr : found;
}

Element rows::elementOf(const RowConfig &c, Holds what) {
  switch (what) {
  case Holds::Element: return *Element::named(c.element);
  case Holds::Result: return *Element::named(c.result);
  case Holds::F32: return f32;
  case Holds::I64: return i64;
  }
  return f32;
}

static std::string described(const RowKernel &kernel, const RowOperand &operand) {
  static constexpr const char *extents[] = {
      "rows x columns", "tokens x heads x columns", "tokens x columns/2", "rows", "columns", ""};
  bool turns = kernel.build == buildTranspose && operand.holds == Holds::Result;
  bool number = operand.extent == Number;
  std::string type = number                        ? " f32"
                     : operand.holds == Holds::F32 ? " of f32"
                     : operand.holds == Holds::I64 ? " of i64"
                                                   : "";
  return cat(operand.name, ": ",
             number  ? "f32"
             : turns ? "columns x rows"
                     : extents[size_t(operand.extent)],
             number ? "" : type);
}
std::vector<RowKernelInfo> kernels::rowKernels() {
  std::vector<RowKernelInfo> infos;
  for (const RowKernel &kernel : kernelsOfRows) {
    std::string call;
    for (const RowOperand &operand : kernel.operands)
      call += cat(call.empty() ? "" : ", ", described(kernel, operand));
    infos.push_back({kernel.name, kernel.formula, call, kernel.build != nullptr});
  }
  return infos;
}

//===--- configurations -----------------------------------------------------------------------===//

RowConfig RowConfig::complete() const {
  RowConfig c = *this;
  if (c.result.empty())
    c.result = c.kernel == "quantize" ? "f8E4M3FN" : c.element;
  if (!c.vectors)
    c.vectors = 4;
  return c;
}
std::string RowConfig::name() const {
  std::string name =
      cat(kernel, "_", columns, "_", element, result == element ? "" : "_" + result,
          segment ? cat("_by", segment) : "", kernel == "act-mul" ? "_" + activation : "");
  std::ranges::replace(name, '-', '_');
  return name;
}

std::optional<Reason> kernels::refused(const RowConfig &given) {
  auto among = [](const auto &value, const auto &...of) { return ((value == of) || ...); };
  const RowConfig c = given.complete();
  if (!findRowKernel(c.kernel))
    return fail(Error::RowKernel, c.kernel);
  if (!among(c.element, "f16", "bf16", "f32"))
    return fail(Error::RowElement, c.element);
  bool quantizes = c.kernel == "quantize";
  if (quantizes ? !among(c.result, "f8E4M3FN", "f8E5M2", "i8")
                : !among(c.result, "f16", "bf16", "f32"))
    return fail(quantizes ? Error::RowCodes : Error::RowResult, c.result);
  if (c.kernel == "transpose" && c.result != c.element)
    return fail(Error::RowTransposed, c.element, c.result);
  if (!findActivation(c.activation))
    return fail(Error::RowActivation, c.activation);
  if (c.columns < 1 || (c.kernel.starts_with("rope") && c.columns % 2))
    return fail(c.columns < 1 ? Error::RowColumns : Error::RowPairs, c.columns);
  if (c.vectors < 1 || c.vectors > 8)
    return fail(Error::RowVectors, c.vectors);
  if (c.segment && (!quantizes || !among(c.segment, 32, 64, 128, 256)))
    return fail(Error::RowSegment, c.segment);
  RowPlan plan(c);
  if (!plan.fits)
    return fail(Error::RowFits, c.columns,
                int64_t(RowPlan::mostThreadsAtAll) * RowPlan::mostCluster * c.vectors * plan.width);
  return std::nullopt;
}

//===--- the program --------------------------------------------------------------------------===//

namespace {
class Rows {
public:
  explicit Rows(const RowConfig &c) : c(c), kernel(*findRowKernel(c.kernel)), plan(c) {
    if (meets())
      slots = memory.allocate(Row::mostExchanges * Row::exchangeWords * int64_t(sizeof(float)));
  }

  void build() {
    std::string entry(kernel.name);
    std::ranges::replace(entry, '-', '_');
    host(entry, types(), [&](Arguments arguments, Stream stream) { hostBody(arguments, stream); });
    dsl::kernel(c.name(), {plan.threadsOfBlock(), plan.together}, given,
                [&](const RowParameters &parameters) {
                  if (meets())
                    memory.open();
                  if (c.overlaps)
                    griddepcontrol_wait();
                  Row row(c, kernel, plan, memory, slots, parameters);
                  auto by = [&](bool vectors) {
                    Row way = row.by(vectors);
                    (plan.pieces && kernel.ofLong ? kernel.ofLong : kernel.of)(way);
                  };
                  If(row.aligned(), [&] { by(true); }, [&] { by(false); });
                  if (plan.cluster > 1 && kernel.exchanges)
                    cluster_sync(); // others may still read what this block summed
                });
  }

private:
  const RowConfig &c;
  const RowKernel &kernel;
  RowPlan plan;
  SharedMemory memory;
  Region slots;
  RowParameters given;

  bool meets() const { return kernel.exchanges && (plan.warps() > 1 || plan.cluster > 1); }

  llvm::SmallVector<mlir::Type> types() const {
    llvm::SmallVector<mlir::Type> types;
    for (const RowOperand &operand : kernel.operands) {
      Element element = elementOf(c, operand.holds);
      if (operand.extent == Number) {
        types.push_back(f32.type(Context::current()->mlirContext()));
        continue;
      }
      const char *layout = "(?,?):(?{i64},1)";
      if (operand.extent == Heads)
        layout = "(?,?,?):(?{i64},?{i64},1)";
      else if (operand.extent == OfColumn)
        layout = "(?):(1)";
      else if (operand.extent == OfRow)
        layout = c.segment ? "(?,?):(?{i64},?{i64})" : "(?):(?{i64})";
      types.push_back(tensor_type(element, Layout(layout)));
    }
    return types;
  }

  void hostBody(const Arguments &arguments, Stream stream) {
    for (size_t i = 0; i < kernel.operands.size(); ++i)
      if (kernel.operands[i].extent == Number)
        given.numbers.push_back(arguments.num(i));
      else
        given.tensors.push_back(arguments.tensor(i));
    Tensor x = given.tensors.front();
    bool heads = kernel.operands.front().extent == Heads;
    Num outer = size(x, 0), all = size(x, heads ? 2 : 1);
    given.perToken = heads ? size(x, 1) : c.segment ? (all + (c.segment - 1)) / c.segment : i32(1);
    given.rows = outer * given.perToken;
    given.columns = heads ? all / 2 : all;
    checkExtents(outer, all);
    return_unless(given.rows > 0);
    Num blocks = (given.rows + (plan.rowsOfBlock() - 1)) / plan.rowsOfBlock() * plan.cluster;
    launch(c.name(),
           {.gridX = blocks,
            .threads = plan.threadsOfBlock(),
            .smemBytes = memory.bytes(),
            .clusterX = plan.cluster,
            .overlaps = c.overlaps},
           stream, given);
  }
  void checkExtents(Num outer, Num all) {
    check(all > 0, fail(Error::RowNoColumns).text);
    if (plan.pieces) {
      int64_t most = std::numeric_limits<int32_t>::max() - plan.capacity();
      check(all <= most, fail(Error::RowCounts, most).text);
    } else if (!c.segment) {
      int64_t most = plan.capacity() * (kernel.operands.front().extent == Heads ? 2 : 1);
      check(all <= most, fail(Error::RowLonger, most).text);
    }
    if (kernel.operands.front().extent == Heads)
      check(all % 2 == 0, fail(Error::RowPairsGiven).text);
    size_t next = 0;
    for (const RowOperand &operand : kernel.operands) {
      if (operand.extent == Number)
        continue;
      Tensor tensor = given.tensors[next++];
      std::vector<Num> extents;
      switch (operand.extent) {
      case Matrix: extents = {outer, all}; break;
      case Heads: extents = {outer, given.perToken, all}; break;
      case Tokens: extents = {outer, given.columns}; break;
      case OfRow: extents = {outer}; break;
      case OfColumn: extents = {all}; break;
      case Number: break;
      }
      if (operand.extent == OfRow && c.segment)
        extents.push_back(given.perToken);
      for (size_t mode = 0; mode < extents.size(); ++mode)
        check(size(tensor, int(mode)) == extents[mode],
              fail(Error::RowOperands, described(kernel, operand)).text);
    }
  }
};
} // namespace

void kernels::buildRows(const RowConfig &config) {
  RowConfig c = config.complete();
  if (auto build = findRowKernel(c.kernel)->build)
    build(c);
  else
    Rows(c).build();
}
