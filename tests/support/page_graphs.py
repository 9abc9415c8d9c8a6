# SPDX-License-Identifier: Apache-2.0
"""Graphs in text form for tests of pages: scopes, bodies, hostile names, many nodes."""

HEAD = 'dragoman 1 source onnx\nopset "" 17\n\n'
SCRIPT = "</script><script>window.hacked = true</script>"
HOSTILE = (SCRIPT, "<img src=x onerror='window.hacked = true'>", "\\xe2\\x80\\xaefdp.exe",
           "\\x1b]0;title\\x07", "&lt;b&gt; ${window.hacked = true} `", "__proto__")


def _graph(signature, lines):
    return HEAD + f"entry main @main{signature} {{\n" + "".join(f"  {x}\n" for x in lines) + "}\n"


def layers(count, changed=None):
    """Alike layers, each a scope in the scope 'encoder'; one of them may have other operators."""
    rows = [[(i * 8 + k) / 64 - 0.5 for k in range(8)] for i in range(8)]
    lines, value = [f"const %w: f32[8, 8] = {rows}"], "x"
    for i in range(count):
        scope = f"/encoder/layer.{i}"
        unary = "Tanh" if i == changed else "Relu"
        lines += [
            f"%a{i}: f32[2, 8] = onnx.MatMul(%{value}, %w) @{scope}/dense/MatMul",
            f"%b{i}: f32[2, 8] = onnx.{unary}(%a{i}) @{scope}/dense/{unary}",
            f"%c{i}: f32[2, 8] = onnx.Add(%b{i}, %{value}) @{scope}/Add"]
        value = f"c{i}"
        if i == changed:
            lines.append(f"%d{i}: f32[2, 8] = onnx.Neg(%c{i}) @{scope}/Neg")
            value = f"d{i}"
    lines.append(f"%y: f32[2, 8] = onnx.Softmax(%{value}) {{axis = 1}} @/head/Softmax")
    return _graph("(%x: f32[2, 8]) -> (%y: f32[2, 8])", lines)


def bodies():
    """An If, and a Loop that reads a value of the graph around it."""
    return _graph("(%x: f32[4], %c: bool[], %n: i64[]) -> (%y: f32[4])", [
        "const %yes: bool[] = true",
        "%a: f32[4] = onnx.Neg(%x) @outside",
        "%i: f32[4] = onnx.If(%c) {then_branch = graph then() -> (%t: f32[4]) {",
        "  %t: f32[4] = onnx.Abs(%a) @taken",
        "}, else_branch = graph otherwise() -> (%e: f32[4]) {",
        "  %e: f32[4] = onnx.Exp(%x) @left",
        "}} @choose",
        "%y: f32[4] = onnx.Loop(%n, %yes, %i) {body = graph body(%k: i64[], %go: bool[], %s: f32[4])"
        " -> (%on: bool[], %r: f32[4]) {",
        "  %on: bool[] = onnx.Identity(%go) @keep",
        "  %r: f32[4] = onnx.Mul(%s, %a) @step",
        "}} @repeat"])


def hostile():
    """Every name is one of HOSTILE."""
    lines = [f'%"{name}": f32[4] = onnx.Relu(%"{before}") @"{name}"'
             for before, name in zip(HOSTILE, HOSTILE[1:])]
    return _graph(f'(%"{HOSTILE[0]}": f32[4]) -> (%"{HOSTILE[-1]}": f32[4])', lines)


def many(nodes, width=20):
    """Chains of `width` operators side by side, joined in each row of scopes."""
    lines, values = [], [f"x{i}" for i in range(width)]
    unaries = ("Relu", "Tanh", "Sigmoid", "Exp", "Neg", "Abs")
    for number in range(nodes):
        column, row = number % width, number // width
        value, other = values[column], values[(column * 7 + row) % width]
        scope = f"stage{row // 25}/column{column}"
        operator = unaries[(number * 5 + row) % len(unaries)]
        call = f"Add(%{value}, %{other})" if number % 3 == 0 else f"{operator}(%{value})"
        values[column] = f"v{number}"
        lines.append(f"%v{number}: f32[8] = onnx.{call} @{scope}/node{number}")
    return _graph("(%s) -> (%s)" % (", ".join(f"%x{i}: f32[8]" for i in range(width)),
                                    ", ".join(f"%{value}: f32[8]" for value in values)), lines)
