// Kernels: what is known of arguments, entries, launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/tile_dsl/Places.h"
#include "tessera/tile_dsl/Runner.h"
#include "tessera/tile_dsl/Trace.h"

#include "tessera/tile_bytecode/Writer.h"

#include <algorithm>
#include <mutex>

namespace tessera::tile {

// Not the `cat` of tiles.
static constexpr auto joined = [](const auto &...pieces) { return tessera::cat(pieces...); };

std::string Diagnostic::str() const {
  if (!line)
    return joined("error: ", text);
  return joined(file, ":", line, ":", column, ": error: ", text);
}
std::string Outcome::text() const {
  std::string out;
  for (const Diagnostic &diagnostic : diagnostics)
    out += diagnostic.str() + "\n";
  return out;
}
std::string Grid::str() const { return joined(x, "x", y, "x", z); }

namespace detail {
namespace {

/// The largest number that a launch gives as an extent or a stride.
constexpr int64_t mostExtent = (int64_t(1) << 31) - 1;
constexpr int64_t mostGrid = (int64_t(1) << 24) - 1;
/// A kernel is traced for whether pointers and strides, in bytes, and extents are multiples of
/// this.
constexpr int64_t divisor = 16;
/// The same for a stride in elements.
int64_t strideDivisor(TypeKind element) {
  int64_t bits = std::max<int64_t>(8, tile_bytecode::rowOf(element).memoryBits);
  return std::max<int64_t>(1, divisor * 8 / bits);
}

/// Known facts about one argument: a kernel is traced once for each such list.
struct Facts {
  bool isAligned = false;
  std::vector<bool> extentDivides, strideDivides, strideIsOne;
  AliasSet set = everySet;

  void key(std::string &out) const {
    out += isAligned ? 'a' : '-';
    for (const auto *bits : {&extentDivides, &strideDivides, &strideIsOne})
      for (bool bit : *bits)
        out += bit ? '1' : '0';
    out += joined("s", set, ";");
  }
};

void refuse(Outcome &outcome, Reason reason) {
  outcome.diagnostics.push_back({std::string(reason.id), std::move(reason.text)});
}
std::string shapeText(const std::vector<int64_t> &shape, const char *between = "x") {
  std::string out;
  for (int64_t n : shape)
    out += joined(out.empty() ? "" : between, n);
  return out;
}

bool overlaps(const Argument &a, const Argument &b) {
  auto begin = [](const Argument &x) { return reinterpret_cast<uintptr_t>(x.data); };
  if (!a.bytes || !b.bytes)
    return (!a.bytes && a.data && a.shape.empty()) || (!b.bytes && b.data && b.shape.empty());
  return begin(a) < begin(b) + b.bytes && begin(b) < begin(a) + a.bytes;
}

/// Arguments that overlap, directly or through others, get the same set.
std::vector<AliasSet> aliasSets(std::span<const ParameterInfo> parameters,
                                std::span<const Argument> arguments) {
  std::vector<AliasSet> sets(arguments.size(), everySet);
  AliasSet next = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (parameters[i].kind == ParameterInfo::Number)
      continue;
    sets[i] = next++;
    for (size_t k = 0; k < i; ++k)
      if (parameters[k].kind != ParameterInfo::Number && sets[k] != sets[i] &&
          overlaps(arguments[k], arguments[i])) {
        AliasSet from = sets[k], to = sets[i];
        std::replace(sets.begin(), sets.end(), from, to);
      }
  }
  // Numbered from 0 without gaps, so that equal cases give equal keys.
  std::vector<AliasSet> order;
  for (AliasSet &set : sets) {
    if (set == everySet)
      continue;
    auto found = std::find(order.begin(), order.end(), set);
    if (found == order.end())
      found = order.insert(found, set);
    set = AliasSet(found - order.begin());
  }
  return sets;
}

/// Rules for arguments that do not depend on the grid.
void checkArguments(std::span<const ParameterInfo> parameters, std::span<const Argument> arguments,
                    Outcome &outcome) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ParameterInfo &p = parameters[i];
    const Argument &a = arguments[i];
    if (!a.tile.empty() && p.kind != ParameterInfo::Output)
      refuse(outcome, fail(Error::PartitionInput, i + 1));
    if (!a.tile.empty() && p.kind == ParameterInfo::Output && a.tile != p.tile)
      refuse(outcome, fail(Error::PartitionTile, i + 1, shapeText(p.tile), shapeText(a.tile)));
    if (a.isConst && (p.kind == ParameterInfo::Output || p.kind == ParameterInfo::InOut))
      refuse(outcome, fail(Error::ReadOnly, i + 1));
    if (!a.data && a.bytes)
      refuse(outcome, fail(Error::NullArray, i + 1, shapeText(a.shape)));
    // For a pointer only the memory of the array counts, so its extents may be larger; but that
    // memory begins at the first element, so strides are not negative either.
    for (size_t d = 0; d < a.shape.size(); ++d) {
      for (int64_t n : {a.shape[d], a.strides[d]})
        if (n < 0 || (n > mostExtent && p.isArray()))
          refuse(outcome, fail(Error::ExtentRange, i + 1, d, n));
      if (p.isArray() && p.extents[d] >= 0 && p.extents[d] != a.shape[d])
        refuse(outcome, fail(Error::Extent, i + 1, p.extents[d], d, a.shape[d]));
    }
    if (p.kind == ParameterInfo::Output && outcome && sharesPlaces(a.shape, a.strides))
      refuse(outcome,
             fail(Error::OutputStride, i + 1, shapeText(a.shape), shapeText(a.strides, ", ")));
    if (p.kind == ParameterInfo::Output)
      for (size_t k = 0; k < arguments.size(); ++k)
        if (k != i && parameters[k].isArray() && overlaps(a, arguments[k]))
          refuse(outcome, fail(Error::OutputOverlap, i + 1, k + 1));
  }
}

int64_t tilesOf(int64_t extent, int64_t tile) { return extent / tile + (extent % tile != 0); }

/// The grid of the outputs, or the given one; nothing after a mistake, and where no tile block has
/// anything to do.
std::optional<Grid> gridOf(std::span<const ParameterInfo> parameters,
                           std::span<const Argument> arguments, std::optional<Grid> given,
                           Outcome &outcome) {
  std::optional<Grid> grid;
  size_t first = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (parameters[i].kind != ParameterInfo::Output)
      continue;
    int64_t counts[3] = {1, 1, 1};
    for (size_t d = 0; d < parameters[i].tile.size(); ++d)
      counts[d] = tilesOf(arguments[i].shape[d], parameters[i].tile[d]);
    Grid own{counts[0], counts[1], counts[2]};
    if (grid && *grid != own) {
      refuse(outcome, fail(Error::Grids, first + 1, grid->str(), i + 1, own.str()));
      return std::nullopt;
    }
    if (!grid)
      grid = own, first = i;
  }
  if (grid && given && *grid != *given)
    refuse(outcome, fail(Error::GridGiven, grid->str(), given->str()));
  // Outputs without elements: there is nothing to do.
  if (grid && outcome && grid->x * grid->y * grid->z == 0)
    return std::nullopt;
  if (!grid)
    grid = given;
  if (!grid) {
    refuse(outcome, fail(Error::NoGrid));
    return std::nullopt;
  }
  for (int64_t n : {grid->x, grid->y, grid->z})
    if (n < 1 || n > mostGrid) {
      refuse(outcome, fail(Error::GridRange, grid->str()));
      return std::nullopt;
    }
  return grid;
}

} // namespace

//===--- Traces

namespace {
/// Rules for the kernel, whatever its arguments are. Its name becomes a name in PTX.
std::vector<Diagnostic> checkKernel(const KernelCore &core) {
  Outcome outcome;
  auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  auto isPart = [&](char c) { return isLetter(c) || (c >= '0' && c <= '9'); };
  if (core.name.empty() || !isLetter(core.name[0]) ||
      !std::all_of(core.name.begin(), core.name.end(), isPart))
    refuse(outcome, fail(Error::KernelName, core.name));
  auto power = [&](const char *hint, std::optional<int> number, int most) {
    if (number && (*number < 1 || *number > most || (*number & (*number - 1))))
      refuse(outcome, fail(Error::HintRange, hint, joined("a power of two up to ", most), *number));
  };
  power("num_cta_in_cga", core.hints.num_cta_in_cga, 16);
  power("num_worker_warps_per_cta", core.hints.num_worker_warps_per_cta, 32);
  if (auto number = core.hints.occupancy; number && (*number < 1 || *number > 32))
    refuse(outcome, fail(Error::HintRange, "occupancy", "1 to 32", *number));
  return outcome.diagnostics;
}

/// A kernel that was traced for some facts.
struct Traced {
  tile_bytecode::Program program;
  std::vector<Diagnostic> diagnostics;
  std::vector<LaunchCheck> checks;
};
} // namespace

struct KernelCore::State {
  std::mutex mutex;
  std::map<std::string, std::unique_ptr<Traced>> traced;
};

namespace {

/// Entry parameters and what is assumed of them.
class Entry {
public:
  Entry(Trace &trace, const Where &where) : trace(trace), where(where) {}

  Id parameter(const TileType &type) { return trace.parameter(trace.tile(type), where); }
  /// Aligned to 16 bytes, if that is known.
  Id pointer(TypeKind element, const Facts &facts) {
    Id id = parameter({element, true, {}});
    trace[id].set = facts.set;
    return facts.isAligned ? divides(id) : id;
  }
  /// An extent or a stride.
  Id number(bool isMultiple, int64_t of = divisor) {
    Id id = parameter({TypeKind::I32});
    id = Emit(Op::Assume, where).outLike(id).bounded(0, {}).in(id).done();
    return isMultiple && of > 1 ? divides(id, of) : id;
  }

private:
  Id divides(Id id, int64_t of = divisor) {
    return Emit(Op::Assume, where).outLike(id).divisible(uint64_t(of), {}, {}).in(id).done();
  }
  Trace &trace;
  Where where;
};

std::vector<ParameterValue> makeEntry(Trace &trace, std::span<const ParameterInfo> parameters,
                                      std::span<const Facts> facts, const Where &where) {
  Entry entry(trace, where);
  std::vector<ParameterValue> values;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ParameterInfo &p = parameters[i];
    ParameterValue &value = values.emplace_back();
    if (p.kind == ParameterInfo::Number) {
      value.number = entry.parameter({p.element});
      continue;
    }
    Id base = entry.pointer(p.element, facts[i]);
    value.number = base;
    if (!p.isArray())
      continue;
    std::vector<Id> shape, strides;
    std::vector<int64_t> stated;
    for (size_t d = 0; d < p.extents.size(); ++d) {
      shape.push_back(entry.number(facts[i].extentDivides[d]));
      trace[shape.back()].known = {.kind = Known::Extent, .parameter = int(i), .dim = int(d)};
    }
    for (size_t d = 0; d < p.extents.size(); ++d) {
      strides.push_back(entry.number(facts[i].strideDivides[d], strideDivisor(p.element)));
      stated.push_back(facts[i].strideIsOne[d] ? 1 : 0);
    }
    const TensorInfo *tensor =
        makeTensor(p.element, base, shape, p.extents, strides, stated, where);
    const_cast<TensorInfo *>(tensor)->parameter = int(i);
    value.tensor = tensor;
  }
  return values;
}

std::vector<Facts> factsOf(std::span<const ParameterInfo> parameters,
                           std::span<const Argument> arguments) {
  std::vector<AliasSet> sets = aliasSets(parameters, arguments);
  std::vector<Facts> out;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Facts &facts = out.emplace_back();
    facts.set = sets[i];
    facts.isAligned = parameters[i].kind != ParameterInfo::Number &&
                      reinterpret_cast<uintptr_t>(arguments[i].data) % divisor == 0;
    if (!parameters[i].isArray())
      continue;
    for (int64_t n : arguments[i].shape)
      facts.extentDivides.push_back(n % divisor == 0);
    for (int64_t n : arguments[i].strides) {
      facts.strideDivides.push_back(n % strideDivisor(parameters[i].element) == 0);
      facts.strideIsOne.push_back(n == 1);
    }
  }
  return out;
}

} // namespace

KernelCore::KernelCore(std::string name, std::vector<ParameterInfo> parameters, Body body,
                       Where where)
    : name(std::move(name)), parameters(std::move(parameters)), state(std::make_shared<State>()),
      body(std::move(body)), where(where) {}

size_t KernelCore::traces() const {
  std::lock_guard lock(state->mutex);
  return state->traced.size();
}

static const Traced &traced(std::mutex &mutex,
                            std::map<std::string, std::unique_ptr<Traced>> &known,
                            const KernelCore &core, const KernelCore::Body &body,
                            const Where &where, std::span<const Argument> arguments) {
  std::vector<Facts> facts = factsOf(core.parameters, arguments);
  std::string key = joined(int(core.checks), ",", core.hints.num_cta_in_cga.value_or(0), ",",
                           core.hints.num_worker_warps_per_cta.value_or(0), ",",
                           core.hints.occupancy.value_or(0), ";");
  AliasSet sets = 0;
  for (const Facts &fact : facts) {
    fact.key(key);
    sets = std::max(sets, fact.set + 1);
  }
  std::lock_guard lock(mutex);
  auto found = known.find(key);
  if (found == known.end()) {
    auto made = std::make_unique<Traced>();
    if (made->diagnostics = checkKernel(core); !made->diagnostics.empty())
      return *known.emplace(std::move(key), std::move(made)).first->second;
    Trace trace(core.name, core.checks, sets, where);
    for (size_t set = 0; set < size_t(sets); ++set)
      trace.orders()[set].isReadOnly = true;
    for (size_t i = 0; i < facts.size(); ++i)
      if (facts[i].set != everySet && core.parameters[i].kind != ParameterInfo::Input)
        trace.orders()[size_t(facts[i].set)].isReadOnly = false;
    std::vector<ParameterValue> values = makeEntry(trace, core.parameters, facts, where);
    body(values);
    trace.finish(core.hints);
    made->program = std::move(trace.program);
    made->diagnostics = std::move(trace.diagnostics);
    made->checks = std::move(trace.launchChecks);
    // Stored only here, at the end: the function may throw.
    found = known.emplace(std::move(key), std::move(made)).first;
  }
  return *found->second;
}

const tile_bytecode::Program *KernelCore::program(std::span<const Argument> arguments,
                                                  Outcome &outcome) {
  checkArguments(parameters, arguments, outcome);
  if (!outcome)
    return nullptr;
  const Traced &made = traced(state->mutex, state->traced, *this, body, where, arguments);
  outcome.diagnostics = made.diagnostics;
  return outcome ? &made.program : nullptr;
}
Outcome KernelCore::bytecode(std::span<const Argument> arguments, std::string &out) {
  Outcome outcome;
  if (const tile_bytecode::Program *made = program(arguments, outcome)) {
    Result<std::string> bytes = tile_bytecode::write(*made);
    if (bytes)
      out = *std::move(bytes);
    else
      refuse(outcome, bytes.reason());
  }
  return outcome;
}

/// Bounds that follow from grid and extents.
static void checkLaunch(const Traced &traced, std::span<const Argument> arguments, const Grid &grid,
                        Outcome &outcome) {
  const int64_t blocks[] = {grid.x, grid.y, grid.z};
  for (const LaunchCheck &check : traced.checks) {
    const Argument &array = arguments[size_t(check.parameter)];
    int64_t extent = array.shape[size_t(check.dim)], tiles = tilesOf(extent, check.step);
    int64_t largest = check.number;
    if (check.source == LaunchCheck::Block)
      largest = blocks[check.fromDim] - 1;
    if (check.source == LaunchCheck::CeilDiv)
      largest = tilesOf(arguments[size_t(check.fromParameter)].shape[size_t(check.fromDim)],
                        check.number) -
                1;
    if (largest < tiles)
      continue;
    Reason reason = fail(Error::TileOutside, check.parameter + 1, largest, check.dim, tiles,
                         check.step, extent);
    outcome.diagnostics.push_back(
        {std::string(reason.id), std::move(reason.text), check.file, check.line, check.column});
  }
}

Outcome KernelCore::launch(std::span<const Argument> arguments, std::optional<Grid> grid,
                           Runner *target) {
  Outcome outcome;
  if (arguments.size() != parameters.size()) {
    refuse(outcome, fail(Error::ArgumentCount, parameters.size(), arguments.size()));
    return outcome;
  }
  checkArguments(parameters, arguments, outcome);
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].owner && arguments[i].owner != target)
      refuse(outcome, fail(Error::Elsewhere, i + 1));
  if (!outcome)
    return outcome;
  std::optional<Grid> blocks = gridOf(parameters, arguments, grid, outcome);
  if (!outcome || !blocks)
    return outcome;
  const Traced &made = traced(state->mutex, state->traced, *this, body, where, arguments);
  outcome.diagnostics = made.diagnostics;
  if (outcome)
    checkLaunch(made, arguments, *blocks, outcome);
  if (!outcome)
    return outcome;
  Runner::Launch launch{made.program, name, *blocks, {}, {}, {}};
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument &a = arguments[i];
    bool isNumber = parameters[i].kind == ParameterInfo::Number;
    launch.codes.push_back(isNumber ? a.code : reinterpret_cast<uint64_t>(a.data));
    launch.arrays.push_back(isNumber ? nullptr : &a);
    if (parameters[i].isArray())
      for (const auto *numbers : {&a.shape, &a.strides})
        for (int64_t n : *numbers) {
          launch.codes.push_back(uint64_t(n));
          launch.arrays.push_back(nullptr);
        }
    launch.numbers.resize(launch.codes.size(), i + 1);
  }
  return (target ? *target : interpreter()).run(launch);
}

} // namespace detail
} // namespace tessera::tile
