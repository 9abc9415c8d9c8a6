# SPDX-License-Identifier: Apache-2.0
"""Recurrences whose steps need not be alike: what they are, and how they are drawn.

Kind of cell, spelling, sizes, states, time as nodes, Loop or Scan, and what is read of the steps
are drawn. On top of that, any subset of steps may be odd in some ways (ODDITIES): it keeps other
states, computes otherwise, or reads something else. Where nothing is odd, one operator can do all
steps.
"""

import copy
import dataclasses

import numpy as np

from recurrent_cells import draw_style
from recurrent_reference import GATES, Layer, draw_weights
from recurrent_spellings import CHOICES, Spelling, pick

MOST_STEPS = 6
CONSTANT = 0.25  # what some masks put in the place of a state

LAYER_CHOICES = {
    "kind": ("lstm", "gru", "rnn"),
    "reset_after": (False, True),
    "update_new": (False, True),
    "coupled": (False, False, False, True),
    "peepholes": (False, False, True),
    "forget_bias": (0.0, 0.0, 1.0),
    "cell_clip": (0.0, 0.0, 0.0, 0.2),
    "output_clip": (0.0, 0.0, 0.0, 0.15),
    "gate": ("sigmoid", "sigmoid", "sigmoid", "hard_sigmoid"),
    "activation": ("tanh", "tanh", "relu", "softsign"),
}
ONLY_OF = {"lstm": ("coupled", "peepholes", "forget_bias", "cell_clip", "output_clip"),
           "gru": ("reset_after", "update_new"), "rnn": ()}
READ = ("all", "all", "some", "shuffled", "reversed", "last", "each")  # of the last layer's steps


@dataclasses.dataclass(frozen=True)
class Mask:
    """Where `number of the step` + shift < length, a state is new; elsewhere it is `other`."""
    spelling: str = "less"      # less, or_equal, greater, ended: which comparison; tensor: a slice
    #                             of that of all steps; free: a slice of an input
    shift: int = 0
    inverse: bool = False       # the state is new elsewhere, and `other` there
    other: str = "old"          # old, zeros, constant, initial
    states: tuple = ("h", "c")  # those that it is applied to
    layout: str = "rows"        # (batch, 1); features: (1, batch); shared: one for all sequences


@dataclasses.dataclass
class Step:
    layer: Layer
    weights: dict
    style: dict
    source: int          # which step of the input it reads
    mask: Mask = None
    bounds: dict = dataclasses.field(default_factory=dict)  # state -> (spelling, bound), at the end
    back: int = 1        # how many steps before it is the one whose states it reads
    given: str = "kept"  # what is read of it: kept, zeroed, fresh


@dataclasses.dataclass
class Recurrence(Spelling):
    steps: int = 0
    chains: list = dataclasses.field(default_factory=list)  # per layer, per direction: Steps
    wanted: list = dataclasses.field(default_factory=list)  # steps of the last layer that are read
    taps: list = dataclasses.field(default_factory=list)    # (layer, direction, step, state), too
    oddities: list = dataclasses.field(default_factory=list)
    lengths: np.ndarray = None
    free: np.ndarray = None        # a mask (steps, batch) that is not of lengths

    @property
    def regular(self):
        """Whether one operator a layer must do it. It takes two whole steps, which the first is not
        if its states are zeros, and more features than one, which cannot be told from a number."""
        whole_steps = self.live_steps() - (self.choices["initial"] in ("zeros", "fill", "folded"))
        layer = self.layers[0]
        return not self.oddities and min(whole_steps, layer.hidden, layer.inputs) > 1

    def live_steps(self):
        """How many steps of each direction are read, or come before those; 0 if not equally many."""
        if self.choices["lasts"] or self.choices["read"] == "each":
            return self.steps
        counts = {"forward": max(self.wanted) + 1, "backward": self.steps - min(self.wanted)}
        found = {counts[direction] for direction in self.layers[0].directions}
        return found.pop() if len(found) == 1 else 0

    def describe(self):
        layer = self.layers[0]
        features = [f"{name} {getattr(layer, name)}" for name in
                    (*LAYER_CHOICES, "projection") if name != "kind" and getattr(layer, name)]
        mask = self.chains[0][0][0].mask
        sizes = (f"{self.steps} steps, batch {self.choices['batch']}, {layer.inputs} inputs, "
                 f"{layer.hidden} hidden")
        return "; ".join([
            f"{len(self.layers)} {layer.kind} {'+'.join(layer.directions)} {self.choices['time']}",
            sizes, ", ".join(features), f"initial {self.choices['initial']}", str(mask),
            f"read {self.wanted} {self.choices['read']}", *self.oddities])


# Oddities: each changes some `steps` of a chain and says how, or None where it does not apply. ----


def change_layer(steps, **changes):
    for step in steps:
        step.layer = dataclasses.replace(step.layer, **changes)
    return ", ".join(f"{name} {value}" for name, value in changes.items())


def other_mask(steps, rng, case):
    mask = None if steps[0].mask and rng.random() < 0.5 else draw_mask(rng, case)
    for step in steps:
        step.mask = mask
    return f"mask: {mask}"


def change_mask(steps, rng, case, **changes):
    if not any(step.mask for step in steps):
        mask = draw_mask(rng, case)
        for step in steps:
            step.mask = mask
    for step in steps:
        if step.mask:
            step.mask = dataclasses.replace(step.mask, **changes)
    return f"mask: {changes}"


def inverse_mask(steps, rng, case):
    return change_mask(steps, rng, case, inverse=True)


def shifted_mask(steps, rng, case):
    changes = {"shift": int(rng.choice([-2, -1, 1, 2]))}
    if case.choices["time"] != "scan" and rng.random() < 0.3:
        changes["spelling"] = "or_equal"
    return change_mask(steps, rng, case, **changes)


def other_branch(steps, rng, case):
    other = pick(rng, ("zeros", "zeros", "constant", "initial"))
    return change_mask(steps, rng, case, other=other)


def some_states_masked(steps, rng, case):
    if case.layers[0].kind != "lstm":
        return None
    return change_mask(steps, rng, case, states=pick(rng, (("h",), ("c",))))


def free_mask(steps, rng, case):
    return change_mask(steps, rng, case, spelling="free")


def mask_of_another_form(steps, rng, case):
    """Of the features, where there are as many as sequences, or of all sequences alike."""
    sizes = {case.layers[0].hidden, case.layers[0].h_size}
    can_turn = not case.choices["dynamic_batch"] and sizes == {case.choices["batch"]}
    return change_mask(steps, rng, case, layout="features" if can_turn else "shared")


def bound(steps, rng, case):
    """Of states as the next step reads them."""
    state = pick(rng, case.layers[0].states)
    how = (pick(rng, ("min", "max", "clip")), float(rng.choice([0.05, 0.1, 0.2])))
    for step in steps:
        step.bounds = {**step.bounds, state: how}
    return f"{state} is bounded by {how}"


def clip_inside(steps, rng, case):
    name = pick(rng, ("cell_clip", "output_clip"))
    value = 0.0 if getattr(steps[0].layer, name) and rng.random() < 0.5 else 0.1
    return change_layer(steps, **{name: value}) if case.layers[0].kind == "lstm" else None


def projection(steps, rng, case):
    layer = case.layers[0]
    if layer.kind != "lstm" or layer.h_size != layer.hidden:
        return None
    if layer.projection and rng.random() < 0.5:
        return change_layer(steps, projection=0)
    matrix = rng.uniform(-0.6, 0.6, (layer.hidden, layer.hidden)).astype(np.float32)
    for step in steps:
        step.weights = {**step.weights, "projection": matrix}
    return change_layer(steps, projection=layer.hidden)


def activation(steps, rng, _):
    return change_layer(steps, activation=pick(rng, ("tanh", "relu", "softsign")))


def gate_function(steps, rng, _):
    return change_layer(steps, gate=pick(rng, ("sigmoid", "hard_sigmoid")))


def structure(steps, rng, case):
    layer = case.layers[0]
    if layer.kind == "rnn":
        return None
    if layer.kind == "gru":
        name = pick(rng, ("reset_after", "update_new"))
        return change_layer(steps, **{name: not getattr(layer, name)})
    if rng.random() < 0.3:
        return change_layer(steps, forget_bias=0.5)
    if layer.peepholes or rng.random() < 0.5:  # `weights` has those of all gates
        return change_layer(steps, peepholes=not layer.peepholes)
    return change_layer(steps, coupled=not layer.coupled)


def other_weights(steps, rng, case):
    gate = pick(rng, case.layers[0].gates)
    name = pick(rng, ("W", "R", *case.choices["biases"]))
    for step in steps:
        step.weights = copy.deepcopy(step.weights)
        step.weights[gate][name].flat[0] += np.float32(0.5)
    return f"{name} of {gate}"


def other_peephole(steps, rng, case):
    if not case.layers[0].peepholes:
        return None
    gate = pick(rng, list(steps[0].weights["peephole"]))
    for step in steps:
        step.weights = copy.deepcopy(step.weights)
        step.weights["peephole"][gate][0] += np.float32(0.5)
    return f"peephole of {gate}"


def other_spelling(steps, rng, case):
    style = draw_style(case.layers[0], rng, {"order": steps[0].style["order"]})
    for step in steps:
        step.style = style
    return "another spelling"


def other_inputs(steps, rng, case):
    for step in steps:
        step.source = int(rng.integers(case.steps))
    return f"inputs of {[step.source for step in steps]}"


def older_states(steps, *_):
    for step in steps:
        step.back = 2
    return "states of the step before the last"


def given_otherwise(steps, rng, _):
    if not any(step.mask for step in steps):
        return None
    given = pick(rng, ("fresh", "zeroed", "kept"))
    for step in steps:
        step.given = given
    return f"{given} h is given"


MASKS = (other_mask, inverse_mask, shifted_mask, other_branch, some_states_masked, free_mask,
         mask_of_another_form)
IN_BODIES = (*MASKS, bound, bound, projection, clip_inside, given_otherwise)
AFTER_PRODUCTS = (*IN_BODIES, activation, gate_function, older_states)
ODDITIES = (*AFTER_PRODUCTS, structure, other_weights, other_weights, other_peephole,
            other_spelling, other_inputs)


# Drawing -----------------------------------------------------------------------------------------


def draw_mask(rng, case):
    """One that tells lengths; in bodies, whose operators start at step 0, no other numbers."""
    spellings = ("tensor",) if case.choices["time"] == "scan" else (
        "less", "less", "greater", "ended", "tensor")
    if case.choices["time"] != "unrolled":
        return Mask(pick(rng, spellings))
    return Mask(pick(rng, (*spellings, "or_equal")), pick(rng, (0, 0, 0, 1, -1)))


def draw_sizes(rng):
    """Steps, batch, inputs, hidden: all one number, or all different."""
    if rng.random() < 0.3:
        return [int(rng.integers(2, 5))] * 4
    steps = int(rng.integers(1, MOST_STEPS + 1))
    smallest = 1 if rng.random() < 0.1 else 2
    others = [n for n in range(smallest, MOST_STEPS + 2) if n != steps]
    return [steps, *(int(n) for n in rng.permutation(others)[:3])]


def draw_subset(rng, steps, time):
    """Some of the steps of a chain; all of them where they are one body."""
    count = len(steps)
    if time != "unrolled":
        return list(range(count))
    cut = int(rng.integers(count))
    kind = rng.integers(6)
    if kind == 0:
        return list(range(cut + 1))
    if kind == 1:
        return list(range(cut, count))
    if kind == 2:
        return [cut]
    if kind == 3:
        return list(range(cut % 2, count, 2)) or [0]
    if kind == 4:
        return [i for i in range(count) if i != cut] or [0]
    return [i for i in range(count) if rng.random() < 0.5] or [cut]


def draw_layers(case, rng, inputs, hidden):
    choices = {name: pick(rng, options) for name, options in LAYER_CHOICES.items()}
    for kind, names in ONLY_OF.items():
        if kind != choices["kind"]:
            choices.update({name: type(choices[name])() for name in names})
    projected = pick(rng, (0, 0, 0, 2, hidden)) if choices["kind"] == "lstm" else 0
    directions = pick(rng, (("forward",), ("forward",), ("backward",), ("forward", "backward")))
    for _ in range(pick(rng, (1, 1, 1, 2))):
        layer = Layer(inputs=inputs, hidden=hidden, directions=directions, projection=projected,
                      **choices)
        # Weights for all that an odd step may have.
        full = dataclasses.replace(layer, coupled=False, peepholes=layer.kind == "lstm")
        draw_weights(full, rng, case.choices["biases"])
        layer.weights = full.weights
        style = draw_style(layer, rng)
        style["order"] = "".join(rng.permutation(list(GATES[layer.kind])))
        zero = case.choices["initial"] in ("zeros", "fill", "folded")
        case.layers.append(layer)
        case.styles.append(style)
        case.states.append([
            {s: (rng.uniform(-0.8, 0.8, (case.choices["batch"], layer.size_of(s)))
                 * (not zero)).astype(np.float32) for s in layer.states} for _ in directions])
        inputs = layer.h_size * len(directions)


def draw_chains(case, rng):
    mask = draw_mask(rng, case) if rng.random() < 0.4 else None
    given = pick(rng, ("kept", "zeroed")) if mask else "kept"
    for layer, style in zip(case.layers, case.styles):
        case.chains.append([
            [Step(layer, weights, style, t, mask=mask, given=given)
             for t in (range(case.steps) if direction == "forward" else range(case.steps)[::-1])]
            for direction, weights in zip(layer.directions, layer.weights)])


def draw_oddities(case, rng):
    time = case.choices["time"]
    options = ODDITIES if time == "unrolled" else IN_BODIES
    if case.choices["hoist"] and time == "unrolled":
        options = AFTER_PRODUCTS
    for _ in range(pick(rng, (0, 0, 1, 1, 1, 2, 2, 3))):
        chain = pick(rng, pick(rng, case.chains))
        subset = draw_subset(rng, chain, time)
        odd = options[int(rng.integers(len(options)))]
        steps = [chain[i] for i in subset]
        if (what := odd(steps, rng, case)) is not None:
            case.oddities.append(f"steps {subset}: {what}")


def draw_reads(case, rng):
    """What is read of the last layer, and of states between."""
    steps = list(range(case.steps))
    wanted = {"some": sorted(rng.permutation(steps)[:1 + int(rng.integers(case.steps))]),
              "shuffled": rng.permutation(steps), "reversed": steps[::-1],
              "last": steps[-1:]}.get(case.choices["read"], steps)
    case.wanted = [int(t) for t in wanted]
    if case.choices["time"] == "unrolled" and rng.random() < 0.15:
        layer = int(rng.integers(len(case.layers)))
        direction = int(rng.integers(len(case.layers[layer].directions)))
        state = pick(rng, case.layers[layer].states)
        for step in pick(rng, ([int(rng.integers(case.steps))], steps)):
            case.taps.append((layer, direction, step, state))
        case.oddities.append(f"{state} of steps {[tap[2] for tap in case.taps]} is read")


def draw(seed):
    rng = np.random.default_rng(seed)
    choices = {name: pick(rng, options) for name, options in CHOICES.items()}
    choices.update(before="none", behind="none", mask="tensor", read=pick(rng, READ),
                   lasts=bool(rng.integers(2)))
    steps, batch, inputs, hidden = draw_sizes(rng)
    choices["batch"] = batch
    choices["dynamic_batch"] &= choices["initial"] == "input"
    case = Recurrence("drawn", choices, [], [], [], steps)
    draw_layers(case, rng, inputs, hidden)
    draw_chains(case, rng)
    if case.chains[0][0][0].mask:
        choices["initial"] = choices["initial"].replace("folded", "zeros")
    draw_oddities(case, rng)
    draw_reads(case, rng)
    case.lengths = rng.integers(0, steps + 2, batch)
    case.free = rng.integers(0, 2, (steps, batch)).astype(bool)
    return case
