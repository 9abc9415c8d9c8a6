# SPDX-License-Identifier: Apache-2.0
"""Functions of TensorFlow: loops, conditions, tables, TensorArrays, strings, signals, images."""

import numpy
import tensorflow as tf

from producers import tensorflow_forms
from shared.produce import numbers, serve_producer

SAVED, FROZEN = "TensorFlow, SavedModel", "TensorFlow, frozen graph"


def while_loop(x):
    return tf.while_loop(lambda step, _: step < 4,
                         lambda step, value: (step + 1, value * 1.5 - tf.cast(step, tf.float32)),
                         (tf.constant(0), x))[1]


def data_dependent_loop(x):
    while tf.reduce_max(tf.abs(x)) > 1.0:
        x = x / 3
    return x


def condition(x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: tf.sin(x) * 2, lambda: tf.exp(tf.minimum(x, 2.0)))


def switch_case(x):
    branch = tf.math.floormod(tf.cast(tf.reduce_sum(tf.abs(x)), tf.int32), 3)
    return tf.switch_case(branch, [lambda: x, lambda: -x, lambda: x * x])


def tensor_array(x):
    rows = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
    for row in tf.range(tf.shape(x)[0]):
        rows = rows.write(row, tf.cumsum(x[row]) * tf.cast(row + 1, tf.float32))
    return rows.stack()


def map_rows(x):
    return tf.map_fn(lambda row: tf.sort(row)[::-1], x)


def scan_rows(x):
    return tf.scan(lambda carry, row: carry * 0.5 + row, x)


def shapes(x):
    flat = tf.reshape(x, (tf.shape(x)[0], -1))
    return tf.concat([flat, tf.zeros_like(flat)[:, :2]], 1), tf.shape(x), tf.rank(x)


def slices(x):
    return x[:, ::-1], x[..., 1:-1:2], x[:1, tf.newaxis], tf.gather(x, [2, 0], axis=1)


def boolean_mask(x):
    return tf.boolean_mask(x, x > 0), tf.where(x > 1)


def segments(x):
    ids = tf.constant([0, 0, 2, 1, 2, 0])
    return tf.math.unsorted_segment_sum(tf.transpose(x), ids, 4), tf.math.top_k(x, 3).values


def scatter(x):
    return tf.tensor_scatter_nd_add(x, [[0, 1], [0, 1], [0, 5]], [1.0, 2.0, 3.0])


def linear_algebra(x):
    product = tf.matmul(x, x, transpose_a=True) + 9 * tf.eye(6)
    return tf.linalg.inv(product), tf.linalg.cholesky(product), tf.linalg.det(product)


def signal(x):
    return tf.abs(tf.signal.rfft(x)), tf.signal.frame(x, 4, 2), tf.signal.dct(x)


def einsum(x):
    return tf.einsum("ij,kj->ik", x, x), tf.einsum("ij->j", x)


def statistics(x):
    return (tf.math.reduce_std(x, 1), tf.reduce_logsumexp(x, 0), tf.argmax(x, 1),
            tf.math.cumulative_logsumexp(x, 1))


def singular_values(x):
    return tf.linalg.svd(x, full_matrices=True, compute_uv=False)


def bfloat16(x):
    x = tf.cast(x, tf.bfloat16)
    best = tf.math.top_k(x, 3)
    return tf.einsum("ij,kj->ik", x, x), best.values, best.indices, tf.nn.softmax(x)


def special(x):
    return (tf.math.erf(x), tf.math.lgamma(tf.abs(x) + 0.5), tf.math.atan2(x, x[::-1]),
            tf.math.xlogy(tf.abs(x), tf.abs(x) + 1), tf.nn.softplus(x), tf.math.expm1(x / 3))


def rounding(x):
    return tf.round(x), tf.math.floordiv(x, 0.7), tf.math.floormod(x, -0.7), tf.sign(x)


def casts(x):
    return (tf.cast(x, tf.int32), tf.cast(tf.cast(x, tf.float16), tf.float64),
            tf.bitcast(x, tf.int32), tf.cast(x, tf.bool))


def batch_norm_image(image):
    return tf.nn.local_response_normalization(image), tf.nn.space_to_depth(image[:, :8, :10], 2)


def resize(image):
    return (tf.image.resize(image, (5, 17)), tf.image.resize(image, (20, 7), "bicubic"),
            tf.image.resize(image, (5, 17), "nearest"), tf.image.resize(image, (6, 6), "area"))


def colours(image):
    return tf.image.rgb_to_hsv(tf.abs(image)), tf.image.adjust_contrast(image, 0.7)


def crop_and_resize(image):
    boxes = [[0.1, 0.2, 0.8, 0.9], [0.5, 0.0, 1.1, 0.6]]
    return tf.image.crop_and_resize(image, boxes, [0, 0], (4, 6))


def dilation(image):
    filters = tf.reshape(tf.linspace(-1.0, 1.0, 27), (3, 3, 3))
    return tf.nn.dilation2d(image, filters, (1, 1, 1, 1), "SAME", "NHWC", (1, 2, 2, 1))


def strings(text):
    return (tf.strings.lower(text), tf.strings.length(text),
            tf.strings.regex_replace(text, "[aeiou]", "_"),
            tf.strings.to_hash_bucket_fast(text, 17), tf.strings.substr(text, 0, 2))


def join_strings(text):
    return tf.strings.join([text, text], "-"), tf.strings.reduce_join(text, axis=0)


def integers(whole):
    return (tf.math.floordiv(whole, 3), tf.math.floormod(whole, -4),
            tf.bitwise.bitwise_xor(whole, 5), tf.one_hot(tf.abs(whole) % 5, 6),
            tf.unique(whole[:, 0])[0])


class Table(tf.Module):
    """A look-up table with its vocabulary."""

    def __init__(self):
        super().__init__()
        keys, values = tf.constant(["cat", "Dog", "emu"]), tf.constant([3, 1, 2], tf.int64)
        self.table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(keys, values), -7)

    def __call__(self, text):
        return self.table.lookup(text)


class Memory(tf.Module):
    """A function that reads a variable."""

    def __init__(self):
        super().__init__()
        self.weight = tf.Variable(tf.reshape(tf.linspace(-1.0, 2.0, 12), (6, 2)))

    def __call__(self, x):
        return tf.matmul(x, self.weight) + self.weight[0]


DRAWS = {
    "x": lambda generator, rows: numbers(generator, rows, 6),
    "image": lambda generator, rows: numbers(generator, rows, 9, 11, 3),
    "whole": lambda generator, rows: generator.integers(-9, 9, (rows, 4)).astype("int32"),
    "text": lambda generator, rows: generator.choice(["cat", "Dog", "emu", "Äffchen", ""], rows + 1)
                                    .astype(object),
}
PROGRAMS = {
    "x": (while_loop, data_dependent_loop, condition, switch_case, tensor_array, map_rows,
          scan_rows, shapes, slices, boolean_mask, segments, scatter, linear_algebra, signal,
          einsum, statistics, singular_values, bfloat16, special, rounding, casts, Memory),
    "image": (batch_norm_image, resize, colours, crop_and_resize, dilation),
    "whole": (integers,),
    "text": (strings, join_strings, Table),
}


def written(form, program, name, draw):
    def write(folder):
        generator = numpy.random.default_rng(5)
        made = program() if isinstance(program, type) else program
        module = made if isinstance(made, tf.Module) else tf.Module()
        # Loops and conditions of Python become TensorFlow's.
        called = tf.function(made.__call__ if isinstance(made, tf.Module) else made)
        draws = [{name: draw(generator, rows)} for rows in (3, 1, 2)]
        if form == SAVED:
            tensorflow_forms.write_saved_model(module, called, draws, {0}, folder)
        else:
            tensorflow_forms.write_frozen(called, draws, {0}, folder)
    return write


def cases():
    return {f"{form}/{program.__name__}": written(form, program, name, DRAWS[name])
            for form in (SAVED, FROZEN) for name, programs in PROGRAMS.items()
            for program in programs if not (form == FROZEN and program is Table)}


if __name__ == "__main__":
    serve_producer(cases(), f"TensorFlow {tf.__version__}", tensorflow_forms.load)
