#!/usr/bin/env python3
"""Hopper attention on this machine's GPU: right numbers and times, beside torch's in the same run.

  bench/attention.py TESSERA [--options "TEXT;TEXT..."] [--quick | --sizes BxSxH,...] [--pause SECONDS]

Each TEXT is what `tessera generate attention` is given, "--head-dim 64 --causal" for one, with what a call gives after a colon:
"--causal --window:1024 --softcap:30 --alibi". With --varlen there are as many sequences as the batch says, of an eighth of the length up to it.
--quick checks odd sizes and measures nothing. Beside it are torch's flash and cuDNN backends, flex_attention where scores or windows are not plain, and
varlen_attn. Only pairs of a query and a key that it sees count as work. Normal random numbers; the reference is computed in f64 without torch's attention,
and every query's result may be 1e-2 of its norm away from it, of f8E4M3FN (whose numbers are exact there, and P has 4 bits) 6e-2; the others get those in
bf16. The median of 30 calls between two CUDA events.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import argparse, inspect, re, shlex, subprocess, tempfile, time
from pathlib import Path

import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from timing import median_ms

parser = argparse.ArgumentParser()
parser.add_argument("tessera")
parser.add_argument("--options", default="--head-dim 128;--head-dim 128 --causal;--head-dim 64;--head-dim 64 --causal")
parser.add_argument("--quick", action="store_true")
parser.add_argument("--sizes", default="1x16384x2048,8x2048x2048", help="batch x length x all heads' elements")
parser.add_argument("--pause", type=float, default=1)
parser.add_argument("--check", action="store_true")
options = parser.parse_args()
folder = tempfile.TemporaryDirectory(prefix="tessera-bench.")
work = Path(folder.name)
failures = 0


def save(name, tensor, spelled=None):
    path = work / f"{name}.npy"
    np.save(path, (tensor.view({"bf16": torch.int16, "f8E4M3FN": torch.uint8}[spelled]) if spelled else tensor).cpu().numpy())
    return f"{spelled}:{path}" if spelled else str(path)


def given(text, name):
    """What a call gives for an option, as a number; None without it."""
    found = re.search(rf"--{name}:(\S+)", text)
    return float(found[1]) if found else None


class Seen:
    """What queries see, and what is added to scores: of `sq` queries and `sk` keys, for rows [at, to)."""

    def __init__(self, text, heads):
        self.causal, self.window, self.softcap = "--causal" in text, given(text, "window"), given(text, "softcap")
        self.slopes = torch.rand(heads, device="cuda") * 0.1 + 0.01 if "--alibi" in text else None

    @property
    def plain(self):
        return self.window is None and self.softcap is None and self.slopes is None

    def away(self, at, to, sq, sk):
        return torch.arange(sk, device="cuda")[None] - torch.arange(at, to, device="cuda")[:, None] - (sk - sq)

    def hides(self, away):
        hidden = away > 0 if self.causal else torch.zeros_like(away, dtype=torch.bool)
        return hidden | (away.abs() > self.window) if self.window is not None else hidden

    def pairs(self, sq, sk):
        """Pairs of a query and a key that it sees, of a head."""
        return sum(int((~self.hides(self.away(at, min(at + 2048, sq), sq, sk))).sum()) for at in range(0, sq, 2048))


def reference(q, k, v, scale, seen):
    """In f64, of (sequence, head, element), head by head; of queries and keys that differ in number the last ones face each other."""
    out = torch.empty((*q.shape[:-1], v.shape[-1]), dtype=torch.float32, device=q.device)
    (sq, heads, _), sk, shared = q.shape, k.shape[0], q.shape[1] // k.shape[1]
    for h in range(heads):
        for at in range(0, sq, 2048):
            scores = q[at:at + 2048, h].double() @ k[:, h // shared].double().T * scale
            if seen.softcap:
                scores = seen.softcap * torch.tanh(scores / seen.softcap)
            away = seen.away(at, at + len(scores), sq, sk)
            if seen.slopes is not None:
                scores -= seen.slopes[h].double() * away.abs()
            scores.masked_fill_(seen.hides(away), float("-inf"))
            out[at:at + 2048, h] = torch.nan_to_num(torch.softmax(scores, -1)) @ v[:, h // shared].double()
    return out


def flex(q, k, v, scale, seen):
    """torch's flex_attention, compiled, of the same; a call without arguments."""
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    sq, sk = q.shape[1], k.shape[1]

    def mask(b, h, i, j):
        away = j - i - (sk - sq)
        shown = away <= 0 if seen.causal else away > -sq - sk
        return shown & (away.abs() <= int(seen.window)) if seen.window is not None else shown

    def score(s, b, h, i, j):
        if seen.softcap:
            s = seen.softcap * torch.tanh(s / seen.softcap)
        return s - seen.slopes[h] * (j - i - (sk - sq)).abs() if seen.slopes is not None else s

    masked = seen.causal or seen.window is not None
    blocks = create_block_mask(mask, None, None, sq, sk, device="cuda") if masked else None
    compiled = torch.compile(flex_attention, dynamic=False)
    qt, kt, vt = (x.transpose(1, 2) for x in (q, k, v))
    return lambda: compiled(qt, kt, vt, score_mod=None if seen.plain or not (seen.softcap or seen.slopes is not None) else score, block_mask=blocks, scale=scale,
                            enable_gqa=q.shape[2] != k.shape[2])


def others(q, k, v, scale, seen, starts, longest):
    """Pairs of torch's name for what does the same, and a call that makes a call of it."""
    if starts:
        from torch.nn.attention.varlen import varlen_attn
        # Causal is a window to the left since torch 2.11.
        causal = {"is_causal": seen.causal} if "is_causal" in inspect.signature(varlen_attn).parameters else {"window_size": (-1, 0 if seen.causal else -1)}
        return [("varlen", lambda: lambda: varlen_attn(q, k, v, *starts, *longest, **causal))] if seen.plain else []
    if not seen.plain:
        return [("flex", lambda: flex(q, k, v, scale, seen))]
    qt, kt, vt = (x.transpose(1, 2) for x in (q, k, v))

    def scaled():
        return torch.nn.functional.scaled_dot_product_attention(qt, kt, vt, is_causal=seen.causal, scale=scale)

    def within(backend):
        def call():
            with sdpa_kernel(backend):
                return scaled()
        return call
    return [("flash", lambda: within(SDPBackend.FLASH_ATTENTION)), ("cuDNN", lambda: within(SDPBackend.CUDNN_ATTENTION))]


def case(text, batch, sq, sk, heads, shared, measure):
    """With --varlen `batch` sequences of lengths up to sq and sk."""
    global failures
    dim = int((re.findall(r"--head-dim (\d+)", text) or [128])[0])
    of_values = 128 if dim == 192 else dim
    kind = (re.findall(r"--element (\w+)", text) or ["bf16"])[0]
    narrow = kind == "f8E4M3FN"
    result_kind = (re.findall(r"--result (\w+)", text) or ["bf16" if narrow else kind])[0]
    dtype = {"bf16": torch.bfloat16, "f16": torch.half}[result_kind]
    kernel = work / "kernel.mlir"
    subprocess.run([options.tessera, "generate", "attention", *shlex.split(re.sub(r":\S+", "", text)), "-o", str(kernel)], check=True)
    seen, varlen, scale = Seen(text, heads), "--varlen" in text, dim ** -0.5
    if varlen:
        lengths = [torch.randint(max(n // 8, 1), n + 1, (batch,)).tolist() for n in (sq, sk)]
        if sq == sk:
            lengths[1] = lengths[0]
    else:
        lengths = [[n] * batch for n in (sq, sk)]
    starts = [torch.tensor([0, *torch.tensor(n).cumsum(0).tolist()], dtype=torch.int32, device="cuda") for n in lengths] if varlen else []
    rows = [(sum(lengths[0]),), (sum(lengths[1]),)] if varlen else [(batch, sq), (batch, sk)]
    q, k, v = (torch.randn(*n, h, d, device="cuda").to(dtype)
               for n, h, d in ((rows[0], heads, dim), (rows[1], heads // shared, dim), (rows[1], heads // shared, of_values)))
    given_tensors, scales = (q, k, v), []
    if narrow:  # a scale for each batch and head, by the largest number
        scales = [x.abs().float().amax(dim=(0, 2) if varlen else (1, 3)) / 448 for x in (q, k, v)]
        spread = [s[None, :, None] if varlen else s[:, None, :, None] for s in scales]
        given_tensors = [(x.float() / s).to(torch.float8_e4m3fn) for x, s in zip((q, k, v), spread)]
        exact = [x.float() * s for x, s in zip(given_tensors, spread)]
        q, k, v = (x.to(dtype) for x in exact)
    spelled = None if kind == "f16" else kind
    command = [options.tessera, "run", str(kernel), "--timeout", "30"]
    for name, tensor in zip("qkv", given_tensors):
        command += ["--arg", save(name, tensor, spelled)]
    command += ["--arg", f"out:{result_kind}:{'x'.join(map(str, (*rows[0], heads, of_values)))}", "--arg", f"f32:{scale!r}"]
    command += ["--arg", f"i32:{int(seen.window)}"] if seen.window is not None else []
    command += ["--arg", f"f32:{seen.softcap!r}"] if seen.softcap else []
    command += ["--arg", save("slopes", seen.slopes)] if seen.slopes is not None else []
    for name, tensor in zip(("startsQ", "startsK"), starts):
        command += ["--arg", save(name, tensor)]
    command += ["--arg", f"i32:{max(lengths[0])}"] if varlen else []
    for name, tensor in zip(("scalesQ", "scalesK", "scalesV"), scales):
        command += ["--arg", save(name, tensor.contiguous())]
    checked = options.check or not measure
    result = work / "result.npy"
    if checked:
        command += ["--save", f"3={result}"]
    if measure:
        command += ["--bench", "30"]
    torch.cuda.synchronize()
    time.sleep(options.pause if measure else 0)
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    found = re.search(r"median ([0-9.]+) ms", ran.stdout)
    error, wrong = "-", bool(ran.returncode)
    if checked and not wrong:
        got = torch.from_numpy(np.load(result).view(np.int16)).view(dtype).cuda().float()
        parts = [x.split(n) for x, n in zip(exact if narrow else (q, k, v), (lengths[0], lengths[1], lengths[1]))] if varlen else exact if narrow else (q, k, v)
        made = [reference(*part, scale, seen) for part in zip(*parts)]
        ref = torch.cat(made) if varlen else torch.stack(made)
        away = (got - ref).norm(dim=-1) / ref.norm(dim=-1).clamp(min=1e-30)
        wrong = not bool((away <= (6e-2 if narrow else 1e-2)).all())  # a NaN is wrong
        error = f"{(got - ref).abs().max().item():.2g}, {away.max().item():.2g}"
    flops = 2 * (dim + of_values) * heads * sum(seen.pairs(*of) for of in zip(*lengths)) if measure else 0
    cells = [text or "(defaults)", f"{batch}x{sq}" + (f"x{sk}" if sk != sq else "") + f", {heads} heads" +
             (f", {shared} share" if shared > 1 else ""), error]
    if measure:
        mine = float(found[1]) if found else float("nan")
        cells += [f"{mine:.3f}", f"{flops / mine / 1e9:.0f}"]
        for name, make in others(q, k, v, scale, seen, starts, [max(n) for n in lengths]):
            time.sleep(options.pause)
            try:
                ms = median_ms(make())
                cells += [name, f"{ms:.3f}", f"{flops / ms / 1e9:.0f}"]
            except (RuntimeError, ImportError, TypeError, ValueError) as refusal:  # a backend that lacks the head, a torch without it
                cells += [name, "-", str(refusal).splitlines()[0][:60]]
    print("| " + " | ".join(cells) + " |", flush=True)
    if wrong:
        failures += 1
        print("WRONG", (ran.stdout + ran.stderr)[-1200:], flush=True)


torch.manual_seed(0)
print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}\n")
print("| options | size | max error, of a query |" + ("" if options.quick else " ms | TFLOP/s | torch's | ms | TFLOP/s | torch's | ms | TFLOP/s |"))
print("|---|---|---|" + ("" if options.quick else "---|---|---|---|---|---|---|---|"))
for text in options.options.split(";"):
    if options.quick:
        for batch, sq, sk, heads, shared in ((1, 128, 128, 1, 1), (2, 200, 333, 3, 1), (1, 77, 50, 1, 1), (1, 1, 1, 2, 1),
                                             (2, 513, 1027, 8, 4), (1, 1000, 1000, 4, 2)):
            case(text, batch, sq, sk, heads, shared, False)
    else:
        for size in options.sizes.split(","):
            batch, length, width = map(int, size.split("x"))
            dim = int((re.findall(r"--head-dim (\d+)", text) or [128])[0])
            case(text, batch, length, length, width // dim, 1, True)
raise SystemExit(1 if failures else 0)
