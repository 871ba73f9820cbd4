"""torch.ops.tessera: numbers on the simulator, shapes without data, what a trace of torch keeps, refusals. Expected values are torch's."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys
import unittest

try:
    import torch
except ImportError as error:
    print(f"torch cannot be imported ({error}; Debian: python3-torch), so its operators are not tested")
    sys.exit(77)
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.proxy_tensor import make_fx

import tessera.torch


class Operators(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.a, self.b = torch.randn(40, 64).half(), torch.randn(72, 64).half()
        self.q, self.k = torch.randn(1, 70, 2, 64).bfloat16(), torch.randn(1, 90, 1, 64).bfloat16()

    def test_gemm(self):
        d = torch.ops.tessera.gemm(self.a, self.b, dtype=torch.float32)
        torch.testing.assert_close(d, self.a.float() @ self.b.float().T, rtol=1e-5, atol=1e-4)
        self.assertEqual(torch.ops.tessera.gemm(self.a, self.b).dtype, torch.half)

    def test_many_products(self):
        b = torch.randn(3, 72, 64).half()
        batches = torch.randn(3, 20, 64).half()
        torch.testing.assert_close(torch.ops.tessera.gemm(batches, b, dtype=torch.float32), batches.float() @ b.float().transpose(1, 2), rtol=1e-5, atol=1e-4)
        starts = torch.tensor([0, 7, 7, 40], dtype=torch.int32)
        grouped = torch.ops.tessera.gemm(self.a, b, dtype=torch.float32, starts=starts)
        expected = torch.cat([self.a[:7].float() @ b[0].float().T, self.a[7:].float() @ b[2].float().T])
        torch.testing.assert_close(grouped, expected, rtol=1e-5, atol=1e-4)

    def test_weights_of_4_bits(self):
        numbers = torch.randint(-8, 8, (72, 256))
        codes = (numbers & 15).to(torch.uint8)
        packed = codes[:, ::2] | codes[:, 1::2] << 4
        a = torch.randint(-2, 3, (5, 256)).half()
        for group in (32, 128):
            scales = 2.0 ** torch.randint(-2, 3, (72, 256 // group)).half()
            expected = a.float() @ (numbers * scales.float().repeat_interleave(group, 1)).T
            self.assertTrue(torch.equal(torch.ops.tessera.weight_only_gemm(a, packed, scales, dtype=torch.float32), expected))
            # Rows that TMA does not write, operands that are transposed views.
            few = torch.ops.tessera.weight_only_gemm(a.T.contiguous().T, packed[:5], scales[:5])
            self.assertTrue(torch.equal(few.float(), expected[:, :5].half().float()))
        self.assertEqual(torch.ops.tessera.weight_only_gemm(a.to("meta"), packed.to("meta"), scales.to("meta")).shape, (5, 72))
        for wrong in ((a, packed, scales.float()), (a, packed, scales[:, :1]), (a, packed[:, :64], scales), (a, packed.T, scales)):
            with self.assertRaisesRegex(ValueError, "and scales of A's type"):
                torch.ops.tessera.weight_only_gemm(*wrong)

    def test_attention(self):
        got = torch.ops.tessera.attention(self.q, self.k, self.k, causal=True, window=30)
        q, k = self.q[0].double().transpose(0, 1), self.k[0].double().transpose(0, 1)
        scores = q @ k.transpose(1, 2) / 8
        away = torch.arange(90)[None] - torch.arange(70)[:, None] - 20
        expected = (scores.masked_fill((away > 0) | (away < -30), -torch.inf).softmax(-1) @ k).transpose(0, 1)[None]
        away = (got.double() - expected).norm(dim=-1) / expected.norm(dim=-1)
        self.assertLess(away.max(), 1e-2)

    def test_shapes_without_data(self):
        with FakeTensorMode():
            x, q, v = torch.empty(5, 64).half(), torch.empty(2, 9, 4, 192).half(), torch.empty(2, 30, 2, 128).half()
            d, o = torch.ops.tessera.gemm(x, x, dtype=torch.float32), torch.ops.tessera.attention(q, torch.empty(2, 30, 2, 192).half(), v)
        self.assertEqual((d.shape, d.dtype, d.device.type), ((5, 5), torch.float32, "cpu"))
        self.assertEqual((o.shape, o.dtype), ((2, 9, 4, 128), torch.half))
        self.assertEqual(torch.ops.tessera.gemm(self.a.to("meta"), self.b.to("meta")).shape, (40, 72))

    def test_a_trace_keeps_them(self):
        def model(a, b):
            return torch.relu(torch.ops.tessera.gemm(a, b, dtype=torch.float32))

        traced = make_fx(model, tracing_mode="fake")(self.a, self.b)
        self.assertIn("torch.ops.tessera.gemm.default", traced.code)
        torch.testing.assert_close(traced(self.a, self.b), model(self.a, self.b))

    @unittest.skipUnless(hasattr(torch, "compile"), "torch.compile came with torch 2")
    def test_compile_keeps_them(self):
        def model(a, b):
            return torch.relu(torch.ops.tessera.gemm(a, b, dtype=torch.float32)) + 1

        compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
        torch.testing.assert_close(compiled(self.a, self.b), model(self.a, self.b))

    def gradients(self, function, *tensors):
        """Of a random sum of what the function gives, f64 for operators of torch."""
        tensors = [x.detach().clone().requires_grad_() for x in tensors]
        result = function(*tensors)
        torch.manual_seed(1)
        (result.double() * torch.randn(result.shape, dtype=torch.float64)).sum().backward()
        return [x.grad for x in tensors]

    def near(self, found, expected, type):
        for x, y in zip(found, expected):
            self.assertEqual((x.shape, x.dtype), (y.shape, type))
            self.assertLess((x.double() - y).norm() / y.norm(), 4e-3 if type == torch.half else 2e-2)

    def test_gradients_of_gemm(self):
        # Columns that TMA does not write, operands that are transposed, many, or begin beside 16 bytes.
        for a, b in ((self.a, self.b), (self.a[:, :32], self.b[:5, :32]), (torch.randn(64, 40).half().T, self.b),
                     (torch.randn(3, 20, 64).half(), torch.randn(3, 24, 64).half()), (self.a[:, 1:41], self.b[:, 3:43])):
            found = self.gradients(torch.ops.tessera.gemm, a, b)
            self.near(found, self.gradients(lambda a, b: a @ b.transpose(-1, -2), a.double(), b.double()), torch.half)
        b = torch.randn(2, 72, 64).half()
        starts = torch.tensor([0, 7, 40], dtype=torch.int32)
        found = self.gradients(lambda a: torch.ops.tessera.gemm(a, b, starts=starts), self.a)
        of = lambda a: torch.cat([a[:7] @ b[0].double().T, a[7:] @ b[1].double().T])
        self.near(found, self.gradients(of, self.a.double()), torch.half)

    def test_gradients_of_attention(self):
        def plain(causal):
            def of(q, k, v):
                q, k, v = (x.transpose(1, 2) for x in (q, k.repeat_interleave(2, 2), v.repeat_interleave(2, 2)))
                scores = q @ k.transpose(-1, -2) / 8
                if causal:
                    scores = scores.masked_fill(torch.arange(90)[None] - torch.arange(70)[:, None] > 20, -torch.inf)
                return (scores.softmax(-1) @ v).transpose(1, 2)
            return of
        given = self.q, self.k, torch.randn(1, 90, 1, 64).bfloat16()
        for causal in (False, True):
            found = self.gradients(lambda *x: torch.ops.tessera.attention(*x, causal=causal), *given)
            self.near(found, self.gradients(plain(causal), *(x.double() for x in given)), torch.bfloat16)
        q = self.q.clone().requires_grad_()
        torch.ops.tessera.attention(q, *given[1:]).sum().backward()  # a gradient with strides of 0
        self.assertEqual(q.grad.shape, q.shape)
        again = [self.gradients(torch.ops.tessera.attention, *given) for _ in range(2)]
        self.assertTrue(all(torch.equal(x, y) for x, y in zip(*again)))

    def test_gradients_of_scores(self):
        """Windows, caps and slopes, and sequences one after the other, against what torch differentiates itself."""
        slopes = torch.tensor([0.5, 0.125])

        def plain(window, cap, slopes):
            def of(q, k, v):  # of (sequence, head, element)
                q, k, v = (x.transpose(0, 1) for x in (q, k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)))
                away = torch.arange(k.shape[1])[None] - torch.arange(q.shape[1])[:, None] - (k.shape[1] - q.shape[1])
                scores = cap * torch.tanh(q @ k.transpose(-1, -2) / 8 / cap)
                if slopes is not None:
                    scores = scores - slopes.double()[:, None, None] * away.abs()
                return (scores.masked_fill((away > 0) | (away < -window), -torch.inf).softmax(-1) @ v).transpose(0, 1)
            return of
        v = torch.randn(1, 90, 1, 64).bfloat16()
        for cap, alibi in ((2.0, None), (2.0, slopes)):
            found = self.gradients(lambda *x: torch.ops.tessera.attention(*x, causal=True, window=30, softcap=cap, alibi=alibi), self.q, self.k, v)
            expected = self.gradients(lambda *x: plain(30, cap, alibi)(*(y[0] for y in x))[None], *(x.double() for x in (self.q, self.k, v)))
            self.near(found, expected, torch.bfloat16)
        q, k, v = torch.randn(1, 40, 2, 192).half(), torch.randn(1, 50, 1, 192).half(), torch.randn(1, 50, 1, 128).half()
        wide = lambda *x: plain(100, 1e9, None)(x[0][0], x[1][0], x[2][0])[None]
        found = self.gradients(lambda *x: torch.ops.tessera.attention(*x, causal=True, scale=0.125), q, k, v)
        self.near(found, self.gradients(wide, *(x.double() for x in (q, k, v))), torch.half)
        starts_q, starts_k = torch.tensor([0, 30, 30, 70], dtype=torch.int32), torch.tensor([0, 40, 45, 90], dtype=torch.int32)

        def each(q, k, v):
            parts = [plain(20, 3.0, None)(q[starts_q[i]:starts_q[i + 1]], k[starts_k[i]:starts_k[i + 1]], v[starts_k[i]:starts_k[i + 1]]) for i in (0, 2)]
            return torch.cat(parts)
        v = torch.randn(1, 90, 1, 64).bfloat16()
        named = {"causal": True, "window": 20, "softcap": 3.0, "starts_q": starts_q, "starts_k": starts_k, "longest": 40}
        given = self.q[0], self.k[0], v[0]
        for more in ({}, {"longest_k": 45}):
            found = self.gradients(lambda *x: torch.ops.tessera.attention(*x, **named, **more), *given)
            self.near(found, self.gradients(each, *(x.double() for x in given)), torch.bfloat16)

    @unittest.skipUnless(hasattr(torch, "compile"), "torch.compile came with torch 2")
    def test_compile_keeps_gradients(self):
        def model(q, k, a, b):
            return torch.relu(torch.ops.tessera.attention(q, k, k, causal=True)).sum(dtype=torch.float32) + torch.ops.tessera.gemm(a, b).sum(dtype=torch.float32)

        given = self.q, self.k, self.a, self.b
        plain = self.gradients(model, *given)
        compiled = self.gradients(torch.compile(model, fullgraph=True, backend="aot_eager"), *given)
        self.assertTrue(all(torch.equal(x, y) for x, y in zip(plain, compiled)))

    def test_operands_without_elements(self):
        half = {"dtype": torch.float16}
        for m, n, k in ((0, 16, 64), (8, 0, 64), (8, 16, 0), (0, 0, 0)):
            d = torch.ops.tessera.gemm(torch.ones(m, k, **half), torch.ones(n, k, **half))
            self.assertEqual((d.shape, float(d.abs().sum())), ((m, n), 0.0))
        q, k = torch.ones(1, 70, 4, 64, **half), torch.ones(1, 90, 2, 64, **half)
        self.assertEqual(torch.ops.tessera.attention(q[:, :0], k, k).shape, (1, 0, 4, 64))
        self.assertEqual(float(torch.ops.tessera.attention(q, k[:, :0], k[:, :0]).abs().sum()), 0.0)
        q.requires_grad_()
        torch.ops.tessera.attention(q, k[:, :0], k[:, :0]).sum().backward()
        self.assertEqual((q.grad.shape, float(q.grad.abs().sum())), (q.shape, 0.0))

    def test_tensors_that_stand_for_a_negation(self):
        a, b = torch.ones(8, 64, dtype=torch.float16), torch.ones(16, 64, dtype=torch.float16)
        self.assertEqual(float(torch.ops.tessera.gemm(torch._neg_view(a), b)[7, 15]), -64.0)
        kernel = tessera.gemm(8, 16, 64, "f16", "f16", device="sim")
        d = torch.zeros(8, 16, dtype=torch.float16)
        kernel(a, b, d)
        with self.assertRaisesRegex(TypeError, "argument 0: expects the numbers as they are in memory, .* give x.resolve_neg"):
            kernel(torch._neg_view(a), b, d)
        kernel(torch._neg_view(a).resolve_neg(), b, d)
        self.assertEqual(float(d[0, 0]), -64.0)
        with self.assertRaisesRegex(TypeError, "argument 1: expects a tensor with strides"):
            kernel(a, b.to_sparse(), d)

    def test_refusals(self):
        with self.assertRaisesRegex(ValueError, r"A of \(m, k\) and B of \(n, k\)"):
            torch.ops.tessera.gemm(self.a, self.b[:, :32])
        self.a.requires_grad_()
        with self.assertRaisesRegex(RuntimeError, "tessera::gemm has gradients of float16 and bfloat16, but got"):
            torch.ops.tessera.gemm(self.a.float(), self.b.float())
        with self.assertRaisesRegex(RuntimeError, "gradients of A alone"):
            torch.ops.tessera.gemm(self.a, torch.randn(2, 72, 64).half().requires_grad_(), starts=torch.tensor([0, 7, 40], dtype=torch.int32))
        q = self.q.clone().requires_grad_()
        with self.assertRaisesRegex(RuntimeError, r"heads of 64, 96, 128, 192, 256, but got torch.bfloat16 of \(1, 70, 2, 80\)"):
            torch.ops.tessera.attention(torch.randn(1, 70, 2, 80).bfloat16().requires_grad_(), self.k, self.k)
        with self.assertRaisesRegex(RuntimeError, "no gradients of slopes"):
            torch.ops.tessera.attention(q, self.k, self.k, alibi=torch.ones(2, requires_grad=True))
        with torch.no_grad():
            torch.ops.tessera.gemm(self.a, self.b)
            torch.ops.tessera.attention(q, self.k, self.k, window=3)
        with self.assertRaisesRegex(RuntimeError, "tessera::attention_with_lse has no backward"):
            torch.ops.tessera.attention_with_lse(q, self.k, self.k)
        with self.assertRaises(tessera.Error) as refused:
            torch.ops.tessera.attention(self.q.float(), self.k.float(), self.k.float())
        self.assertEqual(refused.exception.id, "AttentionElement")


if __name__ == "__main__":
    unittest.main()
