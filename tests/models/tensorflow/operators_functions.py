# SPDX-License-Identifier: Apache-2.0
"""Complex numbers and their transforms, Bessel functions, matrices under their first names, and
operators that pass on what they are given."""

import numpy as np

import operator_cases
from operator_cases import FLOAT, Group, f32, i32
from operators_elements import drawn


def make_complex():
    group = Group("complex")
    for kind, real in (("complex64", "float"), ("complex128", "double")):
        x, a, b = drawn(kind, 2, 3), drawn(real, 2, 3), drawn(real, 3)
        whole = {"T": f"dt:{kind}"}
        out, of_real = {"Tout": f"dt:{real}", **whole}, {"T": f"dt:{real}", "Tout": f"dt:{kind}"}
        group.call("Complex", a, b, wanted=a + 1j * b, **of_real)
        for op, function in (("Real", np.real), ("Imag", np.imag), ("ComplexAbs", np.abs),
                             ("Angle", np.angle)):
            group.call(op, x, wanted=function(x), **out)
        group.call("Conj", x, wanted=x.conj(), **whole)
        group.call("ConjugateTranspose", x, (i32(1, 0),), wanted=x.T.conj(), Tperm="dt:int32", **whole)
    real = f32(2)
    group.call("Conj", real, wanted=real)
    group.save()


def make_transforms():
    group = Group("transforms")
    x = drawn("complex64", 2, 3, 4, 5)
    for axes, name in ((1, ""), (2, "2D"), (3, "3D")):
        last = tuple(range(-axes, 0))
        group.call(f"BatchFFT{name}", x, wanted=np.fft.fftn(x, axes=last).astype(x.dtype))
        group.call(f"BatchIFFT{name}", x, wanted=np.fft.ifftn(x, axes=last).astype(x.dtype))
        signal, lengths = f32(2, 3, 4, 5), i32(*(4, 3, 6)[-axes:])
        half = np.fft.rfftn(signal, lengths, last).astype(np.complex64)
        told = {"Treal": "dt:float", "Tcomplex": "dt:complex64"}
        group.call(f"RFFT{name}", signal, (lengths,), wanted=half, **told)
        group.call(f"IRFFT{name}", half, (lengths,), wanted=np.fft.irfftn(half, lengths, last).astype(np.float32),
                   **told)
    group.save()


def integral(function, low, high, count=4000):
    """Of each row, by the trapezoidal rule, which is exact for periods."""
    t = np.linspace(low, high, count + 1)
    values = function(t)
    return (values[..., 1:] + values[..., :-1]).sum(-1) / 2 * (high - low) / count


def bessel(kind, order, x):
    """By the integrals that define them (Abramowitz and Stegun, 9.1 and 9.6)."""
    x = x.astype(np.float64)[:, None]
    if kind == "J":
        return integral(lambda t: np.cos(order * t - x * np.sin(t)), 0, np.pi) / np.pi
    if kind == "I":
        return integral(lambda t: np.exp(x * np.cos(t)) * np.cos(order * t), 0, np.pi) / np.pi
    if kind == "K":
        return integral(lambda t: np.exp(-x * np.cosh(t)) * np.cosh(order * t), 0, 8, 20000)
    inner = integral(lambda t: np.sin(x * np.sin(t) - order * t), 0, np.pi, 200000)
    outer = integral(lambda t: (np.exp(order * t) + (-1) ** order * np.exp(-order * t)) * np.exp(
        -x * np.sinh(t)), 0, 12, 200000)
    return (inner - outer) / np.pi


def make_bessel():
    group = Group("bessel")
    for real in ("float", "double"):
        for kind in "IJKY":
            x = drawn(real, 7, least=0.2 if kind in "KY" else -6, most=9 if kind in "JY" else 6)
            for order in (0, 1):
                wanted = bessel(kind, order, x)
                group.call(f"Bessel{kind}{order}", x, wanted=wanted.astype(x.dtype))
                if kind in "IK":
                    scale = np.exp(-np.abs(x.astype(float)) if kind == "I" else x.astype(float))
                    group.call(f"Bessel{kind}{order}e", x, wanted=(wanted * scale).astype(x.dtype))
    group.save()


def make_first_matrices():
    """Under the names that TensorFlow 0.x had for stacks of matrices."""
    group = Group("first_matrices")
    for kind in ("float", "double"):
        x, right = drawn(kind, 2, 3, 3), drawn(kind, 2, 3, 2)
        square = (x @ x.transpose(0, 2, 1) + np.eye(3)).astype(x.dtype)
        lower = np.tril(x) + 4 * np.eye(3, dtype=x.dtype)
        wide = square.astype(float)
        group.call("BatchCholesky", square, wanted=np.linalg.cholesky(wide).astype(x.dtype))
        group.call("BatchMatrixDeterminant", x, wanted=np.linalg.det(x.astype(float)).astype(x.dtype))
        group.call("BatchMatrixInverse", square, wanted=np.linalg.inv(wide).astype(x.dtype), adjoint=False)
        group.call("BatchMatrixSolve", square, right, wanted=np.linalg.solve(wide, right).astype(x.dtype),
                   adjoint=False)
        group.call("BatchMatrixTriangularSolve", lower, right, lower=True, adjoint=False,
                   wanted=np.linalg.solve(lower.astype(float), right).astype(x.dtype))
        tall, sides = drawn(kind, 2, 4, 2), drawn(kind, 2, 4, 1)
        least = [np.linalg.lstsq(a.astype(float), b.astype(float), rcond=None)[0]
                 for a, b in zip(tall, sides)]
        group.call("BatchMatrixSolveLs", tall, sides, (np.float64(0),), wanted=np.stack(least).astype(x.dtype),
                   fast=True)
        group.call("BatchMatrixBandPart", x, (np.int64(1),), (np.int64(0),), wanted=np.tril(np.triu(x, -1)))
        symmetric = x + x.transpose(0, 2, 1)
        values, vectors = np.linalg.eigh(symmetric.astype(float))
        group.call("BatchSelfAdjointEigV2", symmetric, compute_v=False, wanted=values.astype(x.dtype))
        eigen = group.add("BatchSelfAdjointEig", symmetric)
        absolute = group.add("Abs", eigen, T=f"dt:{kind}")
        group.fetch(absolute, np.abs(np.concatenate([values[:, None], vectors], 1)).astype(x.dtype))
        group.call("BatchSvd", x, compute_uv=False, full_matrices=False,
                   wanted=np.linalg.svd(x.astype(float), compute_uv=False).astype(x.dtype))
    group.save()


def make_whole_singular_vectors():
    """Square matrices of vectors, of which those without a value may be any."""
    group, draw = Group("whole_singular_vectors"), np.random.default_rng(35)
    for sizes in ((5, 3), (3, 5), (4, 4)):
        x = draw.normal(size=(2, *sizes)).astype(np.float32)
        x[1] *= np.arange(sizes[0])[:, None] < 1  # all values but one are 0
        x[1, 0, 1:] = 0
        values = np.linalg.svd(x.astype(float), compute_uv=False).astype(np.float32)
        svd = group.call("Svd", x, wanted=values, compute_uv=True, full_matrices=True)
        for vectors, size in ((f"{svd}:1", sizes[0]), (f"{svd}:2", sizes[1])):
            square = group.add("BatchMatMulV2", vectors, vectors, adj_x=True, adj_y=False,
                               T="dt:float")
            group.fetch(square, np.broadcast_to(np.eye(size, dtype=np.float32), (2, size, size)))
        # In the space of the vectors, the matrix is that of the values.
        turned = group.add("BatchMatMulV2", f"{svd}:1", x, adj_x=True, adj_y=False)
        turned = group.add("BatchMatMulV2", turned, f"{svd}:2", adj_x=False, adj_y=False,
                           T="dt:float")
        wanted = np.zeros((2, *sizes), np.float32)
        for i in range(min(sizes)):
            wanted[:, i, i] = values[:, i]
        group.fetch(turned, wanted)
    group.save()


def embedded(rows):
    return np.stack([np.diag(row) for row in rows])


def make_first_diagonals():
    group = Group("first_diagonals")
    for kind in ("float", "int32", "bool"):
        rows, x = drawn(kind, 2, 3), drawn(kind, 2, 3, 4)
        replaced = x.copy()
        replaced[:, range(3), range(3)] = rows
        main = x[:, range(3), range(3)]
        zero = (np.zeros((), x.dtype),)
        for prefix in ("", "Batch"):
            group.call(f"{prefix}MatrixDiag", rows, wanted=embedded(rows))
            group.call(f"{prefix}MatrixDiagPart", x, wanted=main)
            group.call(f"{prefix}MatrixSetDiag", x, rows, wanted=replaced)
        at = (np.int32(0),)
        group.call("MatrixDiagV2", rows, at, (np.int32(3),), (np.int32(3),), zero, wanted=embedded(rows))
        group.call("MatrixDiagPartV2", x, at, zero, wanted=main)
        group.call("MatrixSetDiagV2", x, rows, at, wanted=replaced)
    group.save()


PASSING = ("Copy", "CopyHost", "DeepCopy", "DebugGradientIdentity", "DebugIdentity", "DebugIdentityV2",
           "DebugIdentityV3", "GuaranteeConst", "PreventGradient", "Snapshot", "StopGradient")


def make_passing():
    group = Group("passing")
    x = f32(3)
    for op in PASSING:
        group.call(op, x, wanted=x, **FLOAT)
    group.call("CheckNumerics", x, wanted=x, message="of x")
    group.call("CheckNumericsV2", x, wanted=x, message="of x")
    group.call("Print", x, x, wanted=x, U=["dt:float"], message="x: ")
    group.call("IdentityN", x, i32(3), wanted=[x, i32(3)], T=["dt:float", "dt:int32"])
    group.call("PlaceholderWithDefault", (x,), wanted=x, dtype="dt:float", shape=(3,))
    group.call("FakeParam", wanted=np.zeros((2, 3), np.float32), dtype="dt:float", shape=(2, 3))
    group.call("DeviceIndex", wanted=np.int32(1), device_names=["GPU", "CPU"])
    for value, wanted in ((np.float32(0.5), True), (i32(0)[0], False), (f32(0), False), (x, True)):
        group.call("ToBool", value, wanted=np.array(wanted))
    trigger = group.add("ControlTrigger")
    said = group.add("PrintV2", group.add("StringFormat", x, T=["dt:float"], template="x: %s",
                                          placeholder="%s"), output_stream="stderr", end="\n")
    group.fetch(group.add("Neg", x, control=[trigger, said, group.add("NoOp")]), -x)
    group.save()


def make_functions():
    operator_cases.seed(36)
    make_complex()
    make_transforms()
    make_bessel()
    make_first_matrices()
    make_whole_singular_vectors()
    make_first_diagonals()
    make_passing()
