#!/usr/bin/env python3
"""Records the kernels that torch.compile makes of CASES, with memory before and after each launch on a GPU: record.py OUT.tar.xz

OUT has a file NUMBER.npz for each kernel: `said`, JSON of how it was launched; `ptx`; and for each piece of memory that it was given `before0`,
... and `change0`, ...: the bytes before, and those by which the bytes after differ (xor). Needs torch, Triton and a GPU.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import io
import json
import sys
import tarfile

import numpy as np
import torch
import torch._inductor.config as config
from torch._inductor.runtime import triton_heuristics

from cases import CASES

MOST_BYTES = 48 << 10  # of a kernel's memory

texts, seen, alive, problems, case = [], set(), [], {}, ""
run, make_launcher = triton_heuristics.CachingAutotuner.run, triton_heuristics.TritonCompileResult.make_launcher


def with_kernel(result):
    launcher = make_launcher(result)
    launcher.of = result.kernel
    return launcher


def pieces_of(arguments):
    found = {}
    for argument in arguments:
        if isinstance(argument, torch.Tensor) and argument.is_cuda:
            storage = argument.untyped_storage()
            found.setdefault(storage.data_ptr(), torch.empty(0, dtype=torch.uint8, device="cuda").set_(storage))
    return found


def bound(signature, arguments, pieces):
    """The parameters as [type, value] or [type, piece, offset], without constants; None if they are not those of the signature."""
    for names in (list(signature), [name for name in signature if signature[name] != "constexpr"]):
        values = arguments[-len(names):] if names else ()
        out = []
        for name, value in zip(names, values):
            kind = signature[name]
            if kind == "constexpr":
                continue
            if not kind.startswith("*"):
                out.append([kind, value.item() if hasattr(value, "item") else value])
                continue
            if not isinstance(value, torch.Tensor):
                break
            piece = next((i for i, (start, held) in enumerate(pieces.items()) if start <= value.data_ptr() < start + max(held.numel(), 1)), None)
            if piece is None:
                break
            out.append([kind, piece, value.data_ptr() - list(pieces)[piece]])
        else:
            return out
    return None


def recorded(tuner, arguments, stream, pieces, before):
    launcher = tuner.launchers[0]
    kernel, scope = launcher.of, launcher.__globals__
    text = kernel.asm["ptx"] if isinstance(kernel.asm["ptx"], str) else kernel.asm["ptx"].decode()
    if text in seen:
        return
    launched, results, runner = [], [], scope["runner"]

    def spy(*given, **more):
        launched.append(given)
        return runner(*given, **more)

    for _ in range(2):  # sums of atomics may differ from one to the next
        for start, piece in pieces.items():
            piece.copy_(before[start])
        scope["runner"] = spy
        try:
            launcher(*arguments, stream=stream)
        finally:
            scope["runner"] = runner
        torch.cuda.synchronize()
        results.append({start: piece.clone() for start, piece in pieces.items()})
    parameters = bound(dict(kernel.src.signature), launched[0], pieces)
    if parameters is None:
        raise ValueError("the arguments of a launch are not those of the signature")
    seen.add(text)
    meta = kernel.metadata
    said = {"case": case, "kernel": meta.name, "warps": meta.num_warps, "shared": meta.shared, "grid": [int(n) for n in launched[0][:3]], "parameters": parameters,
            "scratch": getattr(meta, "global_scratch_size", 0) or 0, "same": all(torch.equal(results[0][start], results[1][start]) for start in pieces)}
    arrays = {"said": np.array(json.dumps(said)), "ptx": np.array(text)}
    for i, start in enumerate(pieces):
        arrays[f"before{i}"] = before[start].cpu().numpy()
        arrays[f"change{i}"] = arrays[f"before{i}"] ^ results[0][start].cpu().numpy()
    file = io.BytesIO()
    np.savez(file, **arrays)
    texts.append(file.getvalue())


def recording(tuner, *arguments, stream, **more):
    """Runs a kernel, and the first time once more for the record."""
    pieces = pieces_of(arguments) if id(tuner) not in seen else {}
    if not 0 < sum(piece.numel() for piece in pieces.values()) <= MOST_BYTES:
        return run(tuner, *arguments, stream=stream, **more)
    seen.add(id(tuner))
    alive.append(tuner)  # so that its number stays its own
    before = {start: piece.clone() for start, piece in pieces.items()}
    result = run(tuner, *arguments, stream=stream, **more)
    torch.cuda.synchronize()
    after = {start: piece.clone() for start, piece in pieces.items()}
    try:
        recorded(tuner, arguments, stream, pieces, before)
    except Exception as problem:
        said = f"{case}: {type(problem).__name__}: {str(problem)[:160]}"
        problems[said] = problems.get(said, 0) + 1
    for start, piece in pieces.items():
        piece.copy_(after[start])
    return result


def main():
    global case
    triton_heuristics.CachingAutotuner.run, triton_heuristics.TritonCompileResult.make_launcher = recording, with_kernel
    config.fx_graph_cache, config.use_static_cuda_launcher = False, False
    config.max_autotune_gemm_backends, config.autotune_num_choices_displayed = "TRITON", 0
    torch.manual_seed(3)
    for case, (function, arguments, more) in CASES.items():
        torch._dynamo.reset()
        try:
            result = torch.compile(function, dynamic=False, **more)(*arguments)
            if any(a.requires_grad for a in arguments if isinstance(a, torch.Tensor)):
                result.sum().backward()
            torch.cuda.synchronize()
        except Exception as problem:
            problems[f"{case}: {str(problem)[:160]}"] = 1
    with tarfile.open(sys.argv[1], "w:xz", preset=9) as archive:
        for number, text in enumerate(texts):
            entry = tarfile.TarInfo(f"{number:03}.npz")
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text))
    for problem, times in problems.items():
        print(times, problem)
    print(f"record: {len(texts)} kernels of {len(CASES)} cases, torch {torch.__version__}, {torch.cuda.get_device_name()}")


if __name__ == "__main__":
    main()
