"""The functions of libtessera.so, by ctypes: structs and signatures are those of tessera-c/Layout.h and tessera-c/Tessera.h."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes as c
import importlib.machinery
import importlib.util
import operator
import os
from pathlib import Path

NAME = "libtessera.so.0.1"


class Tensor(c.Structure):
    """A DLTensor, which TesseraTensor is."""

    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32), ("rank", c.c_int32), ("type_code", c.c_uint8),
                ("type_bits", c.c_uint8), ("type_lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64)),
                ("byte_offset", c.c_uint64)]


class VersionedTensor(c.Structure):
    """A DLManagedTensorVersioned, of DLPack 1."""

    READ_ONLY = 1
    _fields_ = [("major", c.c_uint32), ("minor", c.c_uint32), ("context", c.c_void_p), ("deleter", c.c_void_p), ("flags", c.c_uint64),
                ("tensor", Tensor)]


class Value(c.Union):
    _fields_ = [("tensor", c.c_void_p), ("integer", c.c_int64), ("real", c.c_double), ("address", c.c_uint64), ("bytes", c.c_void_p)]


class Argument(c.Structure):
    TENSOR, INTEGER, REAL, ADDRESS, BYTES, READ_ONLY_TENSOR = range(6)
    _fields_ = [("kind", c.c_int), ("value", Value), ("size", c.c_size_t)]


class Launch(c.Structure):
    _fields_ = [("grid", c.c_uint32 * 3), ("block", c.c_uint32 * 3), ("cluster", c.c_uint32 * 3), ("dynamic_shared", c.c_uint64)]


class DeviceOptions(c.Structure):
    _fields_ = [("timeout", c.c_double), ("sanitize", c.c_bool), ("max_reports", c.c_uint32), ("late_copies", c.c_bool), ("host_threads", c.c_uint32),
                ("instructions", c.c_uint64), ("global_bytes", c.c_uint64)]


class LoadOptions(c.Structure):
    _fields_ = [("arch", c.c_char_p), ("input_version", c.c_char_p), ("cache_folder", c.c_char_p), ("reinfer", c.c_bool),
                ("check_assumptions", c.c_bool), ("no_host_code", c.c_bool), ("compile_timeout", c.c_double)]


class Gemm(c.Structure):
    _fields_ = [("m", c.c_int64), ("n", c.c_int64), ("k", c.c_int64), ("a", c.c_char_p), ("b", c.c_char_p), ("d", c.c_char_p), ("groups", c.c_char_p),
                ("block_scales", c.c_bool), ("major", c.c_char_p), ("group_scales", c.c_int32)]


class Attention(c.Structure):
    _fields_ = [("element", c.c_char_p), ("head_dim", c.c_int32), ("causal", c.c_bool), ("window", c.c_bool), ("softcap", c.c_bool), ("alibi", c.c_bool),
                ("varlen", c.c_bool), ("groups", c.c_int64), ("lengths", c.c_bool), ("page_size", c.c_int32), ("lse", c.c_bool), ("result", c.c_char_p), ("workspace", c.c_bool)]


class AttentionBackward(c.Structure):
    _fields_ = [("element", c.c_char_p), ("head_dim", c.c_int32), ("causal", c.c_bool), ("window", c.c_bool), ("softcap", c.c_bool), ("alibi", c.c_bool),
                ("varlen", c.c_bool)]


class Rows(c.Structure):
    _fields_ = [("kernel", c.c_char_p), ("element", c.c_char_p), ("result", c.c_char_p), ("activation", c.c_char_p), ("columns", c.c_int64),
                ("segment", c.c_int64)]


class Kernel(c.Structure):
    _fields_ = [("name", c.c_char_p), ("module", c.c_char_p), ("is_host", c.c_bool), ("parameters", c.c_size_t), ("block", c.c_uint32 * 3),
                ("cluster", c.c_uint32 * 3), ("registers", c.c_int64), ("local_bytes", c.c_int64), ("shared_bytes", c.c_int64)]


class Occupancy(c.Structure):
    _fields_ = [("blocks", c.c_int64), ("warps", c.c_int64), ("most_warps", c.c_int64), ("limit", c.c_char_p)]


class Parameter(c.Structure):
    _fields_ = [("name", c.c_char_p), ("kind", c.c_char_p), ("type", c.c_char_p), ("constraint", c.c_char_p), ("takes_argument", c.c_bool),
                ("bytes", c.c_size_t)]


class Party(c.Structure):
    _fields_ = [("access", c.c_char_p), ("block", c.c_char_p), ("thread", c.c_char_p), ("line", c.c_int64), ("line_text", c.c_char_p),
                ("source", c.c_char_p)]


class Report(c.Structure):
    _fields_ = [("rule", c.c_char_p), ("text", c.c_char_p), ("kernel", c.c_char_p), ("space", c.c_char_p), ("address", c.c_uint64),
                ("buffer_offset", c.c_int64), ("buffer_bytes", c.c_int64), ("party", Party), ("has_earlier", c.c_bool), ("earlier", Party)]


HANDLE = c.c_void_p
ERROR = c.POINTER(HANDLE)
# Name: result, then parameters.
FUNCTIONS = {
    "tesseraErrorId": (c.c_char_p, HANDLE),
    "tesseraErrorText": (c.c_char_p, HANDLE),
    "tesseraErrorHelp": (c.c_char_p, HANDLE),
    "tesseraErrorDestroy": (None, HANDLE),
    "tesseraParse": (HANDLE, c.c_char_p, ERROR),
    "tesseraEvaluate": (HANDLE, c.c_char_p, HANDLE, c.c_size_t, ERROR),
    "tesseraCall": (HANDLE, c.c_char_p, c.POINTER(HANDLE), c.c_size_t, ERROR),
    "tesseraFunctionName": (c.c_char_p, c.c_size_t),
    "tesseraKindOf": (c.c_int, HANDLE),
    "tesseraPrint": (c.c_size_t, HANDLE, c.c_char_p, c.c_size_t),
    "tesseraGetNumber": (c.c_bool, HANDLE, c.POINTER(c.c_int64), ERROR),
    "tesseraSize": (c.c_bool, HANDLE, c.POINTER(c.c_int64), ERROR),
    "tesseraCosize": (c.c_bool, HANDLE, c.POINTER(c.c_int64), ERROR),
    "tesseraRank": (c.c_bool, HANDLE, c.POINTER(c.c_int64), ERROR),
    "tesseraIndex": (c.c_bool, HANDLE, c.c_int64, c.POINTER(c.c_int64), ERROR),
    "tesseraIndexAt": (c.c_bool, HANDLE, c.POINTER(c.c_int64), c.c_size_t, c.POINTER(c.c_int64), ERROR),
    "tesseraDestroy": (None, HANDLE),
    "tesseraDraw": (HANDLE, HANDLE, c.c_char_p, ERROR),
    "tesseraTextDestroy": (None, HANDLE),
    "tesseraDeviceDefaultOptions": (DeviceOptions,),
    "tesseraDeviceOpen": (HANDLE, c.c_char_p, c.POINTER(DeviceOptions), ERROR),
    "tesseraDeviceDestroy": (None, HANDLE),
    "tesseraDeviceHardware": (c.c_char_p, HANDLE),
    "tesseraDeviceTakeReports": (HANDLE, HANDLE),
    "tesseraReportCount": (c.c_size_t, HANDLE),
    "tesseraReport": (c.c_bool, HANDLE, c.c_size_t, c.POINTER(Report)),
    "tesseraReportsDestroy": (None, HANDLE),
    "tesseraProgramRead": (HANDLE, HANDLE, c.c_char_p, c.c_size_t, c.c_char_p, c.POINTER(LoadOptions), ERROR),
    "tesseraProgramGemm": (HANDLE, HANDLE, c.POINTER(Gemm), c.POINTER(LoadOptions), ERROR),
    "tesseraAttentionWorkspace": (c.c_bool, c.POINTER(Attention), c.c_int64, c.POINTER(c.c_int64), c.POINTER(c.c_int64), ERROR),
    "tesseraProgramAttention": (HANDLE, HANDLE, c.POINTER(Attention), c.POINTER(LoadOptions), ERROR),
    "tesseraProgramAttentionBackward": (HANDLE, HANDLE, c.POINTER(AttentionBackward), c.POINTER(LoadOptions), ERROR),
    "tesseraProgramRows": (HANDLE, HANDLE, c.POINTER(Rows), c.POINTER(LoadOptions), ERROR),
    "tesseraProgramDestroy": (None, HANDLE),
    "tesseraProgramArch": (c.c_char_p, HANDLE),
    "tesseraProgramWarnings": (c.c_char_p, HANDLE),
    "tesseraProgramKernelCount": (c.c_size_t, HANDLE),
    "tesseraProgramFind": (c.c_bool, HANDLE, c.c_char_p, c.POINTER(c.c_size_t), ERROR),
    "tesseraProgramKernel": (c.c_bool, HANDLE, c.c_size_t, c.POINTER(Kernel), ERROR),
    "tesseraProgramCodeCount": (c.c_size_t, HANDLE),
    "tesseraProgramCode": (HANDLE, HANDLE, c.c_size_t, c.POINTER(c.c_size_t)),
    "tesseraPrintIr": (HANDLE, c.c_char_p, c.c_size_t, c.c_char_p, HANDLE, ERROR),
    "tesseraProgramOccupancy": (c.c_bool, HANDLE, c.c_size_t, c.c_uint32, c.c_uint64, c.POINTER(Occupancy), ERROR),
    "tesseraProgramParameter": (c.c_bool, HANDLE, c.c_size_t, c.c_size_t, c.POINTER(Parameter), ERROR),
    "tesseraProgramCall": (c.c_bool, HANDLE, c.c_size_t, HANDLE, c.c_size_t, HANDLE, HANDLE, ERROR),
    "tesseraProgramSynchronize": (c.c_bool, HANDLE, HANDLE, ERROR),
}


def places():
    """Where the library may be: named by the user, inside the wheel, beside an installation's lib, else where the system looks."""
    if os.environ.get("TESSERA_LIBRARY"):
        return [os.environ["TESSERA_LIBRARY"]]
    beside = Path(__file__).resolve().parent / NAME
    return [str(beside)] if beside.exists() else [NAME]


def opened():
    [place] = places()
    try:
        library = c.CDLL(place)
    except OSError as error:
        raise ImportError(f"{place} cannot be loaded: {error}; set TESSERA_LIBRARY to the path of libtessera.so") from error
    for name, (result, *parameters) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, parameters
    return library


def short_call():
    """`call` and `target` of python/call.c, which stands beside the library; None where it does not, or where this Python has no limited API."""
    path = Path(lib._name).with_name("tessera_call.abi3.so")
    if ".abi3.so" not in importlib.machinery.EXTENSION_SUFFIXES or not path.is_absolute() or not path.exists():
        return None, None
    spec = importlib.util.spec_from_file_location("tessera_call", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.call, module.target


lib = opened()


def text(value):
    """What the library says. Files may be named by bytes that are not UTF-8; those show as \\xff."""
    return value.decode(errors="backslashreplace") if value else ""


_LIMITS = {kind: (-(1 << 8 * c.sizeof(kind) - 1), (1 << 8 * c.sizeof(kind) - 1) - 1) for kind in (c.c_int32, c.c_int64)}
_LIMITS.update({kind: (0, (1 << 8 * c.sizeof(kind)) - 1) for kind in (c.c_uint32, c.c_uint64)})


def whole(value, kind, what, advice=""):
    """An integer that a type of C has; ctypes would cut off the bits that it has no place for."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what}: expects an integer, but got {value!r}") from None
    low, high = _LIMITS[kind]
    if not low <= number <= high:
        raise OverflowError(f"{what}: expects an integer from {low} to {high}, but got {number}{advice}")
    return number


def terminated(value, what):
    """A text for C, which would end at its first NUL."""
    if not isinstance(value, (str, bytes)):
        raise TypeError(f"{what}: expects a text, but got {value!r}")
    encoded = value if isinstance(value, bytes) else value.encode()
    if b"\0" in encoded:
        raise ValueError(f"{what}: expects a text without NUL, but got {value!r}")
    return encoded
