# SPDX-License-Identifier: Apache-2.0
"""A language model as ONNX Runtime's model builder writes them, and what it computes, in NumPy.

Four layers, weights of 4 bits in blocks, grouped attention with a cache that each call extends,
rotations, gated products. Sizes of batch, steps and cache are symbols.
"""

import numpy as np
from onnx import TensorProto, helper, numpy_helper

LAYERS, HEADS, KEY_HEADS, SIZE, INNER, VOCABULARY, BLOCK = 4, 4, 2, 16, 96, 50, 32
WIDTH = HEADS * SIZE
LONGEST = 128  # positions that the tables of rotations know
EPSILON = 1e-5
F32, F16, I32, I64, U8 = np.float32, np.float16, np.int32, np.int64, np.uint8


class Product:
    """x @ weight.T, where the weight has 4 bits an element; with zero points or without."""

    def __init__(self, draw, rows, columns, has_zeros):
        self.rows, self.columns = rows, columns
        blocks = columns // BLOCK
        self.numbers = draw.integers(0, 16, (rows, blocks * BLOCK)).astype(U8)
        self.scales = (draw.uniform(0.5, 1.5, (rows, blocks)) * 0.2 / np.sqrt(columns)).astype(F32)
        self.zeros = draw.integers(6, 10, (rows, blocks)).astype(U8) if has_zeros else None

    def packed(self, numbers):
        even = np.pad(numbers, ((0, 0), (0, numbers.shape[1] % 2)))
        return (even[:, 0::2] | even[:, 1::2] << 4).astype(U8)

    def tensors(self):
        bytes_ = self.packed(self.numbers).reshape(self.rows, -1, BLOCK // 2)
        tensors = {"weight": bytes_, "scales": self.scales.ravel()}
        if self.zeros is not None:
            tensors["zeros"] = self.packed(self.zeros).ravel()
        return tensors

    def __call__(self, x):
        zeros = self.zeros if self.zeros is not None else np.full(self.scales.shape, 8)
        spread = lambda grid: np.repeat(grid.astype(F32), BLOCK, 1)
        weight = (self.numbers - spread(zeros)) * spread(self.scales)
        return (x @ weight.T).astype(F32)


def normalized(x, scale):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPSILON) * scale


class Model:
    def __init__(self, seed=0):
        draw = np.random.default_rng(seed)
        self.embedding = draw.standard_normal((VOCABULARY, WIDTH)).astype(F32)
        keys = KEY_HEADS * SIZE
        self.layers = []
        for number in range(LAYERS):
            product = lambda rows, columns: Product(draw, rows, columns, number % 2 == 1)
            self.layers.append({
                "qkv": product(WIDTH + 2 * keys, WIDTH), "out": product(WIDTH, WIDTH),
                "gate": product(INNER, WIDTH), "up": product(INNER, WIDTH),
                "down": product(WIDTH, INNER),
                "norms": draw.uniform(0.5, 1.5, (2, WIDTH)).astype(F32)})
        self.norm = draw.uniform(0.5, 1.5, WIDTH).astype(F32)
        self.head = Product(draw, VOCABULARY, WIDTH, False)
        angles = np.arange(LONGEST)[:, None] * 10000.0**(-np.arange(0, SIZE, 2) / SIZE)
        self.cos, self.sin = np.cos(angles).astype(F32), np.sin(angles).astype(F32)

    # --- in NumPy

    def turned(self, x, positions):
        """x (steps, heads, size)."""
        cos, sin = self.cos[positions][:, None], self.sin[positions][:, None]
        low, high = np.split(x, 2, -1)
        return np.concatenate([low * cos - high * sin, high * cos + low * sin], -1)

    def attention(self, qkv, cache):
        steps, past = len(qkv), len(cache["key"])
        q, k, v = np.split(qkv, [WIDTH, WIDTH + KEY_HEADS * SIZE], -1)
        positions = past + np.arange(steps)
        q = self.turned(q.reshape(steps, HEADS, SIZE), positions)
        k = self.turned(k.reshape(steps, KEY_HEADS, SIZE), positions)
        cache["key"] = np.concatenate([cache["key"], k])
        cache["value"] = np.concatenate([cache["value"], v.reshape(steps, KEY_HEADS, SIZE)])
        keys, values = (np.repeat(cache[name], HEADS // KEY_HEADS, 1) for name in ("key", "value"))
        scores = np.einsum("qhd,khd->hqk", q, keys) / np.sqrt(SIZE)
        later = np.arange(past + steps)[None] > positions[:, None]
        scores = np.where(later, -np.inf, scores)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        shares /= shares.sum(-1, keepdims=True)
        return np.einsum("hqk,khd->qhd", shares, values).reshape(steps, WIDTH)

    def empty_caches(self):
        nothing = np.zeros((0, KEY_HEADS, SIZE), F32)
        return [{"key": nothing, "value": nothing} for _ in self.layers]

    def logits(self, tokens, caches):
        x = self.embedding[tokens]
        for layer, cache in zip(self.layers, caches):
            x = x + layer["out"](self.attention(layer["qkv"](normalized(x, layer["norms"][0])),
                                                cache))
            y = normalized(x, layer["norms"][1])
            gate = layer["gate"](y)
            x = x + layer["down"](gate / (1 + np.exp(-gate)) * layer["up"](y))
        return self.head(normalized(x, self.norm))

    def generated(self, prompt, count):
        """`count` tokens after the prompt, each the likeliest."""
        caches, tokens, given = self.empty_caches(), [], list(prompt)
        for _ in range(count):
            token = int(self.logits(given, caches)[-1].argmax())
            tokens.append(token)
            given = [token]
        return tokens

    # --- as a file

    def onnx(self):
        return Writer(self).model()


class Writer:
    def __init__(self, model):
        self.source = model
        self.nodes, self.constants = [], []

    def constant(self, name, array):
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def add(self, op, operands, *results, domain="", **attributes):
        self.nodes.append(helper.make_node(op, operands, list(results), domain=domain,
                                           name=results[0], **attributes))
        return results[0]

    def contrib(self, op, operands, *results, **attributes):
        return self.add(op, operands, *results, domain="com.microsoft", **attributes)

    def product(self, product, x, name):
        tensors = [self.constant(f"{name}.{part}", array)
                   for part, array in product.tensors().items()]
        return self.contrib("MatMulNBits", [x, *tensors], name, K=product.columns, N=product.rows,
                            bits=4, block_size=BLOCK)

    def lengths(self):
        """Of each example the place of its last key, and the length of the whole."""
        self.constant("axis", [1])
        total = self.add("ReduceSum", ["attention_mask", "axis"], "mask_sum", keepdims=0)
        last = self.add("Sub", [total, self.constant("one", np.array([1], I64))], "last")
        self.add("Cast", [last], "last_keys", to=TensorProto.INT32)
        self.add("Shape", ["attention_mask"], "mask_shape")
        width = self.add("Gather", ["mask_shape", self.constant("second", np.array(1, I64))],
                         "mask_width")
        self.add("Cast", [width], "total", to=TensorProto.INT32)

    def layer(self, number, x, skip):
        """(what the next layer is given, what is added to it)."""
        layer, name = self.source.layers[number], lambda part: f"layer.{number}.{part}"
        scales = [self.constant(name(f"norm.{i}"), layer["norms"][i]) for i in range(2)]
        if skip is None:
            y, total = self.add("SimplifiedLayerNormalization", [x, scales[0]], name("in"), axis=-1,
                                epsilon=EPSILON), x
        else:
            y, total = self.skip([x, skip, scales[0]], name("in"))
        qkv = self.product(layer["qkv"], y, name("qkv"))
        present = [f"present.{number}.{part}" for part in ("key", "value")]
        past = [f"past_key_values.{number}.{part}" for part in ("key", "value")]
        y = self.contrib("GroupQueryAttention",
                         [qkv, "", "", *past, "last_keys", "total", "cos", "sin"],
                         name("attention"), *present, num_heads=HEADS, kv_num_heads=KEY_HEADS,
                         do_rotary=1)
        y = self.product(layer["out"], y, name("out"))
        y, total = self.skip([total, y, scales[1]], name("behind"))
        gate = self.product(layer["gate"], y, name("gate"))
        opened = self.add("Mul", [gate, self.add("Sigmoid", [gate], name("sigmoid"))], name("silu"))
        inner = self.add("Mul", [opened, self.product(layer["up"], y, name("up"))], name("inner"))
        return total, self.product(layer["down"], inner, name("down"))

    def skip(self, operands, name):
        total = name + ".sum"
        self.contrib("SkipSimplifiedLayerNormalization", operands, name, "", "", total,
                     epsilon=EPSILON)
        return name, total

    def model(self):
        self.constant("cos", self.source.cos)
        self.constant("sin", self.source.sin)
        self.lengths()
        table = self.constant("embedding", self.source.embedding)
        x, skip = self.add("Gather", [table, "input_ids"], "embedded"), None
        for number in range(LAYERS):
            x, skip = self.layer(number, x, skip)
        y, _ = self.skip([x, skip, self.constant("norm", self.source.norm)], "normal")
        self.product(self.source.head, y, "logits")
        value, real = helper.make_tensor_value_info, TensorProto.FLOAT
        cache = lambda name, size: [
            value(f"{name}.{number}.{part}", real, ["batch", KEY_HEADS, size, SIZE])
            for number in range(LAYERS) for part in ("key", "value")]
        inputs = [value("input_ids", TensorProto.INT64, ["batch", "steps"]),
                  value("attention_mask", TensorProto.INT64, ["batch", "total_steps"])]
        graph = helper.make_graph(
            self.nodes, "language_model", inputs + cache("past_key_values", "past_steps"),
            [value("logits", real, ["batch", "steps", VOCABULARY]),
             *cache("present", "total_steps")], self.constants)
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)
