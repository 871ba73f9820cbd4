// Checks launches and deals their clusters to the host's threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/sim/Machine.h"

#include "tessera/base/Guarded.h"
#include "tessera/base/ShortName.h"
#include "tessera/sim/Calls.h"
#include "tessera/sim/DeviceLaunches.h"
#include "tessera/sim/Meter.h"
#include "tessera/sim/Report.h"
#include "tessera/sim/Variables.h"

#include <algorithm>
#include <deque>
#include <thread>

namespace tessera::sim {

void Grid::stop(Reason why, std::shared_ptr<const Report> said) {
  std::lock_guard lock(mutex);
  if (!reason) {
    if (!said && why.id != errors[size_t(Error::ObserverEnded)].id)
      said = std::make_shared<Report>(Report{why.id, why.text, kernel.name, {}, "", 0, {}, {}});
    fault = std::move(said);
    reason = std::move(why);
  }
  stopped = true;
}

void Grid::watchTime() {
  if (limits.deadline && std::chrono::steady_clock::now() > *limits.deadline)
    stop(fail(Error::Time, kernel.name));
}

void Grid::print(std::string_view text, uint64_t cut) {
  std::lock_guard lock(mutex);
  std::string_view kept =
      text.substr(0, std::max(outputRoom, uint64_t(output.size())) - output.size());
  output += kept;
  cutBytes += text.size() - kept.size() + cut;
}

namespace {

std::string text(const std::array<uint32_t, 3> &e) { return Dim3{e[0], e[1], e[2]}.str(); }

Status checkExtents(std::string_view what, const Dim3 &given, const Dim3 &most) {
  auto within = [](uint32_t extent, uint32_t last) { return extent >= 1 && extent <= last; };
  if (within(given.x, most.x) && within(given.y, most.y) && within(given.z, most.z))
    return Done{};
  return fail(Error::Extents, what, given.str(), most.str());
}

/// PTX ISA 11.4 (performance-tuning directives that a launch must respect); CUDA C++ Programming
/// Guide, table of technical specifications.
Status check(const Function &kernel, const LaunchConfig &config, const Dim3 &cluster,
             size_t parameterBytes, const Limits &limits) {
  TESSERA_CHECK(checkExtents("grid", config.grid, {0x7fffffff, 65535, 65535}));
  TESSERA_CHECK(checkExtents("block", config.block, {1024, 1024, 64}));
  TESSERA_CHECK(checkExtents("cluster", cluster, {16, 16, 16}));
  if (config.block.volume() > 1024)
    return fail(Error::BlockSize, config.block.str(), config.block.volume());
  Dim3 required{kernel.required[0], kernel.required[1], kernel.required[2]};
  if (required.x && required != config.block)
    return fail(Error::RequiredBlock, required.str(), config.block.str());
  if (kernel.cluster[0] && text(kernel.cluster) != cluster.str())
    return fail(Error::RequiredCluster, text(kernel.cluster), cluster.str());
  if (config.grid.x % cluster.x || config.grid.y % cluster.y || config.grid.z % cluster.z)
    return fail(Error::ClusterDivides, config.grid.str(), cluster.str());
  if (uint64_t(kernel.sharedBytes) + config.dynamicShared > limits.sharedBytes)
    return fail(Error::SharedSize, uint64_t(kernel.sharedBytes) + config.dynamicShared,
                limits.sharedBytes);
  if (kernel.localBytes > limits.localBytes)
    return fail(Error::LocalSize, kernel.localBytes, limits.localBytes);
  if (parameterBytes != kernel.parameterBytes)
    return fail(Error::ParameterBytes, kernel.parameterBytes, parameterBytes);
  return Done{};
}

/// Runs clusters until none is left. A cluster that does not end for long, because it waits for
/// others, makes room for one more: all clusters of a grid may have to run at once.
class Worker {
public:
  explicit Worker(Grid &grid) : grid(grid) {}

  void run() {
    grid.limits.shuffle ? runShuffled() : runInOrder();
    for (const auto &cluster : resident) // the launch failed while they ran
      count(*cluster);
  }

private:
  void runInOrder() {
    size_t wanted = 1, inVain = 0; // clusters to start; turns in which all only polled
    size_t turnsInVain = 0;        // the same, whatever was started meanwhile
    while (!grid.stopped) {
      for (size_t i = 0; i < wanted && start(i); ++i)
        ;
      if (resident.empty())
        break;
      std::unique_ptr<Cluster> cluster = std::move(resident.front());
      resident.pop_front();
      Ran ran = cluster->run(patience());
      inVain = ran == Ran::Polling ? inVain + 1 : 0;
      turnsInVain = ran == Ran::Polling ? turnsInVain + 1 : 0;
      if (ran == Ran::ToItsEnd)
        ended(*cluster);
      else
        resident.push_back(std::move(cluster));
      // A few more if all wait, so that blocks which wait for each other are all started in the
      // end; not all the rest at once, as they may wait for one slow block.
      wanted = ran == Ran::Working || resident.empty() ? 1
               : inVain >= resident.size()             ? 1 + resident.size() / 8
                                                       : 0;
      inVain = wanted ? 0 : inVain;
      if (turnsInVain > turnsBeforeLook * resident.size() &&
          grid.clusters.next >= grid.clusters.count)
        idle(), turnsInVain = 0;
    }
    std::lock_guard lock(grid.mutex);
    --grid.standstill.workers;
    change();
  }

  /// All clusters poll, and have done so for a while: looks at what they do as long as they change
  /// nothing. Stops the launch when that is so of those of all workers (Idling.h).
  void idle() {
    bool isIdle = false, isSure = false;
    unsigned rounds = 0; // since anything changed
    uint64_t seen = 0;
    for (bool still = true; still && !grid.stopped && !isOver();) {
      for (auto &cluster : resident)
        still &= cluster->idles() || (!isIdle && !rounds); // the first one shows no change
      std::lock_guard lock(grid.mutex);
      Standstill &all = grid.standstill;
      if (!still)
        break;
      if (++rounds < 2)
        continue;
      if (!std::exchange(isIdle, true))
        ++all.idle, change();
      if (std::exchange(seen, all.changes) != all.changes)
        rounds = 2, isSure = false;
      if (rounds > roundsToBeSure && all.idle == all.workers && !std::exchange(isSure, true))
        ++all.sure;
    }
    if (isOver()) {
      std::vector<Cluster *> all;
      for (auto &cluster : resident)
        all.push_back(cluster.get());
      stopStuck(grid, all);
    }
    for (auto &cluster : resident)
      cluster->stopIdling();
    std::lock_guard lock(grid.mutex);
    if (isIdle)
      --grid.standstill.idle, change();
  }
  bool isOver() {
    std::lock_guard lock(grid.mutex);
    return grid.standstill.sure && grid.standstill.sure == grid.standstill.workers;
  }
  /// Those who were sure look again.
  void change() {
    ++grid.standstill.changes;
    grid.standstill.sure = 0;
  }

  /// Several clusters take turns, each time one that the seed chooses.
  void runShuffled() {
    size_t room = 4;
    uint64_t turns = 0; // since one has ended
    std::minstd_rand random(uint32_t(*grid.limits.shuffle + 1));
    while (!grid.stopped) {
      while (resident.size() < room && start())
        ;
      if (resident.empty())
        break;
      const auto chosen = resident.begin() + ptrdiff_t(random() % resident.size());
      if ((*chosen)->run(1) == Ran::ToItsEnd) {
        ended(**chosen);
        resident.erase(chosen);
        turns = 0;
      } else if (++turns * shortTurn > patience() * room) {
        ++room;
        turns = 0;
      }
    }
  }

  /// Instructions of each warp in a turn: few in a cooperative launch, whose blocks wait for each
  /// other.
  uint64_t patience() const { return grid.cooperative ? 1 << 12 : 1 << 22; }
  static constexpr size_t turnsBeforeLook = 64;
  /// More than a warp has lanes, which may take turns.
  static constexpr unsigned roundsToBeSure = 64;

  /// Starts one more cluster, after `before` others; false if there is none.
  bool start(size_t before = 0) {
    uint64_t index = grid.clusters.next++;
    if (index >= grid.clusters.count)
      return false;
    resident.insert(resident.begin() + ptrdiff_t(before), std::make_unique<Cluster>(grid, index));
    return true;
  }

  void ended(const Cluster &cluster) {
    count(cluster);
    std::lock_guard lock(grid.mutex);
    ++grid.clustersDone;
    tell();
  }

  void count(const Cluster &cluster) {
    std::lock_guard lock(grid.mutex);
    for (const auto &cta : cluster.ctas)
      for (const auto &warp : cta->warps)
        grid.statistics.warpInstructions += warp->steps,
            grid.statistics.threadInstructions += warp->threads;
  }

  /// Reports progress, at most every two seconds.
  void tell() {
    using namespace std::chrono;
    auto now = steady_clock::now();
    if (!grid.limits.progress || now - grid.told < seconds(2))
      return;
    grid.told = now;
    uint64_t count = grid.clusters.count;
    double spent = duration<double>(now - grid.began).count();
    double left = spent * double(count - grid.clustersDone) / double(grid.clustersDone);
    grid.limits.progress(cat("kernel '", shortName(grid.kernel.name), "': ", grid.clustersDone,
                             " of ", count, " clusters after ", uint64_t(spent), " s, about ",
                             uint64_t(left), " s to go"));
  }

  Grid &grid;
  std::deque<std::unique_ptr<Cluster>> resident;
};

/// The work of one thread. Memory that runs out stops the launch.
void work(Grid &grid) {
  Status worked = guarded([&]() -> Status {
    Worker(grid).run();
    return Done{};
  });
  if (!worked)
    grid.stop(std::move(worked).reason());
}

} // namespace

std::string Machine::takeOutput() {
  std::string out = std::exchange(output, {});
  if (uint64_t cut = std::exchange(cutBytes, 0))
    out += cat(out.empty() || out.back() == '\n' ? "" : "\n", "[cut off: ", cut,
               " more bytes were printed, and ", limits.outputBytes, " are kept]\n");
  return out;
}

Result<LoadedProgram> Machine::load(std::shared_ptr<const Program> program) {
  return guarded([&]() -> Result<LoadedProgram> {
    LoadedProgram loaded{std::move(program), 0};
    const std::vector<GlobalVariable> &variables = loaded.program->globals;
    bool managed = std::any_of(variables.begin(), variables.end(),
                               [](const GlobalVariable &v) { return v.isManaged; });
    TESSERA_TRY(loaded.globals, global.allocate(loaded.program->globalBytes,
                                                managed ? Residence::Both : Residence::Device));
    TESSERA_CHECK(initialiseVariables(global, loaded));
    return loaded;
  });
}

Status initialiseVariables(GlobalMemory &memory, const LoadedProgram &loaded) {
  memory.wrote(loaded.globals, loaded.program->globalBytes); // zeros where nothing else is said
  for (const GlobalVariable &variable : loaded.program->globals) {
    TESSERA_CHECK(memory.write(loaded.globals + variable.offset, variable.init));
    for (const GlobalVariable::Relocation &relocation : variable.relocations) {
      uint64_t value = relocation.of(loaded.globals + relocation.target);
      TESSERA_CHECK(memory.write(loaded.globals + variable.offset + relocation.at,
                                 std::as_bytes(std::span(&value, 1)).first(relocation.bytes)));
    }
  }
  return Done{};
}

Status Machine::unload(const LoadedProgram &loaded) { return global.free(loaded.globals); }

Result<uint64_t> Machine::address(const LoadedProgram &loaded, std::string_view name) const {
  for (const GlobalVariable &variable : loaded.program->globals)
    if (variable.name == name)
      return loaded.globals + variable.offset;
  return fail(Error::Undefined, name);
}

Result<Heap *> Machine::heapFor(const Program &program) {
  bool calls = std::any_of(program.functions.begin(), program.functions.end(), [](const auto &f) {
    return f->name == "malloc" || isOfDeviceRuntime(f->name);
  });
  if (!calls || heap)
    return calls ? heap.get() : nullptr;
  TESSERA_TRY(uint64_t start, global.allocate(limits.heapBytes));
  heap = std::make_unique<Heap>(start, limits.heapBytes);
  return heap.get();
}

bool Machine::setHeapBytes(uint64_t bytes) {
  if (!heap)
    limits.heapBytes = std::max<uint64_t>(16, bytes);
  return !heap;
}

/// As cooperative_groups/details/driver_abi.h of CUDA 13.0 has it: its size, and the barrier that
/// begins at 0.
Result<uint64_t> Machine::workspaceOf() {
  constexpr uint32_t bytes = 8;
  if (!gridWorkspace) {
    TESSERA_TRY(gridWorkspace, global.allocate(bytes));
  }
  constexpr uint32_t content[] = {bytes, 0};
  TESSERA_CHECK(global.write(gridWorkspace, std::as_bytes(std::span(content))));
  return gridWorkspace;
}

Status Machine::launch(const LoadedProgram &loaded, std::string_view name,
                       const LaunchConfig &config, std::span<const std::byte> parameters) {
  return guarded([&] { return launchAll(loaded, name, config, parameters); });
}

Status Machine::launchAll(const LoadedProgram &loaded, std::string_view name,
                          const LaunchConfig &config, std::span<const std::byte> parameters) {
  const Function *kernel = loaded.program->findKernel(name);
  if (!kernel) {
    std::string names;
    for (std::string_view other : loaded.program->kernels())
      names += cat(names.empty() ? "'" : ", '", other, "'");
    return fail(Error::NoKernel, name, names.empty() ? "none" : names);
  }
  DeviceLaunches ofFirst;
  TESSERA_CHECK(run(loaded, *kernel, config, parameters, ofFirst));
  std::vector<DeviceLaunch> asked = ofFirst.ordered();
  if (asked.empty())
    return Done{};
  // What a launch asks for comes before what was asked for after it. A loop and not a recursion, as
  // a kernel may launch itself as its own tail without end.
  Statistics together = counted;
  for (std::deque<DeviceLaunch> left(asked.begin(), asked.end()); !left.empty();) {
    DeviceLaunches within(left.front());
    DeviceLaunch next = std::move(left.front());
    left.pop_front();
    TESSERA_CHECK(runLater(loaded, std::move(next), within));
    together.add(counted);
    asked = within.ordered();
    left.insert(left.begin(), asked.begin(), asked.end());
  }
  counted = std::move(together);
  return Done{};
}

Status Machine::runLater(const LoadedProgram &loaded, DeviceLaunch next, DeviceLaunches &within) {
  if (next.kernel)
    return run(loaded, *next.kernel,
               {.grid = next.grid, .block = next.block, .dynamicShared = next.dynamicShared},
               next.parameters, within);
  counted = {};
  if (observer)
    observer->onLater({next.to, next.from, next.bytes});
  if (next.from) {
    next.parameters.resize(next.bytes);
    TESSERA_CHECK(global.read(next.parameters, next.from));
  } else {
    next.parameters.assign(next.bytes, next.parameters.front());
  }
  return global.write(next.to, next.parameters);
}

Status Machine::run(const LoadedProgram &loaded, const Function &kernel, const LaunchConfig &config,
                    std::span<const std::byte> parameters, DeviceLaunches &launches) {
  TESSERA_CHECK(loaded.program->isSimulated(kernel));
  Dim3 own =
      kernel.cluster[0] ? Dim3{kernel.cluster[0], kernel.cluster[1], kernel.cluster[2]} : Dim3{};
  Dim3 cluster = config.cluster.value_or(own);
  TESSERA_CHECK(check(kernel, config, cluster, parameters.size(), limits));
  TESSERA_TRY(Heap * ofProgram, heapFor(*loaded.program));
  TESSERA_TRY(uint64_t workspace, config.cooperative ? workspaceOf() : uint64_t(0));
  Grid grid{.program = *loaded.program,
            .kernel = kernel,
            .grid = config.grid,
            .block = config.block,
            .cluster = cluster,
            .dynamicShared = config.dynamicShared,
            .parameters = parameters,
            .globals = loaded.globals,
            .memory = global,
            .limits = limits,
            .heap = ofProgram,
            .launches = &launches,
            .cooperative = config.cooperative,
            .workspace = workspace,
            .conditions = &ofGraphs,
            .wishes = observer ? observer->wishes() : Wishes()};
  grid.outputRoom = limits.outputBytes - std::min(limits.outputBytes, uint64_t(output.size()));
  Meter meter(limits);
  if (meter.isAsked())
    grid.observers.push_back(&meter);
  if (observer)
    grid.observers.push_back(observer.get()), observer->onLaunch(grid);
  uint64_t clusters = grid.clusters.count = config.grid.volume() / cluster.volume();
  grid.watchTime(); // kernels may launch many short ones, of which none looks
  unsigned hosts =
      limits.hostThreads ? limits.hostThreads : std::max(1u, std::thread::hardware_concurrency());
  {
    std::vector<std::jthread> others; // joined when they are destroyed
    Status started = guarded([&]() -> Status {
      grid.standstill.workers = unsigned(std::min<uint64_t>(hosts, clusters));
      for (unsigned i = 1; i < std::min<uint64_t>(hosts, clusters); ++i)
        others.emplace_back([&] { work(grid); });
      return Done{};
    });
    if (started)
      work(grid);
    else
      grid.stop(std::move(started).reason());
  }
  if (meter.isIncomplete())
    grid.stop({outOfMemoryId, "memory ran out"});
  if (std::string work = meter.tensorWork().str(config.grid.volume()); !work.empty())
    grid.print(work);
  counted = grid.statistics;
  counted.kernel = kernel.name;
  counted.add(meter.statistics());
  output += grid.output;
  cutBytes += grid.cutBytes;
  Status ended = grid.reason ? Status(*grid.reason) : Status(Done{});
  return observer ? observer->onReturn(grid, std::move(ended)) : ended;
}

} // namespace tessera::sim
