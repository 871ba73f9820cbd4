/* The short way of a call from Python to tesseraProgramCall.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * For arguments whose numbers C can read: tensors of a library with DLPack's C exchange (torch 2.11
 * has it), integers and floats. What it does not know it leaves to python/tessera/_kernels.py,
 * which is right for everything and takes microseconds more.
 *
 * Python's limited API of 3.9, so that one file serves every later release. The exchange is that of
 * DLPack 1.3 (dlpack.h, DLPackExchangeAPI; python_spec.rst): the type of a tensor has a capsule
 * with functions that fill in a DLTensor, which is what TesseraTensor is, without taking a
 * reference. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tessera-c/Tessera.h"

#include <string.h>

typedef struct Header {
  uint32_t major, minor;
  struct Header *earlier;
} Header;
typedef struct Exchange {
  Header header;
  void *allocator, *owned_from_object, *owned_to_object;
  int (*tensor_from_object)(void *object, TesseraTensor *tensor); /* may be NULL */
  int (*current_stream)(int32_t device_type, int32_t device, void **stream);
} Exchange;

enum {
  ArgumentsAtMost = 64,
  TypesAtMost = 16,
  Cuda = 2
};

/* What types of arguments have, NULL where they have none. Types are kept alive, so that none comes
 * to stand at another one's place; the interpreter's lock guards the rows. */
static struct {
  PyObject *type;
  const Exchange *exchange;
} types[TypesAtMost];
static int typeCount;

static const Exchange *exchangeOf(PyObject *object) {
  PyObject *type = (PyObject *)Py_TYPE(object);
  for (int i = 0; i < typeCount; ++i)
    if (types[i].type == type)
      return types[i].exchange;
  const Exchange *found = NULL;
  PyObject *capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
  if (capsule && PyCapsule_IsValid(capsule, "dlpack_exchange_api")) {
    Header *header = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
    while (header && header->major != 1)
      header = header->earlier;
    found = (const Exchange *)header;
    if (found && (!found->tensor_from_object || !found->current_stream))
      found = NULL;
  }
  PyErr_Clear();
  Py_XDECREF(capsule);
  if (typeCount < TypesAtMost) {
    Py_INCREF(type);
    types[typeCount].type = type;
    types[typeCount++].exchange = found;
  }
  return found;
}

typedef bool (*Call)(TesseraProgram *, size_t, const TesseraArgument *, size_t,
                     const TesseraLaunch *, void *, TesseraError **);

/* What does not change from one call of a kernel to the next, as bytes that target() makes once. */
typedef struct Target {
  Call function;
  TesseraProgram *program;
  size_t kernel;
  int gpu; /* -1: another device, which has no streams */
} Target;

/* target(function, program, kernel, gpu): addresses of tesseraProgramCall and the program. */
static PyObject *target(PyObject *self, PyObject *given) {
  (void)self;
  unsigned long long function, program, kernel;
  int gpu;
  if (!PyArg_ParseTuple(given, "KKKi", &function, &program, &kernel, &gpu))
    return NULL;
  Target made = {(Call)(uintptr_t)function, (TesseraProgram *)(uintptr_t)program, (size_t)kernel,
                 gpu};
  return PyBytes_FromStringAndSize((const char *)&made, sizeof made);
}

/* call(target, arguments, launch, stream): the address of the launch (0: none); the stream's
 * handle, or None for the current one of the tensors' library. Returns 0, or an error's address, or
 * None where something is not for this way; then nothing was called. */
static PyObject *call(PyObject *self, PyObject *given) {
  (void)self;
  char *bytes;
  Py_ssize_t size;
  Target to;
  if (PyTuple_Size(given) != 4 ||
      PyBytes_AsStringAndSize(PyTuple_GetItem(given, 0), &bytes, &size) || size != sizeof to ||
      !PyTuple_Check(PyTuple_GetItem(given, 1)))
    return PyErr_Occurred()
               ? NULL
               : (PyErr_SetString(PyExc_TypeError, "expects (target, arguments, launch, stream)"),
                  NULL);
  memcpy(&to, bytes, sizeof to);
  PyObject *arguments = PyTuple_GetItem(given, 1), *stream = PyTuple_GetItem(given, 3);
  unsigned long long launch = PyLong_AsUnsignedLongLong(PyTuple_GetItem(given, 2));
  if (launch == (unsigned long long)-1 && PyErr_Occurred())
    return NULL;
  Py_ssize_t count = PyTuple_Size(arguments);
  if (count > ArgumentsAtMost)
    Py_RETURN_NONE;
  TesseraArgument values[ArgumentsAtMost];
  TesseraTensor tensors[ArgumentsAtMost];
  const Exchange *library = NULL;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject *x = PyTuple_GetItem(arguments, i); /* borrowed */
    if (PyLong_Check(x)) {
      int overflow = 0;
      values[i].kind = TESSERA_INTEGER;
      values[i].value.integer = PyLong_AsLongLongAndOverflow(x, &overflow);
      if (overflow)
        Py_RETURN_NONE;
      continue;
    }
    if (PyFloat_Check(x)) {
      values[i].kind = TESSERA_REAL;
      values[i].value.real = PyFloat_AsDouble(x);
      continue;
    }
    const Exchange *exchange = exchangeOf(x);
    if (!exchange)
      Py_RETURN_NONE;
    if (exchange->tensor_from_object(x, &tensors[i])) {
      PyErr_Clear(); /* the long way says it better */
      Py_RETURN_NONE;
    }
    if (tensors[i].device_type == Cuda)
      library = exchange;
    values[i].kind = TESSERA_TENSOR;
    values[i].value.tensor = &tensors[i];
  }
  void *on = NULL;
  if (to.gpu >= 0 && stream != Py_None) {
    /* An object with a handle, and what is no handle, are for the long way. */
    if (!PyLong_CheckExact(stream))
      Py_RETURN_NONE;
    on = (void *)(uintptr_t)PyLong_AsUnsignedLongLong(stream);
    if (PyErr_Occurred()) {
      PyErr_Clear();
      Py_RETURN_NONE;
    }
  } else if (to.gpu >= 0) {
    if (!library)
      Py_RETURN_NONE;
    if (library->current_stream(Cuda, to.gpu, &on)) {
      PyErr_Clear();
      Py_RETURN_NONE;
    }
  }
  TesseraError *error = NULL;
  bool done;
  Py_BEGIN_ALLOW_THREADS;
  done = to.function(to.program, to.kernel, values, (size_t)count,
                     (const TesseraLaunch *)(uintptr_t)launch, on, &error);
  Py_END_ALLOW_THREADS;
  return PyLong_FromVoidPtr(done ? NULL : (void *)error);
}

static PyMethodDef methods[] = {
    {"target", target, METH_VARARGS, "target(function, program, kernel, gpu)"},
    {"call", call, METH_VARARGS, "call(target, arguments, launch, stream)"},
    {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "tessera_call", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit_tessera_call(void) { return PyModule_Create(&module); }
