# SPDX-License-Identifier: Apache-2.0
"""Deduces which sizes of the values of a Relax module TVM knows, and finds operators that read a value
whose sizes it does not know: TVM leaves them as they are, and then cannot compile them.

A value is a Tensor, a list of sizes (a shape) or a tuple of these. An annotation is not a proof.
"""
import ast

from relax_sizes import ONE, Size, broadcast, read_size


class Tensor:
    """`sizes` is a list; None: TVM does not know them; ...: it knows them, and nobody asks."""

    def __init__(self, sizes):
        self.sizes = sizes


def dotted(node):
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join(reversed(parts)) if isinstance(node, ast.Name) and node.id == "R" else None


NOT_FOLLOWED = Size.of("?")


def followed(value):
    """A value without what stands in for sizes that are not followed here."""
    if isinstance(value, tuple):
        return tuple(map(followed, value))
    if isinstance(value, Tensor) and isinstance(value.sizes, list) and any(
            "?" in str(size) for size in value.sizes):
        return Tensor(...)
    return value


UNKNOWN = {"nonzero", "dynamic_strided_slice", "unique"}  # sizes that depend on the elements
READS_ALL = {"match_cast", "shape_of", "tuple", "output", "print", "assert_op", "call_pure_packed",
             "call_packed", "call_dps_packed", "tensor_to_shape", "str", "const", "shape"}
BROADCAST = {"add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "mod",
             "floor_mod", "floor_divide", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift",
             "right_shift", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
             "logical_and", "logical_or", "logical_xor", "atan2", "log_add_exp", "where"}
LIKE_FIRST = {"abs", "acos", "acosh", "asin", "asinh", "atan", "atanh", "astype", "bitwise_not", "ceil",
              "cos", "cosh", "erf", "exp", "floor", "isfinite", "isinf", "isnan", "log",
              "logical_not", "negative", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt",
              "square", "tan", "tanh", "trunc", "clip", "nn.relu", "nn.gelu", "nn.gelu_tanh",
              "nn.silu", "nn.leakyrelu", "nn.softmax", "nn.log_softmax", "flip", "cumsum", "tril",
              "triu", "argsort", "sort", "reverse_sequence", "scatter_elements", "scatter_nd",
              "zeros_like", "ones_like", "quantize", "dequantize", "nn.layer_norm", "nn.group_norm",
              "nn.rms_norm"}
SIZED = {"reshape": 1, "broadcast_to": 1, "zeros": 0, "ones": 0, "full": 0}
REDUCTIONS = {"sum", "mean", "max", "min", "prod", "variance", "std", "argmax", "argmin"}


class Deducer:
    def __init__(self, functions, report):
        self.functions = functions
        self.report = report  # of a node and a line
        self.sizes = {}
        self.values = {}

    def run(self, function):
        self.sizes, self.values = {}, {}
        for argument in function.args.args:
            self.learn(argument.annotation)
        for argument in function.args.args:
            self.values[argument.arg] = self.of_type(argument.annotation)
        self.block(function.body)

    # Types.

    def learn(self, node):
        """Sizes that stand alone in a parameter or a cast are names from there on."""
        if not isinstance(node, ast.Call):
            return
        if dotted(node.func) == "Tuple":
            for part in node.args:
                self.learn(part)
        for size in node.args[0].elts if node.args and hasattr(node.args[0], "elts") else []:
            text = size.value if isinstance(size, ast.Constant) else getattr(size, "id", None)
            if isinstance(text, str) and text.isidentifier():
                self.sizes.setdefault(text, Size.of(text))

    def of_type(self, node, sizes=None):
        sizes = self.sizes if sizes is None else sizes
        kind = dotted(node.func) if isinstance(node, ast.Call) else None
        if kind == "Tuple":
            return tuple(self.of_type(part, sizes) for part in node.args)
        known = None
        if kind and node.args and hasattr(node.args[0], "elts"):
            known = [read_size(size, sizes) for size in node.args[0].elts]
            known = None if None in known else known
        return known if kind == "Shape" else Tensor(known)

    def of_call(self, function, arguments):
        """What a function of the module gives: its annotation, in sizes of the caller."""
        bound = {}
        for parameter, value in zip(function.args.args, arguments):
            self.bind(parameter.annotation, value, bound)
        names = {name: NOT_FOLLOWED if size is ... else size for name, size in bound.items()}
        return followed(self.of_type(function.returns, names)) if function.returns else Tensor(...)

    def bind(self, node, value, bound):
        """Sizes of the caller for the names that stand alone in a parameter; ... for what is not
        followed, unless another parameter has it too."""
        if isinstance(value, tuple):
            for part, element in zip(node.args, value):
                self.bind(part, element, bound)
            return
        actual = value.sizes if isinstance(value, Tensor) else value
        stated = node.args[0].elts if node.args and hasattr(node.args[0], "elts") else []
        for i, size in enumerate(stated):
            text = size.value if isinstance(size, ast.Constant) else None
            if isinstance(text, str) and text.isidentifier() and actual is not None:
                if bound.get(text, ...) is ...:
                    bound[text] = ... if actual is ... else actual[i]

    # Statements.

    def block(self, statements):
        last = None
        for node in statements:
            if isinstance(node, (ast.Assign, ast.AnnAssign)):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                last = target.id
                if ast.unparse(node.value) not in ("Module", "T.int64()"):
                    self.values[last] = self.of(node.value)
            elif isinstance(node, ast.With):
                self.block(node.body)
            elif isinstance(node, ast.If):
                last = self.branches(node)
            elif isinstance(node, (ast.Return, ast.Expr)) and node.value is not None:
                self.of(node.value)
        return last

    def branches(self, node):
        results = []
        for body in (node.body, node.orelse):
            last = self.block(body)
            results.append(self.values[last])
        self.values[last] = self.joined(*results)
        return last

    def joined(self, a, b):
        if isinstance(a, tuple) and isinstance(b, tuple):
            return tuple(self.joined(x, y) for x, y in zip(a, b))
        if not isinstance(a, Tensor) or not isinstance(b, Tensor):
            return a if a == b else None
        if a.sizes is ... or b.sizes is ...:
            return a if b.sizes is ... else b
        return a if a.sizes == b.sizes else Tensor(None)

    # Expressions.

    def of(self, node):
        if isinstance(node, ast.Name):
            return self.values.get(node.id)
        if isinstance(node, (ast.Tuple, ast.List)):
            return tuple(self.of(element) for element in node.elts)
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            value = self.of(node.value)
            return value[node.slice.value] if isinstance(value, tuple) else Tensor(...)
        if not isinstance(node, ast.Call):
            return None
        if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "cls":
            return self.of_call(self.functions[node.func.attr], [self.of(a) for a in node.args])
        op = dotted(node.func)
        if op == "match_cast":
            self.of(node.args[0])
            self.learn(node.args[1])
            return self.of_type(node.args[1])
        return self.of_operator(node, op)

    def of_operator(self, node, op):
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        if op in ("call_pure_packed", "call_packed", "call_dps_packed"):
            for argument in node.args:
                self.of(argument)
            return self.of_type(keywords.get("ty_args", keywords.get("sinfo_args")))
        if op == "shape":
            sizes = [read_size(size, self.sizes) for size in node.args[0].elts]
            return None if None in sizes else sizes
        operands = [self.of(argument) for argument in node.args]
        tensors = [value for operand in operands
                   for value in (operand if isinstance(operand, tuple) else [operand])
                   if isinstance(value, Tensor)]
        if op not in READS_ALL and any(tensor.sizes is None for tensor in tensors):
            self.report(node, f"R.{op} reads a value whose sizes TVM does not know")
            return Tensor(...)
        result = self.sizes_of(node, op, operands, tensors, keywords)
        if op == "tensor_to_shape":
            return None
        return result if isinstance(result, (tuple, list)) and op in ("split", "shape_of", "topk",
                                                                     "tuple") else Tensor(result)

    def sizes_of(self, node, op, operands, tensors, keywords):
        """Sizes of a result, or what split, topk and shape_of give; ... for those that are known and
        are not followed here."""
        first = tensors[0].sizes if tensors else ...
        if op in UNKNOWN:
            return None
        if op == "const":
            return [Size.of(n) for n in self.literal_sizes(node.args[0])]
        if op == "tuple":
            return tuple(operands)
        if op == "arange":
            end = read_size(node.args[1], self.sizes) if len(node.args) > 1 else None
            return [end] if end is not None else ...
        if op in SIZED:
            return self.stated(node.args[SIZED[op]], operands[SIZED[op]])
        if op in BROADCAST:
            return self.common(node, op, tensors)
        if op in LIKE_FIRST:
            return first
        if op == "concat":
            return self.concatenated(node, tensors, keywords)
        if first is ...:
            return (Tensor(...),) * 64 if op in ("split", "topk") else ...
        if op == "shape_of":
            return first
        if op == "shape_to_tensor":
            return [Size.of(len(operands[0]))] if isinstance(operands[0], list) else ...
        return self.moved(node, op, first, tensors, keywords)

    def moved(self, node, op, first, tensors, keywords):
        """Of one operand, whose axes come, go or change places."""
        rank = len(first)
        axis = keywords.get("axis", keywords.get("axes"))
        axes = ast.literal_eval(axis) if axis is not None else None
        listed = [] if axes is None else [axes] if isinstance(axes, int) else list(axes)
        listed = [a % rank if rank else a for a in listed]
        if op in REDUCTIONS:
            kept = keywords.get("keepdims")
            keeps = kept is not None and ast.literal_eval(kept)
            gone = range(rank) if axes is None else listed
            return [ONE if i in gone else size for i, size in enumerate(first)
                    if keeps or i not in gone]
        if op == "expand_dims":
            sizes, own = [], iter(first)
            places = [a % (rank + len(axes)) for a in axes]
            for i in range(rank + len(axes)):
                sizes.append(ONE if i in places else next(own))
            return sizes
        if op == "squeeze":
            return [size for i, size in enumerate(first) if i not in listed]
        if op == "permute_dims":
            return [first[a] for a in (listed or range(rank - 1, -1, -1))]
        if op == "take":
            indices = tensors[1].sizes
            at = listed[0] if listed else 0
            return ... if indices is ... else first[:at] + indices + first[at + 1:]
        if op == "matmul" and rank == 2:
            second = tensors[1].sizes
            return ... if second is ... or len(second) < 2 else [*second[:-2], first[0], second[-1]]
        if op == "gather_elements":
            return tensors[1].sizes
        if op in ("split", "topk"):
            return (Tensor(...),) * 64
        if op == "flatten":
            total = ONE
            for size in first:
                total = total * size
            return [total]
        return ...

    def literal_sizes(self, node):
        return [len(node.elts), *self.literal_sizes(node.elts[0])] if isinstance(
            node, ast.List) and node.elts else [0] if isinstance(node, ast.List) else []

    def stated(self, node, value):
        """Sizes that an argument gives: a shape, or a tuple of the text."""
        if isinstance(node, ast.Name) or dotted(getattr(node, "func", None)) is not None:
            if value is None:
                self.report(node, "a shape whose sizes TVM does not know")
                return ...
            return value
        sizes = [read_size(size, self.sizes) for size in node.elts]
        return ... if None in sizes or any((s.number() or 0) < 0 for s in sizes) else sizes

    def common(self, node, op, tensors):
        if any(tensor.sizes is ... for tensor in tensors):
            return ...
        sizes = broadcast([tensor.sizes for tensor in tensors])
        if sizes is None:
            self.report(node, f"TVM cannot prove that the operands of R.{op} fit")
            return ...
        return sizes

    def concatenated(self, node, tensors, keywords):
        if any(tensor.sizes is ... for tensor in tensors):
            return ...
        axis = ast.literal_eval(keywords["axis"]) if "axis" in keywords else 0
        rank = len(tensors[0].sizes)
        sizes = list(tensors[0].sizes)
        for tensor in tensors[1:]:
            for i, size in enumerate(tensor.sizes):
                if i == axis % rank:
                    sizes[i] = sizes[i] + size
                elif size != sizes[i]:
                    self.report(node, "TVM cannot prove that the operands of R.concat fit")
                    return ...
        return sizes
