// Products of matrices with small integers as operands: every sum is exact, so that the order of accumulation does not matter.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Job.h"

#include "../../test/atom/Product.h"

namespace tessera::hw {

namespace {

constexpr int repeats = 3;

Job jobOf(const atom::test::Product &product, const std::string &name) {
  Job job;
  job.name = name;
  job.group = product.threads() == 128 ? "Products of warp groups" : "Products of warps";
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
  std::mt19937 random{std::mt19937::result_type(options.seed)};
  for (const atom::MmaRow &row : atom::mmaRows()) {
    bool isGroup = row.recipe == atom::Recipe::Wgmma;
    bool isWarp = row.recipe == atom::Recipe::MmaSync || row.recipe == atom::Recipe::MmaSparse || row.recipe == atom::Recipe::BlockScale ||
                  row.recipe == atom::Recipe::BlockScaleSparse;
    if ((!isGroup && !isWarp) || std::string_view(row.name).find(options.only) == std::string_view::npos)
      continue;
    std::vector<int64_t> widths{row.n.first};
    if (isGroup)
      widths = {row.n.first, 32, row.n.last};
    for (int64_t n : widths)
      for (int selector = 0; selector < std::max(1, int(row.sparsity.selectors)); ++selector)
        for (int repeat = 0; repeat < (isGroup ? 1 : repeats); ++repeat)
          if (row.n.contains(n))
            jobs.push_back(jobOf(atom::test::Product(row, {.n = n, .selector = selector}, random), cat(row.name, " n", n)));
  }
  return jobs;
}

} // namespace tessera::hw
