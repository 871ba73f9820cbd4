// Every function of tessera-c/Tessera.h where memory runs out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading a file takes hundreds of thousands of allocations, in LLVM and MLIR too. So each failing
// one has a process of its own, and of many allocations some are tried: the first 40, the last 10,
// and between them those whose numbers grow by a factor; TESSERA_LONG takes a smaller factor, and
// ready kernels, which are loaded as files are, a larger one. A
// call that fails says OutOfMemory; the process goes on, and the same call then gives what it
// gives otherwise. One exception, of which at most 2 in 100 tries may be: where memory runs out in
// the constructor of MLIRContext, MLIR may leave an entry of a cache of the thread without its
// value (ThreadLocalCache.h), and the next file that the thread loads ends the process there.
#include "Faults.h"
#include "tessera-c/Tessera.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tessera::test;

namespace {

struct Api {
  using Error = TesseraError;
  static const char *id(const Error *error) { return tesseraErrorId(error); }
  static const char *text(const Error *error) { return tesseraErrorText(error); }
  static void destroy(Error *error) { tesseraErrorDestroy(error); }
  static void giveBack(TesseraDevice *made) { tesseraDeviceDestroy(made); }
  static void giveBack(TesseraProgram *made) { tesseraProgramDestroy(made); }
  static void giveBack(char *made) { tesseraTextDestroy(made); }
  static void giveBack(bool) {}
};

void expect(bool good, const char *what) {
  if (!good)
    wrong(what, "is not so");
}

/// The kernel of the README, `y[i] = 2 * x[i]` for 256 threads.
std::string readme(const char *path) {
  std::stringstream all;
  all << std::ifstream(path).rdbuf();
  std::string text = all.str();
  size_t begin = text.find("```mlir\n") + 8;
  return text.substr(begin, text.find("```", begin) - begin);
}

struct Vector {
  float data[256];
  int64_t extent = 256;
  TesseraTensor tensor{data, 1, 0, 1, 2, 32, 1, &extent, nullptr, 0};
};

/// How many allocations f() makes.
long allocationsOf(const std::function<void()> &f) {
  long n = 1 << 30;
  failAllocation(n);
  f();
  long left = allocationsLeftOver();
  failAllocation(0);
  return n - left;
}

/// The numbers that are tried. A factor of 2 or more is for what ends as another call does.
std::set<long> chosen(long count, double factor) {
  const long first = factor < 2 ? 40 : 4;
  std::set<long> out;
  for (long n = 1; n <= std::min(count, first); ++n)
    out.insert(n), out.insert(count + 1 - std::min(n, 10L));
  for (auto n = double(first); n < double(count); n *= factor)
    out.insert(long(n));
  return out;
}

/// f(&error) in a process of its own with one allocation failing; then again with none, which
/// `right` checks.
template <class F, class Right>
void inChildren(const char *what, F f, Right right, double factor = 1.3) {
  auto whole = [&] {
    TesseraError *error = nullptr;
    auto result = f(&error);
    expect(bool(result) && !error, what);
    right(result);
    Api::giveBack(result);
  };
  whole(); // what is made once is there
  long count = allocationsOf([&] {
    TesseraError *error = nullptr;
    Api::giveBack(f(&error));
  });
  int ended = 0, tried = 0, later = 0;
  auto *goesOn = static_cast<bool *>(
      mmap(nullptr, sizeof(bool), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  for (long n : chosen(count, std::getenv("TESSERA_LONG") ? 1.02 : factor)) {
    *goesOn = false;
    pid_t child = fork();
    if (child == 0) {
      alarm(120);
      TesseraError *error = nullptr;
      failAllocation(n);
      auto result = f(&error);
      bool failed = allocationFailed();
      failAllocation(0);
      if (!result && std::strcmp(Api::id(error), "OutOfMemory") != 0)
        wrong(what, Api::text(error));
      expect(!(result && error) && (result || failed), what);
      Api::destroy(error);
      if (result)
        Api::giveBack(result);
      *goesOn = true;
      whole();
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    ++tried;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
      continue;
    std::fprintf(stderr, "%s: allocation %ld of %ld: %s\n", what, n, count,
                 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "see above");
    ++(*goesOn && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV ? later : ended);
  }
  munmap(goesOn, sizeof(bool));
  std::printf("%s: %d of %ld allocations, %d ended the process later\n", what, tried, count, later);
  std::fflush(stdout);
  if (ended || later * 50 > tried)
    wrong(what, "the process ended");
}

/// An open file that goes with this.
struct Closed {
  int number;
  std::string path;
  ~Closed() {
    ::close(number);
    ::unlink(path.c_str());
  }
};

void readyKernels(TesseraDevice *device) {
  auto makes = [](const char *name) {
    return [name](const TesseraProgram *program) {
      expect(tesseraProgramKernelCount(program) > 1, name); // its host function and the kernels
    };
  };
  TesseraRows rows = {"softmax", "f32", nullptr, nullptr, 256, 0};
  inChildren(
      "tesseraProgramRows",
      [&](TesseraError **e) { return tesseraProgramRows(device, &rows, nullptr, e); },
      makes("rows"), 2);
  TesseraGemm gemm = {256, 256, 64, "f16", "f16", "f16", nullptr, false, nullptr, 0};
  inChildren(
      "tesseraProgramGemm",
      [&](TesseraError **e) { return tesseraProgramGemm(device, &gemm, nullptr, e); },
      makes("a product"), 3);
  TesseraAttention few = {};
  few.element = "f16", few.head_dim = 64, few.groups = 8, few.workspace = true;
  inChildren(
      "tesseraProgramAttention",
      [&](TesseraError **e) { return tesseraProgramAttention(device, &few, nullptr, e); },
      makes("attention"), 3);
  TesseraAttentionBackward backward = {};
  backward.element = "f16", backward.head_dim = 64;
  inChildren(
      "tesseraProgramAttentionBackward",
      [&](TesseraError **e) {
        return tesseraProgramAttentionBackward(device, &backward, nullptr, e);
      },
      makes("gradients"), 3);
  int64_t floats = -1, counters = -1;
  exhausted<Api>("tesseraAttentionWorkspace", [&](TesseraError **e) {
    return tesseraAttentionWorkspace(&few, 8, &floats, &counters, e);
  });
  expect(floats >= 0 && counters >= 0, "a workspace");
}

/// A kernel whose threads race, so that there are reports.
void reports() {
  const char *text = ".version 8.0\n.target sm_80\n.address_size 64\n"
                     ".visible .entry race(.param .u64 p) {\n.reg .b64 d;\n.reg .b32 r;\n"
                     "ld.param.u64 d, [p];\nmov.u32 r, %tid.x;\nst.global.u32 [d], r;\nret;\n}\n";
  TesseraDeviceOptions sanitizing = tesseraDeviceDefaultOptions();
  sanitizing.host_threads = 1, sanitizing.sanitize = true;
  TesseraError *none = nullptr;
  TesseraDevice *device = tesseraDeviceOpen("sim", &sanitizing, &none);
  TesseraProgram *program =
      tesseraProgramRead(device, text, std::strlen(text), "race.ptx", nullptr, &none);
  if (!program)
    wrong("a race", Api::text(none));
  Vector numbers;
  TesseraArgument argument = {};
  argument.value.tensor = &numbers.tensor;
  TesseraLaunch launch = {{1, 1, 1}, {64, 1, 1}, {0, 0, 0}, 0};
  for (long n = 1;; ++n) { // it has no error to fill: NULL, and the reports are there the next time
    TesseraError *error = nullptr;
    if (tesseraProgramCall(program, 0, &argument, 1, &launch, nullptr, &error))
      wrong("a race", "is not an error");
    tesseraErrorDestroy(error);
    failAllocation(n);
    TesseraReports *taken = tesseraDeviceTakeReports(device);
    const bool failed = allocationFailed();
    failAllocation(0);
    expect(failed || taken, "reports without a failure");
    if (!taken)
      taken = tesseraDeviceTakeReports(device);
    expect(tesseraReportCount(taken) > 0, "reports");
    TesseraReport one;
    failAllocation(1);
    expect(tesseraReport(taken, 0, &one) && !allocationFailed(), "a report takes no memory");
    failAllocation(0);
    expect(std::strlen(one.text) && !std::strcmp(one.kernel, "race"), "a report");
    tesseraReportsDestroy(taken);
    if (!failed)
      break;
  }
  tesseraProgramDestroy(program);
  tesseraDeviceDestroy(device);
}

} // namespace

int main(int, char **argv) {
  setenv("TESSERA_CACHE_DIR", "", 1);
  std::string text = readme(argv[1]);
  TesseraDeviceOptions one = tesseraDeviceDefaultOptions();
  one.host_threads = 1;
  TesseraDevice *device = exhausted<Api>(
      "device", [&](TesseraError **error) { return tesseraDeviceOpen("sim", &one, error); });
  TesseraLoadOptions options{};
  options.arch = "sm_80";
  auto read = [&](TesseraError **error) {
    return tesseraProgramRead(device, text.data(), text.size(), "twice.mlir", &options, error);
  };
  Vector x, y;
  TesseraArgument arguments[2] = {};
  arguments[0].value.tensor = &x.tensor;
  arguments[1].value.tensor = &y.tensor;
  auto numbers = [&](TesseraProgram *program) {
    for (int i = 0; i < 256; ++i)
      x.data[i] = float(i), y.data[i] = -1;
    TesseraError *error = nullptr;
    bool done = tesseraProgramCall(program, 0, arguments, 2, nullptr, nullptr, &error);
    if (!done)
      wrong("a call", Api::text(error));
    for (int i = 0; i < 256; ++i)
      expect(y.data[i] == float(2 * i), "the numbers");
  };
  inChildren("tesseraProgramRead", read, numbers);
  // Where another process compiles, memory runs out in this one.
  options.compile_timeout = 600;
  inChildren(
      "tesseraProgramRead with a limit of time",
      [&](TesseraError **error) {
        TesseraProgram *made = read(error);
        expect(waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD, "no child stays");
        return made;
      },
      numbers);
  options.compile_timeout = 0;
  std::string file = "/tmp/tessera-hardening-XXXXXX";
  Closed made{::mkstemp(file.data()), file};
  expect(::write(made.number, text.data(), text.size()) == ssize_t(text.size()), "a file");
  inChildren(
      "tesseraProgramLoad",
      [&](TesseraError **error) {
        return tesseraProgramLoad(device, file.c_str(), &options, error);
      },
      numbers, 2);
  inChildren(
      "tesseraPrintIr",
      [&](TesseraError **error) {
        return tesseraPrintIr(text.data(), text.size(), "twice.mlir", &options, error);
      },
      [](const char *ir) { expect(std::strstr(ir, "cuda.kernel @twice"), "the IR"); });
  readyKernels(device);
  reports();

  TesseraError *none = nullptr;
  TesseraProgram *program = read(&none);
  size_t found = 0;
  TesseraKernel kernel;
  TesseraParameter parameter;
  exhausted<Api>("find", [&](auto **e) { return tesseraProgramFind(program, "twice", &found, e); });
  exhausted<Api>("kernel", [&](auto **e) { return tesseraProgramKernel(program, 1, &kernel, e); });
  exhausted<Api>("parameter",
                 [&](auto **e) { return tesseraProgramParameter(program, 0, 0, &parameter, e); });
  size_t bytes = 0;
  if (tesseraProgramCodeCount(program) != 1 || !tesseraProgramCode(program, 0, &bytes) || !bytes)
    wrong("code", "is not there");
  TesseraOccupancy occupancy;
  TesseraError *refused = nullptr; // there is no GPU; what must not be is an end of the process
  if (tesseraProgramOccupancy(program, 1, 256, 0, &occupancy, &refused) ||
      std::string(tesseraErrorId(refused)) != "OccupancyWithoutGpu")
    wrong("occupancy", "without a GPU");
  tesseraErrorDestroy(refused);
  inChildren(
      "tesseraProgramCall",
      [&](TesseraError **e) {
        return tesseraProgramCall(program, 0, arguments, 2, nullptr, nullptr, e);
      },
      [&](bool) { numbers(program); });
  TesseraLaunch launch = {{1, 1, 1}, {256, 1, 1}, {0, 0, 0}, 0};
  inChildren(
      "a launch",
      [&](TesseraError **e) {
        return tesseraProgramCall(program, 1, arguments, 2, &launch, nullptr, e);
      },
      [&](bool) { numbers(program); });
  exhausted<Api>("synchronize",
                 [&](auto **e) { return tesseraProgramSynchronize(program, nullptr, e); });
  for (long n = 1; n < 20; ++n) { // these have no error to fill
    failAllocation(n);
    TesseraReports *reports = tesseraDeviceTakeReports(device);
    (void)tesseraProgramArch(program);
    (void)tesseraProgramWarnings(program);
    (void)tesseraProgramKernelCount(program);
    (void)tesseraDeviceHardware(device);
    tesseraReportsDestroy(reports);
    failAllocation(0);
  }
  TesseraError *error = nullptr;
  TesseraValue *layout = tesseraParse("(8,4):(4,1)", &error);
  tesseraTextDestroy(
      exhausted<Api>("draw", [&](auto **e) { return tesseraDraw(layout, "svg", e); }));
  tesseraDestroy(layout);
  tesseraProgramDestroy(program);
  tesseraDeviceDestroy(device);
}
