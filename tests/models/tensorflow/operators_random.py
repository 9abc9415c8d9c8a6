# SPDX-License-Identifier: Apache-2.0
"""Random numbers that a seed decides, by a program of our own after TensorFlow's definition.

TensorFlow's guide on random numbers prints, for seed (1, 2), the normal numbers that `make_random`
compares with.
"""

import numpy as np

from operator_cases import Group, case

WORD = 0xffffffff
PRINTED = [0.5441101, 0.20738031, 0.07356433, 0.04643455, -1.30159, -0.95385665]


def philox(counter, key):
    """A block of Philox4x32-10 (Salmon and others, 2011)."""
    counter, key = list(counter), list(key)
    for _ in range(10):
        first, second = 0xD2511F53 * counter[0], 0xCD9E8D57 * counter[2]
        counter = [(second >> 32) ^ counter[1] ^ key[0], second & WORD,
                   (first >> 32) ^ counter[3] ^ key[1], first & WORD]
        key = [(key[0] + 0x9E3779B9) & WORD, (key[1] + 0xBB67AE85) & WORD]
    return counter


def words_of(*numbers):
    return [part for number in numbers for part in (number & WORD, number >> 32 & WORD)]


class Stream:
    def __init__(self, counter, key):
        self.counter, self.key = counter, key  # of 128 and 64 bits

    @staticmethod
    def of_seed(first, second):
        mixed = philox(words_of(first, second), (0x3ec8f720, 0x02461e29))
        return Stream((mixed[2] | mixed[3] << 32) << 64, mixed[0] | mixed[1] << 32)

    def block(self, number):
        counter = (self.counter + number) % 2**128
        return philox(words_of(counter & 2**64 - 1, counter >> 64), words_of(self.key))


def fractions(words, dtype):
    if dtype == np.float64:
        return np.array([((high & 0xfffff) << 32 | low) * 2.0**-52
                         for high, low in zip(words[::2], words[1::2])])
    bits = 10 if dtype == np.float16 else 23
    return np.array([(word & (1 << bits) - 1) * 2.0**-bits for word in words]).astype(dtype)


def normals(words, dtype):
    uniform = fractions(words, np.float64 if dtype == np.float64 else np.float32)
    share, turn = np.maximum(uniform[::2], 1e-7), uniform[1::2].astype(np.float64)
    angle, radius = 2 * np.pi * turn, np.sqrt(-2 * np.log(share.astype(np.float64)))
    return np.stack([np.sin(angle) * radius, np.cos(angle) * radius], 1).reshape(-1).astype(dtype)


def truncated(stream, size, dtype):
    per_group = 2 if dtype == np.float64 else 4
    found = []
    for group in range(-(-size // per_group)):
        first = group * 64 * per_group
        some = np.concatenate([normals(stream.block(first + i), dtype) for i in range(16)])
        found.append(some[np.abs(some) < 2][:per_group])
    return np.concatenate(found)[:size]


def blocks(stream, size):
    return [word for number in range(size) for word in stream.block(number)]


def whole(words, wide):
    return [low | high << 32 for low, high in zip(words[::2], words[1::2])] if wide else words


def seeded_cases(name, seed, dtype, type_name):
    sizes, stream = np.array([3, 5], np.int32), Stream.of_seed(*(int(part) for part in seed))
    words = blocks(stream, 8)
    told = {"dtype": f"dt:{type_name}", "T": "dt:int32", "Tseed": "dt:int64"}

    def draw(kind, numbers):
        case(f"stateless_{kind.lower()}_{name}", f"Stateless{kind}", [(sizes,), seed], oracle=False,
             reference=[numbers[:15].reshape(3, 5)], **told)

    draw("RandomUniform", fractions(words, dtype))
    draw("RandomNormal", normals(words, dtype))
    draw("TruncatedNormal", truncated(stream, 15, dtype))


def make_random():
    np.testing.assert_allclose(normals(blocks(Stream.of_seed(1, 2), 2), np.float32)[:6], PRINTED,
                               rtol=1e-5)
    seed = np.array([1, -2], np.int64)
    seeded_cases("float", seed, np.float32, "float")
    seeded_cases("double", seed, np.float64, "double")
    seeded_cases("half", seed, np.float16, "half")
    stream = Stream.of_seed(1, -2)
    sizes = np.array([9], np.int32)
    for wide, kind, least, most in ((False, np.int32, -5, 1000), (True, np.int64, -2**62, 2**62 + 3)):
        numbers = whole(blocks(stream, 5), wide)[:9]
        told = {"dtype": f"dt:{np.dtype(kind)}", "T": "dt:int32", "Tseed": "dt:int64"}
        case(f"stateless_int_{np.dtype(kind)}", "StatelessRandomUniformInt",
             [(sizes,), seed, (kind(least),), (kind(most),)], oracle=False,
             reference=[np.array([least + n % (most - least) for n in numbers], kind)], **told)
        case(f"stateless_full_int_{np.dtype(kind)}", "StatelessRandomUniformFullInt", [(sizes,), seed],
             oracle=False, reference=[np.array(numbers, np.uint64).astype(kind)], **told)
    key, counter = np.array([stream.key], np.uint64), np.array([2**64 - 2, 7], np.uint64)
    later = Stream(2**64 - 2 | 7 << 64, stream.key)
    case("stateless_uniform_counter", "StatelessRandomUniformV2",
         [(sizes,), key, counter, (np.int32(1),)], oracle=False,
         reference=[fractions(blocks(later, 3), np.float32)[:9]], dtype="dt:float", Tshape="dt:int32")
    case("stateless_key_counter", "StatelessRandomGetKeyCounter", [seed], results=2, oracle=False,
         reference=[key, np.array([0, stream.counter >> 64], np.uint64)], Tseed="dt:int64")


def make_newer_random():
    """The operators that are handed key, counter and algorithm."""
    group, sizes = Group("stateless_by_counter"), np.array([3, 5], np.int32)
    stream = Stream(5 | 3 << 64, 0x123456789abcdef)
    state = [np.array([stream.key], np.uint64), np.array([5, 3], np.uint64), (np.int32(1),)]
    words = blocks(stream, 8)
    told = {"dtype": "dt:float", "Tshape": "dt:int32"}
    for kind, numbers in (("RandomUniform", fractions(words, np.float32)), ("RandomNormal", normals(
            words, np.float32)), ("TruncatedNormal", truncated(stream, 15, np.float32))):
        group.call(f"Stateless{kind}V2", (sizes,), *state, wanted=numbers[:15].reshape(3, 5), **told)
    told["dtype"] = "dt:int32"
    numbers = np.array(words[:15], np.uint64).reshape(3, 5)
    group.call("StatelessRandomUniformFullIntV2", (sizes,), *state, wanted=numbers.astype(np.int32), **told)
    group.call("StatelessRandomUniformIntV2", (sizes,), *state, (np.int32(-3),), (np.int32(50),),
               wanted=(numbers % np.uint64(53)).astype(np.int32) - 3, **told)
    seed = np.array([1, 2], np.int64)
    of_seed = Stream.of_seed(1, 2)
    group.call("StatelessRandomGetKeyCounterAlg", seed, Tseed="dt:int64", wanted=[
        np.array([of_seed.key], np.uint64), np.array([0, of_seed.counter >> 64], np.uint64), np.int32(1)])
    group.call("StatelessRandomGetAlg", wanted=np.int32(1))
    generator = np.array([5, 3, 77], np.int64)
    variable = group.add("VarHandleOp", dtype="dt:int64", shape=(3,), shared_name="generator")
    assigned = group.add("AssignVariableOp", variable, generator, control=[], dtype="dt:int64")
    skipped = group.add("RngReadAndSkip", variable, (np.int32(1),), (np.uint64(15),), control=[assigned])
    group.fetch(skipped, generator)
    group.fetch(group.add("ReadVariableOp", variable, control=[skipped], dtype="dt:int64"),
                np.array([5 + 15 * 256, 3, 77]))
    group.save()


def make_properties():
    """What any draw has: its sizes, its ends, the elements that it puts into another order."""
    group, sizes = Group("random_properties"), (np.array([40, 50], np.int32),)
    told = {"dtype": "dt:float", "T": "dt:int32", "seed": 3, "seed2": 5}

    def holds(what, *operands, **more):
        test = group.add(what, *operands, **more)
        group.fetch(group.add("All", test, (np.array([0, 1], np.int32),), keep_dims=False, Tidx="dt:int32"),
                    np.array(True))
    for op, most in (("RandomUniform", 1), ("RandomStandardNormal", 8), ("TruncatedNormal", 2)):
        drawn = group.add(op, sizes, **told)
        group.fetch(group.add("Shape", drawn, T="dt:float", out_type="dt:int32"), sizes[0])
        holds("Less", group.add("Abs", drawn, T="dt:float"), (np.float32(most),), T="dt:float")
        mean = group.add("Mean", drawn, (np.array([0, 1], np.int32),), keep_dims=False, T="dt:float",
                         Tidx="dt:int32")
        middle = np.float32(0.5 if op == "RandomUniform" else 0)
        near = group.add("Abs", group.add("Sub", mean, (middle,), T="dt:float"), T="dt:float")
        group.fetch(group.add("Less", near, (np.float32(0.15),), T="dt:float"), np.array(True))
    whole = group.add("RandomUniformInt", sizes, (np.int64(-4),), (np.int64(9),), Tout="dt:int64", T="dt:int32",
                      seed=1, seed2=2)
    holds("Less", whole, (np.int64(9),), T="dt:int64")
    holds("GreaterEqual", whole, (np.int64(-4),), T="dt:int64")
    x = np.arange(20, dtype=np.float32)
    shuffled = group.add("RandomShuffle", x, seed=1, seed2=2)
    group.fetch(group.add("TopKV2", shuffled, (np.int32(20),), sorted=True, T="dt:float"), x[::-1])
    logits = np.log(np.array([[0.5, 0.5, 1e-9], [1e-9, 1e-9, 1]], np.float32))
    chosen = group.add("Multinomial", logits, (np.int32(50),), seed=1, seed2=2, output_dtype="dt:int64")
    holds("NotEqual", group.add("Mul", chosen, (np.array([[1], [2]]),), T="dt:int64"),
          (np.array([[2], [0]]),), T="dt:int64")
    group.save()
