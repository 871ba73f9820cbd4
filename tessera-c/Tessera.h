/* Kernels from C99: files compiled, loaded, queried and called, on GPUs, the simulator and the
 * interpreter.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A program is a file that was compiled and loaded on a device: CuTe IR as CuTe DSL dumps it or as
 * Tessera prints it (text or bytecode of MLIR), a tile program (text or bytecode), PTX, or a cubin.
 * What was compiled before comes from a cache on disk. Its kernels are numbered: first the host
 * functions of the file, which launch kernels themselves, then the kernels, which a caller launches
 * with a grid. libtessera.so has these functions and those of tessera-c/Layout.h.
 *
 * Tensors have DLPack's form and are not copied on a GPU: TesseraTensor has the places of a
 * DLTensor (dlpack.h, versions 0.2 to 1.x), which may be cast to it. A call on a GPU queues its
 * work on the caller's stream and returns; it may be captured into a graph once a first call has
 * been made. The simulator and the interpreter take tensors of the host and have run when a call
 * returns.
 *
 * Ownership. What a function whose name ends in Open, Load, Read, Gemm, Attention, Rows or
 * TakeReports returns is the caller's, to be given back with the Destroy function of its type. A
 * program keeps its device. A text that is returned lives as long as the object that was asked for
 * it, unless stated otherwise.
 *
 * Threads. Any number of them may use a device and its programs at a time. An error or a list of
 * reports is for one thread at a time. A thread that loads a file needs a stack of 1 MiB or more:
 * what lies deep in a file is followed there (regions and brackets up to 256), and a stack that is
 * too small ends the process. Main threads and those of C++ and Python have 8 MiB on Linux with
 * glibc; musl gives 128 KiB unless more is asked for.
 *
 * Trust. A call of a host function executes the file's host code in the process, with its rights:
 * do not call those of files that you do not trust, or load them with `no_host_code`.
 *
 * Errors. As in tessera-c/Layout.h: a function that can refuse takes `TesseraError **error` last,
 * returns NULL or false, and stores a new error with an id and a sentence. Nothing throws or
 * aborts: if memory runs out the id is `OutOfMemory`, if the system refuses a thread it is
 * `OutOfThreads`. What a kernel does wrong on a GPU is an error of a later call or of
 * tesseraSynchronize. */
#ifndef TESSERA_C_TESSERA_H
#define TESSERA_C_TESSERA_H

#include "tessera-c/Layout.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TesseraDevice TesseraDevice;
typedef struct TesseraProgram TesseraProgram;
typedef struct TesseraReports TesseraReports;

/*===--- Devices -----------------------------------------------------------------------------===*/

typedef struct TesseraDeviceOptions {
  /* Seconds that kernels of one call may run on the simulator or the interpreter, which then end
   * with the error `Time`; 0: no limit. Nothing limits a loop in a file's host code: run that of
   * others in a process that can be ended. */
  double timeout;
  /* The others of the simulator: */
  bool sanitize;        /* races, missing fences and waits, reads of what nobody wrote: errors */
  uint32_t max_reports; /* of the sanitizer, after which a kernel is ended */
  bool late_copies;     /* asynchronous work is done when it is waited for; `sanitize` implies it */
  uint32_t host_threads; /* 0: as many as the host has */
  uint64_t instructions; /* of one warp */
  uint64_t global_bytes; /* in use at once */
} TesseraDeviceOptions;
/* The defaults: no timeout, no sanitizer, 20 reports, all cores, 2^36 instructions, 16 GiB. */
TESSERA_API TesseraDeviceOptions tesseraDeviceDefaultOptions(void);

/* gpu, gpu:N, sim for the simulator, interp for the interpreter of tile programs. `options` may be
 * NULL: the defaults. */
TESSERA_API TesseraDevice *tesseraDeviceOpen(const char *name, const TesseraDeviceOptions *options,
                                             TesseraError **error);
/* NULL is allowed, here and in the Destroy functions below. */
TESSERA_API void tesseraDeviceDestroy(TesseraDevice *device);
/* "NVIDIA H200", "Tessera's simulator". */
TESSERA_API const char *tesseraDeviceHardware(const TesseraDevice *device);

/*===--- What the sanitizer found ------------------------------------------------------------===*/

/* Who did something, and where: "a read", "(0, 0, 0)", "(37, 0, 0)"; the line of the PTX (0: not
 * known) with its text, and the place in the source, or "". */
typedef struct TesseraParty {
  const char *access, *block, *thread;
  int64_t line;
  const char *line_text, *source;
} TesseraParty;
typedef struct TesseraReport {
  const char *rule, *text; /* the rule's name, and the whole sentence */
  const char *kernel;
  const char *space; /* "shared", "global", ...; "" where there is no address */
  uint64_t address;
  int64_t buffer_offset, buffer_bytes; /* where that is in an allocation; -1: not known */
  TesseraParty party;
  bool has_earlier;
  TesseraParty earlier; /* the other side */
} TesseraReport;
/* What all calls on the device have found since this was asked last; NULL if memory runs out. */
TESSERA_API TesseraReports *tesseraDeviceTakeReports(TesseraDevice *device);
TESSERA_API size_t tesseraReportCount(const TesseraReports *reports);
TESSERA_API bool tesseraReport(const TesseraReports *reports, size_t index, TesseraReport *report);
TESSERA_API void tesseraReportsDestroy(TesseraReports *reports);

/*===--- Programs ----------------------------------------------------------------------------===*/

/* Texts may be NULL: the default. */
typedef struct TesseraLoadOptions {
  const char *arch;          /* such as "sm_90a"; default: the file's own, else the device's */
  const char *input_version; /* release of CuTe DSL that wrote the file; default: recognised */
  const char *cache_folder;  /* "": nothing is kept; default: that of the command line */
  bool reinfer;              /* types were changed by hand, and others follow */
  bool check_assumptions;    /* of the layout algebra, at run time */
  bool no_host_code; /* a host function that does more than compute extents and arguments from
                      * numbers and layouts and launch is refused */
  /* Seconds that compiling may take, of a file that is not in the cache; then it ends with the
   * error `CompileTime`. 0: no limit. With a limit a process of its own compiles, the program
   * tessera-worker beside libtessera.so, which is ended with all that it started; a file that makes
   * the compiler crash is the error `WorkerEnded`. The driver of a GPU compiles PTX without a
   * limit. */
  double compile_timeout;
} TesseraLoadOptions;

/* A file. `options` may be NULL: the defaults. The error's text has what the compiler said, each
 * error with file, line and column. */
TESSERA_API TesseraProgram *tesseraProgramLoad(TesseraDevice *device, const char *path,
                                               const TesseraLoadOptions *options,
                                               TesseraError **error);
/* The content of a file, which is copied; `name` is what messages call it. */
TESSERA_API TesseraProgram *tesseraProgramRead(TesseraDevice *device, const void *content,
                                               size_t bytes, const char *name,
                                               const TesseraLoadOptions *options,
                                               TesseraError **error);
TESSERA_API void tesseraProgramDestroy(TesseraProgram *program);
/* The architecture of its code, or "". */
TESSERA_API const char *tesseraProgramArch(const TesseraProgram *program);
/* What the device loaded, for each module of the file: PTX, or a cubin, which begins with 0x7f
 * "ELF". The bytes are the program's; NULL if there is none with this number. */
TESSERA_API size_t tesseraProgramCodeCount(const TesseraProgram *program);
TESSERA_API const void *tesseraProgramCode(const TesseraProgram *program, size_t index,
                                           size_t *bytes);
/* What the compiler warned of, or "". */
TESSERA_API const char *tesseraProgramWarnings(const TesseraProgram *program);
TESSERA_API size_t tesseraProgramKernelCount(const TesseraProgram *program);
/* The number of the kernel with this name, or with a unique part of it. NULL or "": the only host
 * function, or if there is none the only kernel. */
TESSERA_API bool tesseraProgramFind(const TesseraProgram *program, const char *name, size_t *kernel,
                                    TesseraError **error);

typedef struct TesseraKernel {
  const char *name, *module;
  bool is_host; /* a host function, which needs no grid */
  size_t parameters;
  uint32_t block[3];   /* threads that it was compiled for; zeros: its caller chooses */
  uint32_t cluster[3]; /* likewise, in blocks */
  /* What the device says of a kernel; -1: not known. */
  int64_t registers;    /* of a thread */
  int64_t local_bytes;  /* of a thread: stack and spills */
  int64_t shared_bytes; /* of a block, without dynamic ones */
} TesseraKernel;
TESSERA_API bool tesseraProgramKernel(const TesseraProgram *program, size_t index,
                                      TesseraKernel *kernel, TesseraError **error);

/* How many blocks of a kernel a multiprocessor of its GPU holds at a time. */
typedef struct TesseraOccupancy {
  int64_t blocks;            /* 0: not even one fits */
  int64_t warps, most_warps; /* of these blocks, and the most that there may be */
  const char *limit; /* what another block would exceed: "warps", "blocks", "registers", "shared
                      * memory" or "barriers" */
} TesseraOccupancy;
/* Of a kernel of a program that is loaded on a GPU; `threads` are those of a block, 0: those that
 * it was compiled for. Clusters, and registers that warps give back, are not counted. */
TESSERA_API bool tesseraProgramOccupancy(const TesseraProgram *program, size_t kernel,
                                         uint32_t threads, uint64_t dynamic_shared,
                                         TesseraOccupancy *occupancy, TesseraError **error);

typedef struct TesseraParameter {
  const char *name;       /* "" where the file has none */
  const char *kind;       /* "tensor", "pointer", "number", "stream", "nothing" or "refused" */
  const char *type;       /* as the file has it */
  const char *constraint; /* "f16 (?{div=8},64):(64,1), aligned to 16 bytes" */
  bool takes_argument;    /* not a stream, and not without content */
  size_t bytes;           /* of its value */
} TesseraParameter;
TESSERA_API bool tesseraProgramParameter(const TesseraProgram *program, size_t kernel, size_t index,
                                         TesseraParameter *parameter, TesseraError **error);

/* The IR of a file as Tessera prints it, to be given back with tesseraTextDestroy. Of the options
 * `input_version` and `reinfer` matter; NULL: the defaults. */
TESSERA_API char *tesseraPrintIr(const void *content, size_t bytes, const char *name,
                                 const TesseraLoadOptions *options, TesseraError **error);

/*===--- Calls -------------------------------------------------------------------------------===*/

/* A DLTensor. */
typedef struct TesseraTensor {
  void *data;
  int32_t device_type, device_id;
  int32_t rank;
  uint8_t type_code, type_bits;
  uint16_t type_lanes;
  const int64_t *shape;
  const int64_t *strides; /* in elements; NULL: compact, the last mode fastest */
  uint64_t byte_offset;
} TesseraTensor;

typedef enum TesseraArgumentKind {
  TESSERA_TENSOR,
  TESSERA_INTEGER,
  TESSERA_REAL,
  TESSERA_ADDRESS, /* for a pointer: what the kernel sees; not checked */
  TESSERA_BYTES,   /* the parameter's value as it lies in memory; not checked except for its size */
  TESSERA_READ_ONLY_TENSOR /* one that must not be written: the simulator and the interpreter refuse
                            * a kernel that does, and copy nothing back; a GPU does not check */
} TesseraArgumentKind;
typedef struct TesseraArgument {
  TesseraArgumentKind kind;
  union {
    const TesseraTensor *tensor;
    int64_t integer;
    double real;
    uint64_t address;
    const void *bytes;
  } value;
  size_t size; /* of TESSERA_BYTES */
} TesseraArgument;

/* How a kernel is launched; zeros: what it was compiled for, or nothing. */
typedef struct TesseraLaunch {
  uint32_t grid[3];        /* in blocks */
  uint32_t block[3];       /* in threads */
  uint32_t cluster[3];     /* in blocks */
  uint64_t dynamic_shared; /* bytes */
} TesseraLaunch;

/* Calls a host function (`launch` is NULL) or launches a kernel. `stream` is the caller's
 * cudaStream_t or CUstream, NULL for the default one; only GPUs use it. For the kernel of a tile
 * program a tensor may stand for a pointer, its extents and its strides. */
TESSERA_API bool tesseraProgramCall(TesseraProgram *program, size_t kernel,
                                    const TesseraArgument *arguments, size_t count,
                                    const TesseraLaunch *launch, void *stream,
                                    TesseraError **error);
/* Waits for the stream, and reports what failed in its kernels. */
TESSERA_API bool tesseraProgramSynchronize(TesseraProgram *program, void *stream,
                                           TesseraError **error);

/*===--- Ready kernels -----------------------------------------------------------------------===*/

/* D = A B^T for A of m x k, B of n x k and D of m x n, all row-major, with types by name: "f16",
 * "bf16", "tf32" (f32 in memory), "f8E4M3FN", ... Its only host function takes A, B and D. It is
 * fast for the shape that is given, and correct for any. It is made of the products that the GPU,
 * or the `arch` in the options, has: wgmma on Hopper, tcgen05 on Blackwell ("sm_100a"), and
 * mma.sync on Turing, Ampere, Ada and "sm_120a", and for what tcgen05 has no form.
 *
 * Many products in one launch are `groups`: "batches", a first mode of A, B and D; "masked", which
 * takes after D how many rows of each batch count (i32); "contiguous", groups of the rows of A and
 * D, with a first mode of B, which takes where each begins and the last ends (i32; multiples of 8
 * where A is contiguous in M). m is then the number of rows of all products together.
 *
 * With `block_scales`, of 8-bit floats, it takes after D the factors (f32) of A, for each row and
 * each 128 elements of K, and of B, for each 128 rows and 128 elements of K.
 *
 * With `group_scales`, 32, 64 or 128, B is "i4" (N x K / 2 of u8, the first number in the lower
 * half of a byte), "f8E4M3FN" or "f8E5M2", and A "f16" or "bf16": after D come scales of A's type,
 * for each row of B and so many elements of K.
 *
 * `major` says which mode of A and of B is contiguous: "kk", or, of 16-bit types, "km" (B of
 * k x n), "mk" (A of k x m) and "mm". Tensors keep their shapes; their strides say the same. */
typedef struct TesseraGemm {
  int64_t m, n, k;
  const char *a, *b, *d;
  const char *groups; /* NULL: one product */
  bool block_scales;
  const char *major;    /* NULL: "kk" */
  int32_t group_scales; /* 0: none */
} TesseraGemm;
TESSERA_API TesseraProgram *tesseraProgramGemm(TesseraDevice *device, const TesseraGemm *gemm,
                                               const TesseraLoadOptions *options,
                                               TesseraError **error);

/* O = softmax(scale Q K^T) V on Hopper, of tensors (batch, sequence, head, element). Its only host
 * function takes Q, K, V, O and the scale (f32, positive), then what is asked for here, in this
 * order:
 *   window   i32: a query sees keys at most so many away from its own, with `causal` before it
 *   softcap  f32, positive: scores become cap tanh(score / cap)
 *   alibi    f32 slopes, one for each head of Q: a score is reduced by the slope times the
 *            distance of query and key
 *   varlen   sequences one after the other, in tensors (sequence, head, element): i32 with the
 *            start of each of Q and the end of the last, the same of K, and the most queries of one
 *   lengths  for few queries: i32 with the number of keys of each batch; K and V may have more
 *   page_size  not 0, with lengths: K and V are (pages, keys of a page, head, element), and i32 of
 *            (batch, pages of the longest) says which page has which keys of a batch
 *   scales   of element "f8E4M3FN": of Q, of K and of V, each f32 of (batch, head), or (head) with
 *            varlen, all positive: factors by which the numbers are multiplied
 *   lse      f32 of (batch, head, query), or (head, query) with varlen: it writes the logarithm of
 *            each query's sum of exponentials there, for the gradients
 * docs/kernels/attention.md and decode.md say more. */
typedef struct TesseraAttention {
  const char *element; /* of Q, K and V: "f16", "bf16" or "f8E4M3FN", which is for many queries */
  int32_t head_dim;    /* of Q and K: 64, 96, 128, 192 (V and O then have 128) or 256 */
  bool causal;         /* a query sees the keys up to its own; the last query sees all */
  bool window, softcap, alibi, varlen;
  int64_t groups; /* not 0: for few queries, of so many pairs of a batch and a head of K */
  bool lengths;
  int32_t page_size;
  bool lse;           /* not for few queries */
  const char *result; /* of O; NULL: as the others, of "f8E4M3FN" "bf16", which may be "f16" too */
  bool workspace;     /* for few queries: see tesseraAttentionWorkspace */
} TesseraAttention;
TESSERA_API TesseraProgram *tesseraProgramAttention(TesseraDevice *device,
                                                    const TesseraAttention *attention,
                                                    const TesseraLoadOptions *options,
                                                    TesseraError **error);

/* Few queries of few heads keep all of a GPU busy only if blocks leave sums in memory. With
 * `workspace` the last two arguments of a call are then a workspace (f32) and counters (i32), each
 * of at least as many numbers as this function says. `rows` is the number of queries times the
 * number of heads of Q that share a head of K. Counters have to be 0 before the first call, and are
 * 0 after each; calls that run at once need a workspace and counters each. If nothing would be
 * gained both numbers are 0, and the call takes neither. */
TESSERA_API bool tesseraAttentionWorkspace(const TesseraAttention *attention, int64_t rows,
                                           int64_t *numbers, int64_t *counters,
                                           TesseraError **error);

/* Gradients of attention. Its only host function takes Q, K, V, O, dO, lse, dQ, dK, dV, a workspace
 * and the scale: of what attention with `lse` was given and wrote, the gradient of O, the gradients
 * that it writes, and f32 of (batch, heads of Q, 2, queries rounded up to 64), which may hold
 * anything. Then come a window, a cap and slopes, as attention took them. With varlen the workspace
 * is (heads of Q, 2, at least 64 times (queries / 64 + sequences)), and starts of Q and of K and
 * the most queries and the most keys of one sequence come last. The same numbers give the same
 * bits. */
typedef struct TesseraAttentionBackward {
  const char *element; /* of all but lse and the workspace: "f16" or "bf16" */
  int32_t head_dim;    /* of Q and K: 64, 96, 128, 192 (V and O then have 128) or 256 */
  bool causal;
  bool window, softcap, alibi, varlen; /* as TesseraAttention */
} TesseraAttentionBackward;
TESSERA_API TesseraProgram *tesseraProgramAttentionBackward(TesseraDevice *device,
                                                            const TesseraAttentionBackward *of,
                                                            const TesseraLoadOptions *options,
                                                            TesseraError **error);

/* A kernel of rows: "rmsnorm", "softmax" and the others of `tessera generate --list` that have a
 * page under Rows in docs/kernels. `tessera generate NAME --help` says what its only host function
 * takes. */
typedef struct TesseraRows {
  const char *kernel, *element; /* its name; the type of what is read: "f16", "bf16" or "f32" */
  const char *result;           /* of what is written; NULL: as what is read, of codes f8E4M3FN */
  const char *activation;       /* of "act-mul"; NULL: "silu" */
  int64_t columns;              /* the most that a row has; rows may be shorter */
  int64_t segment;              /* columns that have a scale, of "quantize"; 0: the row */
} TesseraRows;
TESSERA_API TesseraProgram *tesseraProgramRows(TesseraDevice *device, const TesseraRows *rows,
                                               const TesseraLoadOptions *options,
                                               TesseraError **error);

/*===--- The worker --------------------------------------------------------------------------===*/

/* The program tessera-worker (compile_timeout), which alone calls it. */
TESSERA_API int tesseraWorker(int argc, char **argv);

/*===--- Pictures ----------------------------------------------------------------------------===*/

/* A picture of a layout: "svg", "latex" or "text". The caller's, to be given back with
 * tesseraTextDestroy. */
TESSERA_API char *tesseraDraw(const TesseraValue *layout, const char *form, TesseraError **error);
TESSERA_API void tesseraTextDestroy(char *text);

#ifdef __cplusplus
}
#endif

#endif
