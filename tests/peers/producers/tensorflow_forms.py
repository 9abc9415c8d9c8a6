# SPDX-License-Identifier: Apache-2.0
"""The forms in which TensorFlow writes a function: as SavedModel and as frozen graph."""

import re

import numpy
import tensorflow as tf
from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

from shared.cases import write_case


def arrays(result):
    """The arrays of a result, in TensorFlow's order."""
    return [value.numpy() for value in tf.nest.flatten(result)]


def signature_of(inputs, open_axes):
    """The types of the inputs, with the axes that are left open."""
    return {name: tf.TensorSpec([None if axis in open_axes else size
                                 for axis, size in enumerate(value.shape)],
                                tf.as_dtype(value.dtype), name=name)
            for name, value in inputs.items()}


def write_saved_model(module, function, draws, open_axes, folder):
    """A SavedModel whose signature is the function, of named inputs to a list of outputs."""
    specs = signature_of(draws[0], open_axes)

    @tf.function(input_signature=[specs[name] for name in specs])
    def serve(*values):
        outputs = tf.nest.flatten(function(**dict(zip(specs, values))))
        return {f"result_{place:03}": value for place, value in enumerate(outputs)}

    tf.saved_model.save(module, str(folder / "model"), signatures=serve)
    runs = []
    for draw in draws:
        outputs = arrays(function(**{name: tf.constant(value) for name, value in draw.items()}))
        runs.append((draw, {f"result_{place:03}": value for place, value in enumerate(outputs)}))
    write_case(folder, "model", runs, write_back="", write_back_options=["--to", "tf"])


def write_frozen(function, draws, open_axes, folder):
    """A GraphDef with its variables as constants."""
    specs = signature_of(draws[0], open_axes)

    @tf.function(input_signature=[specs[name] for name in specs])
    def call(*values):
        return tf.nest.flatten(function(**dict(zip(specs, values))))

    frozen = convert_variables_to_constants_v2(call.get_concrete_function())
    (folder / "model.pb").write_bytes(frozen.graph.as_graph_def().SerializeToString())
    places = [tensor.name.split(":")[0] for tensor in frozen.inputs]
    results = [tensor.name.split(":")[0] for tensor in frozen.outputs]
    runs = []
    for draw in draws:
        outputs = arrays(frozen(*map(tf.constant, draw.values())))
        runs.append((dict(zip(places, draw.values())), dict(zip(results, outputs))))
    write_case(folder, "model.pb", runs, write_back=".pb")


def load(path):
    """Runs a SavedModel or a GraphDef that Dragoman wrote."""
    if path.endswith(".pb"):
        graph = tf.compat.v1.GraphDef.FromString(open(path, "rb").read())
        return lambda inputs: run_graph(graph, inputs)
    serve = tf.saved_model.load(path).signatures["serving_default"]

    def call(inputs):
        outputs = serve(**{name: tf.constant(value) for name, value in inputs.items()})
        return [outputs[name].numpy() for name in sorted(outputs, key=by_number)]

    return call


def by_number(name):
    """The order of names that end in numbers."""
    return len(name), name


def run_graph(graph, inputs):
    """The outputs of a frozen graph, which are called Identity, Identity_1, …."""
    results = sorted((node.name for node in graph.node
                      if re.fullmatch(r"Identity(_\d+)?", node.name)), key=by_number)
    with tf.compat.v1.Session(graph=tf.Graph()) as session:
        tf.import_graph_def(graph, name="")
        feeds = {f"{name}:0": numpy.asarray(value) for name, value in inputs.items()}
        return session.run([f"{name}:0" for name in results], feeds)
