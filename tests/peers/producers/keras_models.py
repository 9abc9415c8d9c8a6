# SPDX-License-Identifier: Apache-2.0
"""Layers, activations and applications of Keras 3, each as SavedModel and as frozen graph."""

import os

os.environ["KERAS_BACKEND"] = "tensorflow"
import keras
import numpy
import tensorflow as tf
from keras import activations, layers

from producers import tensorflow_forms
from shared.produce import numbers, serve_producer

SAVED, FROZEN = "Keras, SavedModel", "Keras, frozen graph"

IMAGE, LINE, VOLUME = (9, 11, 4), (10, 6), (5, 6, 7, 3)
VECTOR = (7,)
LAYERS = {
    "activity_regularization": (lambda: layers.ActivityRegularization(), VECTOR),
    "adaptive_average_pooling_2d": (lambda: layers.AdaptiveAveragePooling2D((3, 4)), IMAGE),
    "average_pooling_1d": (lambda: layers.AveragePooling1D(3, padding="same"), LINE),
    "average_pooling_2d": (lambda: layers.AveragePooling2D(2), IMAGE),
    "average_pooling_3d": (lambda: layers.AveragePooling3D(2, padding="same"), VOLUME),
    "batch_normalization": (lambda: layers.BatchNormalization(), IMAGE),
    "bidirectional_lstm": (lambda: layers.Bidirectional(
        layers.LSTM(5, return_sequences=True)), LINE),
    "bidirectional_gru": (lambda: layers.Bidirectional(layers.GRU(5), merge_mode="sum"), LINE),
    "center_crop": (lambda: layers.CenterCrop(6, 7), IMAGE),
    "conv_1d": (lambda: layers.Conv1D(5, 3, padding="causal", dilation_rate=2), LINE),
    "conv_2d": (lambda: layers.Conv2D(6, 3, strides=2, padding="same", activation="relu"), IMAGE),
    "conv_2d_groups": (lambda: layers.Conv2D(6, 3, groups=2), IMAGE),
    "conv_3d": (lambda: layers.Conv3D(4, 2, padding="same"), VOLUME),
    "conv_1d_transpose": (lambda: layers.Conv1DTranspose(5, 3, strides=2), LINE),
    "conv_2d_transpose": (lambda: layers.Conv2DTranspose(5, 3, strides=2, padding="same"), IMAGE),
    "conv_3d_transpose": (lambda: layers.Conv3DTranspose(4, 2, strides=2), VOLUME),
    "conv_lstm_1d": (lambda: layers.ConvLSTM1D(4, 3, padding="same"), (4, 8, 3)),
    "conv_lstm_2d": (lambda: layers.ConvLSTM2D(3, 3, return_sequences=True), (3, 7, 8, 2)),
    "cropping_1d": (lambda: layers.Cropping1D((1, 2)), LINE),
    "cropping_2d": (lambda: layers.Cropping2D(((1, 2), (2, 1))), IMAGE),
    "cropping_3d": (lambda: layers.Cropping3D(1), VOLUME),
    "dense": (lambda: layers.Dense(5, activation="tanh"), VECTOR),
    "dense_rank_3": (lambda: layers.Dense(5), LINE),
    "depthwise_conv_1d": (lambda: layers.DepthwiseConv1D(3, depth_multiplier=2), LINE),
    "depthwise_conv_2d": (lambda: layers.DepthwiseConv2D(3, padding="same"), IMAGE),
    "discretization": (lambda: layers.Discretization([-1.0, 0.0, 0.5]), VECTOR),
    "dropout": (lambda: layers.Dropout(0.5), VECTOR),
    "einsum_dense": (lambda: layers.EinsumDense("abc,cd->abd", (None, 5), bias_axes="d"), LINE),
    "elu": (lambda: layers.ELU(0.7), VECTOR),
    "flatten": (lambda: layers.Flatten(), IMAGE),
    "gaussian_noise": (lambda: layers.GaussianNoise(0.5), VECTOR),
    "global_average_pooling_1d": (lambda: layers.GlobalAveragePooling1D(), LINE),
    "global_average_pooling_2d": (lambda: layers.GlobalAveragePooling2D(keepdims=True), IMAGE),
    "global_max_pooling_2d": (lambda: layers.GlobalMaxPooling2D(), IMAGE),
    "global_max_pooling_3d": (lambda: layers.GlobalMaxPooling3D(), VOLUME),
    "group_normalization": (lambda: layers.GroupNormalization(2), IMAGE),
    "group_query_attention": (lambda: Twice(layers.GroupQueryAttention(4, 4, 2)), LINE),
    "gru": (lambda: layers.GRU(5, return_sequences=True), LINE),
    "gru_reset_before": (lambda: layers.GRU(5, reset_after=False), LINE),
    "identity": (lambda: layers.Identity(), VECTOR),
    "layer_normalization": (lambda: layers.LayerNormalization(axis=[1, 2]), IMAGE),
    "leaky_relu": (lambda: layers.LeakyReLU(0.2), VECTOR),
    "lstm": (lambda: layers.LSTM(5), LINE),
    "lstm_backwards": (lambda: layers.LSTM(5, go_backwards=True, return_sequences=True), LINE),
    "lstm_unrolled": (lambda: layers.LSTM(5, unroll=True, return_sequences=True), LINE),
    "max_pooling_1d": (lambda: layers.MaxPooling1D(2), LINE),
    "max_pooling_2d": (lambda: layers.MaxPooling2D(3, strides=2, padding="same"), IMAGE),
    "max_pooling_3d": (lambda: layers.MaxPooling3D(2), VOLUME),
    "multi_head_attention": (lambda: Twice(layers.MultiHeadAttention(3, 4)), LINE),
    "normalization": (lambda: layers.Normalization(mean=0.3, variance=2.0), VECTOR),
    "permute": (lambda: layers.Permute((2, 3, 1)), IMAGE),
    "prelu": (lambda: layers.PReLU(shared_axes=[1, 2], alpha_initializer="random_normal"), IMAGE),
    "relu": (lambda: layers.ReLU(max_value=2.0, negative_slope=0.1, threshold=0.2), VECTOR),
    "repeat_vector": (lambda: layers.RepeatVector(3), VECTOR),
    "rescaling": (lambda: layers.Rescaling(0.5, offset=-1.0), IMAGE),
    "reshape": (lambda: layers.Reshape((-1, 2)), IMAGE),
    "resizing": (lambda: layers.Resizing(13, 6, "bilinear"), IMAGE),
    "resizing_bicubic": (lambda: layers.Resizing(13, 6, "bicubic"), IMAGE),
    "resizing_nearest": (lambda: layers.Resizing(13, 6, "nearest"), IMAGE),
    "resizing_cropped": (lambda: layers.Resizing(6, 6, crop_to_aspect_ratio=True), IMAGE),
    "rms_normalization": (lambda: layers.RMSNormalization(), LINE),
    "rnn_of_cells": (lambda: layers.RNN([layers.LSTMCell(4), layers.GRUCell(3)]), LINE),
    "separable_conv_1d": (lambda: layers.SeparableConv1D(5, 3), LINE),
    "separable_conv_2d": (lambda: layers.SeparableConv2D(5, 3, padding="same"), IMAGE),
    "simple_rnn": (lambda: layers.SimpleRNN(5, return_sequences=True), LINE),
    "softmax": (lambda: layers.Softmax(axis=1), LINE),
    "spectral_normalization": (lambda: layers.SpectralNormalization(layers.Dense(4)), VECTOR),
    "time_distributed": (lambda: layers.TimeDistributed(layers.Conv2D(3, 2)), (3, 6, 7, 2)),
    "unit_normalization": (lambda: layers.UnitNormalization(), VECTOR),
    "up_sampling_1d": (lambda: layers.UpSampling1D(3), LINE),
    "up_sampling_2d": (lambda: layers.UpSampling2D((2, 3), interpolation="bilinear"), IMAGE),
    "up_sampling_3d": (lambda: layers.UpSampling3D(2), VOLUME),
    "zero_padding_1d": (lambda: layers.ZeroPadding1D((2, 1)), LINE),
    "zero_padding_2d": (lambda: layers.ZeroPadding2D(((1, 0), (2, 3))), IMAGE),
    "zero_padding_3d": (lambda: layers.ZeroPadding3D(1), VOLUME),
    "stft_spectrogram": (lambda: layers.STFTSpectrogram(
        frame_length=8, frame_step=3, fft_length=16), (40, 1)),
    "mel_spectrogram": (lambda: layers.MelSpectrogram(
        fft_length=32, sequence_stride=8, num_mel_bins=6, sampling_rate=800, min_freq=10), (80,)),
}
ACTIVATIONS = ("celu", "elu", "exponential", "gelu", "glu", "hard_shrink", "hard_sigmoid",
               "hard_silu", "hard_tanh", "leaky_relu", "linear", "log_sigmoid", "log_softmax",
               "mish", "relu", "relu6", "selu", "sigmoid", "silu", "soft_shrink", "softmax",
               "softplus", "softsign", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus",
               "tanh", "tanh_shrink", "threshold")
MERGES = {
    "add": layers.Add, "average": layers.Average, "maximum": layers.Maximum,
    "minimum": layers.Minimum, "multiply": layers.Multiply, "subtract": layers.Subtract,
    "concatenate": lambda: layers.Concatenate(axis=1), "dot": lambda: layers.Dot(axes=2),
    "attention": lambda: Listed(layers.Attention(use_scale=True)),
    "additive_attention": lambda: Listed(layers.AdditiveAttention()),
}
APPLICATIONS = {
    "MobileNet": dict(alpha=0.25), "MobileNetV2": dict(alpha=0.35), "MobileNetV3Small": {},
    "EfficientNetB0": {}, "EfficientNetV2B0": {}, "DenseNet121": {}, "NASNetMobile": {},
    "ResNet50": {}, "ResNet50V2": {}, "Xception": {}, "ConvNeXtTiny": {}, "InceptionV3": {},
    "VGG16": {}, "InceptionResNetV2": {},
}


class Twice(layers.Layer):
    """An attention layer on one input."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def call(self, x):
        return self.layer(x, x)


class Listed(layers.Layer):
    """A layer that takes its two inputs as a list."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def call(self, inputs):
        return self.layer(list(inputs))


def randomized(model):
    """The model with random weights in the place of zeros and ones, which hide faults."""
    generator = numpy.random.default_rng(7)
    for weight in model.weights:
        if "float" not in str(weight.dtype):
            continue
        drawn = generator.standard_normal(weight.shape) * 0.2
        # Variances are positive; weights of wide layers get the size that keeps their sums small.
        drawn = abs(drawn) + 0.5 if "variance" in weight.path else drawn
        fan_in = numpy.prod(weight.shape[:-1]) if len(weight.shape) > 1 else 1
        weight.assign(drawn * (5 / numpy.sqrt(fan_in) if fan_in > 25 else 1))
    return model


def written(form, make, batches=(3, 1, 2)):
    """A case of a model; its batch is left open, and 1 is among those that are run."""
    def write(folder):
        keras.utils.set_random_seed(3)
        generator = numpy.random.default_rng(11)
        model, types = make()
        model = randomized(model)
        draws = [{name: draw(generator, batch) for name, draw in types.items()}
                 for batch in batches]

        def function(**inputs):
            values = list(inputs.values())
            return model(values[0] if len(values) == 1 else values, training=False)

        if form == SAVED:
            tensorflow_forms.write_saved_model(model, function, draws, {0}, folder)
        else:
            tensorflow_forms.write_frozen(function, draws, {0}, folder)
    return write


def floats(*sizes):
    return lambda generator, batch: numbers(generator, batch, *sizes)


def layer_model(construct, sizes):
    def make():
        x = keras.Input(sizes, name="x")
        return keras.Model(x, construct()(x)), {"x": floats(*sizes)}
    return make


def merge_model(construct):
    def make():
        x, y = keras.Input((4, 6), name="x"), keras.Input((4, 6), name="y")
        return keras.Model([x, y], construct()([x, y])), {"x": floats(4, 6), "y": floats(4, 6)}
    return make


def tokens(generator, batch):
    drawn = generator.integers(1, 20, (batch, 8))
    drawn[0, 5:] = 0
    return drawn.astype("int32")


def masked_model(construct):
    """A recurrence after an embedding that masks the padding."""
    def make():
        x = keras.Input((8,), dtype="int32", name="x")
        embedded = layers.Embedding(20, 6, mask_zero=True)(x)
        return keras.Model(x, layers.Dense(3)(construct()(embedded))), {"x": tokens}
    return make


def application(name, settings):
    def make():
        size = 75 if "Inception" in name or name == "Xception" else 32
        build = getattr(keras.applications, name)
        model = build(weights=None, input_shape=(size, size, 3), classes=7, **settings)
        return model, {"x": floats(size, size, 3)}
    return make


def models():
    named = {f"layers.{name}": layer_model(*row) for name, row in LAYERS.items()}
    for name in ACTIVATIONS:
        named[f"activations.{name}"] = layer_model(
            lambda name=name: layers.Activation(getattr(activations, name)), (4, 6))
    named |= {f"layers.{name}": merge_model(make) for name, make in MERGES.items()}
    for name, cells in (("lstm", layers.LSTM), ("gru", layers.GRU), ("rnn", layers.SimpleRNN)):
        named[f"masked.{name}"] = masked_model(lambda cells=cells: cells(5))
        named[f"masked.{name}, sequences"] = masked_model(
            lambda cells=cells: layers.Bidirectional(cells(5, return_sequences=True)))
    named |= {f"applications.{name}": application(name, settings)
              for name, settings in APPLICATIONS.items()}
    return named


def cases():
    return {f"{form}/{name}": written(form, make) for form in (SAVED, FROZEN)
            for name, make in models().items()}


if __name__ == "__main__":
    serve_producer(cases(), f"TensorFlow {tf.__version__}, Keras {keras.__version__}",
                   tensorflow_forms.load)
