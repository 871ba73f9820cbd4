// Devices and reports for C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/program_capi/Handles.h"
#include "tessera/sanitize/Report.h"

using namespace tessera;
using program_capi::Error;

TesseraDeviceOptions tesseraDeviceDefaultOptions(void) {
  program::DeviceOptions o;
  return {o.timeout,           o.sanitize,           uint32_t(o.maxReports),
          o.limits.lateCopies, o.limits.hostThreads, o.limits.instructions,
          o.limits.globalBytes};
}

TesseraDevice *tesseraDeviceOpen(const char *name, const TesseraDeviceOptions *given,
                                 TesseraError **error) {
  return guarded(error, [&]() -> TesseraDevice * {
    if (!name)
      return refuse(error, fail(Error::NullHandle, "tesseraDeviceOpen", "a name")), nullptr;
    TesseraDeviceOptions o = given ? *given : tesseraDeviceDefaultOptions();
    program::DeviceOptions options{
        .name = name, .timeout = o.timeout, .sanitize = o.sanitize, .maxReports = o.max_reports};
    options.limits.lateCopies = o.late_copies;
    options.limits.hostThreads = o.host_threads;
    options.limits.instructions = o.instructions;
    options.limits.globalBytes = o.global_bytes;
    Result<std::shared_ptr<program::Device>> opened = program::Device::open(options);
    if (!opened)
      return refuse(error, opened.reason()), nullptr;
    std::string hardware = (*opened)->hardware();
    return new TesseraDevice{*std::move(opened), std::move(hardware)};
  });
}
void tesseraDeviceDestroy(TesseraDevice *device) { delete device; }
const char *tesseraDeviceHardware(const TesseraDevice *device) {
  return device ? device->hardware.c_str() : "";
}

//===--- What the sanitizer found

struct TesseraReports {
  std::vector<sanitize::Report> reports;
};

TesseraReports *tesseraDeviceTakeReports(TesseraDevice *device) {
  return guarded(nullptr, [&]() -> TesseraReports * {
    auto taken = std::make_unique<TesseraReports>();
    if (device)
      taken->reports = device->device->takeReports(); // last: what is taken is not there again
    return taken.release();
  });
}
size_t tesseraReportCount(const TesseraReports *reports) {
  return reports ? reports->reports.size() : 0;
}

static TesseraParty partyOf(const sanitize::Party &party) {
  return {party.access.c_str(),      party.block.c_str(),      party.thread.c_str(),
          int64_t(party.place.line), party.place.text.c_str(), party.place.source.c_str()};
}

bool tesseraReport(const TesseraReports *reports, size_t index, TesseraReport *to) {
  if (!to || index >= tesseraReportCount(reports))
    return false;
  const sanitize::Report &report = reports->reports[index];
  *to = {};
  to->rule = report.rule.data(); // a literal of a row, with a 0 at its end
  to->text = report.text.c_str();
  to->kernel = report.kernel.c_str();
  to->space = report.space.c_str();
  to->address = report.address;
  to->buffer_offset = report.buffer ? int64_t(report.buffer->first) : -1;
  to->buffer_bytes = report.buffer ? int64_t(report.buffer->second) : -1;
  to->party = partyOf(report.party);
  to->has_earlier = report.earlier.has_value();
  static const sanitize::Party nobody;
  to->earlier = partyOf(report.earlier ? *report.earlier : nobody);
  return true;
}
void tesseraReportsDestroy(TesseraReports *reports) { delete reports; }
