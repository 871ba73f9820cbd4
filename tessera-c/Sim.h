/* The simulator of PTX from C99: programs and machines as opaque handles, errors as ids and
 * sentences.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program is a text of PTX, parsed; it is never changed and may be loaded into several machines.
 * A machine is a device on the CPU: it has global memory and runs kernels, each to its end, on the
 * host's cores, at once or from streams. A machine with its modules, streams and events is used by
 * one thread at a time; several machines, and a program, may be used by several threads at once.
 *
 * Ownership. What a function whose name ends in Parse, Create, Load or TakeReports returns is the
 * caller's, to be given back with the Destroy function of its type. Modules, streams and events
 * have to be given back before their machine, modules after the streams that launch their kernels;
 * a program may be given back once it is loaded. A text that is returned lives as long as the
 * object that was asked for it, unless stated otherwise.
 *
 * Errors. A function that can refuse takes `TesseraSimError **error` last. If it refuses, it
 * returns NULL or false, leaves its other results alone, and stores a new error in *error, to be
 * given back with tesseraSimErrorDestroy. *error must be NULL before, or the error of an earlier
 * call, which then stays. `error` may be NULL. Nothing throws or aborts: if memory runs out the id
 * is `OutOfMemory`, if the system refuses a thread it is `OutOfThreads`.
 *
 * Which instructions exist: docs/reference/ptx-instructions.md; what a kernel may take:
 * docs/simulator.md. */
#ifndef TESSERA_C_SIM_H
#define TESSERA_C_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define TESSERA_SIM_API
#else
#define TESSERA_SIM_API __attribute__((visibility("default")))
#endif

typedef struct TesseraSimProgram TesseraSimProgram;
typedef struct TesseraSimMachine TesseraSimMachine;
/* A program whose variables have a place in a machine's memory. */
typedef struct TesseraSimModule TesseraSimModule;
typedef struct TesseraSimError TesseraSimError;

/*===--- Errors ------------------------------------------------------------------------------===*/

/* The name of the rule that was broken, such as `OutOfBounds`: stable, to compare with. */
TESSERA_SIM_API const char *tesseraSimErrorId(const TesseraSimError *error);
/* A sentence. For a kernel that failed it has block, thread and line, and the line's text. */
TESSERA_SIM_API const char *tesseraSimErrorText(const TesseraSimError *error);
/* NULL is allowed, here and in the Destroy functions below. */
TESSERA_SIM_API void tesseraSimErrorDestroy(TesseraSimError *error);

/*===--- Programs ----------------------------------------------------------------------------===*/

/* Parses `length` bytes of PTX 6.0 to 9.9, which are copied. */
TESSERA_SIM_API TesseraSimProgram *tesseraSimProgramParse(const char *text, size_t length,
                                                          TesseraSimError **error);
TESSERA_SIM_API void tesseraSimProgramDestroy(TesseraSimProgram *program);
TESSERA_SIM_API size_t tesseraSimKernelCount(const TesseraSimProgram *program);
/* Kernels in the order of the text; NULL if there is none with this number. */
TESSERA_SIM_API const char *tesseraSimKernelName(const TesseraSimProgram *program, size_t kernel);
/* How many parameters the kernel with this name has; 0 if there is no such kernel. */
TESSERA_SIM_API size_t tesseraSimParameterCount(const TesseraSimProgram *program,
                                                const char *kernel);

/* A parameter as it lies in the parameter space, in bytes. */
typedef struct TesseraSimParameter {
  const char *name;
  size_t offset, size;
} TesseraSimParameter;
TESSERA_SIM_API bool tesseraSimParameter(const TesseraSimProgram *program, const char *kernel,
                                         size_t index, TesseraSimParameter *parameter,
                                         TesseraSimError **error);

/*===--- Machines and memory -----------------------------------------------------------------===*/

/* What a kernel may take. */
typedef struct TesseraSimLimits {
  uint64_t instructions; /* of one warp */
  uint64_t global_bytes; /* in use at once, with the local memory of blocks that run */
  uint32_t shared_bytes; /* of a block */
  uint32_t local_bytes;  /* of a thread */
  uint32_t host_threads; /* 0: as many as the host has */
  bool late_copies; /* asynchronous work is done when it is waited for, not at once: a missing wait
                       shows */
  bool sanitize;    /* races, missing fences and the like are errors; implies late_copies */
} TesseraSimLimits;
/* The defaults: 2^36 instructions, 16 GiB, 227 KiB, 512 KiB, all cores. */
TESSERA_SIM_API TesseraSimLimits tesseraSimDefaultLimits(void);

/* `limits` may be NULL: the defaults. */
TESSERA_SIM_API TesseraSimMachine *tesseraSimMachineCreate(const TesseraSimLimits *limits,
                                                           TesseraSimError **error);
TESSERA_SIM_API void tesseraSimMachineDestroy(TesseraSimMachine *machine);

/* Zeroed memory, aligned to 256 bytes. No address is given out twice. */
TESSERA_SIM_API bool tesseraSimAllocate(TesseraSimMachine *machine, uint64_t bytes,
                                        uint64_t *address, TesseraSimError **error);
TESSERA_SIM_API bool tesseraSimFree(TesseraSimMachine *machine, uint64_t address,
                                    TesseraSimError **error);
/* Copies between the host and one allocation. */
TESSERA_SIM_API bool tesseraSimWrite(TesseraSimMachine *machine, uint64_t to, const void *from,
                                     size_t bytes, TesseraSimError **error);
TESSERA_SIM_API bool tesseraSimRead(TesseraSimMachine *machine, void *to, uint64_t from,
                                    size_t bytes, TesseraSimError **error);

/*===--- Running -----------------------------------------------------------------------------===*/

TESSERA_SIM_API TesseraSimModule *tesseraSimModuleLoad(TesseraSimMachine *machine,
                                                       const TesseraSimProgram *program,
                                                       TesseraSimError **error);
TESSERA_SIM_API void tesseraSimModuleDestroy(TesseraSimModule *module);
/* The address of a .global or .const variable. */
TESSERA_SIM_API bool tesseraSimSymbol(const TesseraSimModule *module, const char *name,
                                      uint64_t *address, TesseraSimError **error);

typedef struct TesseraSimLaunch {
  uint32_t grid[3];        /* in blocks */
  uint32_t block[3];       /* in threads */
  uint32_t cluster[3];     /* in blocks; zeros: what the kernel says, or single blocks */
  uint32_t dynamic_shared; /* bytes */
} TesseraSimLaunch;

/* Runs a kernel to its end. arguments[i] points to the value of parameter i. */
TESSERA_SIM_API bool tesseraSimLaunch(TesseraSimModule *module, const char *kernel,
                                      const TesseraSimLaunch *launch, const void *const *arguments,
                                      size_t count, TesseraSimError **error);

/*===--- Streams -----------------------------------------------------------------------------===*/

/* Work of a stream is done in its order; work of several streams in any order that events allow,
 * one piece after the other. It is done when someone waits for it: results that are read too early
 * are old ones, and an event that is missing shows in results that depend on the seed.
 * tesseraSimLaunch, tesseraSimWrite and tesseraSimRead wait for no stream. If a piece of work
 * fails, the function that waits gets its error, and the work that is left in all streams of the
 * machine is lost. */
typedef struct TesseraSimStream TesseraSimStream;
/* Stands for all work that a stream was given before the event was last recorded, or for none if it
 * never was. */
typedef struct TesseraSimEvent TesseraSimEvent;

/* Chooses the order of streams. 0, the default: the order in which work was given, as far as
 * possible. */
TESSERA_SIM_API bool tesseraSimSeedStreams(TesseraSimMachine *machine, uint64_t seed,
                                           TesseraSimError **error);
TESSERA_SIM_API TesseraSimStream *tesseraSimStreamCreate(TesseraSimMachine *machine,
                                                         TesseraSimError **error);
/* Waits for the stream's work, whose errors are lost. */
TESSERA_SIM_API void tesseraSimStreamDestroy(TesseraSimStream *stream);
/* As tesseraSimLaunch. The arguments are copied at once. */
TESSERA_SIM_API bool tesseraSimStreamLaunch(TesseraSimStream *stream, TesseraSimModule *module,
                                            const char *kernel, const TesseraSimLaunch *launch,
                                            const void *const *arguments, size_t count,
                                            TesseraSimError **error);
/* Copies as tesseraSimWrite and tesseraSimRead; the host's memory is used when the copy is done. */
TESSERA_SIM_API bool tesseraSimStreamWrite(TesseraSimStream *stream, uint64_t to, const void *from,
                                           size_t bytes, TesseraSimError **error);
TESSERA_SIM_API bool tesseraSimStreamRead(TesseraSimStream *stream, void *to, uint64_t from,
                                          size_t bytes, TesseraSimError **error);

TESSERA_SIM_API TesseraSimEvent *tesseraSimEventCreate(TesseraSimMachine *machine,
                                                       TesseraSimError **error);
TESSERA_SIM_API void tesseraSimEventDestroy(TesseraSimEvent *event);
TESSERA_SIM_API bool tesseraSimStreamRecord(TesseraSimStream *stream, TesseraSimEvent *event,
                                            TesseraSimError **error);
/* What the stream is given from now on waits for what the event stands for now. Both are of one
 * machine. */
TESSERA_SIM_API bool tesseraSimStreamWait(TesseraSimStream *stream, const TesseraSimEvent *event,
                                          TesseraSimError **error);

/* Wait: for a stream, for an event, and for all streams of a machine. */
TESSERA_SIM_API bool tesseraSimStreamSynchronize(TesseraSimStream *stream, TesseraSimError **error);
TESSERA_SIM_API bool tesseraSimEventSynchronize(const TesseraSimEvent *event,
                                                TesseraSimError **error);
TESSERA_SIM_API bool tesseraSimSynchronize(TesseraSimMachine *machine, TesseraSimError **error);

/*===--- Tensor maps -------------------------------------------------------------------------===*/

/* The parameters of cuTensorMapEncodeTiled, or, where `pixels` is not 0, of
 * cuTensorMapEncodeIm2col. Names are those of cuda.h without their prefix: FLOAT16, 128B; NULL as a
 * name is NONE. */
typedef struct TesseraSimTensorMap {
  const char *type; /* of elements: UINT8, FLOAT16, BFLOAT16, ... */
  uint32_t rank;    /* 1 to 5 */
  uint64_t address;
  uint64_t extents[5];         /* in elements; mode 0 is contiguous */
  uint64_t strides[4];         /* in bytes, of the modes from 1 on */
  uint32_t box[5];             /* in elements; not for im2col */
  uint32_t element_strides[5]; /* 0: 1 */
  const char *interleave;      /* NONE, 16B, 32B */
  const char *swizzle;         /* NONE, 32B, 64B, 128B, ... */
  const char *promotion;       /* NONE, L2_64B, L2_128B, L2_256B */
  bool fills_nan;              /* beyond the edges, instead of zeros */
  int32_t lower[3], upper[3];  /* im2col: offsets of the corners of a pixel box */
  uint32_t channels, pixels;   /* im2col: of a copy */
} TesseraSimTensorMap;
/* Writes the 128 bytes of a CUtensorMap, which a kernel takes as the value of a parameter or reads
 * in global memory. Parameters are refused as the driver refuses them for sm_90. */
TESSERA_SIM_API bool tesseraSimTensorMapEncode(const TesseraSimTensorMap *of, void *map,
                                               TesseraSimError **error);

/*===--- Statistics and output ---------------------------------------------------------------===*/

/* Of the last launch: instructions that warps ran, and instructions that threads ran. */
typedef struct TesseraSimStatistics {
  uint64_t warp_instructions, thread_instructions;
} TesseraSimStatistics;
TESSERA_SIM_API TesseraSimStatistics tesseraSimLastLaunch(const TesseraSimMachine *machine);
/* What kernels have printed since the last call, at most 64 MiB and then a line that says how much
 * was cut off; valid until the next call. "" if memory runs out. */
TESSERA_SIM_API const char *tesseraSimTakeOutput(TesseraSimMachine *machine);

/*===--- Reports -----------------------------------------------------------------------------===*/

/* What launches found: reports of the sanitizer, and errors that ended kernels. */
typedef struct TesseraSimReports TesseraSimReports;
/* Who did something, and where: "a read", "(0, 0, 0)", "(37, 0, 0)"; the line of the PTX (0: not
 * known) with its text, and the place in the source, or "". */
typedef struct TesseraSimParty {
  const char *access, *block, *thread;
  int64_t line;
  const char *line_text, *source;
} TesseraSimParty;
typedef struct TesseraSimReport {
  const char *rule, *text; /* the rule's name, and the whole sentence */
  bool ended_kernel;       /* the error that ended it, not a report of the sanitizer */
  const char *kernel;
  const char *space;      /* "shared", "global", ...; "" where there is no address */
  const char *allocation; /* the name of what lies there, or "" */
  uint64_t address;
  int64_t buffer_offset, buffer_bytes; /* where that is in an allocation; -1: not known */
  TesseraSimParty party;
  bool has_earlier;
  TesseraSimParty earlier; /* the other side */
} TesseraSimReport;

/* Reports call the allocation that begins at the address by this name from now on. */
TESSERA_SIM_API bool tesseraSimName(TesseraSimMachine *machine, uint64_t address, const char *name,
                                    TesseraSimError **error);
/* Of all launches since this was asked last, in their order; of a launch at most 20 reports, after
 * which it ends, and its error. */
TESSERA_SIM_API TesseraSimReports *tesseraSimTakeReports(TesseraSimMachine *machine,
                                                         TesseraSimError **error);
TESSERA_SIM_API size_t tesseraSimReportCount(const TesseraSimReports *reports);
/* False if there is none with this number. */
TESSERA_SIM_API bool tesseraSimReport(const TesseraSimReports *reports, size_t index,
                                      TesseraSimReport *report);
/* A file of them for other programs: "json", "sarif" (OASIS SARIF 2.1.0) or "junit" (XML, a test
 * case for each launch), as docs/simulator.md has it. `file` is what it calls the PTX. The text is
 * the reports' until the next call. */
TESSERA_SIM_API const char *tesseraSimReportsAs(TesseraSimReports *reports, const char *format,
                                                const char *file, TesseraSimError **error);
TESSERA_SIM_API void tesseraSimReportsDestroy(TesseraSimReports *reports);

#ifdef __cplusplus
}
#endif

#endif
