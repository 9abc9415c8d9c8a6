# SPDX-License-Identifier: Apache-2.0
"""Rewrites ONNX models without bodies as optimisers of files do: folds constants, keeps one of equal
nodes, drops Identity, makes Gemm of MatMul and Add, and x / y of x * (1 / y).
"""

import numpy as np
from onnx import helper, numpy_helper, shape_inference

import onnx_eval


class Simplifier:
    def __init__(self, model):
        self.graph = graph = model.graph
        self.constants = {i.name: numpy_helper.to_array(i) for i in graph.initializer}
        self.outputs = {value.name for value in graph.output}
        typed = shape_inference.infer_shapes(model).graph
        self.ranks = {value.name: len(value.type.tensor_type.shape.dim)
                      for value in (*typed.input, *typed.value_info)}
        self.renamed = {}

    def run(self):
        nodes = self.merged(self.folded(self.graph.node))
        readers = {}
        for node in nodes:
            for name in node.input:
                readers.setdefault(name, []).append(node)
        del self.graph.node[:]
        self.graph.node.extend(self.fused(nodes, readers))
        self.write_constants()

    def folded(self, nodes):
        runner = onnx_eval.Graph(self.graph, {})
        for node in nodes:
            known = all(name in self.constants or not name for name in node.input)
            given = self.outputs & set(node.output)
            if not known or given or node.op_type not in onnx_eval.OPS:
                yield node
                continue
            runner.values.update(self.constants)
            self.constants.update(zip(node.output, map(np.asarray, runner.run_node(node))))

    def merged(self, nodes):
        seen, kept = {}, []
        for node in nodes:
            for i, name in enumerate(node.input):
                node.input[i] = self.renamed.get(name, name)
            key = (node.op_type, *node.input, *(a.SerializeToString() for a in node.attribute))
            if self.outputs & set(node.output):
                kept.append(node)
            elif node.op_type == "Identity":
                self.renamed[node.output[0]] = node.input[0]
            elif key in seen:
                self.renamed.update(zip(node.output, seen[key]))
            else:
                seen[key] = list(node.output)
                kept.append(node)
        return kept

    def fused(self, nodes, readers):
        """With Gemm and quotients; a node that only such a one reads is left out."""
        made = {name: node for node in nodes for name in node.output}
        gone, kept = set(), []
        for node in nodes:
            for fuse in (self.as_gemm, self.as_quotient):
                inner, fused = fuse(node, made) or (None, None)
                if inner is None or len(readers[inner.output[0]]) > 1:
                    continue
                gone.add(inner.output[0])
                node = fused
                break
            kept.append(node)
        return [node for node in kept if node.output[0] not in gone]

    def as_gemm(self, node, made):
        for i, name in enumerate(node.input if node.op_type == "Add" else ()):
            product, bias = made.get(name), self.constants.get(node.input[1 - i])
            if product is None or product.op_type != "MatMul" or bias is None or bias.ndim != 1:
                continue
            weight = self.constants.get(product.input[1])
            if weight is None or weight.ndim != 2 or self.ranks.get(product.input[0]) != 2:
                continue
            operands = [*product.input, node.input[1 - i]]
            return product, helper.make_node("Gemm", operands, node.output)
        return None

    def as_quotient(self, node, made):
        for i, name in enumerate(node.input if node.op_type == "Mul" else ()):
            quotient = made.get(name)
            if quotient is None or quotient.op_type != "Div":
                continue
            numerator = self.constants.get(quotient.input[0])
            if numerator is None or numerator.ndim > 0 or numerator != 1:
                continue
            operands = [node.input[1 - i], quotient.input[1]]
            return quotient, helper.make_node("Div", operands, node.output)
        return None

    def write_constants(self):
        read = {name for node in self.graph.node for name in node.input}
        del self.graph.initializer[:]
        self.graph.initializer.extend(numpy_helper.from_array(np.array(value), name)
                                      for name, value in self.constants.items() if name in read)


def simplify(model):
    Simplifier(model).run()
    return model
