# SPDX-License-Identifier: Apache-2.0
"""Models of which one dimension has any size, as texts of each format, for doubling.py.

MODELS is {format: {dimension: function from the size to the model}}; a model is a text, or for
archives of TorchScript the lines of the code of `M`.
"""

HEAD = 'dragoman 1 source onnx\nopset "" 17\nmetadata "k" = "v"\nextra {onnx.ir_version = 8}\n\n'
T = "f32[2]"


def entry(lines, inputs=(f"%x: {T}",), outputs=(f"%y: {T}",), name="main", head=HEAD, rest=""):
    body = "\n  ".join(lines)
    return (f"{head}entry {name}({', '.join(inputs)}) -> ({', '.join(outputs)}){rest} "
            f"{{\n  {body}\n}}\n")


def chain(n, op="onnx.Relu"):
    return [f"%a{i}: {T} = {op}(%{f'a{i - 1}' if i else 'x'})" for i in range(n)]


def last(n):
    return f"%y = onnx.Neg(%a{n - 1})"


def alternating(n):
    ops = ("onnx.Sin", "onnx.Exp", "onnx.Cos", "onnx.Tanh")
    return entry([f"%a{i}: {T} = {ops[i % 4]}(%{f'a{i - 1}' if i else 'x'}) @node{i}"
                  for i in range(n)] + [last(n)])


def odd_names(n):
    """Identifiers made of them collide."""
    names = [f'%"a{"!" * (i % 40)}{i}"' for i in range(n)]
    return entry([f'{names[i]}: {T} = onnx.Exp({names[i - 1] if i else "%x"})' for i in range(n)] +
                 [f"%y = onnx.Neg({names[n - 1]})"])


def of_functions(n, calls_next):
    lines = [f"%y = onnx:local.f0(%x)"] if calls_next else \
        [f"%a{i}: {T} = onnx:local.f{i}(%{f'a{i - 1}' if i else 'x'})" for i in range(n)] + [last(n)]
    body = "onnx:local.f{}(%x)" if calls_next else "onnx.Exp(%x)"
    text = entry(lines, head='dragoman 1 source onnx\nopset "" 17\nopset "local" 1\n'
                             'extra {onnx.ir_version = 8}\n\n')
    for i in range(n):
        op = "onnx.Exp(%x)" if calls_next and i + 1 == n else body.format(i + 1)
        text += (f'\nfunction onnx:local.f{i} @f{i}(%x) -> (%y)\n    opset "" 17\n    opset "local" 1 '
                 f'{{\n  %y = {op}\n}}\n')
    return text


def constants(n):
    lines = [f"const %c{i}: {T} = [{i}.0, 1.0]" for i in range(n)]
    lines += [f"%a{i}: {T} = onnx.Mul(%{f'a{i - 1}' if i else 'x'}, %c{i})" for i in range(n)]
    return entry(lines + [last(n)])


def twins(n, named):
    lines = [f"%a{i}: {T} = onnx.Relu(%x)" + (f" @n{i}" if named else "") for i in range(n)]
    operands = ", ".join(f"%a{i}" for i in range(n))
    return entry(lines + [f"%y = onnx.Concat({operands}) {{axis = 0}}"], outputs=["%y: f32[m]"])


def users(n):
    """Of one value, and all are read."""
    ops = ("onnx.Sin", "onnx.Exp", "onnx.Cos", "onnx.Tanh")
    return entry([f"%a{i}: {T} = {ops[i % 4]}(%x)" for i in range(n)] +
                 [f"%b{i}: {T} = onnx.Mul(%{f'b{i - 1}' if i else 'x'}, %a{i})" for i in range(n)] +
                 [f"%y = onnx.Neg(%b{n - 1})"])


def operands(n):
    return entry([f"%y = onnx.Concat({', '.join(['%x'] * n)}) {{axis = 0}}"], outputs=["%y: f32[m]"])


def results(n):
    parts = ", ".join(f"%p{i}" for i in range(n))
    return entry([f"{parts} = onnx.Split(%x) {{axis = 0}}",
                  f"%y = onnx.Concat({parts}) {{axis = 0}}"], [f"%x: f32[{n}]"], [f"%y: f32[{n}]"])


def entries(n):
    return HEAD + "".join(entry(["%y = onnx.Neg(%x)"], name=f"e{i}", head="") for i in range(n))


def states(n):
    head = 'dragoman 1 common onnx\nopset "" 22\n' + "".join(
        f"state s{i}: {T} = {T} [0.0, 0.0]\n" for i in range(n)) + "\n"
    lines = [f"%n{i} = onnx.Add(%s{i}, %x)" for i in range(n)] + ["%y = onnx.Neg(%x)"]
    rest = "".join(f"\n    state {i} input {i + 1} -> output {i + 1}" for i in range(n))
    return entry(lines, [f"%x: {T}", *(f"%s{i}: {T}" for i in range(n))],
                 [f"%y: {T}", *(f"%n{i}: {T}" for i in range(n))], head=head, rest=rest)


def interface(n):
    lines = [f"%y{i} = onnx.Neg(%x{i})" for i in range(n)]
    return entry(lines, [f"%x{i}: {T}" for i in range(n)], [f"%y{i}: {T}" for i in range(n)])


def sequence(n):
    lines = [f"%a{i}: {T} = onnx.Mul(%x, %c{i})" for i in range(n)]
    return entry([f"const %c{i}: {T} = [{i}.0, 1.0]" for i in range(n)] + lines +
                 [f"%s = onnx.SequenceConstruct({', '.join(f'%a{i}' for i in range(n))})",
                  "%y = onnx.ConcatFromSequence(%s) {axis = 0}"], outputs=["%y: f32[m]"])


def insertions(n):
    lines = ["%s0 = onnx.SequenceEmpty()"]
    lines += [f"%s{i + 1} = onnx.SequenceInsert(%s{i}, %x)" for i in range(n)]
    return entry(lines + [f"%y = onnx.ConcatFromSequence(%s{n}) {{axis = 0}}"],
                 outputs=["%y: f32[m]"])


def rank(n):
    sizes = ", ".join(["1"] * n)
    return entry(["%y = onnx.Relu(%x)"], [f"%x: f32[{sizes}]"], [f"%y: f32[{sizes}]"])


def symbols(n):
    lines = [f"%y{i} = onnx.Neg(%x{i})" for i in range(n)]
    return entry(lines, [f"%x{i}: f32[n{i}, m{i}]" for i in range(n)],
                 [f"%y{i}: f32[n{i}, m{i}]" for i in range(n)])


def dims(n):
    """Sizes that are sums of ever more symbols."""
    lines = [f"%a{i}: f32[?] = onnx.Concat(%{f'a{i - 1}' if i else 'x'}, %x{i}) {{axis = 0}}"
             for i in range(n)]
    return entry(lines + [last(n)], ["%x: f32[k]", *(f"%x{i}: f32[n{i}]" for i in range(n))],
                 ["%y: f32[?]"])


def slices(n):
    """Of one value: with bounds of their own, one after the other."""
    lines = []
    for i in range(n):
        lines += [f"const %b{i}: i64[1] = [{i}]", f"const %e{i}: i64[1] = [{i + 1}]",
                  f"%a{i} = onnx.Slice(%x, %b{i}, %e{i})"]
    joined = ", ".join(f"%a{i}" for i in range(n))
    return entry(lines + [f"%y = onnx.Concat({joined}) {{axis = 0}}"], [f"%x: f32[{n}, 3]"],
                 [f"%y: f32[{n}, 3]"])


def branches(n):
    lines = [f"%a{i}: {T} = onnx.If(%c) {{then_branch = graph t() -> (%t: {T}) {{\n%t = onnx.Exp("
             f"%{f'a{i - 1}' if i else 'x'})\n}}, else_branch = graph e() -> (%e: {T}) {{\n%e = onnx.Neg("
             f"%{f'a{i - 1}' if i else 'x'})\n}}}}" for i in range(n)]
    return entry(lines + [last(n)], ["%c: bool[]", f"%x: {T}"])


def loop_body(n):
    inner = "\n".join(f"%b{i}: {T} = onnx.{'Sin' if i % 2 else 'Exp'}(%{f'b{i - 1}' if i else 'v'})"
                      for i in range(n))
    return entry([f"%y = onnx.Loop(%m, _, %x) {{body = graph inner(%i: i64[], %go: bool[], %v: {T}) -> "
                  f"(%go, %b{n - 1}) {{\n{inner}\n}}}}"], ["%m: i64[]", f"%x: {T}"])


def loop_states(n):
    given = ", ".join(f"%x{i}" for i in range(n))
    body = "\n".join(f"%w{i} = onnx.Exp(%v{i})" for i in range(n))
    inputs = ", ".join(f"%v{i}: {T}" for i in range(n))
    outputs = ", ".join(f"%w{i}" for i in range(n))
    results_ = ", ".join(f"%y{i}" for i in range(n))
    return entry([f"{results_} = onnx.Loop(%m, _, {given}) {{body = graph inner(%i: i64[], %go: bool[], "
                  f"{inputs}) -> (%go, {outputs}) {{\n{body}\n}}}}"],
                 ["%m: i64[]", *(f"%x{i}: {T}" for i in range(n))], [f"%y{i}: {T}" for i in range(n)])


def captures(n):
    """A branch that reads values outside of it."""
    inner = "\n".join(f"%b{i}: {T} = onnx.Add(%{f'b{i - 1}' if i else 'x'}, %a{i})" for i in range(n))
    return entry(chain(n, "onnx.Exp") +
                 [f"%y = onnx.If(%c) {{then_branch = graph t() -> (%b{n - 1}) {{\n{inner}\n}}, "
                  f"else_branch = graph e() -> (%e: {T}) {{\n%e = onnx.Neg(%x)\n}}}}"],
                 ["%c: bool[]", f"%x: {T}"])


def linear_layers(n):
    weights = [f"const %w{i}: f32[2, 2] = [[{i}.0, 1.0], [0.5, 0.25]]" for i in range(n)]
    lines = [f"%a{i}: f32[1, 2] = onnx.{'Relu' if i % 2 else 'MatMul'}"
             f"(%{f'a{i - 1}' if i else 'x'}{'' if i % 2 else f', %w{i}'})" for i in range(n)]
    return entry(weights + lines + [last(n)], ["%x: f32[1, 2]"], ["%y: f32[1, 2]"])


def reshapes(n):
    lines = ["const %p: i64[2] = [2, 1]", "const %q: i64[1] = [2]"]
    lines += [f"%a{i} = onnx.Reshape(%{f'a{i - 1}' if i else 'x'}, %{'q' if i % 2 else 'p'})"
              for i in range(2 * n)]
    return entry(lines + [last(2 * n)])


def transposes(n):
    lines = [f"%a{i} = onnx.{'Exp' if i % 2 else 'Transpose'}(%{f'a{i - 1}' if i else 'x'})"
             for i in range(2 * n)]
    return entry(lines + [last(2 * n)], ["%x: f32[2, 2]"], ["%y: f32[2, 2]"])


def sizes(n):
    lines = ["const %z: i64[] = 0"]
    for i in range(n):
        at = f"a{i - 1}" if i else "x"
        lines += [f"%s{i} = onnx.Shape(%{at})", f"%a{i} = onnx.Expand(%{at}, %s{i})",]
    return entry(lines + [last(n)], ["%x: f32[n, 3]"], ["%y: f32[n, 3]"])


def foldable(n):
    lines = ["const %x0: f32[2] = [1.0, 2.0]"]
    lines += [f"%a{i} = onnx.Neg(%{f'a{i - 1}' if i else 'x0'})" for i in range(n)]
    return entry(lines + [f"%y = onnx.Add(%x, %a{n - 1})"])


def tree(n):
    """A balanced sum."""
    lines, level = [], [f"%{name}" for name in (f"x{i}" for i in range(n))]
    inputs = [f"{name}: {T}" for name in level]
    while len(level) > 1:
        joined = []
        for i in range(0, len(level) - 1, 2):
            joined.append(f"%t{len(lines)}")
            lines.append(f"{joined[-1]}: {T} = onnx.Add({level[i]}, {level[i + 1]})")
        level = joined + (level[-1:] if len(level) % 2 else [])
    return entry(lines + [f"%y = onnx.Neg({level[0]})"], inputs)


def grid(n):
    """Each row reads the row before crosswise."""
    width, lines = 8, []
    row = ["x"] * width
    for i in range(max(n // width, 1)):
        lines += [f"%a{i}_{k}: {T} = onnx.{'Add' if k % 2 else 'Mul'}(%{row[k]}, %{row[(k + 3) % width]})"
                  for k in range(width)]
        row = [f"a{i}_{k}" for k in range(width)]
    return entry(lines + [f"%y = onnx.Sum({', '.join(f'%{name}' for name in row)})"])


ONNX = {
    "nodes": alternating,
    "equal nodes in a chain": lambda n: entry(chain(n) + [last(n)]),
    "twin nodes": lambda n: twins(n, False),
    "named twin nodes": lambda n: twins(n, True),
    "grid of nodes": grid,
    "tree of nodes": tree,
    "uses of one value": users,
    "operands of one node": operands,
    "results of one node": results,
    "attributes of one node": lambda n: entry(
        ["%y = onnx.Relu(%x) {" + ", ".join(f"a{i} = {i}" for i in range(n)) + "}"]),
    "elements of an attribute": lambda n: entry(
        ["%y = onnx.Relu(%x) {a = [" + ", ".join(str(i) for i in range(n)) + "]}"]),
    "texts of an attribute": lambda n: entry(
        ["%y = onnx.Relu(%x) {a = [" + ", ".join(f'"t{i}"' for i in range(n)) + "]}"]),
    "functions": lambda n: of_functions(n, False),
    "functions that call the next": lambda n: of_functions(n, True),
    "constants": constants,
    "length of a name": lambda n: entry([f"%{'a' * n} = onnx.Exp(%x) @{'n' * n}",
                                         f"%y = onnx.Neg(%{'a' * n})"]),
    "nodes of one name": lambda n: entry(
        [f"{line} @same" for line in chain(n, "onnx.Exp")] + [last(n)]),
    "names that clean to one": odd_names,
    "entries": entries,
    "states": states,
    "inputs and outputs": interface,
    "elements of a sequence": sequence,
    "insertions into a sequence": insertions,
    "axes": rank,
    "symbols": symbols,
    "terms of a size": dims,
    "slices of one value": slices,
    "branches": branches,
    "nodes of a loop": loop_body,
    "states of a loop": loop_states,
    "captured values": captures,
    "annotations": lambda n: HEAD.replace('metadata "k" = "v"\n', "".join(
        f'metadata "k{i}" = "v{i}"\n' for i in range(n))) + entry(["%y = onnx.Neg(%x)"], head=""),
    "elements of a constant": lambda n: entry(
        [f"const %w: f32[{4 * n}] = [{', '.join(f'{i}.5' for i in range(4 * n))}]",
         "%y = onnx.Add(%x, %w)"], [f"%x: f32[{4 * n}]"], [f"%y: f32[{4 * n}]"]),
    "texts of a constant": lambda n: entry(
        [f"const %w: str[{n}] = [{', '.join(f'{chr(34)}t{i}{chr(34)}' for i in range(n))}]",
         "%y = onnx.Identity(%w)"], [], [f"%y: str[{n}]"]),
    "layers": linear_layers,
    "reshapes": reshapes,
    "transposes": transposes,
    "shapes of shapes": sizes,
    "constant nodes": foldable,
    "length of a line": lambda n: HEAD + alternating(n)[len(HEAD):].replace("\n", " "),
}

RELAY_T = "Tensor[(2), float32]"


def relay(statements, value, parameters=("x",), functions=""):
    given = ", ".join(f"%{name}: {RELAY_T}" for name in parameters)
    body = "".join(f"  {line};\n" for line in statements)
    return f'#[version = "0.0.5"]\n{functions}def @main({given}) -> {RELAY_T} {{\n{body}  {value}\n}}\n'


RELAY = {
    "statements": lambda n: relay([f"%{i} = {'tanh' if i % 2 else 'exp'}(%{i - 1 if i else 'x'})"
                                   for i in range(n)], f"%{n - 1}"),
    "lets": lambda n: relay([f"let %v{i} = {'tanh' if i % 2 else 'exp'}(%{f'v{i - 1}' if i else 'x'})"
                             for i in range(n)], f"%v{n - 1}"),
    "fields of a tuple": lambda n: relay([f"%0 = ({', '.join(['%x'] * n)})"],
                                         "concatenate(%0)").replace(f"-> {RELAY_T}", ""),
    "projections": lambda n: relay([f"%0 = ({', '.join(['%x'] * n)})", "%1 = exp(%x)"] +
                                   [f"%{2 * i + 2} = %0.{i};\n  %{2 * i + 3} = add(%{2 * i + 1}, %{2 * i + 2})"
                                    for i in range(n)], f"%{2 * n + 1}"),
    "functions": lambda n: relay(
        [f"%{i} = @f{i}(%{i - 1 if i else 'x'})" for i in range(n)], f"%{n - 1}",
        functions="".join(f"def @f{i}(%a: {RELAY_T}) -> {RELAY_T} {{\n  tanh(%a)\n}}\n" for i in range(n))),
    "parameters": lambda n: relay(
        [f"%{i} = add(%{i - 1 if i else 'p0'}, %p{i})" for i in range(n)], f"%{n - 1}",
        [f"p{i}" for i in range(n)]),
    "references": lambda n: relay(
        ["let %r = ref(%x)"] + [f"let %u{i} = ref_write(%r, exp(ref_read(%r)))" for i in range(n)],
        "ref_read(%r)"),
    "conditions": lambda n: relay(
        [f"%{i} = if (%c) {{\n exp(%{i - 1 if i else 'x'})\n}} else {{\n tanh(%{i - 1 if i else 'x'})\n}}"
         for i in range(n)], f"%{n - 1}").replace("@main(", "@main(%c: bool, "),
    "closures": lambda n: relay(
        [f"let %f{i} = fn (%a: {RELAY_T}) -> {RELAY_T} {{\n  exp(%a)\n}};\n  let %v{i} = "
         f"%f{i}(%{f'v{i - 1}' if i else 'x'})" for i in range(n)], f"%v{n - 1}"),
}

RELAX_T = 'R.Tensor((2,), dtype="float32")'


def relax(lines, value, parameters=("x",), functions=()):
    given = ", ".join(f"{name}: {RELAX_T}" for name in parameters)
    text = ["from tvm.script import ir as I", "from tvm.script import relax as R", "@I.ir_module",
            "class Module:", *functions, "    @R.function", f"    def main({given}):",
            "        cls = Module", *(f"        {line}" for line in lines), f"        return {value}"]
    return "\n".join(text) + "\n"


RELAX = {
    "statements": lambda n: relax([f"v{i}: {RELAX_T} = R.{'tanh' if i % 2 else 'exp'}({f'v{i - 1}' if i else 'x'})"
                                   for i in range(n)], f"v{n - 1}"),
    "statements of a dataflow block": lambda n: relax(
        ["with R.dataflow():", *(f"    v{i} = R.{'tanh' if i % 2 else 'exp'}({f'v{i - 1}' if i else 'x'})"
                                 for i in range(n)), f"    R.output(v{n - 1})"], f"v{n - 1}"),
    "fields of a tuple": lambda n: relax([f"t = R.tuple({', '.join(['x'] * n)})", "y = R.concat(t, axis=0)"], "y"),
    "projections": lambda n: relax(
        [f"t = R.tuple({', '.join(['x'] * n)})", "v0 = R.exp(x)",
         *(f"p{i} = t[{i}]\n        v{i + 1} = R.add(v{i}, p{i})" for i in range(n))], f"v{n}"),
    "functions": lambda n: relax(
        [f"v{i}: {RELAX_T} = cls.f{i}({f'v{i - 1}' if i else 'x'})" for i in range(n)], f"v{n - 1}",
        functions=[f"    @R.function\n    def f{i}(x: {RELAX_T}) -> {RELAX_T}:\n        y: {RELAX_T} = R.exp(x)\n"
                   "        return y" for i in range(n)]),
    "parameters": lambda n: relax([f"v{i} = R.add({f'v{i - 1}' if i else 'p0'}, p{i})" for i in range(n)],
                                  f"v{n - 1}", [f"p{i}" for i in range(n)]),
    "conditions": lambda n: relax(
        [f"if c:\n            a{i}: {RELAX_T} = R.exp({f'v{i - 1}' if i else 'x'})\n            v{i}: {RELAX_T} = a{i}\n"
         f"        else:\n            b{i}: {RELAX_T} = R.tanh({f'v{i - 1}' if i else 'x'})\n"
         f"            v{i}: {RELAX_T} = b{i}" for i in range(n)], f"v{n - 1}").replace(
             "def main(", 'def main(c: R.Tensor((), dtype="bool"), '),
}


def attr_type(name="T"):
    return f'attr {{ key: "{name}" value {{ type: DT_FLOAT }} }}'


def tf_node(name, op, inputs=(), more=""):
    given = " ".join(f'input: "{i}"' for i in inputs)
    return f'node {{ name: "{name}" op: "{op}" {given} {more} }}\n'


PLACEHOLDER = tf_node("x", "Placeholder", more=attr_type("dtype") +
                      ' attr { key: "shape" value { shape { dim { size: 2 } } } }')


def tf_const(name, value="1"):
    return tf_node(name, "Const", more=attr_type("dtype") + ' attr { key: "value" value { tensor { '
                   f'dtype: DT_FLOAT tensor_shape {{ dim {{ size: 2 }} }} float_val: {value} }} }} }}')


def tf_functions(n, calls_next):
    def function(i):
        op, attr = (f"f{i + 1}", "") if calls_next and i + 1 < n else ("Exp", attr_type())
        out = "r:0" if op != "Exp" else "y:0"
        return (f'function {{ signature {{ name: "f{i}" input_arg {{ name: "a" type: DT_FLOAT }} '
                'output_arg { name: "r" type: DT_FLOAT } } '
                f'node_def {{ name: "n" op: "{op}" input: "a" {attr} }} '
                f'ret {{ key: "r" value: "n:{out}" }} }}\n')
    if calls_next:
        nodes = tf_node("y", "f0", ["x"])
    else:
        nodes = "".join(tf_node(f"a{i}", f"f{i}", [f"a{i - 1}" if i else "x"]) for i in range(n))
    return PLACEHOLDER + nodes + "library {\n" + "".join(function(i) for i in range(n)) + "}\n"


TENSORFLOW = {
    "nodes": lambda n: PLACEHOLDER + "".join(
        tf_node(f"a{i}", "Exp" if i % 2 else "Tanh", [f"a{i - 1}" if i else "x"], attr_type()) for i in range(n)),
    "nodes in reverse": lambda n: "".join(
        tf_node(f"a{i}", "Exp" if i % 2 else "Tanh", [f"a{i - 1}" if i else "x"], attr_type())
        for i in reversed(range(n))) + PLACEHOLDER,
    "operands of one node": lambda n: PLACEHOLDER + tf_node(
        "y", "AddN", ["x"] * n, attr_type() + f' attr {{ key: "N" value {{ i: {n} }} }}'),
    "control edges": lambda n: PLACEHOLDER + "".join(tf_node(f"c{i}", "NoOp") for i in range(n)) + tf_node(
        "y", "Exp", ["x", *(f"^c{i}" for i in range(n))], attr_type()),
    "constants": lambda n: PLACEHOLDER + "".join(
        tf_const(f"c{i}", str(i)) + tf_node(f"a{i}", "Mul", [f"a{i - 1}" if i else "x", f"c{i}"], attr_type())
        for i in range(n)),
    "attributes of one node": lambda n: PLACEHOLDER + tf_node("y", "Exp", ["x"], attr_type() + " ".join(
        f'attr {{ key: "_a{i}" value {{ i: {i} }} }}' for i in range(n))),
    "functions": lambda n: tf_functions(n, False),
    "functions that call the next": lambda n: tf_functions(n, True),
    "placeholders": lambda n: "".join(PLACEHOLDER.replace('"x"', f'"x{i}"') + tf_node(
        f"y{i}", "Exp", [f"x{i}"], attr_type()) for i in range(n)),
    "elements of a constant": lambda n: PLACEHOLDER + tf_node("c", "Const", more=attr_type("dtype") +
        f' attr {{ key: "value" value {{ tensor {{ dtype: DT_FLOAT tensor_shape {{ dim {{ size: {n} }} }} ' +
        " ".join(f"float_val: {i}" for i in range(n)) + " } } }") + tf_node("y", "Exp", ["c"], attr_type()),
    "switches": lambda n: PLACEHOLDER + tf_node("p", "Placeholder", more='attr { key: "dtype" value { type: DT_BOOL } } '
        'attr { key: "shape" value { shape { } } }') + "".join(
            tf_node(f"s{i}", "Switch", [f"m{i - 1}" if i else "x", "p"], attr_type()) +
            tf_node(f"e{i}", "Exp", [f"s{i}:1"], attr_type()) + tf_node(f"t{i}", "Tanh", [f"s{i}"], attr_type()) +
            tf_node(f"m{i}", "Merge", [f"t{i}", f"e{i}"], attr_type() + ' attr { key: "N" value { i: 2 } }')
            for i in range(n)),
    "length of a name": lambda n: PLACEHOLDER + tf_node("a" * n, "Exp", ["x"], attr_type()) + tf_node(
        "y", "Tanh", ["a" * n], attr_type()),
}


def script(lines, value, arguments="x: Tensor", result="Tensor", more=""):
    body = "".join(f"    {line}\n" for line in lines)
    return f"  def forward(self: __torch__.M, {arguments}) -> {result}:\n{body}    return {value}\n{more}"


TORCHSCRIPT = {
    "statements": lambda n: script([f"a{i} = torch.{'exp' if i % 2 else 'tanh'}({f'a{i - 1}' if i else 'x'})"
                                    for i in range(n)], f"a{n - 1}"),
    "assignments of one variable": lambda n: script([f"x = torch.{'exp' if i % 2 else 'tanh'}(x)" for i in range(n)], "x"),
    "elements of a list": lambda n: script([f"l = [{', '.join(['x'] * n)}]"], "torch.cat(l)"),
    "numbers of a list": lambda n: script([f"l = [{', '.join(str(i) for i in range(n))}]"],
                                          "torch.add(x, torch.sum(torch.tensor(l)))"),
    "appended elements": lambda n: script(["l = annotate(List[Tensor], [])", *(f"_{i} = torch.append(l, x)"
                                                                             for i in range(n))], "torch.cat(l)"),
    "entries of a dictionary": lambda n: script(
        ["d = annotate(Dict[str, Tensor], {" + ", ".join(f'"k{i}": x' for i in range(n)) + "})"], 'd["k0"]'),
    "parameters": lambda n: script([f"a{i} = torch.add({f'a{i - 1}' if i else 'p0'}, p{i})" for i in range(n)],
                                   f"a{n - 1}", ", ".join(f"p{i}: Tensor" for i in range(n))),
    "methods": lambda n: script(["y = (self).m0(x, )"], "y", more="".join(
        f"  def m{i}(self: __torch__.M, x: Tensor) -> Tensor:\n    return torch.exp(x)\n" for i in range(n))),
    "methods that call the next": lambda n: script(["y = (self).m0(x, )"], "y", more="".join(
        f"  def m{i}(self: __torch__.M, x: Tensor) -> Tensor:\n    return "
        f"{f'(self).m{i + 1}(x, )' if i + 1 < n else 'torch.exp(x)'}\n" for i in range(n))),
    "conditions": lambda n: script([line for i in range(n) for line in (
        "if torch.gt(torch.size(x, 0), 3):", "  y = torch.exp(x)", "else:", "  y = torch.tanh(x)", "x = y")], "x"),
    "conditions of data": lambda n: script([line for i in range(n) for line in (
        "if bool(torch.gt(torch.sum(x), 3)):", "  y = torch.exp(x)", "else:", "  y = torch.tanh(x)", "x = y")], "x"),
    "writes into views": lambda n: script(["y = torch.zeros_like(x)", *(
        f"_{i} = torch.copy_(torch.select(y, 0, 1), torch.select(x, 0, 0))" for i in range(n))], "y"),
    "loops": lambda n: script([line for i in range(n) for line in (
        "for i in range(torch.size(x, 0)):", "  x = torch.exp(x)")], "x"),
    "turns of a loop": lambda n: script([f"for i in range({n}):", "  x = torch.exp(x)"], "x"),
    "turns of a loop of numbers": lambda n: script(["k = 0", f"for i in range({n}):", "  k = torch.add(k, i)"],
                                                   "torch.add(x, k)"),
    "names in a scope": lambda n: script([f"a{i} = torch.exp(x)" for i in range(n)] + [
        "if bool(torch.gt(torch.sum(x), 3)):", "  y = torch.exp(x)", "else:", "  y = torch.tanh(x)"], "y"),
}

MODELS = {"dgt": ONNX, "relay": RELAY, "relax": RELAX, "tensorflow": TENSORFLOW,
          "torchscript": TORCHSCRIPT}
