/* The dialects from C: registration and what a type says, on MLIR's C API (mlir-c/IR.h).
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Types and attributes are parsed and printed by MLIR itself, mlirTypeParseGet and mlirTypePrint.
 * The value of a cute type is a text that tessera-c/Layout.h reads.
 *
 * Errors. Nothing throws. Where memory runs out here a function gives false, or registers less;
 * where it runs out inside MLIR the process ends, as with MLIR's own C API.
 *
 * Threads. Register before other threads use the registry; the rest may be called by any thread
 * that may use the context of the type. */
#ifndef TESSERA_C_DIALECTS_H
#define TESSERA_C_DIALECTS_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Puts cute, cute_nvgpu, cuda and cuda_tile into a registry, with the upstream dialects that
 * kernels use. */
MLIR_CAPI_EXPORTED void tesseraRegisterDialects(MlirDialectRegistry registry);
/* Makes the passes and the pipeline `tessera-lower` known to mlirParsePassPipeline, by their names
 * on the command line. */
MLIR_CAPI_EXPORTED void tesseraRegisterPasses(void);

/* Which kind of cute type it is; false for any other. */
MLIR_CAPI_EXPORTED bool tesseraTypeIsALayout(MlirType type);
MLIR_CAPI_EXPORTED bool tesseraTypeIsATuple(MlirType type); /* int_tuple, shape, stride or coord */
MLIR_CAPI_EXPORTED bool tesseraTypeIsATensor(MlirType type);
MLIR_CAPI_EXPORTED bool tesseraTypeIsACopyAtom(MlirType type);
MLIR_CAPI_EXPORTED bool tesseraTypeIsAnMmaAtom(MlirType type);
/* Whether the type has no leaf that only the run time knows; false for types without leaves, and
 * where memory runs out. */
MLIR_CAPI_EXPORTED bool tesseraTypeIsStatic(MlirType type);

/* Calls back with the value of a layout or tuple type, "(8,4):(1,8)", and returns true; false for
 * any other type. The text is the callback's to copy. */
MLIR_CAPI_EXPORTED bool tesseraTypeValue(MlirType type, MlirStringCallback callback,
                                         void *userData);

#ifdef __cplusplus
}
#endif

#endif
