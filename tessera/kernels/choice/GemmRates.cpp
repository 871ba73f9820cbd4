// Rates that are built in, and files of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/kernels/choice/GemmRates.h"

#include "tessera/kernels/Errors.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tessera;
using namespace tessera::kernels;
using llvm::StringRef;

static const std::vector<GpuRates> &builtIn() {
  static const std::vector<GpuRates> gpus = {
#define GPU(...) {__VA_ARGS__},
#include "tessera/kernels/choice/Gpus.def"
#undef GPU
  };
  return gpus;
}
const GpuRates &kernels::ratesOf(std::string_view name) {
  auto found = std::ranges::find(builtIn(), name, &GpuRates::name);
  return found == builtIn().end() ? builtIn().front() : *found;
}
std::string kernels::knownGpus() {
  std::string names;
  for (const GpuRates &gpu : builtIn())
    names += cat(names.empty() ? "" : " or ", gpu.name);
  return names;
}

GpuRates GpuRates::of(std::string_view other, int multiprocessors) const {
  GpuRates gpu = *this;
  gpu.name = other;
  if (multiprocessors <= 0 || multiprocessors == sms)
    return gpu;
  gpu.sms = multiprocessors;
  for (int &there : gpu.clusters)
    there = std::max(int(int64_t(there) * multiprocessors / sms), 1);
  return gpu;
}

//===--- files --------------------------------------------------------------------------------===//

namespace {
struct Rate {
  StringRef name;
  double GpuRates::*value;
};
constexpr Rate rates[] = {
#define RATE(Name, Who) {#Name, &GpuRates::Name},
#include "tessera/kernels/choice/GemmRates.def"
#undef RATE
};

std::string shown(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", number);
  return text;
}

/// Whether the text is what the name is given: then it is stored.
bool set(GpuRates &gpu, StringRef name, StringRef text) {
  constexpr int most = 1 << 20;
  auto count = [&](StringRef digits, int &to) {
    return !digits.getAsInteger(10, to) && to > 0 && to < most;
  };
  if (name == "gpu")
    return !(gpu.name = text.str()).empty();
  if (name == "multiprocessors")
    return count(text, gpu.sms);
  if (name == "clusters") {
    llvm::SmallVector<StringRef> parts;
    text.split(parts, ' ', -1, /*KeepEmpty=*/false);
    bool good = parts.size() == gpu.clusters.size();
    for (size_t i = 0; good && i < parts.size(); ++i)
      good = count(parts[i], gpu.clusters[i]);
    return good;
  }
  const Rate *rate = std::ranges::find(rates, name, &Rate::name);
  double number = 0;
  if (rate == std::end(rates) || text.getAsDouble(number) || !std::isfinite(number) || number < 0)
    return false;
  gpu.*rate->value = number;
  return true;
}
} // namespace

Result<GpuRates> GpuRates::parse(std::string_view all) {
  GpuRates gpu;
  llvm::StringSet<> seen;
  StringRef text(all.data(), all.size());
  for (int number = 1; !text.empty(); ++number) {
    auto [line, rest] = text.split('\n');
    text = rest;
    line = line.trim();
    if (line.empty() || line.starts_with("#"))
      continue;
    auto [name, value] = line.split('=');
    name = name.trim();
    if (!set(gpu, name, value.trim()))
      return fail(Error::GemmRatesLine, number, line.str());
    if (!seen.insert(name).second)
      return fail(Error::GemmRatesTwice, number, name.str());
  }
  for (StringRef name : {"gpu", "multiprocessors", "clusters"})
    if (!seen.contains(name))
      return fail(Error::GemmRatesMissing, name.str());
  for (const Rate &rate : rates)
    if (!seen.contains(rate.name))
      return fail(Error::GemmRatesMissing, rate.name.str());
  if (!(gpu.sharpness >= 1))
    return fail(Error::GemmRatesSharpness, shown(gpu.sharpness));
  return gpu;
}

std::string GpuRates::str() const {
  std::string text = cat("gpu = ", name, "\nmultiprocessors = ", sms, "\nclusters =");
  for (int there : clusters)
    text += cat(" ", there);
  text += "\n";
  for (const Rate &rate : rates)
    text += cat(std::string_view(rate.name), " = ", shown(this->*rate.value), "\n");
  return text;
}
