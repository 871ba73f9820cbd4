"""Tensors of any library as DLTensors, without a copy."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes as c
import sys

from ._library import Argument, Tensor, VersionedTensor, whole

_OLD, _VERSIONED = b"dltensor", b"dltensor_versioned"  # how DLPack names what nobody has taken yet
_is_valid = c.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = c.c_int, [c.py_object, c.c_char_p]
_pointer = c.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = c.c_void_p, [c.py_object, c.c_char_p]


class TypeOfNumpy:
    """DLPack's codes of numpy's kinds."""

    CODES = {"i": 0, "u": 1, "f": 2, "b": 6, "V": 1}


def of_numpy(array):
    """A numpy array of any kind, and whether it may only be read; raw bytes of ml_dtypes and the like count as unsigned integers."""
    itemsize = array.dtype.itemsize
    if not array.dtype.isnative:
        raise TypeError(f"expects elements in the byte order of this machine, but got {array.dtype.str!r}; give array.astype(array.dtype.newbyteorder('='))")
    if not 0 < itemsize < 32:
        raise TypeError(f"expects elements of 1 to 31 bytes, but got {array.dtype.str!r} of {itemsize}")
    if array.dtype.kind not in TypeOfNumpy.CODES or array.dtype.names:
        raise TypeError(f"expects elements that are integers, floats or booleans, but got {array.dtype}")
    rank = array.ndim
    tensor = Tensor()
    tensor.data = array.ctypes.data
    tensor.device_type, tensor.rank = 1, rank
    tensor.type_code, tensor.type_bits, tensor.type_lanes = TypeOfNumpy.CODES[array.dtype.kind], 8 * itemsize, 1
    tensor.shape = (c.c_int64 * rank)(*array.shape)
    if any(stride % itemsize for stride, extent in zip(array.strides, array.shape) if extent > 1):
        raise TypeError(f"expects strides in whole elements, but got {array.strides} bytes for elements of {itemsize}; copy the array")
    if array.size:  # numpy's strides of an array without elements say nothing
        tensor.strides = (c.c_int64 * rank)(*[stride // itemsize for stride in array.strides])
    return tensor, array, not array.flags.writeable


def of_torch(x):
    """A tensor of torch: its own numbers, which is quicker than a capsule and takes those with gradients."""
    torch = sys.modules["torch"]
    row = _torch_types(torch).get(x.dtype)
    if row is None:
        raise TypeError(f"expects a tensor of numbers, but got {x.dtype}")
    if x.layout != torch.strided:
        raise TypeError(f"expects a tensor with strides, but got one of {x.layout}; give x.to_dense()")
    if x.is_neg():
        raise TypeError("expects the numbers as they are in memory, but got a tensor that stands for their negation; give x.resolve_neg()")
    rank = x.dim()
    tensor = Tensor()
    tensor.data = x.data_ptr()
    device = x.device
    tensor.device_type, tensor.device_id = (2, device.index or 0) if device.type == "cuda" else (1, 0)
    if device.type not in ("cuda", "cpu"):
        raise TypeError(f"expects a tensor of the CPU or of CUDA, but got one of {device}")
    tensor.rank = rank
    tensor.type_code, tensor.type_bits, tensor.type_lanes = row
    shape = (c.c_int64 * (2 * rank))(*x.shape, *x.stride())
    tensor.shape = shape
    tensor.strides = c.cast(c.addressof(shape) + 8 * rank, c.POINTER(c.c_int64))
    return tensor, (x, shape)


_types = {}


def _torch_types(torch):
    if not _types:
        rows = {"int8": (0, 8), "int16": (0, 16), "int32": (0, 32), "int64": (0, 64), "uint8": (1, 8), "uint16": (1, 16), "uint32": (1, 32),
                "uint64": (1, 64), "float16": (2, 16), "float32": (2, 32), "float64": (2, 64), "bfloat16": (4, 16), "bool": (6, 8),
                "float8_e4m3fn": (10, 8), "float8_e5m2": (12, 8), "float8_e8m0fnu": (14, 8)}
        for name, (code, bits) in rows.items():
            if hasattr(torch, name):
                _types[getattr(torch, name)] = (code, bits, 1)
    return _types


def of_capsule(x):
    """Whatever has `__dlpack__`, and whether it may only be read. The capsule keeps the memory until the call has been made."""
    on_gpu = x.__dlpack_device__()[0] in (2, 13) if hasattr(x, "__dlpack_device__") else False
    options = {"stream": -1} if on_gpu else {}
    try:
        capsule = x.__dlpack__(max_version=(1, 0), **options)  # what is older cannot say that it may only be read
    except TypeError:
        capsule = x.__dlpack__(**options)
    if _is_valid(capsule, _VERSIONED):
        versioned = VersionedTensor.from_address(_pointer(capsule, _VERSIONED))
        if versioned.major != 1:
            raise BufferError(f"expects DLPack 1, but got version {versioned.major}.{versioned.minor} from {type(x).__name__}")
        return versioned.tensor, (x, capsule), bool(versioned.flags & VersionedTensor.READ_ONLY)
    if not _is_valid(capsule, _OLD):
        raise TypeError(f"expects a capsule of DLPack from {type(x).__name__}.__dlpack__, but got {capsule!r}")
    # A DLManagedTensor begins with its DLTensor.
    return Tensor.from_address(_pointer(capsule, _OLD)), (x, capsule), False


class Slot:
    """One argument of a thread's calls. Tensors of torch mostly come again with another address only: then that is all that is written."""

    __slots__ = ("argument", "what", "key", "tensor", "owner")

    def __init__(self, argument, number):
        self.argument, self.what, self.key, self.tensor, self.owner = argument, f"argument {number}", None, None, None

    def fill(self, x):
        torch = sys.modules.get("torch")
        try:
            if torch is None or not isinstance(x, torch.Tensor):
                self.key, self.owner = None, fill(self.argument, x, self.what)
                return
            # Of a sparse one the strides are none.
            key = (x.dtype, x.shape, x.stride() if x.layout is torch.strided else None, x.device, x.is_neg())
            if key != self.key:
                self.tensor, self.owner = of_torch(x)
                self.owner = self.owner[1]  # not the tensor, whose memory its owner wants back
                self.argument.kind, self.argument.value.tensor, self.key = Argument.TENSOR, c.addressof(self.tensor), key
            else:
                self.tensor.data = x.data_ptr()
        except (TypeError, BufferError) as error:
            raise (TypeError if isinstance(error, TypeError) else BufferError)(f"{self.what}: {error}") from None


def _has_buffer(x):
    try:
        memoryview(x).release()
        return True
    except TypeError:
        return False


def fill(argument, x, what):
    """Fills in one Argument for a value of Python, which messages call `what`. Returns what has to live until the call."""
    if isinstance(x, int):
        argument.kind = Argument.INTEGER
        argument.value.integer = whole(x, c.c_int64, what, "; give its bytes, such as x.to_bytes(8, 'little')")
        return None
    if isinstance(x, float):
        argument.kind, argument.value.real = Argument.REAL, x
        return None
    if isinstance(x, (bytes, bytearray)):
        content = (c.c_char * len(x)).from_buffer_copy(x)
        argument.kind, argument.value.bytes, argument.size = Argument.BYTES, c.addressof(content), len(x)
        return content
    if isinstance(x, c.c_void_p):
        argument.kind, argument.value.address = Argument.ADDRESS, x.value or 0
        return None
    if hasattr(x, "__array_interface__") and hasattr(x, "ctypes"):
        tensor, owner, read_only = of_numpy(x)
    elif hasattr(x, "__dlpack__"):
        tensor, owner, read_only = of_capsule(x)
    elif hasattr(x, "__array_interface__") and hasattr(x, "item") and isinstance(x.item(), (int, float)):  # a scalar of numpy
        return fill(argument, x.item(), what)
    else:
        advice = "; numpy.asarray makes a tensor of its memory" if _has_buffer(x) else ""
        raise TypeError(f"expects a tensor with __dlpack__, a number, bytes or a ctypes.c_void_p, but got {type(x).__name__}{advice}")
    argument.kind = Argument.READ_ONLY_TENSOR if read_only else Argument.TENSOR
    argument.value.tensor = c.addressof(tensor)
    return tensor, owner
