"""Ready kernels as operators of torch: `import tessera.torch` registers torch.ops.tessera.gemm and torch.ops.tessera.attention.

They have shapes and types without data (fake tensors), so torch.compile keeps them as they are. Tensors of CUDA run on their GPU, tensors of the CPU on
the simulator, for tests. Both have gradients for f16 and bf16; where an operator has none, a call that needs them is refused.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import contextlib
import functools

import torch

from . import _ready

_library = torch.library.Library("tessera", "DEF")
_tags = {"tags": (torch.Tag.pt2_compliant_tag,)} if hasattr(getattr(torch, "Tag", None), "pt2_compliant_tag") else {}


def _below_autograd():
    """Calls within it skip what records gradients; before torch 2 the guard works while it lives."""
    guard = torch._C._AutoDispatchBelowAutograd()
    return guard if hasattr(guard, "__enter__") else contextlib.nullcontext(guard)


def _register(schema, differentiated=None):
    """Registers the function that computes; its second result makes a tensor of the right shape and type from shapes and types alone. With gradients
    `differentiated(tensors, named)` computes, from the positional arguments and the named ones."""
    name = schema.partition("(")[0]

    def registered(function):
        _library.define(schema, **_tags)
        run = functools.partial(function, True)
        for key in ("CPU", "CUDA"):
            _library.impl(name, run, key)
        _library.impl(name, functools.partial(function, False), "Meta")

        def with_gradients(*given, **named):
            tensors = [x for x in (*given, *named.values()) if isinstance(x, torch.Tensor)]
            if torch.is_grad_enabled() and any(x.requires_grad for x in tensors):
                if differentiated is None:
                    raise RuntimeError(f"tessera::{name} has no backward; call it under torch.no_grad()")
                return differentiated(given, named)
            with _below_autograd():
                return getattr(torch.ops.tessera, name)(*given, **named)

        _library.impl(name, with_gradients, "Autograd")
        return function

    return registered


def _place(x):
    return f"gpu:{x.device.index}" if x.is_cuda else "sim"


def _aligned(x, contiguous):
    """Whether TMA reads it: side by side in this mode, and elsewhere, as its address, at multiples of 16 bytes. It reads none of 0."""
    unit = max(16 // x.element_size(), 1)
    others = [stride for i, stride in enumerate(x.stride()) if i != contiguous % x.dim()]
    return x.stride(contiguous) == 1 and not any(stride % unit or not stride for stride in others) and x.data_ptr() % 16 == 0


@functools.lru_cache(maxsize=256)
def _gemm_kernel(m, n, k, a, b, d, device, **form):
    """The kernel is correct for any shape: m is rounded up to a power of two, so that not every number of tokens is compiled separately."""
    return _ready.gemm(1 << max(m - 1, 0).bit_length(), n, k, a=a, b=b, d=d, device=device, **form)


_HALVES = (torch.float16, torch.bfloat16)


def _read(x, majors="km"):
    """An operand as TMA reads it, and which of its last modes is contiguous: "k", the last, or "m". What TMA does not read is copied."""
    x = x.resolve_neg()
    for major, contiguous in (("k", -1), ("m", -2)):
        if major in majors and (major == "k" or x.dtype in _HALVES) and _aligned(x, contiguous):
            return x, major
    return _room(x).copy_(x), "k"


def _room(x):
    """A tensor of the shape and type, with rows at multiples of 16 bytes."""
    columns, unit = x.shape[-1], max(16 // x.element_size(), 1)
    return x.new_empty((*x.shape[:-1], -(-columns // unit) * unit))[..., :columns]


def _gradients_of_gemm(given, named):
    a, b = given
    if a.dtype not in _HALVES or b.dtype != a.dtype:
        raise RuntimeError(f"tessera::gemm has gradients of float16 and bfloat16, but got {a.dtype} and {b.dtype}; call it under torch.no_grad()")
    if named.get("starts") is not None and b.requires_grad:
        raise RuntimeError("tessera::gemm with starts has gradients of A alone, but those of B are wanted too; call it with b.detach()")
    return _Gemm.apply(a, b, named)


class _Gemm(torch.autograd.Function):
    """Of D = A B^T: dA = dD B and dB = dD^T A, with dD rounded to the type of A and B."""

    @staticmethod
    def forward(ctx, a, b, named):
        ctx.save_for_backward(a, b)
        ctx.starts = named.get("starts")  # of integers
        with _below_autograd():
            return torch.ops.tessera.gemm(a, b, **named)

    @staticmethod
    def backward(ctx, gradient):
        a, b = ctx.saved_tensors
        gradient = gradient.to(a.dtype)
        of_a = torch.ops.tessera.gemm(gradient, b.transpose(-1, -2), starts=ctx.starts) if ctx.needs_input_grad[0] else None
        of_b = torch.ops.tessera.gemm(gradient.transpose(-1, -2), a.transpose(-1, -2)) if ctx.needs_input_grad[1] else None
        return of_a, of_b, None


_NAMES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "int8": "i8", "uint8": "u8",
          "int32": "i32"}


def _named(dtype):
    name = str(dtype).rpartition(".")[2]
    return _NAMES.get(name, name)


@_register("gemm(Tensor a, Tensor b, *, ScalarType? dtype=None, Tensor? starts=None) -> Tensor", _gradients_of_gemm)
def _gemm(runs, a, b, *, dtype=None, starts=None):
    """D = A B^T, of A (m, k) and B (n, k), or of batches (l, m, k) and (l, n, k); D is of A's type unless another is given. With `starts`, i32 on the
    device, which says where each group of rows of A (m, k) begins, and where the last ends, each group is multiplied with its own B of (g, n, k)."""
    groups = "contiguous" if starts is not None else "batches" if a.dim() == 3 else None
    modes = {"contiguous": (2, 3), "batches": (3, 3), None: (2, 2)}[groups]
    if (a.dim(), b.dim()) != modes or a.shape[-1] != b.shape[-1] or groups == "batches" and a.shape[0] != b.shape[0]:
        raise ValueError(f"expects A of (m, k) and B of (n, k), batches of both, or groups of B with starts, but got {tuple(a.shape)} and {tuple(b.shape)}")
    dtype = a.dtype if dtype is None else dtype
    d = a.new_empty((*a.shape[:-1], b.shape[-2]), dtype=dtype)
    if runs and not (d.numel() and a.shape[-1]):  # TMA has no boxes of no elements
        return d.zero_()
    if runs:
        m, n, k = d.shape[:-1].numel(), d.shape[-1], a.shape[-1]  # the rows of all products: what the GPU has to do
        (a, major_a), (b, major_b) = _read(a), _read(b)
        kernel = _gemm_kernel(m, n, k, *map(_named, (a.dtype, b.dtype, dtype)), _place(a), groups=groups, major=major_a + major_b)
        _write(d, lambda to: kernel(a, b, to, *([starts] if starts is not None else [])))
    return d


def _write(d, call):
    """Calls with a tensor like d whose rows begin at multiples of 16 bytes."""
    to = _room(d)
    if to.stride() == d.stride():
        call(d)
    else:
        call(to)
        d.copy_(to)


@_register("weight_only_gemm(Tensor a, Tensor b, Tensor scales, *, ScalarType? dtype=None) -> Tensor")
def _weight_only_gemm(runs, a, b, scales, *, dtype=None):
    """D = A B^T, of A (m, k) in 16 bits and B in 8 (n, k: float8) or 4 (n, k / 2: uint8, two's complement, the first number in the lower half of a byte),
    where 32, 64 or 128 elements of K of a row of B share one of `scales` (n, groups), of A's type. D is of A's type unless another is given."""
    packed = 2 if b.dtype == torch.uint8 else 1
    groups = [g for g in (32, 64, 128) if scales.dim() == 2 and a.dim() == 2 and scales.shape == (b.shape[0], -(-a.shape[1] // g))]
    if (a.dim(), b.dim()) != (2, 2) or b.shape[1] != -(-a.shape[1] // packed) or not groups or scales.dtype != a.dtype:
        raise ValueError("expects A of (m, k), B of (n, k) or as uint8 (n, k / 2), and scales of A's type, (n, k / 32), (n, k / 64) or (n, k / 128), but got "
                         f"{tuple(a.shape)}, {tuple(b.shape)} and {scales.dtype} {tuple(scales.shape)}")
    dtype = a.dtype if dtype is None else dtype
    d = a.new_empty((a.shape[0], b.shape[0]), dtype=dtype)
    if runs and not (d.numel() and a.shape[-1]):
        return d.zero_()
    if runs:
        type_b = "i4" if packed == 2 else _named(b.dtype)
        kernel = _gemm_kernel(*d.shape, a.shape[1], _named(a.dtype), type_b, _named(dtype), _place(a), group_scales=groups[-1])
        (a, _), (b, _) = _read(a, "k"), _read(b, "k")
        _write(d, lambda to: kernel(a, b, to, scales))
    return d


def _gradients_of_attention(given, named):
    q = given[0]
    if q.dtype not in _HALVES or q.shape[-1] not in HEADS_OF_GRADIENTS or named.get("scales") is not None:
        raise RuntimeError(f"tessera::attention has gradients of float16 and bfloat16 with heads of {', '.join(map(str, HEADS_OF_GRADIENTS))}, but got {q.dtype} "
                           f"of {tuple(q.shape)}; call it under torch.no_grad()")
    if (slopes := named.get("alibi")) is not None and slopes.requires_grad:
        raise RuntimeError("tessera::attention has no gradients of slopes; call it with alibi.detach()")
    return _Attention.apply(*given, named)


HEADS_OF_GRADIENTS = (64, 96, 128, 192, 256)


class _Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v, named):
        ctx.named = named
        with _below_autograd():
            out, lse = torch.ops.tessera.attention_with_lse(q, k, v, **{name: x for name, x in named.items() if name != "longest_k"})
        ctx.save_for_backward(q, k, v, out, lse)
        return out

    @staticmethod
    def backward(ctx, gradient):
        return (*torch.ops.tessera.attention_backward(*ctx.saved_tensors[:4], gradient, ctx.saved_tensors[4], **ctx.named), None)


def _rows(x):
    """A tensor as the kernels of attention read it; others are copied, as the gradient of a sum is, which has strides of 0."""
    x = x.resolve_neg()
    return x if _aligned(x, -1) else x.clone(memory_format=torch.contiguous_format)


@_register("attention(Tensor q, Tensor k, Tensor v, *, float? scale=None, bool causal=False, int? window=None, float? softcap=None, Tensor? alibi=None, "
           "Tensor? starts_q=None, Tensor? starts_k=None, int? longest=None, int? longest_k=None, Tensor[]? scales=None) -> Tensor", _gradients_of_attention)
def _attention(runs, q, k, v, *, longest_k=None, **named):
    """As tessera.attention; longest_k is that of attention_backward."""
    if min(q.dim(), v.dim()) < 2:
        raise ValueError(f"expects sequence, head and element, but got {tuple(q.shape)} and {tuple(v.shape)}")
    out = q.new_empty((*q.shape[:-1], v.shape[-1]), dtype=torch.bfloat16 if q.element_size() == 1 else q.dtype)
    if runs:
        _ready.attention(*map(_rows, (q, k, v)), out=out, device=_place(q), **named)
    return out


_scores = ("float? scale=None, bool causal=False, int? window=None, float? softcap=None, Tensor? alibi=None, Tensor? starts_q=None, Tensor? starts_k=None, "
           "int? longest=None")


@_register(f"attention_with_lse(Tensor q, Tensor k, Tensor v, *, {_scores}) -> (Tensor, Tensor)")
def _attention_with_lse(runs, q, k, v, **named):
    """Attention, and the logarithm of each query's sum of exponentials: f32 of (batch, head, query), or (head, query) with starts."""
    modes = 3 if named.get("starts_q") is not None else 4
    if (q.dim(), v.dim()) != (modes, modes):
        raise ValueError(f"expects {'batch, ' if modes == 4 else ''}sequence, head and element, but got {tuple(q.shape)} and {tuple(v.shape)}")
    out = q.new_empty((*q.shape[:-1], v.shape[-1]))
    lse = q.new_empty((*q.shape[:-3], q.shape[-2], q.shape[-3]), dtype=torch.float32)
    if runs:
        _ready.attention(*map(_rows, (q, k, v)), out=out, lse=lse, device=_place(q), **named)
    return out, lse


@_register(f"attention_backward(Tensor q, Tensor k, Tensor v, Tensor o, Tensor grad, Tensor lse, *, {_scores}, int? longest_k=None) -> (Tensor, Tensor, Tensor)")
def _attention_backward(runs, q, k, v, o, grad, lse, **named):
    """As tessera.attention_backward."""
    results = tuple(x.new_empty(x.shape) for x in (q, k, v))
    if runs:
        _ready.attention_backward(*map(_rows, (q, k, v, o, grad)), lse, out=results, device=_place(q), **named)
    return results


gemm, attention = torch.ops.tessera.gemm, torch.ops.tessera.attention
