"""Ready kernels: products, attention, rows."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes as c
import sys
import threading

from . import _library as l
from ._errors import Error, check
from ._kernels import _device, _kernel_of, _options, _Program, _stream
from ._library import lib, terminated, whole


def _ready(make, of, device, cache, compile_timeout, device_options, arch=None):
    """The kernel of what a struct of the C API describes."""
    options = _options(arch, None, cache, False, False, True, compile_timeout)

    def on(device, device_options):
        opened = _device(device, device_options)
        return _Program(check(make, opened._handle, c.byref(of), c.byref(options)), opened)

    return _kernel_of(on, device, device_options, None)


def gemm(m, n, k, ab="bf16", d="bf16", *, a=None, b=None, groups=None, block_scales=False, group_scales=0, major=None, device=None, arch=None, cache=True,
         compile_timeout=0, **device_options):
    """The kernel D = A B^T for A of (m, k), B of (n, k) and D of (m, n), all row-major: call it with A, B, D. It is made of the products that the GPU, or the
    target, has: wgmma on Hopper, tcgen05 on Blackwell, and mma.sync on others and for what tcgen05 has no form.

    arch=      a target such as "sm_80", for the simulator; default: the GPU's
    group_scales=  32, 64 or 128: B has 4 or 8 bits (b="i4", as uint8 of (n, k / 2) with the first number in the lower half of a byte, or "f8E4M3FN"), A 16;
               after D come scales of A's type, of (n, k / group_scales)
    major=     the modes of A and of B that are contiguous, of 16-bit types: "km" for B as a transposed view of (k, n), "mk" for such an A, "mm" for both

    groups=    many products in one launch: "batches", a first mode of A, B and D; "masked", which takes after D how many rows of each batch count (i32);
               "contiguous", groups of the rows of A and D, with a first mode of B, which takes where each begins and the last ends (i32): multiples of 8
               where A is contiguous in M.
               The kernel is correct for any shape; m, the rows of all products together, only helps to choose a fast one
    block_scales=  of 8-bit floats: after D come the factors (f32) of A, (m, k / 128), and of B, (n / 128, k / 128), both rounded up
    """
    of = l.Gemm(*(whole(extent, c.c_int64, what) for what, extent in zip("mnk", (m, n, k))),
                *(terminated(type, what) for what, type in (("a", a or ab), ("b", b or ab), ("d", d))),
                terminated(groups, "groups") if groups else None, bool(block_scales), terminated(major, "major") if major else None, whole(group_scales, c.c_int32, "group_scales"))
    return _ready(lib.tesseraProgramGemm, of, device, cache, compile_timeout, device_options, arch)


def rows(kernel, columns=4096, element="bf16", *, result=None, activation=None, segment=0, device=None, arch=None, cache=True, compile_timeout=0,
         **device_options):
    """A kernel of rows, such as "rmsnorm" or "softmax", for rows of up to so many columns: call it as `tessera generate NAME --help` says.

    element=, result=   types of what is read and written: f16, bf16, f32; of "quantize" the result is f8E4M3FN, f8E5M2 or i8
    activation=         of "act-mul": none, relu, gelu, silu
    segment=            of "quantize": columns that have a scale; else the row has one
    arch=               a target such as "sm_80", for the simulator; default: the GPU's
    """
    names = (terminated(x, what) if x is not None else None
             for what, x in (("kernel", kernel), ("element", element), ("result", result), ("activation", activation)))
    of = l.Rows(*names, whole(columns, c.c_int64, "columns"), whole(segment, c.c_int64, "segment"))
    return _ready(lib.tesseraProgramRows, of, device, cache, compile_timeout, device_options, arch)


_kernels = {}  # by form and device: calls come again
_lock = threading.Lock()


def _kept(make, described, form, device, compile_timeout, options, arch=None):
    """The kernel of a struct with the fields `form`, made once."""
    key = (described, form, device, tuple(sorted(options.items())), arch)
    found = _kernels.get(key)
    if found is None:
        found = _ready(make, described(*form), device, True, compile_timeout, options, arch)
        with _lock:
            found = _kernels.setdefault(key, found)
    return found


_elements = {}  # by type of a library: its name takes numpy three microseconds


def _element(x):
    """The name of a tensor's type; 16 bits without a type, as numpy has bf16, are that, and 8 are f8E4M3FN."""
    found = _elements.get(x.dtype)
    if found is None:
        found = _elements[x.dtype] = _element_named(str(x.dtype).rpartition(".")[2])
    return found


def _element_named(name):
    return {"float16": "f16", "bfloat16": "bf16", "uint16": "bf16", "float8_e4m3fn": "f8E4M3FN", "uint8": "f8E4M3FN"}.get(name, name)


def _empty(like, shape, narrow=False):
    """A tensor of the library of this one and of its type; of `narrow` ones bf16, which numpy lacks: f16."""
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(like, torch.Tensor):
        return like.new_empty(shape, dtype=torch.bfloat16 if narrow else like.dtype)
    if hasattr(like, "__array_interface__"):
        return sys.modules["numpy"].empty(shape, "f2" if narrow else like.dtype)
    raise TypeError(f"expects out= with tensors of {type(like).__module__}, as Tessera makes results of torch and numpy only")


_rooms = {}  # by form and rows what attention takes; by GPU and stream a workspace and counters


def _room(form, rows):
    """How many numbers and counters attention of this form, with a workspace, takes for so many rows; none where it takes no workspace."""
    found = _rooms.get((form, rows))
    if found is None:
        numbers, counters = c.c_int64(), c.c_int64()
        check(lib.tesseraAttentionWorkspace, l.Attention(*form), rows, c.byref(numbers), c.byref(counters))
        found = _rooms.setdefault((form, rows), (numbers.value, counters.value))
    return found


def _workspace(like, numbers, counters):
    """Both, of the library of this tensor. Calls of a stream come one after the other, and counters are 0 after each, so that a stream has one of both; a
    graph has its own, as it may run beside others."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(like, torch.Tensor):
        numpy = sys.modules["numpy"]
        return numpy.empty(numbers, "f4"), numpy.zeros(counters, "i4")
    place = like.device
    key = None
    if place.type == "cuda" and not torch.cuda.is_current_stream_capturing():
        key = (place.index, _stream(None, place.index))
        room, zeros = _rooms.get(key, ((), ()))
        if len(room) >= numbers and len(zeros) >= counters:
            return room, zeros
    made = torch.empty(numbers, dtype=torch.float32, device=place), torch.zeros(counters, dtype=torch.int32, device=place)
    if key:
        _rooms[key] = made
    return made


def _makes(like):
    """Whether a workspace beside such tensors can be made."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(like, torch.Tensor) or hasattr(like, "__array_interface__")


def _place(x, device):
    """The device of a call: the GPU that has the tensor, unless something was said."""
    index = getattr(getattr(x, "device", None), "index", None)
    return device if device is not None else f"gpu:{index}" if isinstance(index, int) else "gpu"


FEW_ROWS = 64  # of a tile of few queries: heads that share K and V are its rows, too
QUERIES_OF_WORKSPACE = 64  # the workspace of gradients has room for a multiple of so many queries


def attention(q, k, v, *, out=None, scale=None, causal=False, window=None, softcap=None, alibi=None, starts_q=None, starts_k=None, longest=None,
              lengths=None, pages=None, scales=None, lse=None, device=None, arch=None, compile_timeout=0, **device_options):
    """softmax(scale Q K^T) V, for f16, bf16 and, on Hopper, Ada, sm_120 and sm_121, f8: Q, K and V are (batch, sequence, head, element), of heads of 64, 96, 128, 192 (V of 128) or 256.

    scale=     positive; default: one over the root of a head's elements
    causal=    a query sees the keys up to its own; the last query sees all
    window=    a query sees only keys within this distance of its own
    softcap=   scores become softcap tanh(score / softcap)
    alibi=     f32 slopes, one for each head of Q: a score is reduced by the slope times the distance of query and key
    starts_q=, starts_k=, longest=    sequences one after the other, in tensors (sequence, head, element): i32 with the start of each sequence of Q and the
               end of the last, the same of K, and the most queries of one
    lengths=   for few queries: i32 with the number of keys of each batch; K and V may have more, but V only finite ones
    pages=     with lengths: K and V are (pages, keys of a page, head, element), and key number k of batch b is row k % P of page pages[b, k // P] (i32);
               P is a multiple of 8, and divides 64 or is a multiple of it (of 128 for heads of 64)
    scales=    for Q, K and V of float8_e4m3fn (or codes in uint8): their scales, three tensors of f32, (batch, head) or (head) with starts, positive; not for few queries
               in pages or with lengths
    lse=       f32 of (batch, head, query), or (head, query) with starts: it gets the logarithm of each query's sum of exponentials, for attention_backward
    out=       the tensor to write; else one like Q is made, for torch and numpy (for f8: of bf16 by torch, of f16 by numpy)
    device=    default: the GPU that has Q; "sim" for tensors of the host; further options are the device's (sanitize=True)
    arch=      a target such as "sm_80", for the simulator; default: the GPU's

    K and V may have fewer heads than Q, a divisor. A query that sees no key gives zeros, also where there is none. Few queries take a kernel of their own, whose blocks share the keys.
    """
    plan = _planned(q, k, v, out, causal, (window, softcap, alibi, starts_q, starts_k, longest, lengths, pages, lse), scales, device, compile_timeout,
                    {**device_options, "arch": arch} if arch else device_options)
    if plan in _plans:  # a call like an earlier one, which was looked at
        kernel, root, room, narrow = _plans[plan]
        if out is None:
            out = _empty(q, (*q.shape[:-1], v.shape[-1]), narrow)
        return _attend(kernel, room, q, k, v, out, root if scale is None else float(scale), window, softcap, alibi, starts_q, starts_k, longest, lengths, pages,
                       scales, lse)
    varlen = starts_q is not None
    if varlen != (starts_k is not None) or varlen != (longest is not None):
        raise TypeError("expects starts_q, starts_k and longest together")
    if pages is not None and lengths is None:
        raise TypeError("expects lengths with pages")
    narrow = hasattr(q, "dtype") and _element(q) == "f8E4M3FN"
    if narrow != (scales is not None) or narrow and len(scales) != 3:
        raise TypeError("expects scales of Q, K and V with elements of 8 bits, and with these alone")
    modes = 3 if varlen else 4
    for name, x in (("q", q), ("k", k), ("v", v)):
        if not hasattr(x, "shape") or not hasattr(x, "dtype"):
            raise TypeError(f"{name}: expects a tensor, with a shape and a dtype, but got {type(x).__name__}")
        if len(x.shape) != modes:
            raise ValueError(f"{name}: expects {modes} modes, {'' if varlen else 'batch, '}sequence, head and element, but got {tuple(x.shape)}")
    heads, shared, width = int(q.shape[-2]), int(k.shape[-2]), int(q.shape[-1])
    groups = 0
    if not varlen and lse is None and not narrow and 0 < int(q.shape[1]) * (heads // max(shared, 1)) <= FEW_ROWS:
        groups = int(q.shape[0]) * shared
    if lengths is not None and lse is not None:
        raise TypeError("expects lengths or lse, but not both: kernels of few queries write no logarithms")
    if lengths is not None and narrow:
        raise TypeError("expects elements of 16 bits with lengths, but got 8")
    if lengths is not None and not groups:
        raise ValueError(f"lengths: expects at most {FEW_ROWS} rows of queries times heads that share K and V, but got {tuple(q.shape[1:-1])} queries and heads")
    if out is None:
        out = _empty(q, (*q.shape[:-1], v.shape[-1]), narrow)
    if 0 in map(int, out.shape):  # no query; TMA has no boxes without elements
        return out
    if not varlen and pages is None and 0 in (int(k.shape[1]), int(v.shape[1])):
        out[...] = 0
        if lse is not None:
            lse[...] = -float("inf")
        return out
    flags = (bool(causal), window is not None, softcap is not None, alibi is not None, varlen)
    apart = (lengths is not None, int(k.shape[1]) if pages is not None else 0, lse is not None)
    try:
        form, kernel = _attention_for(groups, q, out, flags, apart, device, arch, compile_timeout, device_options)
    except Error as error:
        if not groups or lengths is not None or error.id != "AttentionShared":
            raise  # else Turing, which has no room for few queries of heads of 256
        form, kernel = _attention_for(0, q, out, flags, apart, device, arch, compile_timeout, device_options)
    room = _room(form, int(q.shape[1]) * (heads // shared)) if form[-1] else (0, 0)
    root = float(width**-0.5)
    if plan is not None:
        if len(_plans) >= MOST_PLANS:
            _plans.clear()
        _plans[plan] = kernel, root, room, narrow
    return _attend(kernel, room, q, k, v, out, root if scale is None else float(scale), window, softcap, alibi, starts_q, starts_k, longest, lengths, pages, scales,
                   lse)


def _attention_for(groups, q, out, flags, apart, device, arch, compile_timeout, device_options):
    form = (terminated(_element(q), "element"), whole(q.shape[-1], c.c_int32, "head_dim"), *flags, groups, *apart,
            terminated(_element(out), "result"), bool(groups) and _makes(q))
    return form, _kept(lib.tesseraProgramAttention, l.Attention, form, _place(q, device), compile_timeout, device_options, arch)


MOST_PLANS = 4096  # shapes of a program that runs long
_plans = {}  # by what calls of attention have in common: kernel, default scale, room of the workspace, whether elements have 8 bits


def _planned(q, k, v, out, causal, optional, scales, device, compile_timeout, device_options):
    """What decides on the kernel of a call, and on whether it is refused before it; None where that cannot be a key."""
    try:
        key = (type(q), q.dtype, q.shape, k.shape, v.shape, None if out is None else (out.dtype, out.shape), bool(causal), tuple([x is None for x in optional]),
               None if scales is None else len(scales), device, getattr(q, "device", None) if device is None else None, compile_timeout,
               tuple(sorted(device_options.items())) if device_options else ())
        hash(key)
        return key
    except (AttributeError, TypeError):
        return None


def _scores(window, softcap, alibi):
    """The arguments of a kernel that say how scores differ from products."""
    given = (None if window is None else whole(window, c.c_int32, "window"), None if softcap is None else float(softcap), alibi)
    return [x for x in given if x is not None]


def _attend(kernel, room, q, k, v, out, scale, window, softcap, alibi, starts_q, starts_k, longest, lengths, pages, scales, lse):
    """Calls the kernel with what it takes, in its order."""
    arguments = [q, k, v, out, scale]
    if window is not None or softcap is not None or alibi is not None:
        arguments += _scores(window, softcap, alibi)
    if starts_q is not None:
        arguments += [starts_q, starts_k, whole(longest, c.c_int32, "longest")]
    if lengths is not None or pages is not None or scales or lse is not None:
        arguments += [x for x in (lengths, pages, *(scales or ()), lse) if x is not None]
    if room[0]:
        arguments += _workspace(q, *room)
    kernel(*arguments)
    return out


def attention_backward(q, k, v, o, grad, lse, *, out=None, scale=None, causal=False, window=None, softcap=None, alibi=None, starts_q=None, starts_k=None,
                       longest=None, longest_k=None, device=None, arch=None, compile_timeout=0, **device_options):
    """The gradients of Q, K and V, of heads of 64, 96, 128, 192 (V of 128) and 256, where `grad` is that of O; o and lse are what attention(q, k, v, lse=lse) wrote.

    out=        three tensors like Q, K and V, to write; else they are made, for torch and numpy
    longest_k=  with starts, the most keys of a sequence; default: all keys

    All else is as attention had it. The same numbers give the same bits.
    """
    varlen = starts_q is not None
    if varlen != (starts_k is not None) or varlen != (longest is not None):
        raise TypeError("expects starts_q, starts_k and longest together")
    modes = 3 if varlen else 4
    for name, x in (("q", q), ("k", k), ("v", v), ("o", o), ("grad", grad)):
        if len(x.shape) != modes:
            raise ValueError(f"{name}: expects {modes} modes, {'' if varlen else 'batch, '}sequence, head and element, but got {tuple(x.shape)}")
    queries, heads, width = map(int, q.shape[-3:])
    results = tuple(_empty(x, tuple(x.shape)) for x in (q, k, v)) if out is None else tuple(out)
    if len(results) != 3:
        raise ValueError(f"out: expects three tensors, of the gradients of Q, K and V, but got {len(results)}")
    if 0 in (*map(int, q.shape), *map(int, k.shape)):  # no query sees a key
        for result in results:
            result[...] = 0
        return results
    tiles = queries // QUERIES_OF_WORKSPACE + int(starts_q.shape[0]) - 1 if varlen else -(-queries // QUERIES_OF_WORKSPACE)
    workspace = _empty(lse, (*(() if varlen else (int(q.shape[0]),)), heads, 2, tiles * QUERIES_OF_WORKSPACE))
    form = (terminated(_element(q), "element"), whole(width, c.c_int32, "head_dim"), bool(causal), window is not None, softcap is not None, alibi is not None,
            varlen)
    kernel = _kept(lib.tesseraProgramAttentionBackward, l.AttentionBackward, form, _place(q, device), compile_timeout, device_options, arch)
    arguments = [q, k, v, o, grad, lse, *results, workspace, float(width**-0.5 if scale is None else scale)]
    arguments += _scores(window, softcap, alibi)
    if varlen:
        longest_k = int(k.shape[0]) if longest_k is None else longest_k
        arguments += [starts_q, starts_k, whole(longest, c.c_int32, "longest"), whole(longest_k, c.c_int32, "longest_k")]
    kernel(*arguments)
    return results
