"""Devices, programs, kernels and what the sanitizer says of them."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes as c
import os
import sys
import threading
import weakref
from collections import namedtuple

from . import _library as l
from ._errors import Error, Here, check, raise_error
from ._library import lib, short_call, terminated, text, whole
from ._tensors import Slot

Parameter = namedtuple("Parameter", "name kind type constraint")
Parameter.__doc__ = "A parameter of a kernel: its name in the file ('' if it has none), tensor, pointer or number, its type, and what an argument has to fulfil."
Occupancy = namedtuple("Occupancy", "blocks warps most_warps limit")
Occupancy.__doc__ = "How many blocks of a kernel a multiprocessor holds, their warps, the most warps that it can hold, and the resource that one more block would exceed."
Party = namedtuple("Party", "access block thread line line_text source")
Party.__doc__ = "One side of a report: what it did, its block and thread, line and text of the PTX, and the place in the source."
Report = namedtuple("Report", "rule text kernel space address buffer_offset buffer_bytes party earlier")
Report.__doc__ = "What the sanitizer found: a rule, the message, and both sides (`earlier` may be None)."


class SanitizerError(Error):
    """A kernel broke rules of the sanitizer: `reports` has all of them."""

    def __init__(self, id, message, reports):
        super().__init__(id, message)
        self.reports = reports

    def __reduce__(self):
        return type(self), (self.id, str(self), self.reports)


class Device(Here):
    """gpu, gpu:N, sim (options: timeout, sanitize, max_reports, late_copies, host_threads, instructions, global_bytes) or interp (timeout)."""

    def __init__(self, name="gpu", **options):
        given = lib.tesseraDeviceDefaultOptions()
        known = dict(l.DeviceOptions._fields_)
        for key, value in options.items():
            if key not in known:
                raise TypeError(f"expects options of a device, {', '.join(known)}, but got {key}")
            if known[key] is c.c_double and not hasattr(value, "__float__"):
                raise TypeError(f"option {key}: expects a number of seconds, but got {value!r}")
            setattr(given, key, known[key](value).value if known[key] in (c.c_bool, c.c_double) else whole(value, known[key], f"option {key}"))
        if not isinstance(name, (str, bytes)):
            raise TypeError(f"device: expects a name, such as 'gpu:{name if isinstance(name, int) else 0}' or 'sim', or a Device, but got {type(name).__name__}")
        self.name, self.options = name, options
        self._handle = check(lib.tesseraDeviceOpen, terminated(name, "device"), c.byref(given))
        weakref.finalize(self, lib.tesseraDeviceDestroy, self._handle)

    @property
    def hardware(self):
        return text(lib.tesseraDeviceHardware(self._handle))

    def take_reports(self):
        """What the sanitizer has found since the last call."""
        reports = lib.tesseraDeviceTakeReports(self._handle)
        try:
            return [self._report(reports, i) for i in range(lib.tesseraReportCount(reports))]
        finally:
            lib.tesseraReportsDestroy(reports)

    @staticmethod
    def _report(reports, index):
        def party(p):
            return Party(text(p.access), text(p.block), text(p.thread), p.line, text(p.line_text), text(p.source))

        r = l.Report()
        lib.tesseraReport(reports, index, c.byref(r))
        known = r.buffer_offset >= 0
        return Report(text(r.rule), text(r.text), text(r.kernel), text(r.space), r.address, r.buffer_offset if known else None,
                      r.buffer_bytes if known else None, party(r.party), party(r.earlier) if r.has_earlier else None)

    def __repr__(self):
        return f"<tessera.Device {self.name}: {self.hardware}>"


_devices = {}
_lock = threading.Lock()


def _device(device, options):
    """The process's device of a name and options, opened once."""
    if isinstance(device, Device):
        return device
    if device is None:
        device = "gpu"
    key = (device, tuple(sorted(options.items())))
    with _lock:
        if key not in _devices:
            _devices[key] = Device(device, **options)
        return _devices[key]


def _options(arch, input_version, cache, reinfer, check_assumptions, host_code, compile_timeout):
    encoded = l.LoadOptions()
    encoded.arch = terminated(arch, "arch") if arch else None
    encoded.input_version = terminated(input_version, "input_version") if input_version else None
    if not isinstance(cache, (bool, str, bytes, os.PathLike, type(None))):
        raise TypeError(f"cache: expects True, False or a folder, but got {cache!r}")
    encoded.cache_folder = None if cache is True else b"" if not cache else terminated(os.fsencode(cache), "cache")
    encoded.reinfer, encoded.check_assumptions, encoded.no_host_code = reinfer, check_assumptions, not host_code
    encoded.compile_timeout = compile_timeout
    return encoded


class _Program:
    """A loaded file; destroyed with its last kernel."""

    def __init__(self, handle, device):
        self.handle, self.device = handle, device
        weakref.finalize(self, lib.tesseraProgramDestroy, handle)


class _Place:
    """Arguments of a thread's calls, and the error of one; made once, as a call takes microseconds."""

    def __init__(self, count):
        self.given = (l.Argument * count)()
        self.slots = [Slot(self.given[i], i) for i in range(count)]
        self.count = c.c_size_t(count)
        self.error = l.HANDLE()
        self.error_reference = c.byref(self.error)


_short_call, _short_target = short_call()
_function = c.cast(lib.tesseraProgramCall, c.c_void_p).value
_KEPT = {int, tuple, type(None)}  # types of extents that cannot change until the next call


class Kernel(Here):
    """A host function or a kernel of a file: call it with tensors and numbers.

    On a GPU a call takes torch's current stream, or `stream=` (a handle of CUDA, or an object with `cuda_stream`), and returns at once.
    A kernel of PTX or of a tile program needs `grid=`, and may take `block=`, `cluster=` and `dynamic_shared=`. `k[name]` is another one of
    the same file.
    """

    def __init__(self, program, name, again):
        index = c.c_size_t()
        check(lib.tesseraProgramFind, program.handle, terminated(name or "", "kernel"), c.byref(index))
        self._program, self._index, self._again = program, index.value, again
        self._info = self._kernel(index.value)
        self._local = threading.local()
        self._ordinal = _ordinal(program.device)
        self._handle = c.c_void_p(program.handle)
        self._target = _short_target(_function, program.handle, index.value, -1 if self._ordinal is None else self._ordinal) if _short_call else None
        self._launch = None, None, 0  # the last one: as it was given, its struct, and where that is

    def _kernel(self, index):
        info = l.Kernel()
        check(lib.tesseraProgramKernel, self._program.handle, index, c.byref(info))
        return info

    @property
    def name(self):
        return text(self._info.name)

    @property
    def device(self):
        return self._program.device

    @property
    def arch(self):
        return text(lib.tesseraProgramArch(self._program.handle))

    @property
    def warnings(self):
        return text(lib.tesseraProgramWarnings(self._program.handle))

    @property
    def code(self):
        """What the device loaded, for each module of the file: the text of PTX, or the bytes of a cubin."""
        codes = []
        for i in range(lib.tesseraProgramCodeCount(self._program.handle)):
            size = c.c_size_t()
            code = c.string_at(lib.tesseraProgramCode(self._program.handle, i, c.byref(size)), size.value)
            codes.append(code if code.startswith(b"\x7fELF") else text(code))
        return codes

    @property
    def names(self):
        """All host functions and kernels of the file."""
        return [text(self._kernel(i).name) for i in range(lib.tesseraProgramKernelCount(self._program.handle))]

    @property
    def parameters(self):
        """Those that take an argument, in order."""
        out = []
        for i in range(self._info.parameters):
            p = l.Parameter()
            check(lib.tesseraProgramParameter, self._program.handle, self._index, i, c.byref(p))
            if p.takes_argument:
                out.append(Parameter(text(p.name), text(p.kind), text(p.type), text(p.constraint)))
        return out

    def __getitem__(self, name):
        return Kernel(self._program, name, self._again)

    def on(self, device, **options):
        """The same on another device: k.on("sim", sanitize=True)."""
        return self._again(device, options)[self.name]

    def __call__(self, *arguments, grid=None, block=None, cluster=None, dynamic_shared=0, stream=None):
        launch, address = None, 0
        if grid is not None or block is not None or cluster is not None or dynamic_shared:
            launch, address = self._launched(grid, block, cluster, dynamic_shared)
        if _short_call:
            if stream is not None and type(stream) is not int and self._ordinal is not None:
                stream = _stream(stream, self._ordinal) or 0
            error = _short_call(self._target, arguments, address, stream)
            if error is not None:
                if error:
                    self._refused(l.HANDLE(error))
                return
        place = self._place(len(arguments))
        for slot, x in zip(place.slots, arguments):
            slot.fill(x)
        if self._ordinal is not None:
            stream = _stream(stream, self._ordinal)
        if not lib.tesseraProgramCall(self._handle, self._index, place.given, place.count, c.byref(launch) if launch else None, stream, place.error_reference):
            self._refused(place.error)

    def _launched(self, grid, block, cluster, dynamic_shared):
        """The struct of a launch and its address; made again only where it is not the last one."""
        given = grid, block, cluster, dynamic_shared
        kept, encoded, address = self._launch
        plain = type(grid) in _KEPT and type(block) in _KEPT and type(cluster) in _KEPT and type(dynamic_shared) in _KEPT
        if not plain or kept != given:
            encoded = l.Launch(*map(_extents, given[:3], ("grid", "block", "cluster")), whole(dynamic_shared, c.c_uint64, "dynamic_shared"))
            address = c.addressof(encoded)
            self._launch = given if plain else None, encoded, address
        return encoded, address

    def _refused(self, handle):
        try:
            raise_error(handle)
        except Error as error:
            reports = self.device.take_reports() if self.device.options.get("sanitize") else []
            if reports:
                raise SanitizerError(error.id, str(error), reports) from None
            raise

    def _place(self, count):
        """Where this thread puts arguments of this kernel."""
        local = self._local
        try:
            return local.places[count]
        except (AttributeError, KeyError):
            if not hasattr(local, "places"):
                local.places = {}
            local.places[count] = _Place(count)
            return local.places[count]

    def occupancy(self, threads=0, dynamic_shared=0):
        """How many blocks of a kernel a multiprocessor of its GPU holds, as (blocks, warps, most_warps, limit); threads=0: those that it was compiled for."""
        held = l.Occupancy()
        check(lib.tesseraProgramOccupancy, self._program.handle, self._index, whole(threads, c.c_uint32, "threads"),
              whole(dynamic_shared, c.c_uint64, "dynamic_shared"), c.byref(held))
        return Occupancy(held.blocks, held.warps, held.most_warps, text(held.limit))

    def synchronize(self, stream=None):
        """Waits for the stream, and raises what failed in its kernels."""
        check(lib.tesseraProgramSynchronize, self._program.handle, _stream(stream, self._ordinal or 0))

    def __repr__(self):
        return f"<tessera.Kernel {self.name} on {self.device.hardware}>"

    def __str__(self):
        lines = [f"{self.name}{' for ' + self.arch if self.arch else ''} on {self.device.hardware}"]
        for i, p in enumerate(self.parameters):
            lines.append(f"  {i} {p.name + ': ' if p.name else ''}{p.kind} {p.constraint or p.type}".rstrip())
        for i in range(lib.tesseraProgramKernelCount(self._program.handle)):
            k = self._kernel(i)
            if k.is_host:
                continue
            known = [f"{number} {what}" for number, what in ((k.registers, "registers"), (k.shared_bytes, "bytes of shared memory"),
                                                             (k.local_bytes, "bytes of stack and spills")) if number >= 0]
            lines.append(f"  kernel {text(k.name)}: {', '.join(known) or 'interpreted'}")
        return "\n".join(lines)


def _extents(extents, what):
    if extents is None:
        return (0, 0, 0)
    if not hasattr(extents, "__index__") and not isinstance(extents, (tuple, list, str)):
        raise TypeError(f"{what}: expects an integer, or a tuple of 1 to 3, but got {extents!r}")
    extents = (extents,) if hasattr(extents, "__index__") else tuple(extents)
    if not 1 <= len(extents) <= 3:
        raise ValueError(f"{what}: expects 1 to 3 extents, but got {extents}")
    extents = tuple(whole(extent, c.c_uint32, what) for extent in extents)
    if 0 in extents:
        raise ValueError(f"{what}: expects extents of 1 or more, but got {extents}")
    return extents + (1,) * (3 - len(extents))


def _ordinal(device):
    """The number of a GPU's name; None for other devices."""
    return int(device.name[4:] or 0) if device.name.startswith("gpu") else None


_current = None  # from the number of a GPU to the handle of torch's current stream, once torch uses CUDA


def _stream(stream, ordinal):
    """The handle of a stream: what was given, or torch's current one where torch uses CUDA."""
    global _current
    if stream is not None:
        return whole(getattr(stream, "cuda_stream", stream), c.c_uint64, "stream") or None
    if _current is None:
        torch = sys.modules.get("torch")
        if torch is None or not torch.cuda.is_initialized():
            return None
        # Without an object for the stream, which takes a microsecond.
        raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        _current = raw or (lambda ordinal: torch.cuda.current_stream(ordinal).cuda_stream)
    return _current(ordinal) or None


def loads(content, name="program", *, device=None, kernel=None, arch=None, input_version=None, cache=True, reinfer=False,
          check_assumptions=False, host_code=True, compile_timeout=0, **device_options):
    """A kernel of the content of a file: text, or bytes of bytecode or a cubin."""
    if not isinstance(content, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"expects the text or the bytes of a file, but got {type(content).__name__}")
    content = content.encode() if isinstance(content, str) else bytes(content)
    options = _options(arch, input_version, cache, reinfer, check_assumptions, host_code, compile_timeout)

    def on(device, device_options):
        opened = _device(device, device_options)
        handle = check(lib.tesseraProgramRead, opened._handle, content, len(content), terminated(os.fsencode(name), "name"), c.byref(options))
        return _Program(handle, opened)

    return _kernel_of(on, device, device_options, kernel)


def ir(content, name="program", *, input_version=None, reinfer=False):
    """The IR of a file's content, text or bytes, as Tessera prints it: verified, in one spelling; with reinfer, with types that follow an edit."""
    if not isinstance(content, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"expects the text or the bytes of a file, but got {type(content).__name__}")
    content = content.encode() if isinstance(content, str) else bytes(content)
    options = _options(None, input_version, True, reinfer, False, True, 0)
    printed = check(lib.tesseraPrintIr, content, len(content), terminated(os.fsencode(name), "name"), c.byref(options))
    try:
        return text(c.string_at(printed))
    finally:
        lib.tesseraTextDestroy(printed)


def _kernel_of(on, device, device_options, name):
    """The kernel of a program that `on(device, options)` makes, and makes again for another device."""

    class Again:
        def __init__(self, program):
            self.program = program

        def __getitem__(self, name):
            return Kernel(self.program, name, lambda device, options: Again(on(device, options)))

    return Again(on(device, device_options))[name]


def load(path, **options):
    """A kernel of a file: CuTe IR as CuTe DSL dumps it, a tile program, PTX or a cubin.

    device=         "gpu" (the default), "gpu:1", "sim", "interp" or a Device; further options are the device's (sanitize=True)
    kernel=         a unique part of its name, where the file has several
    arch=           such as "sm_90a"; else the file's own, else the device's
    cache=          False, or another folder than that of the command line
    host_code=      a call of a host function executes the file's host code in this process, with your rights: do not call those of files that
                    you do not trust; False refuses a function that does more than compute extents and arguments and launch
    compile_timeout=    seconds that compiling may take, in a process of its own that is ended then; 0: no limit
    input_version=, reinfer=, check_assumptions=    as the options of `tessera run`
    """
    if isinstance(path, int):  # which `open` takes for a file that is open
        raise TypeError("expects the path of a file, but got int")
    with open(path, "rb") as file:
        return loads(file.read(), path, **options)
