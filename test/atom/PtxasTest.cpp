// Every row and instruction with NVIDIA's assembler: accepted exactly where its requirement is met.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Probes.h"
#include "Ptx.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace tessera;
using namespace tessera::atom;
using namespace tessera::atom::test;

namespace {
constexpr const char *noPtxas = "no ptxas in PATH, /usr/local/cuda/bin or $TESSERA_PTXAS";

std::vector<Kernel> kernelsOfRows() {
  std::vector<Kernel> kernels;
  for (const MmaRow &row : mmaRows())
    kernels.push_back(kernelOf(row));
  for (const CopyRow &row : copyRows())
    kernels.push_back(kernelOf(row));
  return kernels;
}

std::vector<Kernel> kernelsOfInstructions() {
  std::vector<Kernel> kernels;
  for (const Probe &probe : probes()) {
    Result<std::vector<const Availability *>> conditions = conditionsOf(probe.instruction);
    if (!conditions) {
      ADD_FAILURE() << probe.instruction << ": " << conditions.reason().text;
      continue;
    }
    Kernel kernel{probe.instruction, cat("  ", probe.before, " ", probe.instruction, "\n"), {}, 60};
    for (const Availability *one : *conditions) {
      kernel.needs.push_back(one->needs);
      kernel.ptx = std::max(kernel.ptx, int(one->ptx));
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

/// Where ptxas 13.0 takes more than the PTX ISA promises; the tables follow the ISA.
struct Laxity {
  std::string_view nameBegin, why;
  bool (*covers)(std::string_view name);
};
bool onlyFp8(std::string_view name) {
  return name.find("e2m") == name.npos && name.find("e3m") == name.npos;
}
bool anyName(std::string_view) { return true; }
constexpr Laxity laxities[] = {
    {"SM120_16x8x32_TN<", "reads kind::f8f6f4 of fp8 types as the plain fp8 product of sm_89",
     onlyFp8},
    {"SM120_SPARSE_16x8x64_TN<", "likewise, with a sparse A", onlyFp8},
    {"SM103_MXF4_ULTRA_", "K = 96 is chosen in the instruction descriptor, which it does not see",
     anyName},
};
bool isLaxity(std::string_view name) {
  return std::any_of(std::begin(laxities), std::end(laxities), [&](const Laxity &laxity) {
    return name.substr(0, laxity.nameBegin.size()) == laxity.nameBegin && laxity.covers(name);
  });
}

struct Verdict {
  int tried = 0, wrong = 0, lax = 0, tooNew = 0;
};

/// Assembles each kernel for every target. Those that meet its requirement must accept it, in the
/// lowest PTX version it states; the others must refuse it in the newest version.
Verdict tryOnAllTargets(const std::vector<Kernel> &kernels) {
  Verdict verdict;
  for (Target target : Target::all()) {
    std::map<int, std::vector<const Kernel *>> legal; // by version
    std::vector<const Kernel *> illegal;
    for (const Kernel &kernel : kernels) {
      if (kernel.ptx > newestPtx())
        verdict.tooNew += target == Target::all()[0];
      else if (kernel.metBy(target))
        legal[std::max(kernel.ptx, target.minimumPtx())].push_back(&kernel);
      else
        illegal.push_back(&kernel);
    }
    for (auto &[version, batch] : legal) {
      std::map<size_t, std::string> refused = assemble(batch, target, version);
      verdict.tried += int(batch.size());
      verdict.wrong += int(refused.size());
      for (auto &[at, why] : refused)
        ADD_FAILURE() << batch[at]->name << " is refused for " << target.str() << " in PTX "
                      << version << "\n"
                      << batch[at]->body << why;
    }
    std::map<size_t, std::string> refused = assemble(illegal, target, newestPtx());
    verdict.tried += int(illegal.size());
    for (size_t i = 0; i < illegal.size(); ++i)
      if (!refused.count(i) && isLaxity(illegal[i]->name)) {
        ++verdict.lax;
      } else if (!refused.count(i)) {
        ++verdict.wrong;
        ADD_FAILURE() << illegal[i]->name << " needs " << illegal[i]->sentence()
                      << ", but ptxas accepts it for " << target.str();
      }
  }
  return verdict;
}

/// PTX versions that ptxas distinguishes.
constexpr int versions[] = {60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75, 76,
                            77, 78, 80, 81, 82, 83, 84, 85, 86, 87, 88, 90};

/// The stated version must be the lowest: the one before is refused for a target that knows it.
int tryOlderVersions(const std::vector<Kernel> &kernels) {
  std::map<std::pair<int, std::string>, std::vector<const Kernel *>> batches;
  for (const Kernel &kernel : kernels) {
    if (kernel.ptx > newestPtx())
      continue;
    const int *stated = std::find(std::begin(versions), std::end(versions), kernel.ptx);
    std::vector<Target> targets = kernel.targets();
    if (targets.empty())
      continue; // TakesEvery... has said so
    Target oldest = targets[0];
    for (Target target : targets)
      if (target.minimumPtx() < oldest.minimumPtx())
        oldest = target;
    if (stated == std::begin(versions) || oldest.minimumPtx() > stated[-1])
      continue;
    batches[{stated[-1], oldest.str()}].push_back(&kernel);
  }
  int tried = 0;
  for (auto &[key, batch] : batches) {
    std::map<size_t, std::string> refused = assemble(batch, *Target::parse(key.second), key.first);
    tried += int(batch.size());
    for (size_t i = 0; i < batch.size(); ++i)
      if (!refused.count(i))
        ADD_FAILURE() << batch[i]->name << " states PTX " << batch[i]->ptx
                      << ", but ptxas accepts it in " << key.first << " for " << key.second;
  }
  return tried;
}

void report(const char *what, size_t kernels, const Verdict &verdict) {
  std::printf(
      "  %s: %zu, tried on %zu targets: %d verdicts, %d against the table, %d laxer than the ISA; "
      "%d need a newer ptxas\n",
      what, kernels, Target::all().size(), verdict.tried, verdict.wrong, verdict.lax,
      verdict.tooNew);
}
} // namespace

TEST(Ptxas, TakesEveryRowWhereItsRequirementIsMet) {
  if (!havePtxas())
    GTEST_SKIP() << noPtxas;
  std::vector<Kernel> kernels = kernelsOfRows();
  report("rows", kernels.size(), tryOnAllTargets(kernels));
}

TEST(Ptxas, TakesEveryInstructionWhereItsConditionsHold) {
  if (!havePtxas())
    GTEST_SKIP() << noPtxas;
  std::vector<Kernel> kernels = kernelsOfInstructions();
  for (const Kernel &kernel : kernels)
    EXPECT_FALSE(kernel.targets().empty()) << kernel.name << " has no target that takes it";
  report("instructions", kernels.size(), tryOnAllTargets(kernels));
}

TEST(Ptxas, RefusesOlderVersions) {
  if (!havePtxas())
    GTEST_SKIP() << noPtxas;
  std::printf("  rows: %d tried in the version before\n", tryOlderVersions(kernelsOfRows()));
  std::printf("  instructions: %d tried in the version before\n",
              tryOlderVersions(kernelsOfInstructions()));
}
