// Keeps reports apart, and makes the shadow of a cluster.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sanitize/Launch.h"

#include "tessera/base/ShortName.h"
#include "tessera/ptx_text/Lexer.h"
#include "tessera/sanitize/Reports.h"

#include <algorithm>

namespace tessera::sanitize {

bool Reports::add(Report report, int earlierLine, size_t most) {
  std::lock_guard lock(mutex);
  if (seen.emplace(report.rule, report.party.place.line, earlierLine).second && list.size() < most)
    list.push_back(std::move(report));
  return list.size() < most;
}

bool Reports::has(Error rule, int line, int earlierLine) {
  std::lock_guard lock(mutex);
  return seen.count({errors[size_t(rule)].id, line, earlierLine}) != 0;
}

bool Reports::hasAll(size_t most) {
  std::lock_guard lock(mutex);
  return list.size() >= most;
}

void HeapMemory::give(uint64_t address, uint64_t bytes) {
  std::lock_guard lock(mutex);
  sizes[address] = bytes;
  given.add(address - start, bytes);
}

void HeapMemory::take(uint64_t address) {
  std::lock_guard lock(mutex);
  if (auto found = sizes.find(address); found != sizes.end()) {
    given.remove(address - start, found->second);
    sizes.erase(found);
  }
}

void WrittenMemory::keepHeap(const sim::Grid &grid) {
  if (grid.heap && !ofMalloc)
    ofMalloc =
        std::make_unique<HeapMemory>(grid.heap->start, grid.memory.find(grid.heap->start)->size);
}

namespace {
WorkShape shapeOf(const sim::Grid &grid, bool usesTensors) {
  const auto warps = uint32_t((grid.block.volume() + warpSize - 1) / warpSize),
             blocks = uint32_t(grid.cluster.volume());
  return {grid.grid,
          grid.block,
          grid.cluster,
          {blocks * warps, blocks * ((warps + sim::WarpGroup::size - 1) / sim::WarpGroup::size),
           usesTensors}};
}
} // namespace

Launch::Launch(const sim::Grid &grid, const WrittenMemory &written, size_t maxReports, bool ends)
    : grid(grid), written(written), uses(grid.program), narrow(grid.program),
      shape(shapeOf(grid, uses.tensors)), maxReports(maxReports), ends(ends),
      reports(std::make_unique<Reports>()) {}
Launch::~Launch() = default;

void Launch::meet(uint64_t address, uint32_t bytes) {
  std::set<uint32_t> writers = history->strongWriters(*step, address, bytes);
  if (writers.empty())
    return;
  std::lock_guard lock(mutex);
  met.merge(writers);
}

/// Agents of all clusters are found by their numbers.
Party WorkShape::partyOf(const Mark &m, Mask lanes) const {
  uint32_t local = m.agent % agents.count(), ctas = uint32_t(cluster.volume());
  bool group = agents.kind(local) == Agent::Group;
  uint32_t each = (group ? agents.groups : agents.warps) / ctas,
           at = group ? local - agents.firstGroup() : local % agents.warps;
  uint32_t warp = group ? at % each * sim::WarpGroup::size : at % each;
  sim::Dim3 clusters{grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  sim::Dim3 ofCluster = clusters.at(m.agent / agents.count()), in = cluster.at(at / each);
  sim::Dim3 of{ofCluster.x * cluster.x + in.x, ofCluster.y * cluster.y + in.y,
               ofCluster.z * cluster.z + in.z};
  uint64_t first = uint64_t(std::countr_zero(lanes)); // of a group's products a warp
  uint64_t thread = group ? (warp + first) * warpSize : uint64_t(warp) * warpSize + first;
  return {std::string(nameOf(m.how())), of.str(), block.at(thread).str(), {}};
}

bool Suspects::wants(int loaded, int stored) {
  constexpr int most = 64; // several, as a few threads may be right where others are not
  std::lock_guard lock(mutex);
  int &count = counts[{loaded, stored}];
  count += count < most;
  return count < most;
}

void Suspects::add(Suspect suspect) {
  std::lock_guard lock(mutex);
  list.push_back(std::move(suspect));
}

/// Whether written bytes are next to these, or connected with them by bytes that the thread wrote.
bool Launch::isPart(const Suspect &suspect) {
  constexpr uint64_t farthest = 4096; // bytes
  const sim::Allocation *allocation = grid.memory.find(suspect.address);
  if (!allocation)
    return true;
  const Written &wrote = written.of(*allocation);
  auto isOfThread = [&](uint64_t at) {
    const Cell &cell = shadow.page(at).cells[at % GlobalShadow::pageBytes / Cell::bytes];
    return std::any_of(std::begin(cell.marks), std::end(cell.marks), [&](const Mark &m) {
      return m.clock && m.agent == suspect.agent && m.lanes >> suspect.lane & 1 &&
             m.bytes >> at % Cell::bytes & 1 && row(m.how()).writes;
    });
  };
  auto isSet = [&](uint64_t at) {
    const uint64_t offset = at - allocation->start;
    return wrote.firstMissing(offset, 1) != offset;
  };
  auto finds = [&](uint64_t from, int64_t step) {
    for (uint64_t at = from, left = farthest; left && allocation->contains(at, 1) && isOfThread(at);
         at += uint64_t(step), --left)
      if (isSet(at))
        return true;
    return false;
  };
  return isSet(suspect.address) || finds(suspect.address, 1) || finds(suspect.address - 1, -1);
}

ptx_text::CodePlace Launch::placeOf(int line) {
  std::lock_guard lock(mutex);
  if (!places)
    places.emplace(grid.program.text);
  return places->of(line);
}

std::string Launch::located(const std::string &block, const std::string &thread, int line,
                            Reason reason) {
  const std::string source = placeOf(line).source;
  return cat("kernel '", shortName(grid.kernel.name), "', block ", block, ", thread ", thread, ", ",
             source.empty() ? "" : cat(source, ", PTX "),
             ptx_text::atLine(grid.program.text, line, std::move(reason)).text);
}

/// As the warp would have reported it, which no longer exists.
Report Launch::reportOf(const Suspect &suspect) {
  const UnsetOrigin &from = suspect.origin;
  const std::string_view access = nameOf(from.access);
  Reason reason = fail(Error::Unwritten, access, from.bytes, from.space, sim::hex(from.address),
                       sim::hex(from.missing), "");
  Report out{reason.id,
             "",
             grid.kernel.name,
             {std::string(access), suspect.block, suspect.thread, placeOf(from.line)},
             std::string(from.space),
             from.address,
             {},
             {}};
  std::string place;
  const sim::Allocation *allocation =
      from.space == "global" ? grid.memory.find(from.address) : nullptr;
  if (allocation) {
    out.buffer = {from.address - allocation->start, allocation->size};
    place = cat(" [byte ", out.buffer->first, " of an allocation of ", out.buffer->second, "]");
  }
  out.what = cat(reason.text, place);
  out.text = cat(located(suspect.block, suspect.thread, from.line, std::move(reason)), place);
  return out;
}

void Launch::settle() {
  for (const Suspect &suspect : suspects.all())
    if (!isPart(suspect))
      report(reportOf(suspect));
}

bool Launch::wants(Error rule, int line, int earlierLine) {
  return wantsAny() && !reports->has(rule, line, earlierLine);
}

bool Launch::wantsAny() { return ends || !reports->hasAll(maxReports); }

bool Launch::report(Report one, int earlierLine) {
  return reports->add(std::move(one), earlierLine, maxReports) || !ends;
}

std::shared_ptr<ClusterShadow> Launch::clusterOf(const sim::Warp &w) {
  const sim::Cluster &cluster = w.cta.cluster;
  std::lock_guard lock(mutex);
  std::weak_ptr<ClusterShadow> &kept = clusters[cluster.number()];
  if (std::shared_ptr<ClusterShadow> found = kept.lock())
    return found;
  auto made = std::make_shared<ClusterShadow>();
  made->agents = shape.agents;
  made->firstAgent = uint32_t(cluster.number()) * made->agents.count();
  for (const auto &cta : cluster.ctas)
    made->blocks.emplace_back(cta->shared.size());
  made->knowledge.resize(made->agents.warps);
  made->tensors.resize(made->agents.warps);
  made->filled.resize(made->agents.warps);
  made->repeated.resize(made->agents.warps);
  kept = made;
  return made;
}

} // namespace tessera::sanitize
