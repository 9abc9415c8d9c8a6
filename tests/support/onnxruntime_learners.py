# SPDX-License-Identifier: Apache-2.0
"""Operators of ai.onnx.ml: support vector machines, linear models, labels, trees, n-grams."""

import numpy as np
from onnx import numpy_helper

from onnxruntime_case import F32, I64, U8, Case, Draws


def learners():
    draw = Draws("learners")
    x, vectors, ml = draw.real(5, 3), draw.real(6, 3), {"domain": "ai.onnx.ml"}
    for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID"):
        shared = {"kernel_type": kernel, "kernel_params": [0.5, 0.3, 3.0],
                  "support_vectors": vectors.ravel().tolist()}
        yield Case(f"SVMRegressor_{kernel}", "SVMRegressor", [x],
                   {**shared, "coefficients": draw.real(6).tolist(), "n_supports": 6,
                    "rho": [0.3]}, **ml)
        yield Case(f"SVMClassifier_{kernel}", "SVMClassifier", [x],
                   {**shared, "coefficients": draw.real(12).tolist(), "rho": draw.real(3).tolist(),
                    "vectors_per_class": [2, 1, 3], "classlabels_ints": [3, 4, 5]},
                   wanted=(0, 1), **ml)
    two = {"kernel_type": "RBF", "kernel_params": [0.5, 0.0, 3.0],
           "support_vectors": vectors.ravel().tolist(), "coefficients": draw.real(6).tolist(),
           "vectors_per_class": [2, 4], "rho": [0.1], "classlabels_ints": [3, 4]}
    yield from linear_machines(x)
    yield Case("SVMClassifier_two_SOFTMAX", "SVMClassifier", [x],
               {**two, "post_transform": "SOFTMAX"}, wanted=(0, 1), **ml)
    for transform in ("NONE", "LOGISTIC"):
        yield Case(f"SVMClassifier_two_{transform}", "SVMClassifier", [x],
                   {**two, "post_transform": transform}, wanted=(0, 1), **ml)
        yield Case(f"LinearClassifier_two_{transform}", "LinearClassifier", [x],
                   {"coefficients": draw.real(3).tolist(), "intercepts": [0.2],
                    "classlabels_ints": [0, 1], "post_transform": transform},
                   wanted=(0, 1), **ml)
    yield Case("LinearClassifier_zero", "LinearClassifier", [x],
               {"coefficients": draw.real(9).tolist(), "intercepts": draw.real(3).tolist(),
                "classlabels_ints": [0, 1, 2], "post_transform": "SOFTMAX_ZERO"},
               wanted=(0, 1), **ml)
    yield Case("LinearClassifier_nearly_zero", "LinearClassifier",
               [np.array([[0, 1, -5e-8], [2, 3e-8, 0]], F32)],
               {"coefficients": np.eye(3).ravel().tolist(), "intercepts": [0.0] * 3,
                "classlabels_ints": [0, 1, 2], "post_transform": "SOFTMAX_ZERO"},
               wanted=(0, 1), **ml)
    yield from coupled_machines()
    yield from labels()
    yield from trees()
    words = draw.ints(0, 4, 3, 12, dtype=I64)
    pool = {"pool_int64s": [0, 2, 3, 1, 0, 2, 3, 3, 1, 0, 1], "ngram_counts": [0, 2, 8],
            "ngram_indexes": [5, 0, 1, 2, 6, 3], "weights": draw.real(6).tolist()}
    for mode, skips, longest in (("TF", 0, 3), ("IDF", 2, 2), ("TFIDF", 5, 3)):
        yield Case(f"TfIdfVectorizer_{mode}", "TfIdfVectorizer", [words],
                   {**pool, "mode": mode, "min_gram_length": 1, "max_gram_length": longest,
                    "max_skip_count": skips}, domain="")


def linear_machines(x):
    """Without support vectors; a transformation of one score, which leaves it as it is."""
    draw, ml = Draws("linear machines"), {"domain": "ai.onnx.ml"}
    for classes, sign in ((2, "signed"), (2, "positive"), (3, "signed")):
        coefficients = draw.real(classes * 3)
        if sign == "positive":
            coefficients = np.abs(coefficients)
        yield Case(f"SVMClassifier_linear_{classes}_{sign}", "SVMClassifier", [x],
                   {"coefficients": coefficients.tolist(), "rho": [0.2], "kernel_type": "LINEAR",
                    "kernel_params": [0.0, 0.0, 0.0],
                    "classlabels_ints": list(range(5, 5 + classes)),
                    "post_transform": "SOFTMAX"}, wanted=(0, 1), **ml)
    yield Case("SVMRegressor_LOGISTIC", "SVMRegressor", [x],
               {"coefficients": draw.real(3).tolist(), "rho": [0.3], "kernel_type": "LINEAR",
                "kernel_params": [0.0, 0.0, 0.0],
                "post_transform": "LOGISTIC"}, **ml)


def labels():
    """A key may be NaN, which ONNX Runtime knows in the newest operator sets; what is not a key has the
    default of the values' type."""
    x = np.array([np.nan, 0.5, 9], F32)
    keys = {"keys_floats": [0.5, np.nan]}
    yield Case("LabelEncoder_nan", "LabelEncoder", [x], {**keys, "values_int64s": [7, 8]},
               domain="ai.onnx.ml", ml=5)
    numbers = {name: numpy_helper.from_array(np.array(values, np.float64))
               for name, values in (("keys_tensor", [2, 5]), ("values_tensor", [7, 8]))}
    yield Case("LabelEncoder_f64", "LabelEncoder",
               [np.array([[5, 2], [9, 5]], np.float64)], numbers, domain="ai.onnx.ml", ml=5)


def coupled_machines():
    """Support vector machines that give probabilities."""
    for counts in ([3, 4], [2, 1, 4], [2, 2, 1, 2]):
        classes = len(counts)
        pairs = classes * (classes - 1) // 2
        draw = Draws(f"{classes} classes")
        machine = {"kernel_type": "RBF", "kernel_params": [0.5, 0.0, 3.0],
                   "support_vectors": draw.real(7 * 3).tolist(),
                   "coefficients": draw.real((classes - 1) * 7).tolist(),
                   "rho": draw.real(pairs).tolist(), "vectors_per_class": counts,
                   "prob_a": (-np.abs(draw.real(pairs))).tolist(),
                   "prob_b": draw.real(pairs).tolist(),
                   "classlabels_ints": list(range(10, 10 + classes))}
        for transform in ("NONE", "SOFTMAX"):
            yield Case(f"SVMClassifier_probabilities_{classes}_{transform}", "SVMClassifier",
                       [draw.real(6, 3)], {**machine, "post_transform": transform},
                       wanted=(0, 1), domain="ai.onnx.ml")


def trees():
    """Two trees of one question; thresholds that no operand meets."""
    x = Draws("trees").real(6, 3)
    nodes = {"nodes_treeids": [0, 0, 0, 1, 1, 1], "nodes_nodeids": [0, 1, 2, 0, 1, 2],
             "nodes_featureids": [0, 0, 0, 1, 0, 0], "nodes_values": [0.1, 0, 0, -0.2, 0, 0],
             "nodes_modes": ["BRANCH_LEQ", "LEAF", "LEAF"] * 2,
             "nodes_truenodeids": [1, 0, 0, 1, 0, 0], "nodes_falsenodeids": [2, 0, 0, 2, 0, 0],
             "target_treeids": [0, 0, 1, 1], "target_nodeids": [1, 2, 1, 2],
             "target_weights": [0.1, 0.3, 0.2, 0.5]}
    for targets, ids in ((1, [0, 0, 0, 0]), (2, [0, 0, 1, 1])):
        shared = {**nodes, "target_ids": ids, "n_targets": targets}
        for transform in ("LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO", "PROBIT"):
            yield Case(f"TreeEnsembleRegressor_{targets}_{transform}", "TreeEnsembleRegressor",
                       [x], {**shared, "post_transform": transform}, domain="ai.onnx.ml")
        for function in ("MIN", "MAX", "AVERAGE"):
            yield Case(f"TreeEnsembleRegressor_{targets}_{function}", "TreeEnsembleRegressor",
                       [x], {**shared, "aggregate_function": function,
                             "base_values": [1.0, 2.0][:targets]}, domain="ai.onnx.ml")
    yield from tree_classifiers(nodes)
    linear = {"coefficients": [0.1, 0.2, 0.3], "intercepts": [0.5], "targets": 1}
    yield Case("LinearRegressor_LOGISTIC", "LinearRegressor", [x],
               {**linear, "post_transform": "LOGISTIC"}, domain="ai.onnx.ml")
    yield Case("LinearRegressor_PROBIT", "LinearRegressor", [np.abs(x) * F32(0.1)],
               {**linear, "post_transform": "PROBIT"}, domain="ai.onnx.ml")
    yield from trees_of_version_5()


def tree_classifiers(nodes):
    """Two classes, of which the leaves know one, both, or now this one and now that one; and three."""
    asked = {key: value for key, value in nodes.items() if key.startswith("nodes_")}
    x = Draws("tree classifiers").real(8, 3)
    known = {"first": [(1, 0), (2, 0)], "second": [(1, 1), (2, 1)],
             "both": [(1, 0), (1, 1), (2, 0), (2, 1)], "mixed": [(1, 0), (2, 1)],
             "three": [(1, 0), (1, 2), (2, 1)]}
    weights = {"positive": [0.1, 0.45, 0.3, 0.15], "signed": [0.4, -0.7, -0.2, 0.5]}
    for name, pairs in known.items():
        classes = 3 if name == "three" else 2
        for sign, values in weights.items():
            leaves = {"class_treeids": [0] * len(pairs) + [1] * len(pairs),
                      "class_nodeids": [node for node, _ in pairs] * 2,
                      "class_ids": [target for _, target in pairs] * 2,
                      "class_weights": [values[i % 4] for i in range(2 * len(pairs))],
                      "classlabels_int64s": [7, 5, 3][:classes]}
            # One base value, where now one class is known and now the other, is refused.
            for base in ([], [0.25], [0.2, -0.3, 0.1])[::2 if name in ("three", "mixed") else 1]:
                transform = ("NONE", "LOGISTIC", "SOFTMAX")[len(base) % 3]
                more = {"base_values": base[:classes]} if base else {}
                yield Case(f"TreeEnsembleClassifier_{name}_{sign}_{len(base)}",
                           "TreeEnsembleClassifier", [x],
                           {**asked, **leaves, **more, "post_transform": transform},
                           wanted=(0, 1), domain="ai.onnx.ml")


def trees_of_version_5():
    draw = Draws("trees of version 5")
    for kind in (F32, np.float64):
        real = lambda name, values: numpy_helper.from_array(np.array(values, kind), name)
        modes = numpy_helper.from_array(np.array([0, 6, 2, 3], U8), "nodes_modes")
        forest = {"nodes_featureids": [0, 1, 2, 1], "nodes_modes": modes,
                  "nodes_splits": real("nodes_splits", [0.2, 0, 1.5, 2.5]),
                  "nodes_truenodeids": [1, 0, 3, 3], "nodes_trueleafs": [0, 1, 0, 1],
                  "nodes_falsenodeids": [2, 1, 2, 4], "nodes_falseleafs": [1, 1, 1, 1],
                  "membership_values": real("membership_values", [1, 3, 4, np.nan]),
                  "leaf_targetids": [0, 1, 0, 1, 0], "tree_roots": [0, 2],
                  "leaf_weights": real("leaf_weights", [0.5, 1.25, -2.0, 0.75, 0.125]),
                  "n_targets": 2}
        x = draw.ints(0, 5, 12, 3).astype(kind)
        x[:, 0] = draw.real(12)
        for number in range(4):
            yield Case(f"TreeEnsemble_{np.dtype(kind).name}_{number}", "TreeEnsemble", [x],
                       {**forest, "aggregate_function": number,
                        "post_transform": 0 if number != 1 else 3}, domain="ai.onnx.ml", ml=5)
