// Every function of tessera-c/Sim.h where memory or threads run out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Faults.h"
#include "tessera-c/Sim.h"

#include <string>
#include <vector>

using namespace tessera::test;

namespace {

struct Api {
  using Error = TesseraSimError;
  static const char *id(const Error *error) { return tesseraSimErrorId(error); }
  static const char *text(const Error *error) { return tesseraSimErrorText(error); }
  static void destroy(Error *error) { tesseraSimErrorDestroy(error); }
  static void giveBack(TesseraSimProgram *made) { tesseraSimProgramDestroy(made); }
  static void giveBack(TesseraSimMachine *made) { tesseraSimMachineDestroy(made); }
  static void giveBack(TesseraSimModule *made) { tesseraSimModuleDestroy(made); }
  static void giveBack(TesseraSimStream *made) { tesseraSimStreamDestroy(made); }
  static void giveBack(TesseraSimEvent *made) { tesseraSimEventDestroy(made); }
  static void giveBack(TesseraSimReports *made) { tesseraSimReportsDestroy(made); }
  static void giveBack(const char *) {}
  static void giveBack(bool) {}
};

// Calls with a stack, a barrier, output, malloc, and a write of what each thread computes.
const char text[] = R"(.version 8.0
.target sm_90
.address_size 64
.global .u32 factor = 3;
.global .align 1 .b8 words[4] = {37, 100, 10, 0};
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.extern .func (.param .b64 result) malloc(.param .b64 size);
.func (.reg .u32 %out) square(.reg .u32 %in) {
  .local .align 8 .b8 room[64];
  st.local.u32 [room], %in;
  ld.local.u32 %in, [room];
  mul.lo.u32 %out, %in, %in;
  ret;
}
.visible .entry k(.param .u64 to) {
  .local .align 8 .b8 depot[16];
  .shared .align 8 .b8 tile[256];
  .reg .b32 %r<8>;
  .reg .b64 %d<8>;
  .reg .pred %p<2>;
  ld.param.u64 %d1, [to];
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  mad.lo.u32 %r1, %r1, 32, %r2;
  bar.sync 0;
  call (%r3), square, (%r1);
  mad.wide.u32 %d1, %r1, 4, %d1;
  st.global.u32 [%d1], %r3;
  setp.ne.u32 %p1, %r2, 0;
  @%p1 bra done;
  st.local.u32 [depot], %r3;
  mov.u64 %d2, depot;
  cvta.local.u64 %d2, %d2;
  mov.u64 %d3, words;
  { .param .b64 a; .param .b64 b; .param .b32 c;
    st.param.b64 [a], %d3; st.param.b64 [b], %d2;
    call (c), vprintf, (a, b); }
  { .param .b64 a; .param .b64 b;
    st.param.b64 [a], 64;
    call (b), malloc, (a); }
done:
  ret;
}
)";

void expect(bool good, const char *what) {
  if (!good)
    wrong(what, "is not so");
}

/// Streams, events, tensor maps and reports of a machine whose kernel writes squares.
void everyQueue(TesseraSimMachine *machine, TesseraSimModule *module, uint64_t to) {
  TesseraSimStream *stream = exhausted<Api>(
      "stream", [&](auto **error) { return tesseraSimStreamCreate(machine, error); });
  TesseraSimEvent *event =
      exhausted<Api>("event", [&](auto **error) { return tesseraSimEventCreate(machine, error); });
  exhausted<Api>("seed", [&](auto **error) { return tesseraSimSeedStreams(machine, 3, error); });
  TesseraSimLaunch launch = {{8, 1, 1}, {32, 1, 1}, {0, 0, 0}, 1024};
  const void *arguments[] = {&to};
  uint32_t zero = 0, got[32 * 8] = {};
  exhausted<Api>("queue a copy", [&](auto **error) {
    return tesseraSimStreamWrite(stream, to, &zero, sizeof(zero), error);
  });
  exhausted<Api>("queue a launch", [&](auto **error) {
    return tesseraSimStreamLaunch(stream, module, "k", &launch, arguments, 1, error);
  });
  exhausted<Api>("record",
                 [&](auto **error) { return tesseraSimStreamRecord(stream, event, error); });
  exhausted<Api>("wait", [&](auto **error) { return tesseraSimStreamWait(stream, event, error); });
  exhausted<Api>("queue a copy back", [&](auto **error) {
    return tesseraSimStreamRead(stream, got, to, sizeof(got), error);
  });
  expect(tesseraSimEventSynchronize(event, nullptr), "all before an event is done");
  expect(tesseraSimStreamSynchronize(stream, nullptr), "all of a stream is done");
  expect(tesseraSimSynchronize(machine, nullptr), "all is done");
  for (uint32_t i = 0; i < 32 * 8; ++i)
    expect(got[i] == i * i, "the numbers of the launch in a stream");
  // Where memory runs out in the middle, what is queued is lost, and the next one works.
  for (long n = 1; n < 40; ++n) {
    (void)tesseraSimStreamLaunch(stream, module, "k", &launch, arguments, 1, nullptr);
    TesseraSimError *error = nullptr;
    failAllocation(n);
    bool ran = tesseraSimStreamSynchronize(stream, &error);
    failAllocation(0);
    if (!ran && std::string(tesseraSimErrorId(error)) != "OutOfMemory")
      wrong("a stream without memory", tesseraSimErrorText(error));
    tesseraSimErrorDestroy(error);
  }
  TesseraSimTensorMap map = {};
  map.type = "UINT32", map.rank = 1, map.address = to, map.extents[0] = 64, map.box[0] = 32;
  unsigned char image[128];
  exhausted<Api>("tensor map",
                 [&](auto **error) { return tesseraSimTensorMapEncode(&map, image, error); });
  exhausted<Api>("name",
                 [&](auto **error) { return tesseraSimName(machine, to, "squares", error); });
  // One error instead of those of all launches without memory.
  tesseraSimReportsDestroy(tesseraSimTakeReports(machine, nullptr));
  const uint64_t nowhere = 64;
  const void *wrongArguments[] = {&nowhere};
  expect(!tesseraSimLaunch(module, "k", &launch, wrongArguments, 1, nullptr), "out of bounds");
  TesseraSimReports *reports = exhausted<Api>(
      "reports", [&](auto **error) { return tesseraSimTakeReports(machine, error); });
  for (const char *format : {"json", "sarif", "junit"})
    exhausted<Api>(
        format, [&](auto **error) { return tesseraSimReportsAs(reports, format, "k.ptx", error); });
  TesseraSimReport report;
  expect(tesseraSimReport(reports, 0, &report) && report.rule == std::string("OutOfBounds"),
         "the error");
  expect(!tesseraSimReport(reports, tesseraSimReportCount(reports), &report), "no more reports");
  tesseraSimReportsDestroy(reports);
  tesseraSimEventDestroy(event);
  failAllocation(1);
  tesseraSimStreamDestroy(stream);
  failAllocation(0);
}

/// Reports that could not be taken are there the next time.
void everyReport() {
  const std::string race = ".version 8.0\n.target sm_80\n.address_size 64\n"
                           ".visible .entry race(.param .u64 p) {\n.reg .b64 d;\n.reg .b32 r;\n"
                           "ld.param.u64 d, [p];\nmov.u32 r, %tid.x;\nst.global.u32 [d], r;\n"
                           "ret;\n}\n";
  TesseraSimProgram *program = tesseraSimProgramParse(race.c_str(), race.size(), nullptr);
  TesseraSimLimits limits = tesseraSimDefaultLimits();
  limits.sanitize = true;
  TesseraSimMachine *machine = tesseraSimMachineCreate(&limits, nullptr);
  TesseraSimModule *module = tesseraSimModuleLoad(machine, program, nullptr);
  uint64_t to = 0;
  expect(tesseraSimAllocate(machine, 4, &to, nullptr), "memory");
  TesseraSimLaunch launch = {{1, 1, 1}, {64, 1, 1}, {0, 0, 0}, 0};
  const void *arguments[] = {&to};
  bool failed = true;
  for (long n = 1; failed; ++n) {
    expect(!tesseraSimLaunch(module, "race", &launch, arguments, 1, nullptr), "a race");
    TesseraSimError *error = nullptr;
    failAllocation(n);
    TesseraSimReports *reports = tesseraSimTakeReports(machine, &error);
    failed = allocationFailed();
    failAllocation(0);
    expect(reports || std::string(tesseraSimErrorId(error)) == "OutOfMemory", "an error");
    tesseraSimErrorDestroy(error);
    if (!reports)
      reports = tesseraSimTakeReports(machine, nullptr);
    TesseraSimReport report;
    expect(tesseraSimReport(reports, 0, &report), "a report");
    expect(report.rule == std::string("Race") && report.kernel == std::string("race"), "its rule");
    tesseraSimReportsDestroy(reports);
  }
  tesseraSimModuleDestroy(module);
  tesseraSimMachineDestroy(machine);
  tesseraSimProgramDestroy(program);
}

/// All that a program does with a machine; each function with every allocation of it failing once.
void everyAllocation(bool sanitize, uint32_t threads) {
  TesseraSimProgram *program = exhausted<Api>(
      "parse", [](auto **error) { return tesseraSimProgramParse(text, sizeof(text) - 1, error); });
  TesseraSimParameter parameter;
  exhausted<Api>("parameter", [&](auto **error) {
    return tesseraSimParameter(program, "k", 0, &parameter, error);
  });
  TesseraSimLimits limits = tesseraSimDefaultLimits();
  limits.host_threads = threads;
  limits.sanitize = sanitize;
  TesseraSimMachine *machine = exhausted<Api>(
      "machine", [&](auto **error) { return tesseraSimMachineCreate(&limits, error); });
  TesseraSimModule *module = exhausted<Api>(
      "module", [&](auto **error) { return tesseraSimModuleLoad(machine, program, error); });
  uint64_t to = 0, factor = 0;
  exhausted<Api>("allocate",
                 [&](auto **error) { return tesseraSimAllocate(machine, 4 * 32 * 8, &to, error); });
  exhausted<Api>("symbol",
                 [&](auto **error) { return tesseraSimSymbol(module, "factor", &factor, error); });
  uint32_t three = 3, squares[32 * 8];
  exhausted<Api>("write", [&](auto **error) {
    return tesseraSimWrite(machine, factor, &three, sizeof(three), error);
  });
  TesseraSimLaunch launch = {{8, 1, 1}, {32, 1, 1}, {0, 0, 0}, 1024};
  const void *arguments[] = {&to};
  exhausted<Api>("launch", [&](auto **error) {
    return tesseraSimLaunch(module, "k", &launch, arguments, 1, error);
  });
  exhausted<Api>("read", [&](auto **error) {
    return tesseraSimRead(machine, squares, to, sizeof(squares), error);
  });
  for (uint32_t i = 0; i < 32 * 8; ++i)
    expect(squares[i] == i * i, "the numbers of the launch that went through");
  everyQueue(machine, module, to);
  for (long n = 1; n < 8; ++n) { // these have no error to fill
    failAllocation(n);
    (void)tesseraSimTakeOutput(machine);
    (void)tesseraSimLastLaunch(machine);
    (void)tesseraSimKernelCount(program);
    (void)tesseraSimKernelName(program, 0);
    (void)tesseraSimParameterCount(program, "k");
    TesseraSimError *error = nullptr;
    (void)tesseraSimFree(machine, 12345, &error); // refused; where memory runs out, for that
    tesseraSimErrorDestroy(error);
    failAllocation(0);
  }
  exhausted<Api>("free", [&](auto **error) { // once it is free, it cannot be freed again
    return to ? tesseraSimFree(machine, to, error) && (to = 0, true) : true;
  });
  failAllocation(1);
  tesseraSimModuleDestroy(module);
  tesseraSimMachineDestroy(machine);
  tesseraSimProgramDestroy(program);
  failAllocation(0);
}

/// A launch of which the n-th thread cannot be started says so, and the next one works.
void everyThread() {
  TesseraSimLimits limits = tesseraSimDefaultLimits();
  limits.host_threads = 4;
  TesseraSimProgram *program = tesseraSimProgramParse(text, sizeof(text) - 1, nullptr);
  TesseraSimMachine *machine = tesseraSimMachineCreate(&limits, nullptr);
  TesseraSimModule *module = tesseraSimModuleLoad(machine, program, nullptr);
  uint64_t to = 0;
  expect(tesseraSimAllocate(machine, 4 * 32 * 8, &to, nullptr), "memory");
  TesseraSimLaunch launch = {{8, 1, 1}, {32, 1, 1}, {0, 0, 0}, 0};
  const void *arguments[] = {&to};
  for (long n = 1; n <= 4; ++n) {
    TesseraSimError *error = nullptr;
    failThread(n);
    bool ran = tesseraSimLaunch(module, "k", &launch, arguments, 1, &error);
    failThread(0);
    expect(ran == (n == 4), "three threads help the caller's");
    if (!ran && std::string(tesseraSimErrorId(error)) != "OutOfThreads")
      wrong("without threads", tesseraSimErrorText(error));
    tesseraSimErrorDestroy(error);
  }
  tesseraSimModuleDestroy(module);
  tesseraSimMachineDestroy(machine);
  tesseraSimProgramDestroy(program);
}

/// Memory that could not be given counts no more: all that a machine may hold is given after it.
void everyByte(bool sanitize) {
  TesseraSimLimits limits = tesseraSimDefaultLimits();
  limits.global_bytes = 1024;
  limits.sanitize = sanitize;
  TesseraSimMachine *machine = tesseraSimMachineCreate(&limits, nullptr);
  uint64_t at = 0;
  exhausted<Api>("all that it may hold",
                 [&](auto **error) { return tesseraSimAllocate(machine, 1024, &at, error); });
  expect(tesseraSimFree(machine, at, nullptr), "memory that was given is freed");
  tesseraSimMachineDestroy(machine);
}

} // namespace

int main() {
  everyByte(false);
  everyByte(true);
  everyThread();
  everyReport();
  everyAllocation(false, 4);
  everyAllocation(true, 1);
}
