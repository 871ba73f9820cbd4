"""What torch.compile makes kernels of, for record.py: CASES[NAME] = (function, arguments, options of torch.compile)."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import torch
import torch.nn.functional as F
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

torch.manual_seed(5)
bf16, f16, f32 = torch.bfloat16, torch.float16, torch.float32


def normal(*shape, dtype=f32, grad=False):
    return torch.randn(*shape, device="cuda").to(dtype).requires_grad_(grad)


def whole(limit, *shape):
    return torch.randint(0, limit, shape, device="cuda")


CASES = {}


def case(name, function, *arguments, **options):
    CASES[name] = (function, arguments, options)


for dtype, kind in ((f32, "f32"), (bf16, "bf16"), (f16, "f16")):
    x = lambda *shape: normal(*shape, dtype=dtype)
    case(f"softmax {kind}", lambda a: torch.softmax(a, -1), x(5, 517))
    case(f"softmax of columns {kind}", lambda a: torch.log_softmax(a * 2, 0), x(129, 9))
    case(f"layer norm {kind}", lambda a, w, b: F.layer_norm(a, (391,), w, b), x(4, 391), x(391), x(391))
    case(f"group norm {kind}", lambda a: F.group_norm(a, 4), x(1, 8, 9, 7))
    case(f"batch norm {kind}", lambda a: F.batch_norm(a, None, None, training=True), x(3, 4, 7, 9))
    case(f"activations {kind}", lambda a: F.gelu(a) + F.gelu(a, approximate="tanh") * F.silu(a), x(1500))
    case(f"functions {kind}", lambda a: torch.sin(a) + torch.cos(a * 3) + torch.erf(a) + torch.log1p(a.abs()) + torch.exp(-a * a) + torch.tanh(a) + torch.sqrt(a.abs()), x(1001))
    case(f"places of extremes {kind}", lambda a: (a.argmax(-1), a.argmin(0), a.max(-1).values), x(30, 70))
    case(f"variance {kind}", lambda a: torch.var_mean(a, -1), x(5, 700))
    case(f"sums {kind}", lambda a: (a.sum(), a.mean(), a.amax(), a.prod()), x(20, 111))
    case(f"running sums {kind}", lambda a: torch.cumsum(a, -1), x(5, 150))
    case(f"transposition {kind}", lambda a: a.transpose(1, 2).contiguous() * 2 + 1, x(2, 35, 33))
    case(f"pools {kind}", lambda a: (F.max_pool2d(a, 3, 2), F.avg_pool2d(a, 2)), x(1, 2, 23, 21))
    case(f"interpolation {kind}", lambda a: F.interpolate(a, scale_factor=1.7, mode="bilinear"), x(1, 2, 13, 17))
    case(f"reflection {kind}", lambda a: F.pad(a, (1, 2, 3, 1), mode="reflect"), x(1, 2, 19, 11))
    case(f"powers and remainders {kind}", lambda a: torch.pow(a.abs(), 1.7) + a**3 + torch.atan2(a, a + 1) + torch.fmod(a, 0.7) + torch.remainder(a, 0.3) + torch.floor(a) + torch.round(a), x(999))
    case(f"sort {kind}", lambda a: torch.sort(a, dim=-1), x(3, 64))
    case(f"rotation {kind}", lambda q, c, s: torch.cat([-q[..., 32:], q[..., :32]], -1) * s + q * c, x(1, 3, 9, 64), x(9, 64), x(9, 64))
    case(f"product {kind}", lambda a, b: torch.relu(a @ b + 1), x(48, 80), x(80, 64), mode="max-autotune-no-cudagraphs")
case("f64", lambda a: torch.sin(a) * torch.exp(a) + a.sum(-1, keepdim=True), normal(20, 50, dtype=torch.float64))
case("integers", lambda a, b: (a * b // (b + 1), a % (b + 1), a << 2, a >> 1, a ^ b, (a & b) | 5, a.float() / 3, a * 12345678901 // 7), whole(1000, 399), whole(50, 399))
case("bytes", lambda a, b: ((a.int() * b.int()) >> 3, a + b, a.float().sum(), torch.clamp(a, -5, 5)), whole(200, 777).to(torch.int8), whole(100, 777).to(torch.int8))
case("gather", lambda a, i: a[i] + 1, whole(255, 500).to(torch.uint8), whole(500, 300))
case("embedding", lambda w, i: F.embedding(i, w).sum(1), normal(40, 48), whole(40, 10, 7))
case("scatter add", lambda a, i, v: a.scatter_add(0, i, v), normal(50), whole(50, 400), normal(400))
case("index put", lambda a, i, v: a.index_put((i,), v, accumulate=True), normal(50, 8), whole(50, 90), normal(90, 8))
case("scatter max", lambda a, i, v: a.scatter_reduce(0, i, v, "amax"), normal(40), whole(40, 300), normal(300))
case("histogram", lambda i: torch.zeros(64, device="cuda", dtype=torch.int32).scatter_add(0, i, torch.ones(900, dtype=torch.int32, device="cuda")), whole(64, 900))
case("dropout", lambda a: F.dropout(a, 0.3), normal(1200))
case("random numbers", lambda a: a + torch.randn_like(a) + torch.rand_like(a), normal(900))
case("cross entropy", lambda a, t: F.cross_entropy(a, t), normal(10, 333), whole(333, 10))
case("cross entropy bf16", lambda a, t: F.cross_entropy(a.float(), t, reduction="none", label_smoothing=0.1), normal(7, 1000, dtype=bf16), whole(1000, 7))
case("to f8", lambda a: ((a / a.abs().amax(-1, keepdim=True) * 448).to(torch.float8_e4m3fn), (a * 3).to(torch.float8_e5m2)), normal(5, 256))
case("from f8", lambda a: a.to(f32) * 2, normal(700).to(torch.float8_e4m3fn))
case("to i8", lambda a: torch.clamp(torch.round(a / 0.03), -128, 127).to(torch.int8), normal(1500))
case("bits", lambda a: a.view(torch.int32) & 0x7FFFFFFF, normal(900))
case("running extremes", lambda a: (torch.cummax(a, -1), torch.cumprod(a.clamp(0.9, 1.1), -1), torch.logcumsumexp(a, -1)), normal(3, 150))
case("buckets", lambda a, b: torch.bucketize(a, b), normal(1200), torch.linspace(-2, 2, 37, device="cuda"))
case("attention by parts", lambda q, k, v: torch.softmax(q @ k.transpose(-1, -2) / 8 + torch.triu(torch.full((24, 24), -1e9, device="cuda"), 1), -1) @ v, *(normal(1, 24, 64) for _ in range(3)))
case("adam", lambda p, g, m, v: (lambda m, v: (p - 0.01 * m / (v.sqrt() + 1e-8), m, v))(m * 0.9 + g * 0.1, v * 0.999 + g * g * 0.001), normal(733), normal(733), normal(733), normal(733).abs())
case("special functions", lambda a: torch.special.expit(a) + torch.lgamma(a.abs() + 0.5) + torch.digamma(a.abs() + 1) + torch.special.i0(a) + torch.acosh(a.abs() + 1) + torch.sinh(a) + torch.expm1(a) + torch.erfinv(a.tanh() * 0.9), normal(600))
case("NaN", lambda a: (torch.nan_to_num(a.log()), torch.isnan(a.sqrt()), torch.maximum(a.log(), a), torch.fmax(a.log(), a), a.sign(), torch.signbit(a), torch.copysign(a, -a), torch.nextafter(a, a + 1), torch.hypot(a, a * 2)), normal(500))
case("product of bytes", lambda a, b: torch._int_mm(a, b), whole(100, 64, 64).to(torch.int8), whole(100, 64, 64).to(torch.int8), mode="max-autotune-no-cudagraphs")
case("batch of products", lambda a, b: torch.bmm(a, b), normal(2, 32, 64, dtype=bf16), normal(2, 64, 40, dtype=bf16), mode="max-autotune-no-cudagraphs")
mask = create_block_mask(lambda b, h, i, j: i >= j, None, None, 128, 128)
case("flex attention", lambda q, k, v: flex_attention(q, k, v, block_mask=mask), *(normal(1, 1, 128, 32, dtype=bf16, grad=True) for _ in range(3)))
case("flex attention with a bias", lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + (i - j) * 0.1), *(normal(1, 1, 128, 16) for _ in range(3)))
for name, function, shapes, dtype in (("layer norm", lambda a, w, b: F.layer_norm(a, (200,), w, b).square(), [(20, 200), (200,), (200,)], f32),
                                      ("softmax", lambda a: torch.softmax(a, -1).square(), [(9, 300)], f32), ("gelu", F.gelu, [(1500,)], bf16),
                                      ("max pool", lambda a: F.max_pool2d(a, 2), [(1, 2, 20, 20)], f32),
                                      ("average pool of silu", lambda a: F.avg_pool2d(F.silu(a), 3), [(1, 2, 20, 20)], f32),
                                      ("rms norm", lambda a, w: a * torch.rsqrt(a.square().mean(-1, keepdim=True) + 1e-6) * w, [(9, 384), (384,)], bf16)):
    case(f"gradient of {name}", function, *(normal(*shape, dtype=dtype, grad=True) for shape in shapes))
