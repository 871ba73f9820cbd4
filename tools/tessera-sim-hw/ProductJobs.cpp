// Products of matrices: with small integers as operands every sum is exact, so that the order of
// accumulation does not matter; with real numbers ("real") all depends on it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Job.h"

#include "../../test/atom/Product.h"

#include "tessera/sim/Mma.h"

namespace tessera::hw {

namespace {

constexpr int repeats = 3;

Job jobOf(const atom::test::Product &product, const std::string &name) {
  Job job;
  job.name = name;
  job.group = product.threads() == 128 ? "Products of warpgroups" : "Products of warps";
  std::string text = product.kernel("K");
  std::string_view head = ".visible .entry K";
  job.kernel = text.substr(text.find(head) + head.size());
  atom::test::Words input = product.input();
  auto bytes = std::as_bytes(std::span(input));
  job.input = std::make_shared<Bytes>(bytes.begin(), bytes.end());
  job.threads = job.block = uint32_t(product.threads());
  job.outputRecord = uint32_t(4 * product.wordsPerResult());
  for (uint32_t at = 0; at < job.outputRecord; at += 4)
    job.fields.push_back({at, 4, sim::Type::b32, cat("d", at / 4)});
  return job;
}

} // namespace

std::vector<Job> jobsOfProducts(const Options &options) {
  std::vector<Job> jobs;
  for (const atom::MmaRow &row : atom::mmaRows()) {
    bool isGroup = row.recipe == atom::Recipe::Wgmma;
    bool isWarp = row.recipe == atom::Recipe::MmaSync || row.recipe == atom::Recipe::MmaSparse ||
                  row.recipe == atom::Recipe::BlockScale ||
                  row.recipe == atom::Recipe::BlockScaleSparse;
    if (!isGroup && !isWarp)
      continue;
    std::vector<int64_t> widths{row.n.first};
    if (isGroup)
      widths = {row.n.first, 32, row.n.last};
    for (int64_t n : widths)
      for (int selector = 0; selector < std::max(1, int(row.sparsity.selectors)); ++selector)
        for (int repeat = 0; repeat < (isGroup ? 1 : repeats); ++repeat)
          for (bool real : {false, true}) {
            std::string name = cat(row.name, " n", n,
                                   row.sparsity.selectors > 1 ? cat(" selector ", selector) : "",
                                   " #", repeat, real ? " real" : "");
            if (!row.n.contains(n) || (real && !sim::hasKnownSums(row)) ||
                name.find(options.only) == name.npos)
              continue;
            std::seed_seq seed(name.begin(),
                               name.end()); // a job is the same whatever others there are
            std::mt19937 random(seed);
            jobs.push_back(jobOf(
                atom::test::Product(row, {.n = n, .selector = selector}, random, {.real = real}),
                name));
          }
  }
  return jobs;
}

} // namespace tessera::hw
