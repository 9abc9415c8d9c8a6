# SPDX-License-Identifier: Apache-2.0
"""Functions in the style of users of TensorFlow: parts of models, signals, images, Keras' ops."""

import os

os.environ["KERAS_BACKEND"] = "tensorflow"
import numpy
import tensorflow as tf
from keras import ops

from producers.tensorflow_programs import DRAWS, FROZEN, SAVED, written
from producers import tensorflow_forms
from shared.produce import serve_producer


def positional_encoding(x):
    length, depth = tf.shape(x)[0], 6
    places = tf.cast(tf.range(length)[:, tf.newaxis], tf.float32)
    rates = 1.0 / tf.pow(10000.0, tf.range(0, depth, 2, dtype=tf.float32) / depth)
    waves = tf.stack([tf.sin(places * rates), tf.cos(places * rates)], -1)
    return tf.reshape(waves, (length, depth)) + x


def causal_attention(x):
    scores = tf.matmul(x, x, transpose_b=True) / tf.sqrt(6.0)
    mask = tf.linalg.band_part(tf.ones_like(scores), -1, 0)
    return tf.nn.softmax(tf.where(mask > 0, scores, -1e9)) @ x


def ragged_means(x):
    rows = tf.RaggedTensor.from_row_lengths(tf.reshape(x, [-1]), tf.repeat([2, 4], tf.shape(x)[0]))
    return tf.reduce_mean(rows, axis=1), rows.to_tensor(default_value=-1.0, shape=[None, 5])


def ragged_ranges(x):
    rows = tf.ragged.range(tf.cast(tf.abs(x[:, 0]) * 3, tf.int32))
    return rows.flat_values, rows.row_splits, tf.reduce_sum(rows, axis=1)


def dynamic_shapes(x):
    rows = tf.shape(x)[0]
    tiled = tf.tile(x[:, None], [1, rows, 1])
    return (tiled + tf.transpose(tiled, [1, 0, 2]), tf.broadcast_to(x[0], [rows, 2, 6]),
            tf.fill([rows, 2], 0.5))


def updates(x):
    rows = tf.range(tf.shape(x)[0])
    places = tf.stack([rows, tf.argmax(x, 1, output_type=tf.int32)], 1)
    return (tf.tensor_scatter_nd_update(x, places, tf.zeros_like(x[:, 0])),
            tf.gather_nd(x, places), tf.scatter_nd(places, x[:, 0], tf.shape(x)),
            tf.tensor_scatter_nd_max(x, places, x[:, 1]))


def gathers(x):
    return (tf.gather(x, [[0, 1], [5, 2]], axis=1), tf.gather(x, tf.argsort(x, 1), batch_dims=1),
            tf.gather(x[:, None], tf.zeros_like(x[:, :2], tf.int32), axis=2, batch_dims=1))


def sorting(x):
    best = tf.math.top_k(x, 2, sorted=True)
    return (tf.argsort(x, 1, "DESCENDING", stable=True), tf.sort(x, 0), best.values, best.indices,
            tf.math.in_top_k([2] * 1, x[:1], 3),
            tf.searchsorted(tf.sort(x, 1), x[:, :2], side="right"))


def uniques(whole):
    values, places, number = tf.unique_with_counts(tf.reshape(whole, [-1]))
    counts = tf.math.bincount(tf.abs(tf.reshape(whole, [-1])), minlength=12, maxlength=12)
    return values, places, number, counts


def strided(x):
    return (x[::-2, 1:5:2], x[..., ::-1][:, -3:], x[:, None, :, None], x[0, 2:],
            x[tf.newaxis, ..., 0], x[-1:, ::3])


def partitions(x):
    parts = tf.dynamic_partition(tf.reshape(x, [-1]), tf.cast(tf.reshape(x, [-1]) > 0, tf.int32), 2)
    return parts[0], parts[1], tf.dynamic_stitch([[0, 2], [1]], [x[0, :2], x[0, 3:4]])


def segment_kinds(x):
    ids = tf.constant([0, 0, 1, 1, 1, 3])
    t = tf.transpose(x)
    return (tf.math.segment_mean(t, ids), tf.math.segment_max(t, ids),
            tf.math.segment_prod(t, ids), tf.math.unsorted_segment_max(t, ids, 5),
            tf.math.unsorted_segment_sqrt_n(t, ids, 4),
            tf.sparse.segment_sum(t, [0, 2, 3], [0, 0, 1]))


def losses(x):
    target = tf.nn.softmax(x[:, ::-1])
    return (tf.nn.softmax_cross_entropy_with_logits(target, x),
            tf.nn.sparse_softmax_cross_entropy_with_logits(tf.argmax(target, 1), x),
            tf.nn.sigmoid_cross_entropy_with_logits(target, x), tf.nn.log_poisson_loss(target, x),
            tf.nn.l2_loss(x), tf.nn.weighted_cross_entropy_with_logits(target, x, 2.0))


def special(x):
    p = tf.abs(x) + 0.2
    return (tf.math.digamma(p), tf.math.zeta(p + 1.5, p), tf.math.polygamma(1.0, p),
            tf.math.igamma(p, p * 0.7), tf.math.igammac(p, p), tf.math.ndtri(tf.sigmoid(x)),
            tf.math.erfinv(tf.tanh(x)), tf.math.erfcinv(tf.sigmoid(x)), tf.math.bessel_i0e(x),
            tf.math.bessel_i1(x), tf.math.lbeta(p), tf.math.xlog1py(x, p), tf.math.xdivy(x, p),
            tf.math.nextafter(tf.cast(x, tf.float64), 1.0), tf.math.nextafter(x, p),
            tf.math.rint(x), tf.math.divide_no_nan(x, tf.floor(p)),
            tf.math.multiply_no_nan(x, tf.floor(p)))


def rarely_used(x):
    p = tf.abs(x) + 0.2
    return (tf.math.betainc(p, p, tf.sigmoid(x)), tf.math.special.expint(p),
            tf.math.special.dawsn(x), tf.math.special.fresnel_sin(x), tf.math.sobol_sample(2, 3))


def linear_algebra(x):
    product = tf.matmul(x, x, transpose_a=True) + 5 * tf.eye(6)
    lower = tf.linalg.cholesky(product)
    return (tf.linalg.solve(product, tf.transpose(x)),
            tf.linalg.triangular_solve(lower, tf.transpose(x)), tf.linalg.slogdet(product)[1],
            tf.linalg.logdet(product), tf.linalg.eigvalsh(product), tf.linalg.pinv(x, rcond=1e-4),
            tf.abs(tf.linalg.qr(product).r), tf.linalg.norm(x, ord=1, axis=1),
            tf.linalg.trace(product), tf.linalg.diag(x, k=1),
            tf.linalg.diag_part(product, k=(-1, 1)), tf.linalg.set_diag(product, x[0]),
            tf.linalg.lu(product)[0], tf.linalg.expm(product / 50),
            tf.linalg.cholesky_solve(lower, tf.transpose(x)),
            tf.linalg.tridiagonal_matmul(tf.ones((3, 6)), tf.transpose(x)),
            tf.linalg.band_part(product, 1, -1))


def full_svd(x):
    s, u, v = tf.linalg.svd(tf.transpose(x), full_matrices=False)
    return s, u @ tf.linalg.diag(s) @ tf.transpose(v)


def signals(x):
    wide = tf.tile(x, [1, 4])
    spectrum = tf.signal.stft(wide, 8, 4, fft_length=8)
    return (tf.abs(spectrum), tf.signal.inverse_stft(spectrum, 8, 4),
            tf.signal.mfccs_from_log_mel_spectrograms(x), tf.signal.dct(x, type=3),
            tf.signal.idct(x), tf.signal.overlap_and_add(tf.signal.frame(wide, 6, 3), 3),
            tf.math.real(tf.signal.fft2d(tf.cast(x, tf.complex64))),
            tf.signal.irfft(tf.signal.rfft(x)), tf.signal.hann_window(5),
            tf.signal.fftshift(x, axes=1))


def mel(x):
    bank = tf.signal.linear_to_mel_weight_matrix(4, 9, 16000, 125.0, 3800.0)
    power = tf.abs(tf.signal.stft(tf.tile(x, [1, 6]), 16, 8)) ** 2
    return tf.math.log(tf.tensordot(power, bank, 1) + 1e-6)


def complexes(x):
    z = tf.complex(x, x[:, ::-1])
    return (tf.math.real(z * tf.math.conj(z)), tf.math.imag(tf.exp(z / 5)), tf.math.angle(z),
            tf.abs(z), tf.math.real(tf.reduce_sum(z, 1)))


def early_exit_loop(x):
    total, step = tf.zeros([6]), 0
    for row in x:
        if tf.reduce_sum(total) > 3.0:
            break
        if row[0] < -1.0:
            continue
        total += row
        step += 1
    return total, step


def growing_array(x):
    rows = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[None])
    count = 0
    for step in tf.range(6):
        if x[0, step] > 0:
            rows = rows.write(count, x[:, step])
            count += 1
    return rows.stack(), count


def nested_functions(x):
    @tf.function
    def inner(y, scale):
        return y * scale if scale > 1 else y / scale

    def repeated(row):
        return tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, inner(v, 2)), (0, row))[1]

    def summed(row):
        return tf.cumsum(row, reverse=True, exclusive=True)

    return tf.map_fn(repeated, x), tf.vectorized_map(summed, x)


def group_norm_by_hand(image):
    batch, height, width = tf.unstack(tf.shape(image)[:3])
    parts = tf.reshape(image, [batch, height, width, 3, 1])
    mean, variance = tf.nn.moments(parts, [1, 2, 4], keepdims=True)
    return tf.reshape((parts - mean) * tf.math.rsqrt(variance + 1e-3), tf.shape(image))


def convolutions(image):
    kernel = tf.reshape(tf.linspace(-1.0, 1.0, 54), (3, 3, 3, 2))
    deep = tf.reshape(tf.linspace(-1.0, 1.0, 54), (3, 3, 3, 2))
    return (tf.nn.conv2d(image, kernel, [1, 2, 1, 1], "SAME", dilations=1),
            tf.nn.conv2d(image, kernel, 1, [[0, 0], [1, 0], [2, 1], [0, 0]]),
            tf.nn.depthwise_conv2d(image, deep, [1, 1, 1, 1], "VALID", dilations=[2, 2]),
            tf.nn.conv2d_transpose(image, tf.transpose(kernel, [0, 1, 3, 2]),
                tf.stack([tf.shape(image)[0], 18, 22, 2]), 2, "SAME"),
            tf.nn.atrous_conv2d(image, kernel, 2, "SAME"),
            tf.nn.separable_conv2d(image, deep, tf.ones((1, 1, 6, 4)), [1, 1, 1, 1], "SAME"),
            tf.nn.conv1d(image[:, 0], tf.ones((3, 3, 2)), 2, "VALID"))


def pools(image):
    values, places = tf.nn.max_pool_with_argmax(image, 2, 2, "SAME")
    return (values, places, tf.nn.avg_pool2d(image, 3, 2, "SAME"),
            tf.nn.max_pool2d(image, (2, 3), 1, "VALID"),
            tf.nn.pool(image, (2, 2), "AVG", dilations=(2, 1), padding="VALID"))


def image_operators(image):
    return (tf.image.flip_left_right(image), tf.image.rot90(image, 3),
            tf.image.central_crop(image, 0.5), tf.image.pad_to_bounding_box(image, 1, 2, 12, 15),
            tf.image.crop_to_bounding_box(image, 2, 1, 5, 6),
            tf.image.resize_with_pad(image, 14, 8), tf.image.resize_with_crop_or_pad(image, 7, 13),
            tf.image.per_image_standardization(image), tf.image.rgb_to_grayscale(image),
            tf.image.adjust_brightness(image, 0.2), tf.image.adjust_gamma(tf.abs(image), 0.7),
            tf.image.rgb_to_yuv(image), tf.image.sobel_edges(image),
            tf.image.total_variation(image),
            tf.image.convert_image_dtype(tf.clip_by_value(image, 0, 0.999), tf.uint8),
            tf.image.extract_patches(image, [1, 3, 2, 1], [1, 2, 2, 1], [1, 1, 2, 1], "SAME"),
            tf.image.psnr(image, image * 0.9, 1.0), tf.image.adjust_saturation(tf.abs(image), 0.5),
            tf.image.transpose(image))


def resizes(image):
    return (tf.image.resize(image, (5, 17), "bilinear", antialias=True),
            tf.image.resize(image, (20, 7), "lanczos3"),
            tf.image.resize(image, (5, 17), "gaussian"),
            tf.image.resize(image, (20, 30), "mitchellcubic"),
            tf.compat.v1.image.resize_bilinear(image, (7, 7), align_corners=True),
            tf.compat.v1.image.resize_nearest_neighbor(image, (7, 13), half_pixel_centers=True),
            tf.raw_ops.ResizeBicubic(images=image, size=(6, 15), align_corners=False,
                half_pixel_centers=False),
            tf.image.resize(image, (4, 4), preserve_aspect_ratio=True))


def detections(x):
    boxes = tf.reshape(tf.abs(tf.concat([x, x], 1)), [-1, 4])
    boxes = tf.concat([boxes[:, :2], boxes[:, :2] + tf.abs(boxes[:, 2:]) + 0.1], 1)
    scores = tf.sigmoid(tf.reduce_sum(boxes, 1) - 3)
    chosen, soft = tf.image.non_max_suppression_with_scores(boxes, scores, 4, 0.4, 0.1, 0.0)
    padded = tf.image.non_max_suppression_padded(boxes, scores, 5, 0.5, pad_to_max_output_size=True)
    combined = tf.image.combined_non_max_suppression(boxes[None, :, None], scores[None, :, None], 3,
        4)
    return chosen, soft, padded[0], padded[1], combined.nmsed_boxes, combined.valid_detections


def quantization(x):
    return (tf.quantization.fake_quant_with_min_max_args(x, -2.0, 3.0, 6),
            tf.quantization.fake_quant_with_min_max_vars_per_channel(x, [-1.0] * 6, [2.0] * 6,
                narrow_range=True),
            tf.quantization.quantize_and_dequantize_v2(x, -2.0, 2.0, range_given=True))


def integer_arithmetic(whole):
    wide = tf.cast(whole, tf.int64)
    return (wide // 4, wide % -3, tf.truncatediv(wide, 4), tf.truncatemod(wide, 4),
            tf.bitwise.left_shift(wide, 2), tf.bitwise.invert(whole), tf.cast(whole, tf.uint8),
            tf.cast(wide, tf.float16), tf.pow(whole, 2), tf.math.cumsum(whole, 1, exclusive=True),
            tf.reduce_mean(whole, 1), tf.clip_by_value(whole, -2, 5), whole / 3,
            tf.cast(whole, tf.bool), tf.abs(whole), tf.sign(whole), tf.reduce_all(whole > -9, 1),
            tf.math.argmin(whole, 0), tf.one_hot(whole, 4, 2.0, -1.0, 0),
            tf.sequence_mask(tf.abs(whole[:, 0]), 7), tf.bitcast(whole, tf.uint8),
            tf.cast(tf.raw_ops.PopulationCount(x=whole), tf.int32))


def text_operators(text):
    parts = tf.strings.split(text, "o")
    return (parts.to_tensor(default_value=""), tf.strings.strip(tf.strings.join(["  ", text])),
            tf.strings.upper(text),
            tf.strings.to_number(tf.strings.as_string(tf.strings.length(text))),
            tf.strings.regex_full_match(text, "[cC].*"),
            tf.strings.to_hash_bucket_strong(text, 31, [1, 2]),
            tf.strings.unicode_decode(text, "UTF-8").flat_values,
            tf.strings.bytes_split(text).row_lengths(), tf.strings.ngrams(parts, 2).flat_values,
            tf.equal(text, "cat"), tf.strings.unicode_transcode(text, "UTF-8", "UTF-16-BE"),
            tf.argmax(tf.strings.length(text)), tf.strings.length(text, "UTF8_CHAR"))


def keras_operators(x):
    return (ops.silu(x), ops.hard_swish(x), ops.logsumexp(x, 1), ops.one_hot(ops.argmax(x, 1), 6),
            ops.moveaxis(x[None], 0, -1), ops.roll(x, 2, 1),
            ops.pad(x, ((0, 0), (1, 2)), "reflect"), ops.take_along_axis(x, ops.argsort(x, 1), 1),
            ops.digitize(x, numpy.array([-1.0, 0.0, 1.0])), ops.cumprod(x, 1), ops.median(x, 1),
            ops.quantile(x, 0.25, 1),
            ops.nan_to_num(x / ops.abs(x - x), nan=1.0, posinf=9.0, neginf=-9.0), ops.tril(x),
            ops.searchsorted(ops.sort(x[0]), x[0]), ops.erfinv(ops.tanh(x)),
            ops.segment_sum(ops.transpose(x), ops.convert_to_tensor([0, 0, 1, 1, 2, 2]), 3),
            ops.logical_xor(x > 0, x > 1), ops.average(x, 1, ops.softmax(x)), ops.var(x, 0),
            ops.diagonal(x[:, None] * x[..., None], axis1=1, axis2=2),
            ops.einsum("ab,cb->ac", x, x), ops.rfft(x)[0], ops.extract_sequences(x, 3, 2),
            ops.in_top_k(ops.argmax(x, 1), x, 2), ops.normalize(x, axis=1), ops.celu(x),
            ops.sparsemax(x), ops.glu(x, 1), ops.tan(x),
            ops.bincount(ops.cast(ops.abs(x[0]), "int32"), minlength=4),
            ops.correlate(x[0], x[0, :3]), ops.select([x > 1, x > 0], [x, x * 2], -1.0),
            ops.trapezoid(x, axis=1), ops.repeat(x, 2, 0), ops.cross(x[:, :3], x[:, 3:]),
            ops.slogdet(ops.eye(3))[1], ops.psnr(x, x + 1, 2.0), ops.count_nonzero(x > 0, 1),
            ops.signbit(x))


PROGRAMS = {
    "x": (positional_encoding, causal_attention, ragged_means, ragged_ranges, dynamic_shapes,
          updates, gathers, sorting, strided, partitions, segment_kinds, losses, special,
          rarely_used,
          linear_algebra, full_svd, signals, mel, complexes, early_exit_loop, growing_array,
          nested_functions, detections, quantization, keras_operators),
    "image": (group_norm_by_hand, convolutions, pools, image_operators, resizes),
    "whole": (uniques, integer_arithmetic),
    "text": (text_operators,),
}


def cases():
    return {f"{form}/{program.__name__}": written(form, program, name, DRAWS[name])
            for form in (SAVED, FROZEN) for name, programs in PROGRAMS.items()
            for program in programs}


if __name__ == "__main__":
    serve_producer(cases(), f"TensorFlow {tf.__version__}", tensorflow_forms.load)
