// Streams, events, host functions and capture.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/cuda_driver/Api.h"
#include "tessera/cuda_driver/Captures.h"
#include "tessera/cuda_driver/Driver.h"

#include <algorithm>
#include <cstring>
#include <span>

using namespace tessera::cuda_driver;

namespace {

/// For functions that take a stream.
template <class Body> Code onStream(Stream *handle, Body &&body) {
  return call([&](Driver &driver) {
    Stream *stream = driver.find(handle);
    return stream ? body(driver, *stream) : Code::InvalidHandle;
  });
}
template <class Body> Code onEvent(Event *event, Body &&body) {
  return call([&](Driver &driver) {
    return driver.events.has(event) ? body(driver) : Code::InvalidHandle;
  });
}

Code create(Stream **stream, unsigned flags, int priority) {
  return call([&](Driver &driver) {
    if (flags > 1)
      return Code::InvalidValue;
    if (!stream)
      return Code::InvalidValue;
    *stream = driver.streams.make(
        Stream{.flags = flags, .priority = std::clamp(priority, -5, 0), .id = driver.nextId()});
    return Code::Success;
  });
}

Code record(Event *event, Stream *handle) {
  return onStream(handle, [&](Driver &driver, Stream &stream) {
    if (!driver.events.has(event))
      return Code::InvalidHandle;
    if (Code code = &stream == &driver.legacy ? forbiddenOnLegacy(driver) : Code::Success;
        code != Code::Success)
      return code;
    event->capture = stream.capture;
    event->last = stream.last;
    return stream.capture ? Code::Success : submit(handle, RecordWork{event});
  });
}

Code elapsed(float *milliseconds, Event *start, Event *end) {
  return call([&](Driver &driver) {
    constexpr unsigned withoutTiming = 2; // CU_EVENT_DISABLE_TIMING
    for (Event *event : {start, end})
      if (!driver.events.has(event) || !event->at || event->flags & withoutTiming)
        return Code::InvalidHandle;
    if (!milliseconds)
      return Code::InvalidValue;
    driver.hostWaits(*start);
    driver.hostWaits(*end);
    *milliseconds = std::chrono::duration<float, std::milli>(*end->at - *start->at).count();
    return Code::Success;
  });
}

//===--- Capture -----------------------------------------------------------------------------===//

enum CaptureStatus : int {
  NotCapturing = 0,
  Capturing = 1,
  Invalidated = 2
};

Code begin(Stream *handle, Graph *into, std::span<GraphNode *const> after, int mode) {
  return onStream(handle, [&](Driver &driver, Stream &stream) {
    std::vector<GraphNode *> last(after.begin(), after.end());
    if (&stream == &driver.legacy)
      return Code::CaptureUnsupported;
    if (!isCaptureMode(mode))
      return Code::InvalidValue;
    if (stream.capture)
      return Code::IllegalState;
    auto capture = std::make_shared<Capture>(Capture{.graph = into ? into : driver.graphs.make(),
                                                     .origin = &stream,
                                                     .mode = mode,
                                                     .id = driver.nextId(),
                                                     .ownsGraph = !into,
                                                     .isBesideLegacy = !stream.isNonBlocking(),
                                                     .thread = std::this_thread::get_id(),
                                                     .streams = {&stream}});
    driver.captures.insert(capture);
    // The stream gets it only here, where memory can no longer run out.
    stream.capture = std::move(capture);
    stream.last = std::move(last);
    return Code::Success;
  });
}

/// Ends a capture: its streams run their work again.
void end(Driver &driver, const std::shared_ptr<Capture> &capture) {
  for (Stream *stream : capture->streams) {
    stream->capture.reset();
    stream->last.clear();
  }
  driver.captures.erase(capture);
}

/// A call that a capture forbids to its own streams and events makes it invalid.
Code forbid(const std::shared_ptr<Capture> &capture, Code why) {
  if (capture)
    capture->isInvalid = true;
  return capture ? why : Code::Success;
}

/// Whether a stream's work has ended: it always has, as it runs when it is queued.
Code askFor(Stream *handle) {
  return onStream(handle, [&](Driver &driver, Stream &stream) {
    driver.flush();
    if (stream.capture)
      return forbid(stream.capture, Code::CaptureUnsupported);
    Code code = &stream == &driver.legacy ? forbiddenOnLegacy(driver) : Code::Success;
    code = code == Code::Success ? forbiddenAsUnsafe(driver) : code;
    if (code == Code::Success)
      driver.hostWaits(stream);
    return code;
  });
}
Code askFor(Event *event) {
  return onEvent(event, [&](Driver &driver) {
    driver.flush();
    Code code =
        event->capture ? forbid(event->capture, Code::CapturedEvent) : forbiddenAsUnsafe(driver);
    if (code == Code::Success)
      driver.hostWaits(*event);
    return code;
  });
}

struct CaptureInfo {
  int *status;
  uint64_t *id;
  Graph **graph;
  GraphNode *const **last;
  size_t *count;
};

Code getInfo(Stream *handle, const CaptureInfo &out) {
  return onStream(handle, [&](Driver &, Stream &stream) {
    *out.status = !stream.capture             ? NotCapturing
                  : stream.capture->isInvalid ? Invalidated
                                              : Capturing;
    if (*out.status != Capturing)
      return Code::Success;
    if (out.id)
      *out.id = stream.capture->id;
    if (out.graph)
      *out.graph = stream.capture->graph;
    if (out.last)
      *out.last = stream.last.data();
    if (out.count)
      *out.count = stream.last.size();
    return Code::Success;
  });
}

Code update(Stream *handle, GraphNode **nodes, size_t count, unsigned flags) {
  return onStream(handle, [&](Driver &, Stream &stream) {
    if (!stream.capture)
      return Code::IllegalState;
    if (stream.capture->isInvalid)
      return Code::CaptureInvalidated;
    constexpr unsigned replaces = 1; // CU_STREAM_SET_CAPTURE_DEPENDENCIES
    if (flags & replaces)
      stream.last.clear();
    stream.last.insert(stream.last.end(), nodes, nodes + count);
    return Code::Success;
  });
}

} // namespace

//===--- Streams -----------------------------------------------------------------------------===//

CUDA_API(cuStreamCreate)(Stream **stream, unsigned flags) { return create(stream, flags, 0); }
CUDA_API(cuStreamCreateWithPriority)(Stream **stream, unsigned flags, int priority) {
  return create(stream, flags, priority);
}
CUDA_API(cuStreamDestroy_v2)(Stream *stream) {
  return call(Needs::Initialised, [&](Driver &driver) {
    if (!driver.streams.has(stream))
      return Code::InvalidHandle;
    if (std::shared_ptr<Capture> capture = stream->capture; capture && capture->origin == stream) {
      end(driver, capture);
      if (capture->ownsGraph)
        driver.graphs.remove(capture->graph);
    } else if (capture) {
      capture->abandoned.insert(capture->abandoned.end(), stream->last.begin(), stream->last.end());
      capture->streams.erase(stream);
    }
    driver.streams.remove(stream);
    return Code::Success;
  });
}
CUDA_API(cuStreamSynchronize)(Stream *handle) { return askFor(handle); }
CUDA_API(cuStreamQuery)(Stream *handle) { return askFor(handle); }
CUDA_API(cuStreamGetPriority)(Stream *handle, int *priority) {
  return onStream(handle, [&](Driver &, Stream &stream) {
    if (!priority)
      return Code::InvalidValue;
    *priority = stream.priority;
    return Code::Success;
  });
}
CUDA_API(cuStreamGetFlags)(Stream *handle, unsigned *flags) {
  return onStream(handle, [&](Driver &, Stream &stream) {
    if (!flags)
      return Code::InvalidValue;
    *flags = stream.flags;
    return Code::Success;
  });
}
CUDA_API(cuStreamGetId)(Stream *handle, unsigned long long *id) {
  return onStream(handle, [&](Driver &, Stream &stream) {
    if (!id)
      return Code::InvalidValue;
    *id = stream.id;
    return Code::Success;
  });
}
CUDA_API(cuStreamGetCtx)(Stream *handle, Context **context) {
  return onStream(handle, [&](Driver &driver, Stream &) {
    if (!context)
      return Code::InvalidValue;
    *context = driver.current();
    return Code::Success;
  });
}
CUDA_API(cuStreamGetDevice)(Stream *handle, DeviceOrdinal *device) {
  return onStream(handle, [&](Driver &, Stream &) {
    if (!device)
      return Code::InvalidValue;
    *device = 0;
    return Code::Success;
  });
}
CUDA_API(cuStreamCopyAttributes)(Stream *to, Stream *from) {
  return onStream(to, [&](Driver &driver, Stream &) {
    return driver.find(from) ? Code::Success : Code::InvalidHandle;
  });
}
CUDA_API(cuStreamSetAttribute)(Stream *handle, int, const void *) {
  return onStream(handle, [](Driver &, Stream &) { return Code::Success; });
}
CUDA_API(cuStreamGetAttribute)(Stream *handle, int, void *value) {
  if (!value)
    return Code::InvalidValue;
  return onStream(handle, [&](Driver &, Stream &) {
    std::memset(value, 0, sizeof(LaunchAttribute::Value)); // the default of each
    return Code::Success;
  });
}
CUDA_API(cuLaunchHostFunc)(Stream *stream, HostFunction function, void *data) {
  return call([&](Driver &) {
    return function ? submit(stream, HostCall{function, data}) : Code::InvalidValue;
  });
}
CUDA_API(cuStreamAddCallback)
(Stream *handle, void (*function)(Stream *, Code, void *), void *data, unsigned) {
  return onStream(handle, [&](Driver &driver, Stream &stream) {
    if (!function)
      return Code::InvalidValue;
    if (stream.capture)
      return forbid(stream.capture, Code::CaptureUnsupported);
    driver.flush();
    driver.hostWaits(stream); // it may tell the rest of the program
    function(handle, Code::Success, data);
    return Code::Success;
  });
}

//===--- Events ------------------------------------------------------------------------------===//

CUDA_API(cuEventCreate)(Event **event, unsigned flags) {
  return call([&](Driver &driver) {
    constexpr unsigned known = 7; // CU_EVENT_BLOCKING_SYNC, _DISABLE_TIMING and _INTERPROCESS
    if (!event || flags & ~known)
      return Code::InvalidValue;
    *event = driver.events.make(Event{.flags = flags});
    return Code::Success;
  });
}
CUDA_API(cuEventDestroy_v2)(Event *event) {
  return call(Needs::Initialised, [&](Driver &driver) {
    return driver.events.remove(event) ? Code::Success : Code::InvalidHandle;
  });
}
CUDA_API(cuEventRecord)(Event *event, Stream *stream) { return record(event, stream); }
CUDA_API(cuEventRecordWithFlags)(Event *event, Stream *stream, unsigned) {
  return record(event, stream);
}
CUDA_API(cuEventQuery)(Event *event) { return askFor(event); }
CUDA_API(cuEventSynchronize)(Event *event) { return askFor(event); }
CUDA_API(cuEventElapsedTime)(float *milliseconds, Event *start, Event *end) {
  return elapsed(milliseconds, start, end);
}
CUDA_API(cuEventElapsedTime_v2)(float *milliseconds, Event *start, Event *end) {
  return elapsed(milliseconds, start, end);
}
/// A stream that waits for an event of a capture becomes part of it.
CUDA_API(cuStreamWaitEvent)(Stream *handle, Event *event, unsigned) {
  return onStream(handle, [&](Driver &driver, Stream &stream) {
    if (!driver.events.has(event))
      return Code::InvalidHandle;
    if (!event->capture && &stream == &driver.legacy)
      return forbiddenOnLegacy(driver);
    if (!event->capture) {
      driver.order.wait(stream, *event);
      return stream.capture && event->at ? Code::CaptureIsolation : Code::Success;
    }
    if (stream.capture && stream.capture != event->capture)
      return Code::CaptureMerge;
    if (&stream == &driver.legacy)
      return Code::CaptureImplicit;
    stream.capture = event->capture;
    stream.capture->streams.insert(&stream);
    stream.capture->isBesideLegacy |= !stream.isNonBlocking();
    for (GraphNode *node : event->last)
      if (std::find(stream.last.begin(), stream.last.end(), node) == stream.last.end())
        stream.last.push_back(node);
    return Code::Success;
  });
}

//===--- Capture -----------------------------------------------------------------------------===//

CUDA_API(cuStreamBeginCapture_v2)(Stream *stream, int mode) {
  return begin(stream, nullptr, {}, mode);
}
CUDA_API(cuStreamBeginCaptureToGraph)
(Stream *stream, Graph *graph, GraphNode *const *after, const EdgeData *, size_t count, int mode) {
  return begin(stream, graph, {after, count}, mode);
}
CUDA_API(cuStreamEndCapture)(Stream *handle, Graph **graph) {
  return onStream(handle, [&](Driver &driver, Stream &stream) {
    if (graph)
      *graph = nullptr;
    std::shared_ptr<Capture> capture = stream.capture;
    if (!capture)
      return Code::IllegalState;
    if (capture->origin != &stream)
      return Code::CaptureUnmatched;
    // Everything that other streams have added must come before something of this one.
    std::set<const GraphNode *> joined(stream.last.begin(), stream.last.end());
    std::vector<const GraphNode *> open(stream.last.begin(), stream.last.end());
    while (!open.empty()) {
      const GraphNode *node = open.back();
      open.pop_back();
      for (const GraphNode *before : node->after)
        if (joined.insert(before).second)
          open.push_back(before);
    }
    auto isJoined = [&](const GraphNode *node) { return joined.contains(node); };
    bool allJoined = std::ranges::all_of(capture->abandoned, isJoined);
    for (const Stream *other : capture->streams)
      allJoined &= std::ranges::all_of(other->last, isJoined);
    end(driver, capture);
    if (capture->isInvalid || !graph) {
      if (capture->ownsGraph)
        driver.graphs.remove(capture->graph);
      return capture->isInvalid ? Code::CaptureInvalidated : Code::Success;
    }
    if (!allJoined)
      return Code::CaptureUnjoined;
    *graph = capture->graph;
    return Code::Success;
  });
}
CUDA_API(cuStreamIsCapturing)(Stream *handle, int *status) {
  if (!status)
    return Code::InvalidValue;
  return getInfo(handle, {status, nullptr, nullptr, nullptr, nullptr});
}
CUDA_API(cuStreamGetCaptureInfo)(Stream *handle, int *status, uint64_t *id) {
  if (!status)
    return Code::InvalidValue;
  return getInfo(handle, {status, id, nullptr, nullptr, nullptr});
}
CUDA_API(cuStreamGetCaptureInfo_v2)
(Stream *handle, int *status, uint64_t *id, Graph **graph, GraphNode *const **last, size_t *count) {
  if (!status)
    return Code::InvalidValue;
  return getInfo(handle, {status, id, graph, last, count});
}
CUDA_API(cuStreamGetCaptureInfo_v3)
(Stream *handle, int *status, uint64_t *id, Graph **graph, GraphNode *const **last,
 const EdgeData **edges, size_t *count) {
  if (!status)
    return Code::InvalidValue;
  if (edges)
    *edges = nullptr;
  return getInfo(handle, {status, id, graph, last, count});
}
CUDA_API(cuStreamUpdateCaptureDependencies)
(Stream *stream, GraphNode **nodes, size_t count, unsigned flags) {
  return update(stream, nodes, count, flags);
}
CUDA_API(cuStreamUpdateCaptureDependencies_v2)
(Stream *stream, GraphNode **nodes, const EdgeData *, size_t count, unsigned flags) {
  return update(stream, nodes, count, flags);
}
CUDA_API(cuThreadExchangeStreamCaptureMode)(int *mode) {
  return call([&](Driver &) {
    if (!mode)
      return Code::InvalidValue;
    std::swap(*mode, captureModeOfThread());
    return Code::Success;
  });
}
