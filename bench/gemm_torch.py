"""torch's operations beside the forms of gemm_forms.py, and operands that are too large for numpy's products."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np
import torch
import torch.nn.functional as F

TYPES = {"f16": torch.half, "bf16": torch.bfloat16, "f8E4M3FN": torch.float8_e4m3fn, "f8E5M2": torch.float8_e5m2, "i8": torch.int8,
         "u8": torch.uint8, "ui8": torch.uint8, "tf32": torch.float32, "f32": torch.float32, "i32": torch.int32}
ACTIVATIONS = {"none": lambda x: x, "relu": torch.relu, "gelu": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu}


def versions():
    torch.backends.cuda.matmul.allow_tf32 = True
    return f"{torch.cuda.get_device_name()}, torch {torch.__version__}"


def uniform(kind, *shape):
    dtype = TYPES[kind]
    if not dtype.is_floating_point:
        return torch.randint(0 if dtype == torch.uint8 else -127, 128, shape, device="cuda", dtype=dtype)
    return (torch.rand(*shape, device="cuda") * 2 - 1).to(dtype)


def call(form, m, n, k):
    """(what torch does, a function that does it), or why there is none."""
    a, b = uniform(form.a, m, k), uniform(form.b, n, k)
    if "--major" in form.options:
        major = form.options[form.options.index("--major") + 1]
        a, b = (x.T.contiguous().T if letter == "m" else x for x, letter in zip((a, b), major))
    c = uniform(form.d, m, n) if form.c else None
    bias = uniform(form.bias, n) if form.bias != "none" else None
    act = ACTIVATIONS[form.activation]
    out = TYPES[form.d]
    if form.integer():
        return ("_int_mm", lambda: torch._int_mm(a, b.T)) if form.a == form.b == "i8" else ("none: i8 only", None)
    if form.a in ("f8E4M3FN", "f8E5M2"):
        if form.a == form.b == "f8E5M2":
            return "none: not two e5m2", None
        one = torch.tensor(1.0, device="cuda")
        mm = lambda: torch._scaled_mm(a, b.T, one, one, out_dtype=out, use_fast_accum=True)
        if c is None and bias is None:
            return "_scaled_mm", mm
        return "_scaled_mm, then the rest", lambda: act(torch.add(mm(), c, alpha=-0.75) + bias)
    wide = form.d == "f32" and form.a != "tf32"
    narrow = form.a == "tf32" and form.d != "f32"
    mm = lambda: torch.mm(a, b.T, out_dtype=out) if wide else a @ b.T
    if wide and c is not None:
        return "none: f32 from 16 bits", None
    if narrow:
        return "tf32, then a conversion", lambda: (a @ b.T).to(out)
    if c is not None and bias is None and form.activation == "none":
        return "addmm", lambda: torch.addmm(c, a, b.T, beta=-0.75, alpha=1.25)
    if c is not None:
        return "addmm, then the rest", lambda: act(torch.addmm(c, a, b.T, beta=-0.75, alpha=1.25) + bias)
    if bias is not None and bias.dtype == a.dtype:
        if form.activation in ("relu", "gelu"):
            return "_addmm_activation", lambda: torch._addmm_activation(bias, a, b.T, use_gelu=form.activation == "gelu")
        if form.activation == "none":
            return "addmm", lambda: torch.addmm(bias, a, b.T)
    if bias is not None:
        return "mm, then the rest", lambda: act(mm() + bias)
    if form.alpha:
        zero = torch.zeros(1, 1, device="cuda", dtype=out).expand(m, n)
        return "addmm", lambda: torch.addmm(zero, a, b.T, beta=0, alpha=1.25)
    return ("mm", mm) if form.activation == "none" else (f"mm, then {form.activation}", lambda: act(mm()))


def timed(form, m, n, k, median_ms):
    """(what torch does, its time), or why there is none; which types an operation takes differs between versions."""
    what, function = call(form, m, n, k)
    try:
        return what, median_ms(function) if function else None
    except (RuntimeError, TypeError, ValueError) as error:
        return f"none: {what} refuses ({str(error).splitlines()[0][:60]})", None


def product(ab, d, m, n, k):
    """The plain product of two matrices of a type."""
    a, b = uniform(ab, m, k), uniform(ab, n, k)
    if ab == "i8":
        return lambda: torch._int_mm(a, b.T)
    if TYPES[ab].itemsize == 1:
        one = torch.tensor(1.0, device="cuda")
        return lambda: torch._scaled_mm(a, b.T, one, one, out_dtype=TYPES.get(d, torch.bfloat16), use_fast_accum=True)
    return lambda: a @ b.T


def files(folder, ab, m, n, k, modes):
    """A and B as arguments of `tessera run`, and the options that check D against their product in f64."""
    def save(name, tensor, kind):
        bits = {"bf16": torch.int16, "f8E4M3FN": torch.uint8, "f8E5M2": torch.uint8}.get(kind, tensor.dtype)
        path = folder / f"{name}.npy"
        np.save(path, tensor.reshape(*tensor.shape, *[1] * (modes - 2)).contiguous().view(bits).cpu().numpy())
        return f"{kind}:{path}" if bits != tensor.dtype else str(path)

    a, b = uniform(ab, m, k), uniform(ab, n, k)
    reference = save("ref", (a.double() @ b.double().T).float(), "f32")
    return [save("a", a, ab), save("b", b, ab)], ["--check", f"2={reference}", "--rtol", "1e-2", "--atol", "1e-2"]
