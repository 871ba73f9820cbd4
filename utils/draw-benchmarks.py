#!/usr/bin/env python3
"""Draws docs/benchmarks.svg, the picture of the README, from the table of docs/benchmarks.md: utils/draw-benchmarks.py [--check]

The vendor's numbers are those of the text below that table.
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import re
import sys
from pathlib import Path

root = Path(__file__).resolve().parent.parent
text = (root / "docs/benchmarks.md").read_text()
# (kernel, size as the table has it, what the picture calls it, the vendor's TFLOP/s)
cases = [("ampere_tensorop_gemm", "4096x4096x4096", "GEMM f16 4096", 302),
         ("ampere_tensorop_gemm", "8192x8192x8192", "GEMM f16 8192", 357),
         ("ampere_flash_attention_v2", "2048 x 2048", "attention bf16 2048", 306),
         ("ampere_flash_attention_v2", "8192 x 8192", "attention bf16 8192", 384)]


def rates(kernel, size):
    row = next(l for l in text.splitlines() if l.startswith(f"| {kernel} |") and size in l and "**" in l)
    return [int(n) for n in re.findall(r"(\d+) TFLOP/s", row)]


colours = [("Tessera", "#2563eb"), ("CuTe DSL's compiler, same IR", "#9ca3af"), ("torch (cuBLAS, flash)", "#d1d5db")]
left, scale, bar, gap = 170, 0.62, 14, 16
out, y = [], 46
for i, (name, colour) in enumerate(colours):
    x = (0, 90, 330)[i] + 10
    out.append(f'<rect x="{x}" y="12" width="12" height="12" fill="{colour}"/><text x="{x + 18}" y="22">{name}</text>')
for kernel, size, label, vendor in cases:
    ours, torch = rates(kernel, size)
    out.append(f'<text x="{left - 8}" y="{y + 1.5 * bar + 4}" text-anchor="end">{label}</text>')
    for rate, (_, colour) in zip((ours, vendor, torch), colours):
        out.append(f'<rect x="{left}" y="{y}" width="{rate * scale:.0f}" height="{bar - 2}" fill="{colour}"/>'
                   f'<text x="{left + rate * scale + 5:.0f}" y="{y + bar - 4}">{rate}</text>')
        y += bar
    y += gap
out.append(f'<text x="{left}" y="{y + 4}" fill="#6b7280">TFLOP/s on an H100 80GB HBM3, SM80 instructions; docs/benchmarks.md</text>')
svg = (f'<svg xmlns="http://www.w3.org/2000/svg" width="680" height="{y + 16}" font-family="sans-serif" font-size="12">\n'
       f'<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(out) + "\n</svg>\n")
file = root / "docs/benchmarks.svg"
if "--check" in sys.argv:
    if not file.exists() or file.read_text() != svg:
        sys.exit("error: docs/benchmarks.svg is not what docs/benchmarks.md says: run utils/draw-benchmarks.py")
else:
    file.write_text(svg)
print("docs/benchmarks.svg shows what docs/benchmarks.md says")
