/* Tile programs from C99: read, written, and run on the CPU with undefined behaviour reported.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program is bytecode of tile programs (13.1 to 13.4), read; it is never changed and may be used
 * by several threads at once. An interpreter runs kernels of a program over arrays of the host, in
 * place: it touches what it was given and nothing else. It is used by one thread at a time.
 *
 * Ownership. What a function whose name ends in Read or Create returns is the caller's, to be given
 * back with the Destroy function of its type; an interpreter keeps what it needs of its program. A
 * text that is returned lives as long as the object that was asked for it, unless stated otherwise.
 *
 * Errors. A function that can refuse takes `TesseraTileError **error` last. If it refuses, it
 * returns NULL or false, leaves its other results alone, and stores a new error in *error, to be
 * given back with tesseraTileErrorDestroy. *error must be NULL before, or the error of an earlier
 * call, which then stays. `error` may be NULL. Nothing throws or aborts: if memory runs out the id
 * is `OutOfMemory`, if the system refuses a thread it is `OutOfThreads`. */
#ifndef TESSERA_C_TILE_H
#define TESSERA_C_TILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define TESSERA_TILE_API
#else
#define TESSERA_TILE_API __attribute__((visibility("default")))
#endif

typedef struct TesseraTileProgram TesseraTileProgram;
typedef struct TesseraTileInterpreter TesseraTileInterpreter;
typedef struct TesseraTileError TesseraTileError;

/*===--- Errors ------------------------------------------------------------------------------===*/

/* The name of the rule that was broken, such as `OutOfBounds`: stable, to compare with. */
TESSERA_TILE_API const char *tesseraTileErrorId(const TesseraTileError *error);
/* A sentence. For bytecode it has the offset of the byte, for a kernel that failed its op, tile
 * block, element and place in the source. */
TESSERA_TILE_API const char *tesseraTileErrorText(const TesseraTileError *error);
/* NULL is allowed, here and in the Destroy functions below. */
TESSERA_TILE_API void tesseraTileErrorDestroy(TesseraTileError *error);

/*===--- Programs ----------------------------------------------------------------------------===*/

/* Reads `length` bytes of bytecode, which may come from anywhere. */
TESSERA_TILE_API TesseraTileProgram *tesseraTileProgramRead(const void *bytes, size_t length,
                                                            TesseraTileError **error);
TESSERA_TILE_API void tesseraTileProgramDestroy(TesseraTileProgram *program);
/* How many bytes bytecode takes at the beginning of a larger buffer. */
TESSERA_TILE_API bool tesseraTileBytecodeSize(const void *buffer, size_t length, size_t *size,
                                              TesseraTileError **error);
/* The minor version of its bytecode: 3 for 13.3. */
TESSERA_TILE_API unsigned tesseraTileProgramMinor(const TesseraTileProgram *program);
/* The program as bytecode of version 13.minor, refused if it has parts that are newer. The bytes
 * are the program's, and are valid until the next call or its end. One thread at a time. */
TESSERA_TILE_API bool tesseraTileProgramWrite(TesseraTileProgram *program, unsigned minor,
                                              const void **bytes, size_t *length,
                                              TesseraTileError **error);

TESSERA_TILE_API size_t tesseraTileKernelCount(const TesseraTileProgram *program);
/* Kernels in the order of the file; NULL if there is none with this number. */
TESSERA_TILE_API const char *tesseraTileKernelName(const TesseraTileProgram *program,
                                                   size_t kernel);
/* How many parameters the kernel with this name has; 0 if there is no such kernel. */
TESSERA_TILE_API size_t tesseraTileParameterCount(const TesseraTileProgram *program,
                                                  const char *kernel);

typedef struct TesseraTileParameter {
  const char *type;    /* "tile<ptr<f32>>", "tile<i32>" */
  const char *element; /* of a number its type, of a pointer what it points to: "f32" */
  unsigned bits;       /* of that element */
  bool is_pointer;
} TesseraTileParameter;
TESSERA_TILE_API bool tesseraTileParameter(const TesseraTileProgram *program, const char *kernel,
                                           size_t index, TesseraTileParameter *parameter,
                                           TesseraTileError **error);

/*===--- Running -----------------------------------------------------------------------------===*/

TESSERA_TILE_API TesseraTileInterpreter *
tesseraTileInterpreterCreate(const TesseraTileProgram *program, TesseraTileError **error);
TESSERA_TILE_API void tesseraTileInterpreterDestroy(TesseraTileInterpreter *interpreter);

/* Kernels may touch these bytes from now on; they must live until they are taken back, or as long
 * as the interpreter. An address inside and outside of a kernel is the same number. */
TESSERA_TILE_API bool tesseraTileArrayAdd(TesseraTileInterpreter *interpreter, void *data,
                                          size_t bytes, TesseraTileError **error);
/* Takes back the array that begins at this address. */
TESSERA_TILE_API void tesseraTileArrayRemove(TesseraTileInterpreter *interpreter, void *data);
/* Where a global of the program lies. */
TESSERA_TILE_API bool tesseraTileGlobal(TesseraTileInterpreter *interpreter, const char *name,
                                        uint64_t *address, TesseraTileError **error);

typedef struct TesseraTileOptions {
  uint64_t seed;     /* chooses the order of tile blocks, and elements that are left unspecified */
  uint64_t steps;    /* instructions of all tile blocks */
  uint64_t bytes;    /* what tiles and memory of the program may take at a time */
  uint32_t resident; /* tile blocks that run at a time where one may wait for another */
  bool checks_races; /* accesses that tokens do not order are errors */
  bool checks_assumptions; /* assumptions that do not hold are errors */
} TesseraTileOptions;
/* The defaults: seed 0, 2^36 steps, 2^32 bytes, 64 tile blocks, all checks. */
TESSERA_TILE_API TesseraTileOptions tesseraTileDefaultOptions(void);

/* Runs a kernel to its end, or to the first undefined behaviour; what was written before stays.
 * arguments[i] has the bits of parameter i in its low bits: of a number its code, of a pointer its
 * address. `options` may be NULL: the defaults. */
TESSERA_TILE_API bool tesseraTileLaunch(TesseraTileInterpreter *interpreter, const char *kernel,
                                        const uint32_t grid[3], const uint64_t *arguments,
                                        size_t count, const TesseraTileOptions *options,
                                        TesseraTileError **error);
/* Instructions that the last launch ran. */
TESSERA_TILE_API uint64_t tesseraTileSteps(const TesseraTileInterpreter *interpreter);
/* What kernels have printed since the last call, at most 64 MiB; valid until the next call. "" if
 * memory runs out. */
TESSERA_TILE_API const char *tesseraTileTakeOutput(TesseraTileInterpreter *interpreter);

#ifdef __cplusplus
}
#endif

#endif
