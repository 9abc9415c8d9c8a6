# SPDX-License-Identifier: Apache-2.0
"""Functions in the style of users of PyTorch: parts of models, pre- and postprocessing, numerics."""

import math
from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from producers import torch_forms
from producers.torch_forms import DECOMPOSED, PT2, SCRIPTED, TRACED
from shared.produce import serve_producer


class Called1(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


class Called2(Called1):
    def forward(self, x, y):
        return self.function(x, y)


CALLED = {1: Called1, 2: Called2}


# Attention and sequences

def rotary(x: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    places = torch.arange(x.shape[1], device=x.device, dtype=torch.float32)
    rates = 1.0 / (10000 ** (torch.arange(0, half, dtype=torch.float32) / half))
    angles = torch.outer(places, rates)
    cos, sin = angles.cos()[None, :, :], angles.sin()[None, :, :]
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


def rotary_complex(x: Tensor) -> Tensor:
    pairs = torch.view_as_complex(x.reshape(x.shape[0], x.shape[1], -1, 2).contiguous())
    angles = torch.outer(torch.arange(x.shape[1]).float(), torch.tensor([1.0, 0.1, 0.01]))
    turned = pairs * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(2)


def causal_attention(x: Tensor) -> Tensor:
    scores = x @ x.transpose(-2, -1) / math.sqrt(x.shape[-1])
    mask = torch.triu(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool), diagonal=1)
    return scores.masked_fill(mask, float("-inf")).softmax(-1) @ x


def alibi(x: Tensor) -> Tensor:
    places = torch.arange(x.shape[1])
    distance = (places[None, :] - places[:, None]).abs().neg()
    slopes = torch.tensor([0.5, 0.25]).view(2, 1, 1)
    q = x.unflatten(-1, (2, 3)).transpose(1, 2)
    return functional.scaled_dot_product_attention(q, q, q, attn_mask=distance * slopes)


def relative_positions(x: Tensor) -> Tensor:
    length = x.shape[1]
    relative = torch.arange(length)[:, None] - torch.arange(length)[None, :]
    near = relative.abs() < 2
    large = 2 + (torch.log(relative.abs().clamp(min=1).float() / 2) / math.log(4.0) * 2).long()
    bucket = torch.where(near, relative.abs(), large.clamp(max=4))
    return functional.one_hot(bucket, 5).float() @ x[0, :5, :1]


def packed_lengths(x: Tensor, y: Tensor) -> Tensor:
    mask = torch.arange(x.shape[1])[None, :] < (y[:, :1].abs() * 2).long().clamp(1, 5)
    total = (x * mask[..., None]).sum(1)
    return total / mask.sum(1, keepdim=True).clamp(min=1)


def last_state(x: Tensor, y: Tensor) -> Tensor:
    last = (y[:, 0] > 0).long() * 2 + 1
    return x.gather(1, last.view(-1, 1, 1).expand(-1, 1, x.size(2))).squeeze(1)


def sliding_windows(x: Tensor) -> Tensor:
    return x.unfold(1, 3, 2).mean(-1) + x.as_strided((x.size(0), 2, x.size(2)), (x.stride(0),
        x.stride(1), 1))


def beam_step(x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    scores = x.reshape(x.shape[0], -1).log_softmax(-1)
    values, places = scores.topk(4, dim=-1)
    return values, torch.div(places, 6, rounding_mode="floor"), places % 6


# Convolutional parts

def squeeze_and_excite(x: Tensor) -> Tensor:
    return x * functional.hardsigmoid(x.mean((2, 3), keepdim=True))


def shuffle_channels(x: Tensor) -> Tensor:
    batch, channels, height, width = x.shape
    return x.view(batch, 2, channels // 2, height, width).transpose(1, 2).flatten(1, 2)


def focus(x: Tensor) -> Tensor:
    return torch.cat([x[..., ::2, ::2], x[..., 1::2, ::2], x[..., ::2, 1::2], x[..., 1::2, 1::2]], 1)


def windows(x: Tensor) -> Tensor:
    batch, channels, height, width = x.shape
    parts = x.view(batch, channels, height // 2, 2, width // 2, 2).permute(0, 2, 4, 3, 5, 1)
    rolled = torch.roll(x, shifts=(-1, 1), dims=(2, 3))
    return parts.reshape(-1, 4, channels).mean(1) + rolled.mean()


def unfold_fold(x: Tensor) -> Tuple[Tensor, Tensor]:
    columns = functional.unfold(x, (2, 3), dilation=1, padding=1, stride=2)
    return columns, functional.fold(columns, (6, 8), (2, 3), padding=1, stride=2)


def pixel_orders(x: Tensor) -> Tuple[Tensor, Tensor]:
    return functional.pixel_shuffle(x, 2), functional.pixel_unshuffle(x, 2)


def interpolations(x: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    return (functional.interpolate(x, size=(9, 5), mode="bicubic", align_corners=True),
            functional.interpolate(x, scale_factor=(0.5, 1.7), mode="nearest-exact"),
            functional.interpolate(x, size=(3, 4), mode="area"),
            functional.interpolate(x, size=(4, 3), mode="bilinear", antialias=True))


def warp(x: Tensor) -> Tensor:
    theta = torch.tensor([[0.8, 0.3, 0.1], [-0.2, 1.1, -0.3]]).expand(x.size(0), 2, 3)
    grid = functional.affine_grid(theta, [x.size(0), x.size(1), 5, 7], align_corners=False)
    return functional.grid_sample(x, grid, mode="bilinear", padding_mode="zeros", align_corners=False)


def pools(x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    values, places = functional.max_pool2d(x, 2, return_indices=True)
    return (functional.max_unpool2d(values, places, 2), functional.lp_pool2d(x, 3.0, 2, 1),
            functional.adaptive_avg_pool2d(x, (None, 3)))


def weights_at_run_time(x: Tensor) -> Tensor:
    kernel = x[:1, :, :3, :3].softmax(1)
    return functional.conv2d(x, kernel, stride=(1, 2), padding="valid")


def total_variation(x: Tensor) -> Tensor:
    return (x.diff(dim=-1).abs().sum((1, 2, 3)) + x.diff(dim=-2, n=2).pow(2).sum((1, 2, 3))).sqrt()


def pads(x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    return (functional.pad(x, (1, 2, 0, 3), mode="reflect"), functional.pad(x, (1, 1, 2, 0),
        mode="circular"),
            functional.pad(x, (-1, 2, 1, -1), value=0.5))


# Detection

def boxes(x: Tensor) -> Tuple[Tensor, Tensor]:
    centre, size = x[..., :2], x[..., 2:4].exp().clamp(max=50)
    corners = torch.cat([centre - size / 2, centre + size / 2], -1)
    area = (corners[..., 2] - corners[..., 0]) * (corners[..., 3] - corners[..., 1])
    low = torch.max(corners[:, :, None, :2], corners[:, None, :, :2])
    high = torch.min(corners[:, :, None, 2:], corners[:, None, :, 2:])
    common = (high - low).clamp(min=0).prod(-1)
    return corners, common / (area[:, :, None] + area[:, None, :] - common)


def anchors(x: Tensor) -> Tensor:
    rows, columns = torch.meshgrid(torch.arange(x.shape[1]), torch.arange(x.shape[2]), indexing="ij")
    grid = torch.stack((columns, rows), -1).view(1, x.shape[1], x.shape[2], 2).float()
    return (x[..., None].sigmoid() * 2 - 0.5 + grid) * 8


def chosen(x: Tensor) -> Tuple[Tensor, Tensor]:
    flat = x.flatten()
    kept = flat[flat > 0.3]
    order = kept.argsort(descending=True)
    return kept[order][:4], torch.nonzero(x > 0.5, as_tuple=False)


# Indexing

def index_styles(x: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    rows = torch.tensor([1, 0, -1])
    return (x[rows, rows], x[:, rows, None], x[..., [0, 2]], x[torch.tensor([[0], [1]]), :, rows[:2]])


def index_writes(x: Tensor) -> Tensor:
    out = x.clone()
    out[:, 0] = 0.5
    out[torch.tensor([0, 1]), torch.tensor([1, 2])] += 3.0
    out[..., -1] *= 2
    out.index_add_(1, torch.tensor([0, 0, 2]), x[:, :3])
    out.masked_scatter_(out > 2, x.flatten())
    return out


def scatters(x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    places = torch.tensor([[0, 1, 1, 0]]).expand(x.size(0), 4)
    part = x[:, :4, 0]
    base = torch.zeros(x.size(0), 3)
    return (base.scatter_add(1, places, part),
            base.scatter_reduce(1, places, part, "amax", include_self=False),
            base.scatter(1, places[:, :2] + torch.tensor([0, 1]), 7.0))


def orders(x: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    values, places = x.sort(dim=1, descending=True, stable=True)
    ascending = values.flip(1).transpose(1, 2).contiguous()
    return (values, x.kthvalue(2, dim=1)[0], x.median(dim=-1).values,
            torch.searchsorted(ascending, x[:, :2].transpose(1, 2).contiguous()))


def counts(x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
    whole = (x * 2).round().long().clamp(-3, 3).flatten()
    values, places, number = torch.unique(whole, return_inverse=True, return_counts=True)
    return values, number, torch.bincount(whole + 3, minlength=9)


def buckets(x: Tensor) -> Tuple[Tensor, Tensor]:
    edges = torch.tensor([-1.0, 0.0, 0.5, 2.0])
    return torch.bucketize(x, edges, right=True), torch.histc(x, bins=5, min=-2, max=2)


# Numerics

def stable_losses(x: Tensor, y: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
    target = (y > 0).float()
    return (functional.binary_cross_entropy_with_logits(x[:, 0], target, pos_weight=torch.tensor(2.0)),
            functional.smooth_l1_loss(x[:, 0], y, beta=0.5, reduction="none"),
            functional.kl_div(x[:, 0].log_softmax(-1), y.softmax(-1), reduction="batchmean"),
            functional.cross_entropy(x[:, 0], torch.arange(x.shape[0]) % 6, label_smoothing=0.1,
                ignore_index=1))


def special(x: Tensor) -> List[Tensor]:
    p = x.abs() + 0.1
    return [torch.lgamma(p), torch.digamma(p), torch.special.i0e(x), torch.special.erfcx(p),
            torch.xlogy(p, p),
            torch.special.ndtr(x), torch.logaddexp(x, p), torch.hypot(x, p), torch.atan2(x, p),
            torch.sinc(x),
            torch.special.zeta(p + 1.5, p), torch.polygamma(1, p), torch.special.bessel_j0(x),
            torch.frac(x),
            torch.nextafter(x, p), torch.copysign(p, x), torch.ldexp(x, torch.tensor(3)),
            torch.heaviside(x, torch.tensor(0.5))]


def statistics(x: Tensor) -> List[Tensor]:
    return [x.var(1, unbiased=False), x.std(dim=(0, 2), correction=2), torch.quantile(x, 0.3, dim=1),
            torch.nanmean(torch.where(x > 1, torch.tensor(float("nan")), x), 1), x.norm(p=3,
            dim=-1), torch.aminmax(x, dim=1)[0],
            torch.cumprod(x, 1), x.logcumsumexp(1), torch.cummax(x, 1)[0], torch.corrcoef(x[0]),
            torch.count_nonzero(x > 0, dim=1),
            x.logsumexp((1, 2)), torch.trapezoid(x, dim=1), torch.dist(x, x.flip(0), p=1)]


def linear_algebra(x: Tensor) -> List[Tensor]:
    square = x[:, :4, :4]
    product = square @ square.mT + 5 * torch.eye(4)
    return [torch.linalg.inv(product), torch.linalg.cholesky(product), torch.linalg.det(square),
            torch.linalg.solve(product, square),
            torch.linalg.slogdet(product)[1], torch.linalg.matrix_power(square, 3),
            torch.linalg.vector_norm(square, 1, dim=-1), torch.linalg.eigvalsh(product),
            torch.linalg.svdvals(square), torch.linalg.matrix_norm(square, "fro"),
            torch.linalg.cross(square[..., :3], square[..., 1:]), torch.trace(square[0]),
            torch.linalg.qr(product)[1].abs(), torch.cdist(square, square),
            torch.linalg.pinv(square[:, :3], rtol=1e-3), torch.kron(square[0], square[0])]


def spectra(x: Tensor) -> List[Tensor]:
    line = x[:, :, 0]
    window = torch.hann_window(4)
    transformed = torch.stft(torch.cat([line, line, line], 1), 4, 2, window=window, return_complex=True)
    return [torch.view_as_real(torch.fft.fft(line)), torch.fft.rfft(line).abs(),
            torch.fft.irfft(torch.fft.rfft(line), n=7), transformed.abs().pow(2),
            torch.fft.fftshift(line, dim=1), torch.view_as_real(torch.fft.fft2(x, norm="ortho")),
            torch.istft(transformed, 4, 2, window=window),
            torch.fft.fftfreq(5), torch.angle(torch.fft.fft(line))]


def mel_like(x: Tensor) -> Tensor:
    line = x.flatten(1)
    frames = line.unfold(-1, 8, 4) * torch.hamming_window(8, periodic=False)
    power = torch.fft.rfft(frames, n=16).abs() ** 2
    bank = torch.linspace(0, 1, 9 * 4).view(9, 4)
    return 10 * torch.log10((power @ bank).clamp(min=1e-5))


def integers(x: Tensor) -> List[Tensor]:
    whole = (x * 5).int()
    return [whole // 3, whole % -3, torch.fmod(whole, 3), whole << 2, whole >> 1, whole & 6, ~whole,
            torch.gcd(whole, torch.tensor(6, dtype=torch.int32)),
            torch.div(whole, 2, rounding_mode="trunc"), whole.float() / 2, whole.to(torch.uint8),
            whole.pow(2), torch.bitwise_xor(whole, 5), whole.sum(dtype=torch.int64),
            whole.bool().any(1),
            (whole == 3).all(dim=2), whole.clamp(min=-2).short(), torch.remainder(-whole, 4),
                -whole.abs()]


def mixed_types(x: Tensor) -> List[Tensor]:
    whole, half, wide = x.long(), x.half(), x.double()
    return [whole * 1.5, half + whole, wide * half, torch.where(x > 0, whole, 2.5),
            torch.cat([whole, half]), torch.stack([wide, half]).sum(0), whole / 2,
            torch.full((2,), 3), torch.tensor([1, 2.5]) + whole[0, 0, 0], x.new_full((2, 2), True),
            half.mean(), torch.add(whole, 2, alpha=3)]


def shapes(x: Tensor) -> List[Tensor]:
    return [x.flatten(1).unflatten(1, (2, -1)), x.movedim(0, -1), x.swapaxes(1,
            2).contiguous().view(-1), x.repeat(2, 1, 1, 1)[..., 0], x.repeat_interleave(2, dim=1),
            x.rot90(1, (1, 2)),
            x.tile((2,)), x.expand(2, -1, -1, -1).sum(0), torch.atleast_2d(x[0, 0]),
                x.diagonal(offset=1, dim1=1, dim2=2), torch.block_diag(x[0], x[0, :2]),
                torch.tril(x, -1), torch.hstack([x, x]),
            torch.tensor_split(x, 4, dim=1)[1], torch.narrow(x, 1, 1, 2), x.T if x.dim() == 2 else
            x.mT, torch.broadcast_to(x[:, :1], x.shape), x.unbind(1)[2], torch.vander(x[0, 0], 3),
            torch.cartesian_prod(x[0, 0, :2], x[0, 1, :2])]


def einsums(x: Tensor) -> List[Tensor]:
    return [torch.einsum("bij,bkj->bik", x, x), torch.einsum("bij->bj", x),
            torch.einsum("...ij,...ij->...", x, x), torch.tensordot(x, x, dims=([1, 2], [1, 2])),
            torch.einsum("bii->bi", x[:, :4, :4]),
            torch.bilinear(x[:, 0, :3], x[:, 1, :3], torch.ones(2, 3, 3), torch.tensor([0.5, 1.0])),
            torch.baddbmm(x[:, :4, :4], x[:, :4], x[:, :4].mT, beta=0.5, alpha=2), torch.addcmul(x,
            x, x, value=0.1), torch.lerp(x, x.flip(1), 0.3)]


def activations(x: Tensor) -> List[Tensor]:
    return [functional.gelu(x, approximate="tanh"), functional.celu(x, 0.7), functional.glu(x, 2),
            functional.hardshrink(x, 0.4), functional.hardtanh(x, -0.5, 0.8),
            functional.logsigmoid(x), functional.mish(x), functional.prelu(x, torch.tensor([0.1])),
            functional.relu6(x * 5), functional.selu(x), functional.softmin(x, 1),
                functional.softplus(x, 2.0, 1.0), functional.softshrink(x, 0.3),
                functional.tanhshrink(x), functional.threshold(x, 0.1, -5.0),
                functional.normalize(x, p=1.0, dim=1), functional.local_response_norm(x, 3),
                functional.cosine_similarity(x, x.flip(0), dim=1), functional.pairwise_distance(x[:,
                0], x[:, 1])]


# Scripts

def greedy(x: Tensor) -> List[int]:
    found: List[int] = []
    previous = -1
    for step in range(x.shape[1]):
        best = int(x[0, step].argmax().item())
        if best != previous and best != 0:
            found.append(best)
        previous = best
    return found


def grouped(x: Tensor) -> Dict[str, Tensor]:
    parts: Dict[str, List[Tensor]] = {}
    for place, row in enumerate(x.unbind(1)):
        key = "even" if place % 2 == 0 else "odd"
        if key not in parts:
            parts[key] = []
        parts[key].append(row)
    return {key: torch.stack(rows, 1) for key, rows in parts.items()}


def early_exit(x: Tensor) -> Tensor:
    total = torch.zeros(x.shape[0])
    for step in range(x.shape[1]):
        total = total + x[:, step].sum(-1)
        if total.max() > 4:
            return total * step
    return total


def optional_part(x: Tensor, y: Optional[Tensor] = None) -> Tensor:
    if y is not None:
        x = x * y[:, None]
    return x.sum(dim=[1], keepdim=False)


def nested_loops(x: Tensor) -> Tensor:
    out = torch.zeros_like(x)
    for row in range(x.size(0)):
        last: Optional[Tensor] = None
        for column in range(x.size(1)):
            piece = x[row, column]
            if last is not None:
                piece = piece + 0.5 * last
            out[row, column] = piece
            last = piece
    return out


def text_choices(x: Tensor) -> Tensor:
    mode = "mean" if x.dim() > 2 else "sum"
    assert x.size(-1) > 2, f"{mode} needs three columns"
    sizes = [int(size * 1.5) for size in x.shape[1:]]
    if mode in ("mean", "median"):
        return functional.interpolate(x[:, None], size=sizes, mode="bilinear").squeeze(1)
    return x


def halving(x: Tensor) -> Tuple[Tensor, int]:
    steps = 0
    while x.abs().max() > 0.5 and steps < 10:
        x = x * 0.6
        steps += 1
        if steps == 7:
            break
    return x, steps


LINES, IMAGES = (5, 6), (4, 6, 8)
PROGRAMS = {
    LINES: (rotary, rotary_complex, causal_attention, alibi, relative_positions, packed_lengths,
        last_state, sliding_windows,
            beam_step, boxes, anchors, chosen, index_styles, index_writes, scatters, orders, counts,
                buckets, stable_losses, special,
            statistics, linear_algebra, spectra, mel_like, integers, mixed_types, shapes, einsums,
                activations),
    IMAGES: (squeeze_and_excite, shuffle_channels, focus, windows, unfold_fold, pixel_orders,
        interpolations, warp, pools,
             weights_at_run_time, total_variation, pads),
}
SCRIPTS = {LINES: (greedy, grouped, early_exit, optional_part, nested_loops, text_choices, halving)}


def drawn(function, sizes, batch):
    inputs = {"x": torch.randn(batch, *sizes) * 1.5}
    if "y" in function.__annotations__:
        inputs["y"] = torch.randn(batch, sizes[-1])
    return inputs


def program(function, sizes):
    def make():
        draws = [drawn(function, sizes, batch) for batch in (3, 2)]
        return CALLED[len(draws[0])](function), draws, [(name, 0) for name in draws[0]]
    return make


def programs(rows):
    return {function.__name__: program(function, sizes) for sizes, functions in rows.items() for
        function in functions}


def cases():
    return (torch_forms.cases_of((PT2, DECOMPOSED, TRACED, SCRIPTED), programs(PROGRAMS)) |
            torch_forms.cases_of((SCRIPTED,), programs(SCRIPTS)))


if __name__ == "__main__":
    serve_producer(cases(), f"PyTorch {torch.__version__}", torch_forms.load)
