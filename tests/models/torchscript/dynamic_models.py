# SPDX-License-Identifier: Apache-2.0
"""Models that are converted once, for symbolic sizes, and run at several: part of make_fixtures.py.

`shapes` are the facts of the conversion; `others` further inputs, of other sizes and for the other
sides of conditions.
"""

import enum
import math
from typing import NamedTuple


class Detections(NamedTuple):
    boxes: Tensor
    scores: Tensor
    labels: Tensor


@fixture("detection", shapes="boxes=n,4 logits=n,3", boxes=rand(6, 4).abs(), logits=rand(6, 3),
         others=[{"boxes": rand(10, 4).abs(), "logits": rand(10, 3)},
                 {"boxes": rand(1, 4).abs(), "logits": -rand(1, 3).abs() - 5}])
class Detection(nn.Module):
    """The boxes of the three best scores above a threshold, if there are so many."""

    def forward(self, boxes, logits):
        boxes = torch.cat([boxes[:, :2], boxes[:, :2] + boxes[:, 2:]], 1)
        scores, labels = logits.softmax(1).max(1)
        keep = torch.where(scores > 0.5)[0]
        boxes, scores, labels = boxes[keep], scores[keep], labels[keep]
        order = scores.argsort(descending=True)
        order = order[:min(3, order.numel())]
        return Detections(boxes[order].clamp(min=0.0, max=1.0), scores[order], labels[order])


@fixture("suppression", shapes="boxes=n,4 scores=n", boxes=rand(6, 4).abs(), scores=rand(6),
         others=[{"boxes": rand(9, 4).abs(), "scores": rand(9)},
                 {"boxes": rand(3, 4).abs(), "scores": rand(3)}])
class Suppression(nn.Module):
    """Non-maximum suppression as a loop."""

    def forward(self, boxes, scores):
        order = scores.argsort(descending=True)
        boxes = torch.cat([boxes[:, :2], boxes[:, :2] + boxes[:, 2:] + 0.1], 1)[order]
        corner = torch.max(boxes[:, None, :2], boxes[:, :2])
        size = (torch.min(boxes[:, None, 2:], boxes[:, 2:]) - corner).clamp(min=0)
        both = size[:, :, 0] * size[:, :, 1]
        areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
        overlap = both / (areas[:, None] + areas - both)
        keep = torch.ones(boxes.size(0), dtype=torch.bool)
        for i in range(boxes.size(0)):
            if bool(keep[i]):
                hidden = overlap[i] > 0.3
                hidden[:i + 1] = False
                keep = keep & ~hidden
        return order[keep], keep


@fixture("cached_attention", shapes="x=t,1,8", x=rand(4, 1, 8),
         others=[{"x": rand(7, 1, 8)}, {"x": rand(1, 1, 8)}])
class CachedAttention(nn.Module):
    """Keys and values of earlier steps are kept in tensors that grow."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        keys, values = torch.zeros(0, 8), torch.zeros(0, 8)
        steps: List[Tensor] = []
        for t in range(x.size(0)):
            keys = torch.cat([keys, self.key(x[t])])
            values = torch.cat([values, self.value(x[t])])
            weights = (self.query(x[t]) @ keys.t() / math.sqrt(8.0)).softmax(-1)
            steps.append(weights @ values)
        return torch.cat(steps), keys


@fixture("beam_search", shapes="x=t,5", x=rand(4, 5), others=[{"x": rand(6, 5)}, {"x": rand(2, 5)}])
class BeamSearch(nn.Module):

    def __init__(self):
        super().__init__()
        self.register_buffer("pairs", rand(5, 5))

    def forward(self, x):
        emissions = x.log_softmax(-1)
        scores, labels = emissions[0].topk(3)
        beams = labels.unsqueeze(1)
        for t in range(1, x.size(0)):
            total = scores.unsqueeze(1) + emissions[t].unsqueeze(0) + self.pairs[beams[:, -1]]
            scores, flat = total.reshape(-1).topk(3)
            origin = torch.div(flat, 5, rounding_mode="floor")
            beams = torch.cat([beams[origin], (flat % 5).unsqueeze(1)], 1)
        return beams, scores


@fixture("run_time_lists", shapes="x=t,3", x=rand(4, 3),
         others=[{"x": rand(9, 3)}, {"x": rand(2, 3)}])
class RunTimeLists(nn.Module):
    """What Python does with lists, on lists whose length is known only at run time."""

    def forward(self, x):
        rows: List[Tensor] = []
        numbers: List[int] = []
        firsts: List[float] = []
        signs: List[bool] = []
        for i in range(x.size(0)):
            rows.append(x[i])
            numbers.append(i * i - 3)
            firsts.append(float(x[i, 0]))
            signs.append(bool(x[i, 1] > 0))
        head = rows[:2]
        both = numbers + numbers[1:]
        both.extend([7, 8])
        count, place, has = both.count(1), numbers.index(-3), 5 in numbers
        both.sort(reverse=True)
        rows.reverse()
        numbers.reverse()
        facts = (count, place, has, any(signs), all(signs), sum(numbers), max(numbers), min(firsts))
        return (torch.stack(rows + head), torch.tensor(both), facts, torch.tensor(numbers),
                torch.tensor(firsts[::2]), torch.tensor(sorted(firsts)))


@fixture("run_time_dicts", shapes="x=i64:t y=t,3", x=torch.tensor([3, 1, 3, 7, 3, 1]), y=rand(6, 3),
         k=1, others=[{"x": torch.tensor([5, 0]), "y": rand(2, 3), "k": 5},
                      {"x": torch.arange(9) % 4, "y": rand(9, 3), "k": -8}])
class RunTimeDicts(nn.Module):
    """What Python does with dicts, on dicts whose keys are known only at run time."""

    def forward(self, x, y, k: int):
        counts: Dict[int, int] = {}
        sums: Dict[int, float] = {0: 1.0}
        rows: Dict[int, Tensor] = {}
        for i in range(x.size(0)):
            key = int(x[i])
            counts[key] = counts.get(key, 0) + 1
            if key in sums:
                sums[key] += float(y[i, 0])
            else:
                sums[key] = float(y[i, 0])
            rows[key] = y[i]
        total = 0.0
        for key, value in sums.items():
            total = total * 0.5 + value * key
        keys = list(counts.keys())
        if k in counts:
            del counts[k]
        else:
            counts[k] = -1
        first = sums.popitem()
        left = sums.pop(k, 9.0)
        found = sums.get(7)
        seven = -1.0
        if found is not None:
            seven = found
        return (torch.tensor(keys), torch.tensor(list(counts.values())), total, first, left, seven,
                torch.stack(list(rows.values())), len(sums))


class Mode(enum.Enum):
    PLAIN = 1
    SCALED = 2


@torch.jit.interface
class Layer(nn.Module):

    def forward(self, x: Tensor) -> Tensor:
        pass


class Doubled(nn.Module):

    def forward(self, x: Tensor) -> Tensor:
        return x * 2


class Shifted(nn.Module):

    def __init__(self):
        super().__init__()
        self.shift = nn.Parameter(rand(3))

    def forward(self, x: Tensor) -> Tensor:
        return x + self.shift


@fixture("language", shapes="x=b,3", x=rand(2, 3), others=[{"x": rand(5, 3)}, {"x": -rand(4, 3)}])
class Language(nn.Module):
    """Interfaces, enumerations, optionals, dicts, formats, assertions, with."""

    layer: Layer

    def __init__(self):
        super().__init__()
        self.layer = Shifted()
        self.mode = Mode.SCALED
        self.layers = nn.ModuleList([Doubled(), Shifted()])
        self.heads = nn.ModuleDict({"a": nn.Linear(3, 2), "b": nn.Linear(3, 1)})

    def scaled(self, x, other: Optional[Tensor] = None, scale: Optional[float] = None):
        if other is not None:
            x = x * other
        return x if scale is None else x * scale

    def forward(self, x):
        assert x.dim() == 2, f"rank {x.dim()}"
        y = self.layer.forward(x)
        if self.mode == Mode.SCALED:
            y = y * self.mode.value
        chosen: Layer = self.layers[1]
        y = chosen.forward(self.scaled(y) + self.scaled(y, x) + self.scaled(y, None, 0.5))
        extra: Optional[Tensor] = None
        if bool(x.sum() > 0):
            extra = x.exp()
        with torch.no_grad():
            y = y.tanh()
        out: Dict[str, Tensor] = {}
        for key, head in self.heads.items():
            out[key] = head(y if extra is None else y + extra)
        if "c" not in out:
            out["c"] = out["a"].sum(1, keepdim=True)
        return out, len("{} of {}".format(self.mode.name, x.size(1)))


@fixture("image_sizes", shapes="x=b,3,h,w", x=rand(1, 3, 8, 8),
         others=[{"x": rand(2, 3, 9, 13)}, {"x": rand(3, 3, 5, 7)}])
class ImageSizes(nn.Module):
    """Sizes that are computed from the image's: of pooling, resampling, padding, grids."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 4, 3, 2, 1), nn.BatchNorm2d(4), nn.ReLU())

    def forward(self, x):
        y = self.layers(x)
        rows, columns = y.size(2), y.size(3)
        resized = F.interpolate(y, size=x.shape[-2:], mode="bilinear", align_corners=False)
        padded = F.pad(y, [0, -columns % 4, 0, (4 - rows % 4) % 4])
        grid = torch.meshgrid(torch.arange(rows), torch.arange(columns))
        return (resized, F.adaptive_avg_pool2d(x, (rows, columns)),
                F.adaptive_max_pool2d(x, (2, 3)), padded, grid[0],
                y.flatten(2).transpose(1, 2).reshape(y.size(0), -1))


@fixture("writes", shapes="x=n,4 places=int64:k", x=rand(5, 4), places=torch.tensor([0, 2]),
         others=[{"x": rand(8, 4), "places": torch.tensor([1, 7, 1])},
                 {"x": rand(3, 4), "places": torch.tensor([2])}])
class Writes(nn.Module):

    def forward(self, x, places):
        y = x.clone()
        y[places] = 0.5
        y.index_put_((places, torch.zeros_like(places)), torch.ones(places.size(0)),
                     accumulate=True)
        y.masked_fill_(y > 1, -1.0)
        z = torch.zeros(x.size(0), 6)
        z.scatter_(1, (x[:, :2].abs() * 2).long().clamp(max=5), 1.0)
        inner = z[:, 1:5]
        inner += x
        inner[-1].mul_(3)
        y.select(0, 0).copy_(x[-1])
        y[:, ::2] *= 2
        y.index_fill_(0, places, 3.0)
        left, right = x.split(2, 1)
        left.add_(right)
        return y, z, x, torch.stack(torch.where(x > 0.5)), x.flip(0)[::3], x[-2:]


@fixture("masked_encoder", shapes="x=b,t,8 lengths=int64:b", x=rand(2, 5, 8),
         lengths=torch.tensor([5, 3]),
         others=[{"x": rand(3, 7, 8), "lengths": torch.tensor([7, 1, 4])},
                 {"x": rand(1, 2, 8), "lengths": torch.tensor([2])}])
class MaskedEncoder(nn.Module):
    """torch's own layers: the encoder's fast path, a decoder, attention with its weights."""

    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, activation="gelu")
        self.decoder = nn.TransformerDecoderLayer(8, 2, 16, batch_first=True)
        self.attention = nn.MultiheadAttention(8, 4, batch_first=True)

    def forward(self, x, lengths):
        hidden = torch.arange(x.size(1))[None, :] >= lengths[:, None]
        y = self.encoder(x, src_key_padding_mask=hidden).masked_fill(hidden.unsqueeze(-1), 0.0)
        causal = torch.triu(torch.full((x.size(1), x.size(1)), float("-inf")), diagonal=1)
        z = self.decoder(x, y, tgt_mask=causal)
        attended, weights = self.attention(z, y, y, key_padding_mask=hidden)
        return y, z, attended, weights


@fixture("checked_sizes", shapes="x=n,3,8,8", x=rand(5, 3, 8, 8),
         others=[{"x": rand(2, 3, 8, 8)}, {"x": rand(4, 3, 8, 8)}])
class CheckedSizes(nn.Module):
    """A convolutional network that asserts its batch, and treats small batches otherwise."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4),
                                    nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(4, 4, 3, groups=4),
                                    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))

    def forward(self, x):
        assert x.size(0) > 1, f"batch of {x.size(0)}"
        y = self.layers(x)
        if x.size(0) > 3:
            y = y.softmax(1)
        return y, y.argmax(1)


@fixture("run_time_parts", shapes="x=n,3", x=rand(4, 3), others=[{"x": rand(7, 3)}])
class RunTimeParts(nn.Module):
    """As many rows as there are, some of them turned."""

    def forward(self, x):
        rows: List[Tensor] = []
        for row in x.unbind(0):
            if bool(row.sum() > 0):
                rows.append(row)
            else:
                rows.append(-row)
        return torch.stack(rows), len(rows)


@fixture("changed_containers", shapes="x=n,3", x=rand(4, 3), others=[{"x": rand(7, 3)}])
class ChangedContainers(nn.Module):
    """Items that a loop replaces, and writes into."""

    def forward(self, x):
        items = [torch.zeros(3), torch.ones(3)]
        table = {"sum": torch.zeros(3)}
        for row in x:
            items[0] = items[0] + row
            items[1].add_(row)
            table["sum"].add_(items[0])
            items[0].mul_(0.5)
            if bool(items[1].sum() > 0):
                table["sum"] = table["sum"] * 2
        return items, table


@fixture("replaced_states", steps="forward*2,reset,forward,reset,forward", x=rand(4, 2))
class ReplacedStates(nn.Module):
    """Tensors that one method replaces, or exchanges, and another one writes into."""

    def __init__(self):
        super().__init__()
        self.register_buffer("sum", torch.zeros(2))
        self.register_buffer("even", torch.zeros(2))
        self.register_buffer("odd", torch.ones(2))
        self.items = [torch.zeros(2)]

    def forward(self, x):
        self.sum = self.sum + x
        last = self.even
        self.even = self.odd
        self.odd = last
        self.even.add_(x)
        self.items[0] = self.items[0] - x
        return self.sum * 1, self.even - self.odd, self.items[0] * 1

    @torch.jit.export
    def reset(self):
        self.sum.zero_()
        self.odd.mul_(0.5)
        self.items[0].fill_(2.0)


@fixture("spectral_layers", shapes="x=b,3,16 image=uint8:b,4", x=rand(2, 3, 16),
         image=torch.tensor([[0, 1, 128, 255], [7, 8, 9, 10]], dtype=torch.uint8),
         others=[{"x": rand(1, 3, 16), "image": torch.tensor([[3, 2, 1, 0]], dtype=torch.uint8)}])
class SpectralLayers(nn.Module):
    """A Fourier layer's product and a state space's kernel are Einsums of complex numbers; bytes
    are negated."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(rand(3, 4, 5, 2))
        self.rate = nn.Parameter(rand(3, 2).abs())
        self.frequency = nn.Parameter(rand(3, 2))
        self.gain = nn.Parameter(rand(3, 2, 2))

    def forward(self, x, image):
        spectrum = torch.fft.rfft(x)[..., :5]
        mixed = torch.einsum("bix,iox->box", spectrum, torch.view_as_complex(self.weight))
        rate = torch.complex(-self.rate, self.frequency)
        powers = torch.exp(rate.unsqueeze(-1) * torch.arange(x.size(-1)))
        kernel = torch.einsum("hn,hnl,hl->hl", torch.view_as_complex(self.gain), powers,
                              powers[:, 0]).real
        return torch.fft.irfft(mixed, n=16), kernel, 255 - image, -image


@fixture("nested_rows", trace=True, shapes="x=b,t,8 beyond=bool:b,t", x=rand(2, 5, 8),
         beyond=torch.tensor([[0, 0, 0, 1, 1], [0, 0, 0, 0, 1]]).bool(),
         others=[{"x": rand(3, 4, 8), "beyond": torch.tensor([[0, 1, 1, 1]] * 3).bool()},
                 {"x": rand(1, 3, 8), "beyond": torch.zeros(1, 3, dtype=torch.bool)}])
class NestedRows(nn.Module):
    """Traced encoders make nested tensors of what their masks leave, and pad them in the end."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, norm=nn.LayerNorm(8))
        for parameter in self.parameters():
            parameter.requires_grad_(False)

    def forward(self, x, beyond):
        return self.encoder(x, src_key_padding_mask=beyond)


@fixture("small_matrices", shapes="x=b,3,3 y=b,3,2", x=rand(2, 3, 3), y=rand(2, 3, 2),
         others=[{"x": rand(5, 3, 3).flip(2), "y": rand(5, 3, 2)},
                 {"x": torch.eye(3).flip(0)[None], "y": rand(1, 3, 2)}])
class SmallMatrices(nn.Module):
    """What ONNX and Relax have no operators for is written out in steps."""

    def forward(self, x, y):
        lower = torch.linalg.cholesky(x @ x.transpose(1, 2) + torch.eye(3))
        upper = lower.transpose(1, 2)
        return (torch.inverse(x), torch.linalg.solve(x, y), torch.linalg.det(x), lower,
                torch.cholesky_solve(y, lower),
                torch.linalg.solve_triangular(upper, y, upper=True, unitriangular=True))
