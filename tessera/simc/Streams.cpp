// Streams and events of tessera-c/Sim.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tessera/simc/Handles.h"

using namespace tessera;
using namespace tessera::simc;

bool tesseraSimSeedStreams(TesseraSimMachine *machine, uint64_t seed, TesseraSimError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraSimSeedStreams", {{machine, "a machine"}}))
      return false;
    machine->streams.setSeed(seed);
    return true;
  });
}

TesseraSimStream *tesseraSimStreamCreate(TesseraSimMachine *machine, TesseraSimError **error) {
  return guarded(error, [&]() -> TesseraSimStream * {
    if (!has(error, "tesseraSimStreamCreate", {{machine, "a machine"}}))
      return nullptr;
    auto made = std::make_unique<TesseraSimStream>(TesseraSimStream{*machine, 0});
    made->stream = machine->streams.create();
    return made.release();
  });
}
void tesseraSimStreamDestroy(TesseraSimStream *stream) {
  if (stream)
    guarded(nullptr, [&] { return stream->owner.streams.destroy(stream->stream), true; });
  delete stream;
}

bool tesseraSimStreamLaunch(TesseraSimStream *stream, TesseraSimModule *module, const char *kernel,
                            const TesseraSimLaunch *launch, const void *const *arguments,
                            size_t count, TesseraSimError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraSimStreamLaunch", {{stream, "a stream"}}))
      return false;
    std::optional<Launch> made =
        launchOf(module, kernel, launch, arguments, count, "tesseraSimStreamLaunch", error);
    if (!made)
      return false;
    if (&module->owner != &stream->owner)
      return refuse(error, simc::fail(simc::Error::OtherMachine, "module", "stream")), false;
    stream->owner.streams.add(stream->stream, [module, made = *std::move(made)] {
      return module->owner.machine.launch(module->loaded, made.kernel, made.config,
                                          made.parameters);
    });
    return true;
  });
}
bool tesseraSimStreamWrite(TesseraSimStream *stream, uint64_t to, const void *from, size_t bytes,
                           TesseraSimError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraSimStreamWrite", {{stream, "a stream"}, {bytes ? from : "", "bytes"}}))
      return false;
    sim::GlobalMemory &memory = stream->owner.machine.memory();
    stream->owner.streams.add(stream->stream, [&memory, to, from, bytes] {
      return memory.write(to, {static_cast<const std::byte *>(from), bytes});
    });
    return true;
  });
}
bool tesseraSimStreamRead(TesseraSimStream *stream, void *to, uint64_t from, size_t bytes,
                          TesseraSimError **error) {
  return guarded(error, [&] {
    if (!has(error, "tesseraSimStreamRead",
             {{stream, "a stream"}, {bytes ? to : "", "a place for bytes"}}))
      return false;
    sim::GlobalMemory &memory = stream->owner.machine.memory();
    stream->owner.streams.add(stream->stream, [&memory, to, from, bytes] {
      return memory.read({static_cast<std::byte *>(to), bytes}, from);
    });
    return true;
  });
}

TesseraSimEvent *tesseraSimEventCreate(TesseraSimMachine *machine, TesseraSimError **error) {
  return guarded(error, [&]() -> TesseraSimEvent * {
    if (!has(error, "tesseraSimEventCreate", {{machine, "a machine"}}))
      return nullptr;
    return new TesseraSimEvent{*machine, {}};
  });
}
void tesseraSimEventDestroy(TesseraSimEvent *event) { delete event; }

/// Whether both are there, and of one machine.
static bool belong(const TesseraSimStream *stream, const TesseraSimEvent *event,
                   const char *function, TesseraSimError **error) {
  if (!has(error, function, {{stream, "a stream"}, {event, "an event"}}))
    return false;
  if (&stream->owner != &event->owner)
    return refuse(error, simc::fail(simc::Error::OtherMachine, "event", "stream")), false;
  return true;
}
bool tesseraSimStreamRecord(TesseraSimStream *stream, TesseraSimEvent *event,
                            TesseraSimError **error) {
  return guarded(error, [&] {
    if (!belong(stream, event, "tesseraSimStreamRecord", error))
      return false;
    event->recorded = stream->owner.streams.record(stream->stream);
    return true;
  });
}
bool tesseraSimStreamWait(TesseraSimStream *stream, const TesseraSimEvent *event,
                          TesseraSimError **error) {
  return guarded(error, [&] {
    if (!belong(stream, event, "tesseraSimStreamWait", error))
      return false;
    stream->owner.streams.wait(stream->stream, event->recorded);
    return true;
  });
}

bool tesseraSimStreamSynchronize(TesseraSimStream *stream, TesseraSimError **error) {
  return guarded(error, [&] {
    return has(error, "tesseraSimStreamSynchronize", {{stream, "a stream"}}) &&
           done(error, stream->owner.streams.finish(stream->stream));
  });
}
bool tesseraSimEventSynchronize(const TesseraSimEvent *event, TesseraSimError **error) {
  return guarded(error, [&] {
    return has(error, "tesseraSimEventSynchronize", {{event, "an event"}}) &&
           done(error, event->owner.streams.finish(event->recorded));
  });
}
bool tesseraSimSynchronize(TesseraSimMachine *machine, TesseraSimError **error) {
  return guarded(error, [&] {
    return has(error, "tesseraSimSynchronize", {{machine, "a machine"}}) &&
           done(error, machine->streams.finish());
  });
}
