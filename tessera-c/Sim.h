/* The simulator of PTX from C99: programs and machines as opaque handles, errors as ids and
 * sentences.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program is a text of PTX, parsed; it is never changed and may be loaded into several machines.
 * A machine is a device on the CPU: it has global memory and runs kernels, each to its end, on the
 * host's cores. A machine with its modules is used by one thread at a time; several machines, and a
 * program, may be used by several threads at once.
 *
 * Ownership. What a function whose name ends in Parse, Create or Load returns is the caller's, to
 * be given back with the Destroy function of its type. A module has to be given back before its
 * machine; a program may be given back once it is loaded. Texts that are returned live as long as
 * what they are asked from, unless it says otherwise.
 *
 * Errors. A function that can refuse takes `TesseraSimError **error` last. Where it refuses it
 * returns NULL or false, leaves its other results alone, and stores a new error in *error, to be
 * given back with tesseraSimErrorDestroy. *error must be NULL before, or the error of an earlier
 * call, which then stays. `error` may be NULL. Nothing throws or aborts: where memory runs out the
 * id is `OutOfMemory`, where the system refuses a thread `OutOfThreads`.
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

/* The name of the rule that was broken, as `OutOfBounds`: stable, to compare with. */
TESSERA_SIM_API const char *tesseraSimErrorId(const TesseraSimError *error);
/* A sentence; of a kernel that failed with its block, thread and line, and the line's text. */
TESSERA_SIM_API const char *tesseraSimErrorText(const TesseraSimError *error);
/* NULL is allowed, here and in the Destroy functions below. */
TESSERA_SIM_API void tesseraSimErrorDestroy(TesseraSimError *error);

/*===--- Programs ----------------------------------------------------------------------------===*/

/* Parses `length` bytes of PTX 6.0 to 9.9, which are copied. */
TESSERA_SIM_API TesseraSimProgram *tesseraSimProgramParse(const char *text, size_t length,
                                                          TesseraSimError **error);
TESSERA_SIM_API void tesseraSimProgramDestroy(TesseraSimProgram *program);
TESSERA_SIM_API size_t tesseraSimKernelCount(const TesseraSimProgram *program);
/* Kernels in the order of the text; NULL where there is none with this number. */
TESSERA_SIM_API const char *tesseraSimKernelName(const TesseraSimProgram *program, size_t kernel);
/* Of the kernel with a name; 0 where there is none. */
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

/* Zeroed memory, aligned to 256 bytes. Addresses are given out once only. */
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

/* Of the last launch: instructions that warps ran, and the same times the lanes that took part. */
typedef struct TesseraSimStatistics {
  uint64_t warp_instructions, thread_instructions;
} TesseraSimStatistics;
TESSERA_SIM_API TesseraSimStatistics tesseraSimLastLaunch(const TesseraSimMachine *machine);
/* What kernels have printed since the last call, at most 64 MiB and then a line that says how much
 * was cut off; valid until the next call. "" where memory runs out. */
TESSERA_SIM_API const char *tesseraSimTakeOutput(TesseraSimMachine *machine);

#ifdef __cplusplus
}
#endif

#endif
