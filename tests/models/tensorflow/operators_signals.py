# SPDX-License-Identifier: Apache-2.0
"""Spectra and audio."""

import numpy as np

from operator_cases import DRAW, case, f32, i32


def make_spectra():
    z = (f32(2, 3, 4) + 1j * f32(2, 3, 4)).astype(np.complex64)
    x = f32(2, 6, 8)
    kind = {"Tcomplex": "dt:complex64"}
    real = {"Treal": "dt:float", **kind}
    for inverse, prefix in ((False, ""), (True, "I")):
        for axes, suffix in ((1, ""), (2, "2D"), (3, "3D")):
            transform = np.fft.ifftn if inverse else np.fft.fftn
            case(f"{prefix}fft{suffix}".lower(), f"{prefix}FFT{suffix}", [z], oracle=False,
                 reference=[transform(z, axes=range(3 - axes, 3)).astype(np.complex64)], **kind)
    for length in (8, 5, 12):
        case(f"rfft_{length}", "RFFT", [x, (i32(length),)], oracle=False,
             reference=[np.fft.rfft(x, length).astype(np.complex64)], **real)
        case(f"irfft_{length}", "IRFFT", [z, (i32(length),)], oracle=False,
             reference=[np.fft.irfft(z, length).astype(np.float32)], **real)
    case("rfft2d", "RFFT2D", [x, (i32(4, 10),)], oracle=False,
         reference=[np.fft.rfft2(x, (4, 10)).astype(np.complex64)], **real)
    case("irfft2d", "IRFFT2D", [z, (i32(5, 6),)], oracle=False,
         reference=[np.fft.irfft2(z, (5, 6)).astype(np.float32)], **real)


def make_audio():
    sound = DRAW.normal(size=(400, 2)).astype(np.float32)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(100) / 100)
    frames = np.stack([sound[i:i + 100].T * window for i in range(0, 301, 60)], 1)
    power = np.abs(np.fft.rfft(frames, 128)) ** 2
    for squared in (True, False):
        case(f"audio_spectrogram_{squared}", "AudioSpectrogram", [sound], oracle=False,
             reference=[(power if squared else np.sqrt(power)).astype(np.float32)], window_size=100,
             stride=60, magnitude_squared=squared)
    spectrogram = power.astype(np.float32)
    rate = np.array(8000, np.int32)
    for name, told in (("mfcc", (rate,)), ("mfcc_run_time", rate)):
        case(name, "Mfcc", [spectrogram, told], oracle=False,
             reference=[mfcc(spectrogram, 8000, 20, 4000, 20, 10)], upper_frequency_limit=4000.0,
             lower_frequency_limit=20.0, filterbank_channel_count=20, dct_coefficient_count=10)


def mfcc(power, rate, low, high, channels, coefficients):
    """By the definition: shares of each bin by its distance from the centres on the mel scale."""
    def mel(hertz):
        return 1127 * np.log1p(hertz / 700)
    centres = np.linspace(mel(low), mel(high), channels + 2)
    bins = power.shape[-1]
    hertz = np.arange(bins) * rate / 2 / (bins - 1)
    counted = (np.arange(bins) >= int(1.5 + low * 2 * (bins - 1) / rate)) & (hertz <= high)
    position = np.interp(mel(hertz), centres, np.arange(channels + 2))
    weights = np.clip(1 - np.abs(position[:, None] - np.arange(1, channels + 1)), 0, 1)
    energy = np.sqrt(power.astype(np.float64)) @ (weights * counted[:, None])
    logs = np.log(np.maximum(energy, 1e-12))
    turns = np.outer(np.arange(channels) + 0.5, np.arange(coefficients)) * np.pi / channels
    return (logs @ (np.sqrt(2 / channels) * np.cos(turns))).astype(np.float32)
