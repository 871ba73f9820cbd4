// Target: a GPU target such as sm_90a, and Requirement: the targets that have a feature.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tessera/base/Result.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace tessera::atom {

/// The suffix after the number: none (code also runs on later GPUs), `a` (features of this GPU
/// only, no other GPU runs it) or `f` (features of the family, later GPUs of the family run it).
enum class Suffix : uint8_t {
  None,
  A,
  F
};

/// One GPU target that the tool chain (LLVM 22, ptxas 13.0) can compile for.
class Target {
public:
  /// `sm_90a`, `sm_100f`, ...; a reason that lists all targets otherwise.
  static Result<Target> parse(std::string_view);
  /// All targets, by number, then suffix.
  static std::span<const Target> all();

  /// Major * 10 + minor compute capability: 90 for sm_90a.
  int number() const { return smNumber; }
  Suffix suffix() const { return smSuffix; }
  /// The major compute capability; sm_100 and sm_103 are one family, sm_110 is another.
  int family() const { return smNumber / 10; }
  /// Whether it has this GPU's own features or those of its family.
  bool isSpecific() const { return smSuffix != Suffix::None; }

  /// Lowest PTX version that knows the target, as major * 10 + minor: 80 for sm_90a. Older versions
  /// make llc and ptxas refuse the target.
  int minimumPtx() const { return ptx; }
  /// Bytes of shared memory that a block can get after opting in (cudaFuncAttributeMaxDynamic...).
  /// Source: CUDA C++ Programming Guide 13.0, table of technical specifications.
  int64_t maxDynamicShared() const { return int64_t(sharedKiB) * 1024; }
  /// Bytes of shared memory that a kernel can declare statically, on every target.
  static constexpr int64_t maxStaticShared = 48 * 1024;

  std::string str() const;
  friend bool operator==(const Target &a, const Target &b) {
    return a.smNumber == b.smNumber && a.smSuffix == b.smSuffix;
  }

private:
  friend struct TargetTable;
  constexpr Target(int number, Suffix suffix, int ptx, int sharedKiB)
      : smNumber(uint8_t(number)), smSuffix(suffix), ptx(uint8_t(ptx)),
        sharedKiB(uint16_t(sharedKiB)) {}

  uint8_t smNumber;
  Suffix smSuffix;
  uint8_t ptx;
  uint16_t sharedKiB;
};

/// The set of targets that offer an instruction, an atom or a feature: any of up to four clauses.
class Requirement {
public:
  /// Every target with this number or a higher one, whatever its suffix.
  static constexpr Requirement atLeast(int number) { return {{{{Clause::AtLeast, number}}}}; }
  /// sm_<number>a only.
  static constexpr Requirement exactly(int number) { return {{{{Clause::Exactly, number}}}}; }
  /// The a and f targets of the family of `number`, from `number` on: 100 stands for sm_100a,
  /// sm_100f, sm_103a and sm_103f, 103 for the last two.
  static constexpr Requirement family(int number) { return {{{{Clause::Family, number}}}}; }
  /// Met if either is met. Holds four clauses in all.
  friend constexpr Requirement operator|(Requirement a, Requirement b) {
    size_t at = a.size();
    for (size_t i = 0; i < b.size(); ++i)
      a.clauses[at++] = b.clauses[i];
    return a;
  }

  bool metBy(Target) const;
  /// The targets as a phrase to follow "needs": `sm_80 or later`; `sm_100a/f, sm_103a/f or
  /// sm_110a/f`.
  std::string sentence() const;
  /// The targets that meet it, in the order of Target::all().
  std::vector<Target> targets() const;

  friend constexpr bool operator==(const Requirement &, const Requirement &) = default;

private:
  struct Clause {
    enum Kind : uint8_t {
      None,
      AtLeast,
      Exactly,
      Family
    } kind = None;
    uint8_t number = 0;
    constexpr Clause() = default;
    constexpr Clause(Kind kind, int number) : kind(kind), number(uint8_t(number)) {}
    bool metBy(Target) const;
    friend constexpr bool operator==(const Clause &, const Clause &) = default;
  };
  constexpr Requirement(std::array<Clause, 4> clauses) : clauses(clauses) {}
  constexpr size_t size() const {
    size_t count = 0;
    while (count < clauses.size() && clauses[count].kind != Clause::None)
      ++count;
    return count;
  }

  std::array<Clause, 4> clauses;
};

/// The families with a/f targets, as PTX's feature tables name them.
inline constexpr Requirement familySm100 = Requirement::family(100); // sm_100, sm_103
inline constexpr Requirement familySm110 = Requirement::family(110); // sm_110
inline constexpr Requirement familySm120 = Requirement::family(120); // sm_120, sm_121

} // namespace tessera::atom
