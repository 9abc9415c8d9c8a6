# SPDX-License-Identifier: Apache-2.0
"""Draws programs of torch whose tensors share elements: views of views, results of reshape and
contiguous, which are views or copies as strides allow, and writes through any of them, also in
branches and loops whose course is known at run time only.

A program is the text of a method `forward`, and a list of steps that do the same to NumPy arrays,
whose views obey the same rules. Numbers are small integers, so that results are exact.
"""

import dataclasses
import math
import random

import numpy as np
from numpy.lib.stride_tricks import as_strided


class Declined(Exception):
    """What was drawn is an error in torch, or has no defined result."""


@dataclasses.dataclass
class Step:
    """One line: what it does to the arrays by name."""
    text: str
    run: object

    def lines(self):
        return [self.text]


@dataclasses.dataclass
class Branch:
    then_steps: list
    else_steps: list

    def run(self, arrays):
        run_all(self.then_steps if arrays["flag"] else self.else_steps, arrays)

    def lines(self):
        return (["if bool(flag):"] + block(self.then_steps) + ["else:"] + block(self.else_steps))


@dataclasses.dataclass
class Loop:
    steps: list

    def run(self, arrays):
        for i in range(arrays["n"]):
            arrays["i"] = i
            run_all(self.steps, arrays)

    def lines(self):
        return ["for i in range(n):"] + block(self.steps)


def run_all(steps, arrays):
    for step in steps:
        step.run(arrays)


def block(steps):
    lines = [line for step in steps for line in step.lines()] or ["pass"]
    return ["  " + line for line in lines]


# --- views: of an array, the call that gives it of {x}, and the array

def draw_axis(rng, a, least=1):
    axes = [i for i, size in enumerate(a.shape) if size >= least]
    if not axes:
        raise Declined
    return rng.choice(axes)


def factors(rng, count):
    """Sizes whose product is `count`, with a 1 now and then."""
    sizes = []
    while count > 1:
        size = rng.choice([k for k in range(2, count + 1) if count % k == 0])
        sizes.append(size)
        count //= size
    for _ in range(rng.choice((0, 0, 1))):
        sizes.insert(rng.randint(0, len(sizes)), 1)
    return sizes or [1]


def transpose(rng, a):
    i, j = draw_axis(rng, a), draw_axis(rng, a)
    return f"torch.transpose({{x}}, {i}, {j})", a.swapaxes(i, j)


def permute(rng, a):
    order = rng.sample(range(a.ndim), a.ndim)
    return f"torch.permute({{x}}, {order})", a.transpose(order)


def cut(rng, a):
    axis = draw_axis(rng, a)
    size = a.shape[axis]
    start, step = rng.randint(0, size - 1), rng.choice((1, 1, 2, 3))
    end = rng.randint(start + 1, size)
    at = (slice(None),) * axis + (slice(start, end, step),)
    return f"torch.slice({{x}}, {axis}, {start}, {end}, {step})", a[at]


def select(rng, a):
    if a.ndim < 2:
        raise Declined
    axis = draw_axis(rng, a)
    at = rng.randint(-a.shape[axis], a.shape[axis] - 1)
    call = rng.choice((f"torch.select({{x}}, {axis}, {at})",
                       f"torch.unbind({{x}}, {axis})[{at}]"))
    return call, a[(slice(None),) * axis + (at,)]


def unsqueeze(rng, a):
    axis = rng.randint(0, a.ndim)
    return f"torch.unsqueeze({{x}}, {axis})", np.expand_dims(a, axis)


def squeeze(rng, a):
    axis = draw_axis(rng, a)
    if a.shape[axis] == 1 and a.ndim == 1:
        raise Declined
    return f"torch.squeeze({{x}}, {axis})", a.squeeze(axis) if a.shape[axis] == 1 else a


def expand(rng, a):
    sizes = [rng.choice((1, 2)) if size == 1 else size for size in a.shape]
    if rng.random() < 0.3:
        sizes.insert(0, rng.choice((1, 2)))
    return f"torch.expand({{x}}, {sizes})", as_strided(a, sizes, np.broadcast_to(a, sizes).strides)


def unfold(rng, a):
    axis = draw_axis(rng, a)
    size, step = rng.randint(1, a.shape[axis]), rng.choice((1, 2, 3))
    count = (a.shape[axis] - size) // step + 1
    shape, strides = list(a.shape), list(a.strides)
    shape[axis], strides[axis] = count, strides[axis] * step
    windows = as_strided(a, shape + [size], strides + [a.strides[axis]])
    return f"torch.unfold({{x}}, {axis}, {size}, {step})", windows


def diagonal(rng, a):
    if a.ndim < 2:
        raise Declined
    i, j = rng.sample(range(a.ndim), 2)
    offset = rng.choice((0, 0, 1))
    square = np.moveaxis(a, (i, j), (-2, -1))[..., :, offset:]
    count = min(square.shape[-2:])
    if count == 0:
        raise Declined
    line = as_strided(square, square.shape[:-2] + (count,),
                      square.strides[:-2] + (sum(square.strides[-2:]),))
    return f"torch.diagonal({{x}}, {offset}, {i}, {j})", line


def reshape(rng, a):
    sizes = rng.choice((factors(rng, a.size), list(a.shape), [-1]))
    return f"torch.reshape({{x}}, {sizes})", a.reshape(sizes)


def view(rng, a):
    sizes = factors(rng, a.size)
    seen = a.reshape(sizes)
    if not np.shares_memory(seen, a):
        raise Declined
    return f"torch.view({{x}}, {sizes})", seen


def flatten(rng, a):
    first, last = sorted((draw_axis(rng, a), draw_axis(rng, a)))
    sizes = a.shape[:first] + (-1,) + a.shape[last + 1:]
    return f"torch.flatten({{x}}, {first}, {last})", a.reshape(sizes)


def ravel(_, a):
    return "torch.ravel({x})", a.reshape(-1)


def contiguous(_, a):
    return "torch.contiguous({x})", np.ascontiguousarray(a)


def split(rng, a):
    axis = draw_axis(rng, a)
    size = rng.randint(1, a.shape[axis])
    parts = [a[(slice(None),) * axis + (slice(k, k + size),)]
             for k in range(0, a.shape[axis], size)]
    k = rng.randrange(len(parts))
    return f"torch.split({{x}}, {size}, {axis})[{k}]", parts[k]


def narrow(rng, a):
    axis = draw_axis(rng, a)
    start = rng.randint(0, a.shape[axis] - 1)
    length = rng.randint(1, a.shape[axis] - start)
    at = (slice(None),) * axis + (slice(start, start + length),)
    return f"torch.narrow({{x}}, {axis}, {start}, {length})", a[at]


def itself(rng, a):
    return rng.choice(("torch.detach({x})", "torch.dropout({x}, 0.5, False)",
                       "torch.type_as({x}, {x})")), a


VIEWS = (transpose, permute, cut, select, unsqueeze, squeeze, expand, unfold, diagonal, reshape,
         reshape, reshape, view, flatten, flatten, ravel, contiguous, contiguous, split, narrow,
         itself)
FRESH = (lambda _, a: ("torch.clone({x})", a.copy("K")),
         lambda _, a: ("torch.add({x}, 1)", a + 1),
         lambda _, a: ("torch.neg({x})", -a),
         lambda _, a: ("torch.cat([{x}, {x}])", np.concatenate([a, a])))


# --- writes: of the name and the array, the call, and what it does to an array

def overlaps_itself(a):
    places = sum(np.arange(size).reshape((-1,) + (1,) * (a.ndim - 1 - axis)) * stride
                 for axis, (size, stride) in enumerate(zip(a.shape, a.strides)))
    return np.unique(places).size < a.size


def write_number(rng, _):
    k = rng.randint(2, 5)

    def add(a):
        a += k

    def scale(a):
        a *= 2

    def fill(a):
        a[...] = k

    def fill_positive(a):
        a[a > 0] = k

    def drop_negative(a):
        np.maximum(a, 0, out=a)

    def fill_row(a):
        a[0] = k

    return rng.choice(((f"torch.add_({{x}}, {k})", add), ("torch.mul_({x}, 2)", scale),
                       (f"torch.fill_({{x}}, {k})", fill),
                       (f"torch.masked_fill_({{x}}, torch.gt({{x}}, 0), {k})", fill_positive),
                       (f"torch.index_put_({{x}}, [torch.gt({{x}}, 0)], torch.tensor({k}.))",
                        fill_positive),
                       (f"torch.index_put_({{x}}, [torch.tensor([0])], torch.tensor({k}.))",
                        fill_row),
                       (f"torch.index_fill_({{x}}, 0, torch.tensor([0]), {k})", fill_row),
                       ("torch.relu_({x})", drop_negative)))


class Drawing:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.steps = []
        self.made = 1
        self.hidden = set()  # names that are made in a branch or loop
        self.shape = tuple(self.rng.choice((1, 2, 3, 4)) for _ in range(self.rng.choice((2, 3))))
        self.n = self.rng.choice((0, 1, 2))
        self.flag = self.rng.random() < 0.5

    def start(self, flag):
        argument = np.arange(-4, math.prod(self.shape) - 4, dtype=np.float32).reshape(self.shape)
        return {"x": argument.copy(), "v0": argument.copy(), "flag": flag, "n": self.n,
                "i": 0}

    def arrays(self, steps, flag):
        found = self.start(flag)
        run_all(steps, found)
        return found

    def names(self, arrays):
        return [name for name in arrays if name[0] == "v" and name not in self.hidden]

    def new_name(self):
        self.made += 1
        return f"v{self.made - 1}"

    def draw_value(self, arrays):
        """A new name, for a view or what an operator makes."""
        source = self.rng.choice(self.names(arrays))
        drawer = self.rng.choice(VIEWS if self.rng.random() < 0.9 else FRESH)
        state = self.rng.getstate()
        text, value = drawer(self.rng, arrays[source])
        if value.ndim == 0 or value.ndim > 4 or value.size > 60:
            raise Declined

        def run(now, name=self.new_name()):
            again = random.Random()
            again.setstate(state)
            now[name] = drawer(again, now[source])[1]

        return Step(f"v{self.made - 1} = {text.format(x=source)}", run)

    def draw_write(self, arrays):
        name = self.rng.choice(self.names(arrays))
        if self.rng.random() < 0.25:
            return self.draw_copy(arrays, name)
        text, change = write_number(self.rng, arrays[name])

        def run(now):
            if overlaps_itself(now[name]):
                raise Declined
            change(now[name])

        return Step("_ = " + text.format(x=name), run)

    def draw_copy(self, arrays, name):
        """A write of what another tensor holds."""
        others = [other for other in self.names(arrays)
                  if arrays[other].shape == arrays[name].shape]
        other = self.rng.choice(others)
        text, function = self.rng.choice((
            ("torch.copy_({x}, {y})", lambda a, b: b), ("torch.sub_({x}, {y})", np.subtract),
            ("torch.add({y}, {y}, alpha=1, out={x})", lambda a, b: b + b)))

        def run(now):
            a, b = now[name], now[other]
            same = a.strides == b.strides and np.shares_memory(a[:1], b[:1])
            if overlaps_itself(a) or (np.shares_memory(a, b) and not same):
                raise Declined
            a[...] = function(a, b)

        return Step("_ = " + text.format(x=name, y=other), run)

    def draw_rebinding(self, arrays):
        """One name becomes another tensor of the same sizes."""
        name, other = self.rng.choice(self.names(arrays)), self.rng.choice(self.names(arrays))
        fresh = self.rng.random() < 0.4
        if arrays[name].shape != arrays[other].shape:
            raise Declined

        def run(now):
            if now[name].shape != now[other].shape:
                raise Declined
            now[name] = now[other] + 1 if fresh else now[other]

        return Step(f"{name} = " + (f"torch.add({other}, 1)" if fresh else other), run)

    def draw_part(self, arrays):
        """A write to the row that the iteration of a loop counts."""
        name = self.rng.choice(self.names(arrays))

        def run(now):
            if now["i"] >= now[name].shape[0] or overlaps_itself(now[name]):
                raise Declined
            now[name][now["i"]] += 3

        if arrays[name].ndim < 2:
            raise Declined
        return Step(f"_ = torch.add_(torch.select({name}, 0, i), 3)", run)

    def draw_body(self, before, flag, wrap, in_loop=False):
        """Up to three steps after `before`; wrap makes them part of a branch or loop."""
        steps = []
        made = self.made
        for _ in range(self.rng.randint(1, 4)):
            arrays = self.arrays(before + steps, flag)
            kind = self.rng.random()
            try:
                if in_loop and kind < 0.3:
                    step = self.draw_part(arrays)
                elif kind < 0.5:
                    step = self.draw_rebinding(arrays)
                elif kind < 0.6:
                    step = self.draw_value(arrays)
                else:
                    step = self.draw_write(arrays)
                self.check(before + [wrap(steps + [step])])
                if not in_loop or self.n > 0:
                    self.arrays(before + steps + ([] if in_loop else [step]), flag)
            except Declined:
                continue
            steps.append(step)
        self.hidden.update(f"v{k}" for k in range(made, self.made))
        return steps

    def check(self, steps):
        for flag in (True, False):
            self.arrays(steps, flag)

    def add(self):
        kind = self.rng.random()
        before = list(self.steps)
        if kind < 0.08:
            then_steps = self.draw_body(before, True, lambda steps: Branch(steps, []))
            step = Branch(then_steps, [])
            step.else_steps = self.draw_body(before, False,
                                             lambda steps: Branch(then_steps, steps))
        elif kind < 0.16:
            step = Loop(self.draw_body(before, self.flag, Loop, in_loop=True))
        else:
            arrays = self.arrays(before, self.flag)
            step = (self.draw_value if kind < 0.65 else self.draw_write)(arrays)
        self.check(before + [step])
        self.steps.append(step)


@dataclasses.dataclass
class Program:
    methods: str
    inputs: dict
    outputs: list


def draw(seed):
    drawing = Drawing(seed)
    for _ in range(drawing.rng.randint(3, 12)):
        try:
            drawing.add()
        except Declined:
            continue
    # Names that only a branch or a loop makes are not seen after it.
    kept = ["v0"] + [step.text.split(" = ")[0] for step in drawing.steps
                     if isinstance(step, Step) and step.text.startswith("v")]
    lines = ["v0 = torch.mul(x, 1)"] + [line for step in drawing.steps for line in step.lines()]
    results = "".join(f"{name}, " for name in kept)
    methods = ("  def forward(self: __torch__.M,\n    x: Tensor,\n    flag: Tensor,\n    n: int) -> "
               f"Tuple[{', '.join(['Tensor'] * len(kept))}]:\n"
               + "".join(f"    {line}\n" for line in lines) + f"    return ({results})\n")
    arrays = drawing.arrays(drawing.steps, drawing.flag)
    inputs = {"x": drawing.start(drawing.flag)["x"], "flag": np.array(drawing.flag),
              "n": np.array(drawing.n)}
    return Program(methods, inputs, [arrays[name] for name in kept])
