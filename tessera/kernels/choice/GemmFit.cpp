// The random search of GemmFit.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/choice/GemmFit.h"

#include "tessera/kernels/Errors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

using namespace tessera;
using namespace tessera::kernels;

static constexpr GemmShape shapes[] = {
    {16, 6144, 4096},   {16, 4608, 3584},   {16, 1368, 2056},   {32, 10240, 8192},
    {32, 2112, 7168},   {64, 4096, 14336},  {64, 7168, 2048},   {64, 28672, 4096},
    {128, 2112, 7168},  {128, 4096, 14336}, {128, 8192, 8192},  {128, 1368, 2056},
    {256, 7168, 2048},  {256, 2112, 7168},  {256, 10240, 8192}, {512, 4608, 3584},
    {512, 3000, 5128},  {512, 28672, 4096}, {1024, 1368, 2056}, {1024, 4096, 14336},
    {2048, 7168, 2048}, {2048, 2112, 7168}, {4096, 4096, 512},  {8192, 8192, 512},
    {8192, 4096, 1024}, {4096, 4096, 4096}, {4096, 6144, 4096},
};
llvm::ArrayRef<GemmShape> kernels::calibrationShapes() { return shapes; }

std::vector<GemmSchedule> kernels::calibrationSchedules(const GemmConfig &c, const GemmShape &shape,
                                                        const GpuRates &gpu, int limit) {
  std::vector<GemmSchedule> chosen;
  constexpr ptrdiff_t alike = 2;
  for (const GemmEstimate &plan : plans(c, shape, gpu)) {
    const GemmSchedule &s = plan.schedule;
    auto isLike = [&](const GemmSchedule &o) {
      return o.swap == s.swap && o.pingpong == s.pingpong && o.tileM == s.tileM &&
             o.tileN == s.tileN && o.splitK == s.splitK;
    };
    if (int(chosen.size()) < limit && std::ranges::count_if(chosen, isLike) < alike)
      chosen.push_back(s);
  }
  return chosen;
}

Result<std::vector<GemmTimed>> kernels::timesOf(const GemmTable &table, const GemmConfig &like) {
  std::vector<GemmTimed> times;
  for (const GemmRow &row : table.rows) {
    GemmTimed timed{like, row.shape, 0};
    timed.config.a = row.a, timed.config.b = row.b;
    row.schedule.applyTo(timed.config);
    llvm::StringRef comment = row.comment;
    double milliseconds = 0;
    bool read = comment.contains(" ms") && !comment.split(" ms").first.getAsDouble(milliseconds);
    if (!read || !(milliseconds > 0))
      return fail(Error::GemmTime, row.shape.str(), row.schedule.str());
    if (std::optional<Reason> why = refused(timed.config))
      return *why;
    timed.microseconds = milliseconds * 1e3;
    times.push_back(std::move(timed));
  }
  return times;
}

namespace {
/// Times by shape.
using Groups = std::map<std::tuple<int64_t, int64_t, int64_t>, std::vector<const GemmTimed *>>;
Groups byShape(llvm::ArrayRef<GemmTimed> times) {
  Groups groups;
  for (const GemmTimed &timed : times)
    groups[{timed.shape.m, timed.shape.n, timed.shape.k}].push_back(&timed);
  return groups;
}

struct OfShape {
  double squares = 0, cost = 0; // a mean, and a logarithm
};
OfShape ofShape(const GpuRates &rates, llvm::ArrayRef<const GemmTimed *> times, double most) {
  OfShape of;
  const GemmTimed *chosen = nullptr, *best = times.front();
  double least = 0;
  for (const GemmTimed *timed : times) {
    double estimated = estimate(timed->config, timed->shape, rates).total;
    double away = std::min(std::abs(std::log(estimated / timed->microseconds)), most);
    of.squares += away * away / double(times.size());
    if (!chosen || estimated < least)
      chosen = timed, least = estimated;
    if (timed->microseconds < best->microseconds)
      best = timed;
  }
  of.cost = std::log(chosen->microseconds / best->microseconds);
  return of;
}

double loss(const GpuRates &rates, const Groups &groups) {
  constexpr double most = 0.5; // one time that the model has no idea of does not lead the search
  double sum = 0;
  for (const auto &[shape, times] : groups) {
    OfShape of = ofShape(rates, times, most);
    sum += of.squares + of.cost / 4;
  }
  return sum / double(groups.size());
}

/// The numbers that the search changes.
enum class Who {
  Given,
  Fitted
};
struct Number {
  double GpuRates::*value;
  Who who;
};
constexpr Number all[] = {
#define RATE(Name, Set) {&GpuRates::Name, Who::Set},
#include "tessera/kernels/choice/GemmRates.def"
#undef RATE
};
std::vector<double GpuRates::*> numbers() {
  std::vector<double GpuRates::*> found;
  for (const Number &number : all)
    if (number.who == Who::Fitted)
      found.push_back(number.value);
  return found;
}
} // namespace

GemmFitness kernels::fitnessOf(const GpuRates &rates, llvm::ArrayRef<GemmTimed> times) {
  GemmFitness fitness;
  Groups groups = byShape(times);
  for (const auto &[shape, of] : groups) {
    OfShape one = ofShape(rates, of, std::numeric_limits<double>::infinity());
    fitness.error += one.squares / double(groups.size());
    fitness.cost += one.cost / double(groups.size());
    fitness.most = std::max(fitness.most, one.cost);
  }
  fitness.error = std::sqrt(fitness.error), fitness.shapes = groups.size();
  return fitness;
}

GpuRates kernels::fitted(const GpuRates &start, llvm::ArrayRef<GemmTimed> times, int tries) {
  Groups groups = byShape(times);
  if (groups.empty())
    return start;
  std::minstd_rand random(1);
  auto uniform = [&] { return double(random()) / double(std::minstd_rand::max()); };
  constexpr double away = 4; // what was timed may not need a number, which others do
  const std::vector<double GpuRates::*> fits = numbers();
  GpuRates best = start;
  double least = loss(best, groups);
  for (int i = 0; i < tries; ++i) {
    GpuRates next = best;
    double width = std::pow(10.0, -2.2 * uniform());
    int changes = 1 + int(3 * uniform());
    for (int change = 0; change < changes; ++change) {
      double GpuRates::*number = fits[size_t(uniform() * 0.999 * double(fits.size()))];
      double most = start.*number * away, least = start.*number / away;
      next.*number = std::clamp(next.*number * std::exp((2 * uniform() - 1) * width), least, most);
    }
    next.sharpness = std::max(next.sharpness, 1.0);
    if (double here = loss(next, groups); here < least)
      best = next, least = here;
  }
  return best;
}
