// Makes candidate executions and holds them to the axioms. Numbers in comments: PTX ISA 9.0.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/litmus/Model.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace tessera::litmus {

namespace {

/// A relation of up to 64 events: which events each one comes before.
class Relation {
public:
  explicit Relation(size_t events) : rows(events) {}

  bool has(size_t a, size_t b) const { return rows[a] >> b & 1; }
  void add(size_t a, size_t b) { rows[a] |= uint64_t(1) << b; }
  void add(const Relation &other) {
    for (size_t i = 0; i < rows.size(); ++i)
      rows[i] |= other.rows[i];
  }
  void close() { // Warshall
    for (size_t k = 0; k < rows.size(); ++k)
      for (uint64_t &row : rows)
        if (row >> k & 1)
          row |= rows[k];
  }
  bool hasCycle() const {
    Relation all = *this;
    all.close();
    for (size_t i = 0; i < rows.size(); ++i)
      if (all.has(i, i))
        return true;
    return false;
  }

private:
  std::vector<uint64_t> rows;
};

/// An operation of a thread; the first events are the writes that initialise the locations (8.2.6).
struct Event {
  const Operation *operation = nullptr;
  size_t thread = 0, location = 0;
};

class Executions {
public:
  explicit Executions(const Program &test) : test(test) {
    for (size_t l = 0; l < test.locations.size(); ++l)
      events.push_back({nullptr, 0, l});
    for (size_t t = 0; t < test.threads.size(); ++t)
      for (const Operation &operation : test.threads[t].code)
        if (operation.kind != Operation::Arithmetic)
          events.push_back({&operation, t, operation.location});
    from.assign(events.size(), 0);
    wrote.assign(events.size(), true);
    values.resize(events.size());
    for (Relation *r : {&programOrder, &strong, &barriers, &observation, &synchronizes})
      *r = Relation(events.size());
    relateStatic();
  }

  Result<Verdict> run() {
    constexpr double most = 24;
    if (double bits = choices(); bits > most)
      return fail(Error::TooMany, "2^24", "candidates", cat("2^", uint64_t(bits)));
    std::vector<size_t> reads;
    for (size_t e = inits(); e < events.size(); ++e)
      if (events[e].operation->reads())
        reads.push_back(e);
    chooseSources(reads, 0);
    return std::move(verdict);
  }

  /// How many candidates there are at most, as a power of two.
  double choices() const {
    double bits = double(freeFences.size());
    for (size_t a = inits(); a < events.size(); ++a) {
      size_t sources = 0;
      for (size_t b = 0; b < events.size(); ++b) {
        const bool isWrite = a != b && overlap(a, b) && (isInit(b) || operation(b).writes());
        sources += isWrite;
        bits += isWrite && a < b && operation(a).writes() && !follows(a, b) && strong.has(a, b);
      }
      if (operation(a).reads())
        bits += std::log2(double(sources));
    }
    return bits;
  }

private:
  size_t inits() const { return test.locations.size(); }
  bool isInit(size_t e) const { return e < inits(); }
  const Operation &operation(size_t e) const { return *events[e].operation; }
  bool isMemory(size_t e) const { return isInit(e) || operation(e).isMemory(); }
  bool reads(size_t e) const { return !isInit(e) && operation(e).reads(); }
  /// False for a compare-and-swap that failed.
  bool writes(size_t e) const { return isInit(e) || (operation(e).writes() && wrote[e]); }
  bool isAtomic(size_t e) const { return !isInit(e) && operation(e).kind == Operation::Atomic; }
  bool isStrong(size_t e) const { return !isInit(e) && operation(e).isStrong; }
  bool overlap(size_t a, size_t b) const {
    return isMemory(a) && isMemory(b) && events[a].location == events[b].location;
  }
  bool follows(size_t a, size_t b) const { // 8.9.1
    return !isInit(a) && !isInit(b) && events[a].thread == events[b].thread && a < b;
  }

  /// 8.5: whether the scope of an operation has the thread of the other.
  bool includes(size_t e, size_t other) const {
    const Thread &mine = test.threads[events[e].thread], &its = test.threads[events[other].thread];
    switch (operation(e).scope) {
    case Scope::Cta:
      return mine.block == its.block && mine.cluster == its.cluster && mine.gpu == its.gpu;
    case Scope::Cluster: return mine.cluster == its.cluster && mine.gpu == its.gpu;
    case Scope::Gpu: return mine.gpu == its.gpu;
    case Scope::Sys: return true;
    }
    return false;
  }

  /// 8.7.
  bool areMorallyStrong(size_t a, size_t b) const {
    if (isInit(a) || isInit(b) || a == b || (isMemory(a) && isMemory(b) && !overlap(a, b)))
      return false;
    return events[a].thread == events[b].thread ||
           (isStrong(a) && isStrong(b) && includes(a, b) && includes(b, a));
  }

  //===--- What does not depend on what was read

  struct Release {
    size_t first, write;
  };
  struct Acquire {
    size_t read, last;
  };

  void relateStatic() {
    const size_t n = events.size();
    for (size_t a = inits(); a < n; ++a) {
      for (size_t b = a; b < n; ++b) {
        if (a != b && !follows(a, b))
          continue;
        if (a != b)
          programOrder.add(a, b);
        addPatterns(a, b);
      }
      for (size_t b = inits(); b < n; ++b) {
        if (areMorallyStrong(a, b))
          strong.add(a, b);
        if (a < b && strong.has(a, b) && isSequentialFence(a) && isSequentialFence(b)) {
          if (follows(a, b))
            programFences.push_back({a, b});
          else
            freeFences.push_back({a, b});
        }
      }
    }
    relateBarriers();
  }

  bool isSequentialFence(size_t e) const {
    return operation(e).kind == Operation::Fence && operation(e).isSequential;
  }

  /// 8.8, of operations a and b of a thread, of which b may be a.
  void addPatterns(size_t a, size_t b) {
    const Operation &first = operation(a), &last = operation(b);
    const bool isFence = first.kind == Operation::Fence,
               endsInFence = last.kind == Operation::Fence;
    if (first.releases && last.writes() && last.isStrong &&
        (a == b ? !isFence : isFence || overlap(a, b)))
      releases.push_back({a, b});
    // 8.11.1: a reduction reads, but forms no pattern.
    if (last.acquires && first.reads() && first.isStrong &&
        (a == b ? !endsInFence : !first.isReduction && (endsInFence || overlap(a, b))))
      acquires.push_back({a, b});
  }

  /// 8.9.4, 2 and 3. The n-th operation of each thread on a barrier is of its n-th phase.
  void relateBarriers() {
    auto phaseOf = [&](size_t e, bool isCluster) {
      size_t phase = 0;
      for (size_t other = inits(); other < e; ++other)
        if (follows(other, e))
          phase += isCluster ? operation(other).kind == operation(e).kind
                             : (operation(other).kind == Operation::BarrierSync ||
                                operation(other).kind == Operation::BarrierArrive) &&
                                   operation(other).barrier == operation(e).barrier;
      return phase;
    };
    for (size_t a = inits(); a < events.size(); ++a)
      for (size_t b = inits(); b < events.size(); ++b) {
        const Operation &x = operation(a), &y = operation(b);
        const Thread &mine = test.threads[events[a].thread], &its = test.threads[events[b].thread];
        const bool sameCluster = mine.cluster == its.cluster && mine.gpu == its.gpu;
        const bool arrives = x.kind == Operation::BarrierSync || x.kind == Operation::BarrierArrive;
        if (a != b && arrives && y.kind == Operation::BarrierSync && sameCluster &&
            mine.block == its.block && x.barrier == y.barrier &&
            phaseOf(a, false) == phaseOf(b, false))
          barriers.add(a, b);
        if (x.kind == Operation::ClusterArrive && y.kind == Operation::ClusterWait && x.releases &&
            y.acquires && sameCluster && phaseOf(a, true) == phaseOf(b, true))
          barriers.add(a, b);
      }
  }

  //===--- Candidates

  /// Each read reads from some write of its location.
  void chooseSources(const std::vector<size_t> &all, size_t next) {
    if (next < all.size()) {
      const size_t read = all[next];
      for (size_t w = 0; w < events.size(); ++w)
        if (w != read && overlap(w, read) && (isInit(w) || operation(w).writes())) {
          from[read] = w;
          chooseSources(all, next + 1);
        }
      return;
    }
    ++verdict.candidates;
    if (!evaluate())
      return;
    observe();
    Relation fences(events.size());
    for (auto [a, b] : programFences)
      fences.add(a, b);
    for (uint64_t turned = 0; turned < uint64_t(1) << freeFences.size(); ++turned) {
      Relation ordered = fences;
      for (size_t i = 0; i < freeFences.size(); ++i) {
        auto [a, b] = freeFences[i];
        turned >> i & 1 ? ordered.add(b, a) : ordered.add(a, b);
      }
      if (!ordered.hasCycle()) // 8.9.3
        withFences(ordered);
    }
  }

  /// 8.9.2, and 8.9.4, 4.
  void observe() {
    const size_t n = events.size();
    observation = Relation(n);
    synchronizes = Relation(n);
    for (size_t r = inits(); r < n; ++r)
      if (reads(r) && strong.has(from[r], r))
        observation.add(from[r], r);
    for (size_t z = inits(); z < n; ++z) // through atomic operations
      if (isAtomic(z) && writes(z))
        for (size_t w = inits(); w < n; ++w)
          for (size_t r = inits(); r < n; ++r)
            if (observation.has(w, z) && observation.has(z, r))
              observation.add(w, r);
    for (const Release &x : releases)
      for (const Acquire &y : acquires)
        if (writes(x.write) && observation.has(x.write, y.read) && strong.has(x.first, y.last))
          synchronizes.add(x.first, y.last);
  }

  void withFences(const Relation &fences) {
    const size_t n = events.size();
    Relation base = programOrder; // 8.9.5
    base.add(synchronizes);
    base.add(fences);
    base.add(barriers);
    base.close();
    for (size_t a = inits(); a < n; ++a)
      for (size_t b = inits(); b < n; ++b)
        if (fences.has(a, b) && base.has(b, a))
          return; // 8.10.2
    Relation cause(n);
    for (size_t y = inits(); y < n; ++y)
      for (size_t x = 0; x < n; ++x) {
        if (!overlap(x, y) || x == y)
          continue;
        bool comes = isInit(x) || base.has(x, y);
        for (size_t z = inits(); z < n && !comes; ++z)
          comes = observation.has(x, z) && base.has(z, y);
        if (comes)
          cause.add(x, y);
      }
    // 8.10.6, 1. A read does not read a write that comes after it.
    for (size_t r = inits(); r < n; ++r)
      if (reads(r) && cause.has(r, from[r]))
        return;
    // 8.9.6 and 8.10.1.
    Relation known(n);
    std::vector<std::pair<size_t, size_t>> open;
    for (size_t a = 0; a < n; ++a)
      for (size_t b = 0; b < n; ++b) {
        if (a == b || !overlap(a, b) || !writes(a) || !writes(b))
          continue;
        if (cause.has(a, b))
          known.add(a, b);
        else if (a < b && !cause.has(b, a) && strong.has(a, b))
          open.push_back({a, b});
      }
    for (uint64_t turned = 0; turned < uint64_t(1) << open.size(); ++turned) {
      Relation coherence = known;
      for (size_t i = 0; i < open.size(); ++i) {
        auto [a, b] = open[i];
        turned >> i & 1 ? coherence.add(b, a) : coherence.add(a, b);
      }
      coherence.close();
      if (isAllowed(cause, coherence))
        accept(cause, coherence);
    }
  }

  bool isAllowed(const Relation &cause, const Relation &coherence) const {
    const size_t n = events.size();
    for (size_t e = 0; e < n; ++e)
      if (coherence.has(e, e))
        return false;
    Relation perLocation(n); // 8.10.5, with 8.9.7
    for (size_t a = 0; a < n; ++a)
      for (size_t b = inits(); b < n; ++b) {
        if (a == b || !overlap(a, b))
          continue;
        const bool isRead = reads(b) && from[b] == a,
                   isAfter = writes(a) && writes(b) && coherence.has(a, b),
                   isBefore = reads(a) && writes(b) && coherence.has(from[a], b);
        if (follows(a, b) || (strong.has(a, b) && (isRead || isAfter || isBefore)))
          perLocation.add(a, b);
        // 8.10.6, 2.
        if (reads(b) && writes(a) && cause.has(a, b) && coherence.has(from[b], a))
          return false;
        // 8.10.3: nothing that is morally strong comes between what an atomic operation reads and
        // writes.
        if (isAtomic(b) && writes(b) && writes(a) && strong.has(a, b) &&
            coherence.has(from[b], a) && coherence.has(a, b))
          return false;
      }
    return !perLocation.hasCycle();
  }

  //===--- Values

  static std::optional<uint32_t> computed(std::string_view name, std::optional<uint32_t> a,
                                          std::optional<uint32_t> b, bool isSame) {
    if (isSame && (name == "xor" || name == "sub"))
      return 0;
    if ((name == "and" || name == "mul") && ((a && !*a) || (b && !*b)))
      return 0;
    if (!a || (name != "mov" && !b))
      return std::nullopt;
    if (name == "mov")
      return a;
    return name == "add"   ? *a + *b
           : name == "sub" ? *a - *b
           : name == "mul" ? *a * *b
           : name == "and" ? *a & *b
           : name == "or"  ? *a | *b
                           : *a ^ *b;
  }

  /// PTX ISA 9.7.13.13. `old` may be unknown where the result does not depend on it.
  static std::optional<uint32_t> atomically(std::string_view name, std::optional<uint32_t> old,
                                            std::optional<uint32_t> b, std::optional<uint32_t> c) {
    if (name == "exch")
      return b;
    if (!old || !b || (name == "cas" && !c))
      return std::nullopt;
    if (name == "cas")
      return *old == *b ? *c : *old;
    if (name == "inc")
      return *old >= *b ? 0 : *old + 1;
    if (name == "min" || name == "max")
      return name == "min" ? std::min(*old, *b) : std::max(*old, *b);
    return computed(name, old, b, false);
  }

  /// The values of all writes and registers; false where some of them would follow from themselves
  /// only (8.10.4), or where one reads what was not written.
  bool evaluate() {
    for (size_t e = 0; e < events.size(); ++e) {
      values[e].reset();
      wrote[e] = true;
      if (isInit(e))
        values[e] = test.locations[e].initial;
    }
    for (size_t round = 0; round <= events.size(); ++round) {
      registers.assign(test.threads.size(), {});
      size_t e = inits();
      for (size_t t = 0; t < test.threads.size(); ++t)
        for (const Operation &o : test.threads[t].code) {
          auto &of = registers[t];
          auto value = [&](size_t which) -> std::optional<uint32_t> {
            if (which >= o.operands.size())
              return std::nullopt;
            const Value &v = o.operands[which];
            return v.reg.empty() ? v.number : of[v.reg];
          };
          std::optional<uint32_t> result;
          if (o.kind == Operation::Arithmetic) {
            const bool isSame = o.operands.size() == 2 && !o.operands[0].reg.empty() &&
                                o.operands[0].reg == o.operands[1].reg;
            result = computed(o.name, value(0), value(1), isSame);
          } else {
            if (o.reads())
              result = values[from[e]];
            if (o.kind == Operation::Store)
              values[e] = value(0);
            if (o.kind == Operation::Atomic) {
              values[e] = atomically(o.name, result, value(0), value(1));
              wrote[e] = o.name != "cas" || !result || !value(0) || *result == *value(0);
            }
            ++e;
          }
          if (!o.result.empty())
            of[o.result] = result;
        }
    }
    for (size_t e = inits(); e < events.size(); ++e)
      if ((operation(e).writes() && !values[e]) ||
          (operation(e).reads() && (!values[from[e]] || !writes(from[e]))))
        return false;
    return true;
  }

  void accept(const Relation &cause, const Relation &coherence) {
    const size_t n = events.size();
    for (size_t a = inits(); a < n; ++a) // 8.7.1
      for (size_t b = a + 1; b < n; ++b)
        verdict.hasRace |= overlap(a, b) && (writes(a) || writes(b)) && !strong.has(a, b) &&
                           !cause.has(a, b) && !cause.has(b, a);
    Outcome outcome;
    for (size_t t = 0; t < test.threads.size(); ++t)
      for (std::string_view reg : test.threads[t].registers)
        outcome.push_back(registers[t][reg].value_or(0));
    finish(coherence, std::move(outcome), 0);
  }

  /// Each location has what one of its last writes wrote.
  void finish(const Relation &coherence, Outcome outcome, size_t location) {
    if (location == inits()) {
      verdict.allowed.insert(std::move(outcome));
      return;
    }
    for (size_t w = 0; w < events.size(); ++w) {
      if (!overlap(w, location) || !writes(w))
        continue;
      bool isLast = true;
      for (size_t other = 0; other < events.size(); ++other)
        isLast &= !(overlap(w, other) && writes(other) && coherence.has(w, other));
      if (!isLast)
        continue;
      Outcome more = outcome;
      more.push_back(*values[w]);
      finish(coherence, std::move(more), location + 1);
    }
  }

  const Program &test;
  std::vector<Event> events;
  Relation programOrder{0}, strong{0}, barriers{0};
  std::vector<std::pair<size_t, size_t>> programFences, freeFences; // pairs of fence.sc
  std::vector<Release> releases;
  std::vector<Acquire> acquires;
  // Of the candidate:
  std::vector<size_t> from; // of each read, the write
  std::vector<std::optional<uint32_t>> values;
  std::vector<bool> wrote;
  std::vector<std::map<std::string_view, std::optional<uint32_t>>> registers;
  Relation observation{0}, synchronizes{0};
  Verdict verdict;
};

} // namespace

Result<Verdict> judge(const Program &test) { return Executions(test).run(); }

} // namespace tessera::litmus
