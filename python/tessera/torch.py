"""Ready kernels as operators of torch: `import tessera.torch` registers torch.ops.tessera.gemm and torch.ops.tessera.attention.

They have shapes and types without data (fake tensors), so torch.compile keeps them as they are. Tensors of CUDA run on their GPU, tensors of the CPU on
the simulator, for tests. They have no backward: with gradients they are refused.
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


def _register(schema):
    """Registers the function that computes; its second result makes a tensor of the right shape and type from shapes and types alone."""
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
                raise RuntimeError(f"tessera::{name} has no backward; call it under torch.no_grad()")
            with _below_autograd():
                return getattr(torch.ops.tessera, name)(*given, **named)

        _library.impl(name, with_gradients, "Autograd")
        return function

    return registered


def _device(x):
    return None if x.is_cuda else "sim"


@functools.lru_cache(maxsize=256)
def _gemm_kernel(m, n, k, a, b, d, groups, device):
    """Right for any shape: rows come in powers of two here, so that each number of tokens is not compiled for itself."""
    return _ready.gemm(m, n, k, a=a, b=b, d=d, groups=groups, device=device)


_NAMES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "int8": "i8", "uint8": "u8",
          "int32": "i32"}


def _named(dtype):
    name = str(dtype).rpartition(".")[2]
    return _NAMES.get(name, name)


@_register("gemm(Tensor a, Tensor b, *, ScalarType? dtype=None, Tensor? starts=None) -> Tensor")
def _gemm(runs, a, b, *, dtype=None, starts=None):
    """D = A B^T, of A (m, k) and B (n, k), or of batches (l, m, k) and (l, n, k); D is of A's type unless another is said. With `starts`, i32 on the
    device, groups of the rows of A (m, k), one after the other, meet each its own of B (g, n, k): where each begins, and where the last ends."""
    groups = "contiguous" if starts is not None else "batches" if a.dim() == 3 else None
    modes = {"contiguous": (2, 3), "batches": (3, 3), None: (2, 2)}[groups]
    if (a.dim(), b.dim()) != modes or a.shape[-1] != b.shape[-1] or groups == "batches" and a.shape[0] != b.shape[0]:
        raise ValueError(f"expects A of (m, k) and B of (n, k), batches of both, or groups of B with starts, but got {tuple(a.shape)} and {tuple(b.shape)}")
    dtype = a.dtype if dtype is None else dtype
    d = a.new_empty((*a.shape[:-1], b.shape[-2]), dtype=dtype)
    if runs:
        m, n, k = d.shape[:-1].numel(), d.shape[-1], a.shape[-1]  # the rows of all products: what the GPU has to do
        place = f"gpu:{a.device.index}" if a.is_cuda else "sim"
        kernel = _gemm_kernel(1 << max(m - 1, 0).bit_length(), n, k, *map(_named, (a.dtype, b.dtype, dtype)), groups, place)
        kernel(a, b, d, *([starts] if starts is not None else []))
    return d


@_register("attention(Tensor q, Tensor k, Tensor v, *, float? scale=None, bool causal=False, int? window=None, float? softcap=None, Tensor? alibi=None, "
           "Tensor? starts_q=None, Tensor? starts_k=None, int? longest=None) -> Tensor")
def _attention(runs, q, k, v, **named):
    """As tessera.attention."""
    if min(q.dim(), v.dim()) < 2:
        raise ValueError(f"expects sequence, head and element, but got {tuple(q.shape)} and {tuple(v.shape)}")
    out = q.new_empty((*q.shape[:-1], v.shape[-1]))
    if runs:
        _ready.attention(q, k, v, out=out, device=_device(q), **named)
    return out


gemm, attention = torch.ops.tessera.gemm, torch.ops.tessera.attention
