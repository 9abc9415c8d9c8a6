# SPDX-License-Identifier: Apache-2.0
"""Windows over images and volumes: pools and convolutions of all layouts, strides and pads."""

import itertools

import numpy as np

import operator_cases
from operator_cases import Group, f32, i32
from operators_elements import drawn, types_of


def first_channels(x):
    return np.moveaxis(x, -1, 1)


def pads_of(sizes, kernel, strides, padding, dilations):
    """(before, after) of each spatial axis; `padding` may be these pairs."""
    if not isinstance(padding, str):
        return list(padding)
    pads = []
    for size, width, stride, dilation in zip(sizes, kernel, strides, dilations):
        reach = (width - 1) * dilation + 1
        total = max((-(-size // stride) - 1) * stride + reach - size, 0) if padding == "SAME" else 0
        pads.append((total // 2, total - total // 2))
    return pads


def windows(x, kernel, strides, padding, dilations=None, fill=0):
    """(batch, places…, window…, channels) of `x`, whose channels are last."""
    count = len(kernel)
    dilations = dilations or [1] * count
    pads = pads_of(x.shape[1:-1], kernel, strides, padding, dilations)
    padded = np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=fill)
    reach = [(width - 1) * dilation + 1 for width, dilation in zip(kernel, dilations)]
    axes = tuple(range(1, count + 1))
    every = np.lib.stride_tricks.sliding_window_view(padded, reach, axes)
    every = np.moveaxis(every, count + 1, -1)
    steps = (slice(None), *(slice(None, None, s) for s in strides),
             *(slice(None, None, d) for d in dilations), slice(None))
    return every[steps]


def window_axes(count):
    return tuple(range(count + 1, 2 * count + 1))


def max_pool(x, kernel, strides, padding):
    least = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    return windows(x, kernel, strides, padding, fill=least).max(window_axes(len(kernel)))


def average_pool(x, kernel, strides, padding):
    """Of what lies within the image."""
    total = windows(x.astype(np.float64), kernel, strides, padding).sum(window_axes(len(kernel)))
    count = windows(np.ones_like(x, np.float64), kernel, strides, padding).sum(window_axes(len(kernel)))
    return (total / count).astype(x.dtype)


def convolved(x, w, strides, padding, dilations=None):
    """Groups of channels where the filter reads fewer than there are."""
    count = w.ndim - 2
    groups = x.shape[-1] // w.shape[-2]
    parts = []
    for of_x, of_w in zip(np.split(x, groups, -1), np.split(w, groups, -1)):
        every = windows(of_x.astype(np.float64), w.shape[:count], strides, padding, dilations)
        parts.append(np.tensordot(every, of_w.astype(np.float64), count + 1))
    return np.concatenate(parts, -1).astype(x.dtype)


def depthwise(x, w, strides, padding, dilations=None):
    every = windows(x, w.shape[:2], strides, padding, dilations)
    return np.einsum("bhwijc,ijcm->bhwcm", every, w).reshape(*every.shape[:3], -1).astype(x.dtype)


def spread(dy, w, sizes, strides, padding, dilations=None):
    """What a convolution would have been given for each place, added up: the transposed one."""
    count = w.ndim - 2
    dilations = dilations or [1] * count
    pads = pads_of(sizes, w.shape[:count], strides, padding, dilations)
    whole = np.zeros((dy.shape[0], *(size + sum(pad) for size, pad in zip(sizes, pads)), w.shape[-2]))
    for place in itertools.product(*map(range, dy.shape[1:-1])):
        for tap in itertools.product(*map(range, w.shape[:count])):
            at = tuple(p * s + t * d for p, s, t, d in zip(place, strides, tap, dilations))
            whole[(slice(None), *at)] += dy[(slice(None), *place)] @ w[tap].T
    inner = tuple(slice(pad[0], pad[0] + size) for size, pad in zip(sizes, pads))
    return whole[(slice(None), *inner)].astype(dy.dtype)


LAYOUTS = {2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


def of_axes(spatial, layout):
    return [1, 1, *spatial] if layout.startswith("NC") else [1, *spatial, 1]


class Layouts:
    """Calls of window operators in both layouts; arrays are given and wanted with channels last."""

    def __init__(self, group, count):
        self.group, self.count = group, count

    def call(self, op, x, *others, wanted, sizes=(), padding="SAME", several=False, **spatial):
        for layout in LAYOUTS[self.count]:
            turn = first_channels if layout.startswith("NC") else np.asarray
            attrs = {name: of_axes(values, layout) for name, values in spatial.items()}
            if not isinstance(padding, str):
                pairs = [(0, 0), (0, 0), *padding] if turn is first_channels else [
                    (0, 0), *padding, (0, 0)]
                attrs["explicit_paddings"] = [side for pair in pairs for side in pair]
            self.group.call(op, turn(x), *others, wanted=turn(wanted), data_format=layout,
                            padding=padding if isinstance(padding, str) else "EXPLICIT", **attrs)


def make_pools():
    group = Group("pools")
    image, volume = Layouts(group, 2), Layouts(group, 3)
    for kernel, strides, padding in (([2, 3], [2, 1], "SAME"), ([3, 2], [2, 2], "VALID"),
                                     ([1, 4], [1, 3], "SAME")):
        attrs = {"ksize": kernel, "strides": strides, "padding": padding}
        for kind in types_of("AvgPool"):
            x = drawn(kind, 2, 5, 7, 3)
            image.call("AvgPool", x, wanted=average_pool(x, kernel, strides, padding), **attrs)
        for kind in types_of("MaxPool"):
            x = drawn(kind, 2, 5, 7, 3)
            image.call("MaxPool", x, wanted=max_pool(x, kernel, strides, padding), **attrs)
        x = drawn("float", 2, 5, 7, 3)
        group.call("MaxPoolV2", x, (i32(*of_axes(kernel, "NHWC")),), (i32(*of_axes(strides, "NHWC")),),
                   wanted=max_pool(x, kernel, strides, padding), padding=padding, data_format="NHWC")
        kernel, strides = [2, *kernel], [1, *strides]
        attrs = {"ksize": kernel, "strides": strides, "padding": padding}
        x = drawn("float", 1, 3, 5, 7, 2)
        volume.call("AvgPool3D", x, wanted=average_pool(x, kernel, strides, padding), **attrs)
        volume.call("MaxPool3D", x, wanted=max_pool(x, kernel, strides, padding), **attrs)
    pairs = [(1, 0), (0, 2)]
    image.call("MaxPool", x[0], wanted=max_pool(x[0], [2, 3], [1, 2], pairs), padding=pairs, ksize=[2, 3],
               strides=[1, 2])
    group.save()


WINDOWS = (([1, 1], "SAME", [1, 1]), ([2, 1], "SAME", [1, 1]), ([2, 2], "VALID", [1, 1]),
           ([1, 1], "SAME", [2, 1]), ([1, 1], "VALID", [1, 2]), ([2, 1], [(1, 0), (2, 1)], [1, 1]))


def make_convolutions():
    group = Group("convolutions")
    image, volume = Layouts(group, 2), Layouts(group, 3)
    x, w, grouped, deep = f32(2, 7, 6, 4), f32(3, 2, 4, 6), f32(2, 3, 2, 6), f32(3, 2, 4, 2)
    for strides, padding, dilations in WINDOWS:
        attrs = {"strides": strides, "dilations": dilations, "padding": padding}
        image.call("Conv2D", x, (w,), wanted=convolved(x, w, strides, padding, dilations), **attrs)
        image.call("Conv2D", x, (grouped,), wanted=convolved(x, grouped, strides, padding, dilations),
                   **attrs)
        image.call("DepthwiseConv2dNative", x, (deep,), wanted=depthwise(x, deep, strides, padding, dilations),
                   **attrs)
    for strides, padding in (([1, 2, 1], "SAME"), ([1, 1, 2], "VALID")):
        x, w = f32(1, 4, 5, 4, 2), f32(2, 3, 2, 2, 3)
        volume.call("Conv3D", x, (w,), wanted=convolved(x, w, strides, padding), strides=strides,
                    dilations=[1, 1, 1], padding=padding)
    group.save()


def spread_windows(group, stated, w):
    """Conv2DBackpropInput by each of WINDOWS, whose operand of sizes is `stated` of these."""
    for strides, padding, dilations in WINDOWS:
        for layout in LAYOUTS[2]:
            turn = first_channels if layout.startswith("NC") else np.asarray
            sizes = (7, 6)
            places = windows(np.zeros((1, *sizes, 1)), w.shape[:2], strides, padding, dilations).shape
            dy = f32(2, *places[1:3], 4)
            attrs = {} if isinstance(padding, str) else {"explicit_paddings": [
                side for pair in ([(0, 0), *padding, (0, 0)] if layout == "NHWC" else [(0, 0)] * 2 + padding)
                for side in pair]}
            whole = [2, *sizes, 3] if layout == "NHWC" else [2, 3, *sizes]
            group.call("Conv2DBackpropInput", stated(i32(*whole)), (w,), turn(dy),
                       wanted=turn(spread(dy, w, sizes, strides, padding, dilations)), T="dt:float",
                       strides=of_axes(strides, layout), dilations=of_axes(dilations, layout),
                       padding=padding if isinstance(padding, str) else "EXPLICIT", data_format=layout,
                       **attrs)


def max_pool_gradient(x, dy, kernel, strides, padding):
    """`dy` at the first largest element of each window, added up."""
    pads = pads_of(x.shape[1:-1], kernel, strides, padding, [1] * len(kernel))
    padded = np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=-np.inf)
    whole = np.zeros_like(padded)
    for batch, *place, channel in np.ndindex(*dy.shape):
        window = tuple(slice(p * s, p * s + k) for p, s, k in zip(place, strides, kernel))
        at = np.unravel_index(np.argmax(padded[(batch, *window, channel)]), kernel)
        at = tuple(p * s + a for p, s, a in zip(place, strides, at))
        whole[(batch, *at, channel)] += dy[(batch, *place, channel)]
    inner = tuple(slice(pad[0], pad[0] + size) for pad, size in zip(pads, x.shape[1:-1]))
    return whole[(slice(None), *inner)]


def make_pool_gradients():
    """Windows that overlap, with equal elements, in all layouts."""
    group, draw = Group("max_pool_gradients"), np.random.default_rng(34)
    for sizes, kernel, strides, padding in (((5, 7), [2, 3], [2, 1], "SAME"),
                                            ((5, 7), [3, 2], [2, 2], "VALID")):
        x = draw.integers(-3, 3, (2, *sizes, 3)).astype(np.float32)
        y = max_pool(x, kernel, strides, padding)
        dy = draw.normal(size=y.shape).astype(np.float32)
        wanted = max_pool_gradient(x, dy, kernel, strides, padding)
        for layout in LAYOUTS[len(sizes)]:
            turn = first_channels if layout.startswith("NC") else np.asarray
            group.call("MaxPoolGrad", turn(x), turn(y), turn(dy), wanted=turn(wanted),
                       data_format=layout, padding=padding, ksize=of_axes(kernel, layout),
                       strides=of_axes(strides, layout))
        group.call("MaxPoolGradV2", x, y, dy, (i32(*of_axes(kernel, "NHWC")),),
                   (i32(*of_axes(strides, "NHWC")),), wanted=wanted, padding=padding,
                   data_format="NHWC")
    group.save()


def mirrored_gradient(dy, pads, mode):
    """`dy` at the elements that were mirrored to its places, added up."""
    sizes = [size - sum(pad) for size, pad in zip(dy.shape, pads)]
    places = np.pad(np.arange(np.prod(sizes)).reshape(sizes), pads, mode=mode)
    return np.bincount(places.ravel(), dy.ravel()).reshape(sizes).astype(dy.dtype)


def local_response(x, radius, bias, alpha, beta):
    squares = np.pad(x * x, [(0, 0)] * 3 + [(radius, radius)])
    near = sum(squares[..., i:i + x.shape[-1]] for i in range(2 * radius + 1))
    return x / (bias + alpha * near) ** beta


def numeric_gradient(function, x, dy, step=1e-6):
    """Of the sum of `dy` times what the function gives."""
    gradient = np.zeros(x.shape)
    for place in np.ndindex(*x.shape):
        moved = np.zeros(x.shape)
        moved[place] = step
        gradient[place] = ((function(x + moved) - function(x - moved)) * dy).sum() / (2 * step)
    return gradient


def make_window_gradients():
    """Of volumes, of mirrored pads, of local response normalisation; and patches of volumes."""
    group, draw = Group("window_gradients"), np.random.default_rng(36)
    x = draw.integers(-3, 3, (2, 5, 4, 3, 2)).astype(np.float32)
    kernel, strides = [2, 3, 2], [2, 1, 2]
    y = max_pool(x, kernel, strides, "SAME")
    dy = draw.normal(size=y.shape).astype(np.float32)
    wanted = max_pool_gradient(x, dy, kernel, strides, "SAME")
    for layout, turn in (("NDHWC", np.asarray), ("NCDHW", first_channels)):
        group.call("MaxPool3DGrad", turn(x), turn(y), turn(dy), wanted=turn(wanted), TInput="dt:float",
                   data_format=layout, padding="SAME", ksize=of_axes(kernel, layout),
                   strides=of_axes(strides, layout))
    pads = np.int32([[1, 2], [0, 0], [2, 1]])
    dy = draw.normal(size=(6, 2, 7)).astype(np.float32)
    for mode in ("reflect", "symmetric"):
        group.call("MirrorPadGrad", dy, (pads,), wanted=mirrored_gradient(dy, pads, mode),
                   mode=mode.upper(), Tpaddings="dt:int32")
    x, dy = draw.normal(size=(2, 1, 2, 3, 7)).astype(np.float32)
    attributes = {"bias": 1.5, "alpha": 0.3, "beta": 0.7}
    wanted = numeric_gradient(lambda x: local_response(x, 2, **attributes), x.astype(float), dy)
    y = local_response(x, 2, **attributes).astype(np.float32)
    group.call("LRNGrad", dy, x, y, depth_radius=2, wanted=wanted.astype(np.float32), **attributes)
    x = draw.normal(size=(2, 5, 4, 3, 2)).astype(np.float32)
    for padding in ("SAME", "VALID"):
        every = windows(x, [2, 3, 2], [2, 1, 1], padding)
        group.call("ExtractVolumePatches", x, wanted=every.reshape(*every.shape[:4], -1),
                   ksizes=[1, 2, 3, 2, 1], strides=[1, 2, 1, 1, 1], padding=padding)
    group.save()


def make_volume_patches_apart():
    """Of what is left over after the last patch, TensorFlow has half in front of the first one."""
    group = Group("volume_patches_apart")
    x = np.random.default_rng(45).normal(size=(1, 7, 10, 13, 2)).astype(np.float32)
    every = windows(x[:, :, 1:], [2, 3, 3], [4, 5, 4], "SAME")
    group.call("ExtractVolumePatches", x, wanted=every.reshape(*every.shape[:4], -1),
               ksizes=[1, 2, 3, 3, 1], strides=[1, 4, 5, 4, 1], padding="SAME")
    every = windows(x[:, 1:, 2:, :], [1, 1, 1], [4, 5, 2], "SAME")
    group.call("ExtractVolumePatches", x, wanted=every.reshape(*every.shape[:4], -1),
               ksizes=[1, 1, 1, 1, 1], strides=[1, 4, 5, 2, 1], padding="SAME")
    group.save()


def average_pool_gradient(dy, sizes, kernel, strides, padding):
    """`dy` shared out among the elements of each window that lie within the image."""
    pads = pads_of(sizes, kernel, strides, padding, [1] * len(kernel))
    inner = tuple(slice(pad[0], pad[0] + size) for pad, size in zip(pads, sizes))
    inside = np.zeros([size + sum(pad) for pad, size in zip(pads, sizes)])
    inside[inner] = 1
    whole = np.zeros((dy.shape[0], *inside.shape, dy.shape[-1]))
    for place in np.ndindex(*dy.shape[1:-1]):
        window = tuple(slice(p * s, p * s + k) for p, s, k in zip(place, strides, kernel))
        share = inside[window] / inside[window].sum()
        whole[(slice(None), *window)] += np.einsum("...,bc->b...c", share,
                                                   dy[(slice(None), *place)])
    return whole[(slice(None), *inner)].astype(dy.dtype)


def make_average_pool_gradients():
    group, draw = Group("average_pool_gradients"), np.random.default_rng(35)
    for op, sizes, kernel, strides in (("AvgPoolGrad", (5, 7), [2, 3], [2, 1]),
                                       ("AvgPoolGrad", (6, 7), [3, 2], [2, 3]),
                                       ("AvgPool3DGrad", (3, 5, 4), [2, 3, 1], [1, 2, 2])):
        for padding, layout in itertools.product(("SAME", "VALID"), LAYOUTS[len(sizes)]):
            turn = first_channels if layout.startswith("NC") else np.asarray
            places = windows(np.zeros((1, *sizes, 1)), kernel, strides, padding).shape
            dy = draw.normal(size=(2, *places[1:len(sizes) + 1], 3)).astype(np.float32)
            whole = turn(np.zeros((2, *sizes, 3))).shape
            for stated in (i32(*whole), (i32(*whole),)):
                group.call(op, stated, turn(dy), T="dt:float", padding=padding, data_format=layout,
                           wanted=turn(average_pool_gradient(dy, sizes, kernel, strides, padding)),
                           ksize=of_axes(kernel, layout), strides=of_axes(strides, layout))
    group.save()


def filter_gradient(x, dy, w, strides, padding, dilations=None):
    """Of filters of the sizes of `w`: each element's products with all that it has met."""
    count = w.ndim - 2
    axes = tuple(range(count + 1))
    groups = x.shape[-1] // w.shape[-2]
    return np.concatenate([
        np.tensordot(windows(of_x, w.shape[:count], strides, padding, dilations), of_dy, (axes, axes))
        for of_x, of_dy in zip(np.split(x, groups, -1), np.split(dy, groups, -1))], -1).astype(x.dtype)


def call_filter_gradient(group, draw, op, x, w, windows_of, dilations):
    """In both layouts; `windows_of`: strides and padding."""
    strides, padding = windows_of
    count, of_each = w.ndim - 2, op.startswith("Depthwise")
    places = windows(x[:1, ..., :1], w.shape[:count], strides, padding, dilations).shape[1:count + 1]
    dy = draw.normal(size=(x.shape[0], *places, w.shape[-1] * (w.shape[-2] if of_each else 1)))
    dy = dy.astype(np.float32)
    read = w.reshape(*w.shape[:count], 1, -1) if of_each else w
    wanted = filter_gradient(x, dy, read, strides, padding, dilations).reshape(w.shape)
    for layout in LAYOUTS[count]:
        turn = first_channels if layout.startswith("NC") else np.asarray
        attrs = {} if isinstance(padding, str) else {"explicit_paddings": [
            side for pair in ([(0, 0), *padding, (0, 0)] if turn is np.asarray else
                              [(0, 0), (0, 0), *padding]) for side in pair]}
        group.call(op, turn(x), (i32(*w.shape),), turn(dy), wanted=wanted, data_format=layout,
                   padding=padding if isinstance(padding, str) else "EXPLICIT",
                   strides=of_axes(strides, layout), dilations=of_axes(dilations, layout), **attrs)


def make_filter_gradients():
    """Of filters that read all channels, some, and one."""
    group, draw = Group("filter_gradients"), np.random.default_rng(36)
    for *windows_of, dilations in WINDOWS:
        x = draw.normal(size=(2, 7, 6, 4)).astype(np.float32)
        for op, sizes in (("Conv2DBackpropFilter", (3, 2, 4, 6)), ("Conv2DBackpropFilter", (2, 3, 2, 6)),
                          ("DepthwiseConv2dNativeBackpropFilter", (3, 2, 4, 2))):
            call_filter_gradient(group, draw, op, x, np.zeros(sizes), windows_of, dilations)
    for windows_of in (([1, 2, 1], "SAME"), ([1, 1, 2], "VALID")):
        x = draw.normal(size=(2, 4, 5, 4, 2)).astype(np.float32)
        call_filter_gradient(group, draw, "Conv3DBackpropFilterV2", x, np.zeros((2, 3, 2, 2, 3)),
                             windows_of, [1, 1, 1])
    group.save()


def make_transposed():
    group = Group("transposed_convolutions")
    spread_windows(group, lambda sizes: (sizes,), f32(3, 2, 3, 4))
    w, strides, sizes = f32(2, 3, 2, 3, 4), [1, 2, 2], (3, 5, 4)
    for padding in ("SAME", "VALID"):
        places = windows(np.zeros((1, *sizes, 1)), w.shape[:3], strides, padding).shape
        dy = f32(1, *places[1:4], 4)
        group.call("Conv3DBackpropInputV2", (i32(1, *sizes, 3),), (w,), dy, T="dt:float",
                   wanted=spread(dy, w, sizes, strides, padding), strides=[1, *strides, 1],
                   dilations=[1] * 5, padding=padding, data_format="NDHWC", Tshape="dt:int32")
    group.save()


def make_transposed_to_stated_sizes():
    """Of a tensor whose sizes the file does not tell: those of the result do."""
    group, w = Group("transposed_to_stated_sizes"), f32(3, 2, 3, 4)
    for padding, places in (("SAME", (4, 3)), ("VALID", (3, 3))):
        dy = f32(1, *places, 4)
        group.feeds[padding] = dy
        group.graph.ph(padding, "float", (-1, -1, -1, 4))
        group.call("Conv2DBackpropInput", (i32(1, 7, 6, 3),), (w,), padding, padding=padding,
                   wanted=spread(dy, w, (7, 6), [2, 2], padding), T="dt:float", strides=[1, 2, 2, 1],
                   dilations=[1] * 4, data_format="NHWC")
    group.save()


def make_transposed_to_sizes_of_run_time():
    group = Group("transposed_to_sizes_of_run_time")
    spread_windows(group, lambda sizes: sizes, f32(3, 2, 3, 4))
    group.save()


def make_windows():
    operator_cases.seed(33)
    make_pools()
    make_pool_gradients()
    make_average_pool_gradients()
    make_filter_gradients()
    make_convolutions()
    make_transposed()
    make_transposed_to_stated_sizes()
    make_transposed_to_sizes_of_run_time()
