# SPDX-License-Identifier: Apache-2.0
"""Files of TensorFlow, without TensorFlow: graphs as text that protoc encodes, checkpoints, SavedModels."""

import pathlib
import struct
import subprocess

import numpy as np

HERE = pathlib.Path(__file__).parent
SCHEMA = "proto/tensorflow/tensorflow.proto"
NUMBERS = {"float": (1, "<f4"), "int32": (3, "<i4")}


def quoted(data):
    return '"' + "".join(f"\\{byte:03o}" for byte in data) + '"'


def dtype(name):
    return f"type: DT_{name.upper()}"


def dtypes(*names):
    return "list { " + " ".join(dtype(name) for name in names) + " }"


def shape(*sizes):
    return "shape { " + " ".join(f"dim {{ size: {size} }}" for size in sizes) + " }"


def text(value):
    return f's: "{value}"'


def func(name):
    return f'func {{ name: "{name}" }}'


def tensor(array, name):
    array = np.asarray(array)
    sizes = " ".join(f"dim {{ size: {size} }}" for size in array.shape)
    if name == "string":
        elements = f'string_val: "{array.item()}"'
    elif array.dtype == bool:
        elements = f"bool_val: {str(bool(array)).lower()}"
    else:
        elements = "tensor_content: " + quoted(array.astype(NUMBERS[name][1]).tobytes())
    return f"tensor {{ dtype: DT_{name.upper()} tensor_shape {{ {sizes} }} {elements} }}"


def node(name, op, *inputs, **attributes):
    lines = [f'name: "{name}" op: "{op}"', *(f'input: "{text}"' for text in inputs)]
    lines += [f'attr {{ key: "{key}" value {{ {value} }} }}' for key, value in attributes.items()]
    return "{ " + "\n".join(lines) + " }"


def const(name, value, kind):
    return node(name, "Const", dtype=dtype(kind), value=tensor(value, kind))


def graph(nodes, functions=()):
    library = "".join(f"function {{ {function} }}\n" for function in functions)
    return ("".join(f"node {text}\n" for text in nodes) +
            (f"library {{ {library} }}\n" if functions else "") + "versions { producer: 1395 }\n")


def function(name, arguments, nodes, results, controls=(), **attributes):
    """arguments: name to type; results: name to (type, reference)."""
    signature = f'name: "{name}"'
    for argument, kind in arguments.items():
        signature += f' input_arg {{ name: "{argument}" type: DT_{kind.upper()} }}'
    for result, (kind, _) in results.items():
        signature += f' output_arg {{ name: "{result}" type: DT_{kind.upper()} }}'
    signature += "".join(f' control_output: "{control}"' for control in controls)
    body = f"signature {{ {signature} }}\n" + "".join(f"node_def {text}\n" for text in nodes)
    for result, (_, reference) in results.items():
        body += f'ret {{ key: "{result}" value: "{reference}" }}\n'
    for control in controls:
        body += f'control_ret {{ key: "{control}" value: "{control}" }}\n'
    for key, value in attributes.items():
        body += f'attr {{ key: "{key}" value {{ {value} }} }}\n'
    return body


def write(path, message, body):
    done = subprocess.run(["protoc", f"--encode=dragoman.tf_pb.{message}", SCHEMA],
                          input=body.encode(), capture_output=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr.decode())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(done.stdout)


def write_text(path, message, data):
    done = subprocess.run(["protoc", f"--decode=dragoman.tf_pb.{message}", SCHEMA], input=data,
                          capture_output=True, check=True)
    path.write_bytes(done.stdout)


def variable(name, *sizes):
    return node(name, "VarHandleOp", dtype=dtype("float"), shape=shape(*sizes),
                shared_name=text(name), container=text(""))


# --- Checkpoints

def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return (crc >> 15 | crc << 17) + 0xA282EAD8 & 0xFFFFFFFF


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytes([number]))


def block(entries):
    """A block of a LevelDB table in which no key shares its front with another."""
    body, starts = b"", []
    for key, value in entries:
        starts.append(len(body))
        body += b"\0" + varint(len(key)) + varint(len(value)) + key + value
    starts = starts or [0]
    return body + struct.pack(f"<{len(starts)}I", *starts) + struct.pack("<I", len(starts))


def table(entries):
    out = b""

    def put(body):
        nonlocal out
        handle = varint(len(out)) + varint(len(body))
        out += body + b"\0" + struct.pack("<I", masked(body + b"\0"))
        return handle

    data = put(block(entries))
    footer = put(block([])) + put(block([(entries[-1][0], data)]))
    return out + footer.ljust(40, b"\0") + struct.pack("<Q", 0xDB4775248B80FB57)


def field(number, payload):
    if isinstance(payload, int):
        return varint(number << 3) + varint(payload)
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def stored(array):
    """Type, bytes and checksum of a tensor of floats or strings."""
    if np.asarray(array).dtype.kind != "S":
        raw = np.asarray(array, "<f4").tobytes()
        return 1, raw, masked(raw)
    texts = np.asarray(array).reshape(-1).tolist()
    lengths = b"".join(struct.pack("<I", len(text)) for text in texts)
    joined = struct.pack("<I", masked(lengths)) + b"".join(texts)
    return 7, b"".join(varint(len(text)) for text in texts) + joined, masked(lengths + joined)


def write_checkpoint(folder, tensors):
    data, entries = b"", [(b"", field(1, 1) + field(3, field(1, 1)))]
    for key, array in sorted(tensors.items()):
        kind, raw, checksum = stored(array)
        sizes = b"".join(field(2, field(1, size)) for size in np.shape(array))
        entries.append((key.encode(), field(1, kind) + field(2, sizes) + field(4, len(data)) +
                        field(5, len(raw)) + b"\x35" + struct.pack("<I", checksum)))
        data += raw
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "variables.index").write_bytes(table(entries))
    (folder / "variables.data-00000-of-00001").write_bytes(data)


def write_old_checkpoint(path, tensors):
    """tensors: name to the parts of it along axis 0."""
    def sizes_of(array):
        return b"".join(field(2, field(1, size)) for size in array.shape)

    def slice_of(array, start, whole):
        first = b"" if len(array) == whole else (field(1, start) if start else b"") + field(2, len(array))
        return field(1, first) + field(1, b"") * (array.ndim - 1)

    metas, entries = b"", []
    for name, parts in sorted(tensors.items()):
        whole, start, slices = np.concatenate(parts), 0, b""
        for part in parts:
            where = slice_of(part, start, len(whole))
            slices += field(4, where)
            elements = field(1, 1) + field(5, part.astype("<f4").tobytes())
            entry = field(2, field(1, name.encode()) + field(2, where) + field(3, elements))
            entries.append((f"{name}/{start}".encode(), entry))
            start += len(part)
        metas += field(1, field(1, name.encode()) + field(2, sizes_of(whole)) + field(3, 1) + slices)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(table([(b"", field(1, metas)), *sorted(entries)]))


def write_saved_model(name, body, inputs, outputs, variables):
    """variables: of the main graph, name to (key, initial value)."""
    keys = [key for key, _ in variables.values()]
    restored = [node("tensor_names", "Const", dtype=dtype("string"),
                     value="tensor { dtype: DT_STRING tensor_shape { dim { size: %d } } %s }" %
                     (len(keys), " ".join(f'string_val: "{key}"' for key in keys))),
                node("slices", "Const", dtype=dtype("string"),
                     value="tensor { dtype: DT_STRING tensor_shape { dim { size: %d } } "
                           'string_val: "" }' % len(keys)),
                node("RestoreV2", "RestoreV2", "file_prefix", "tensor_names:output:0",
                     "slices:output:0", dtypes=dtypes(*["float"] * len(keys)))]
    arguments = {"file_prefix": "string"}
    for i in range(len(keys)):
        arguments[f"handle_{i}"] = "resource"
        restored.append(node(f"Identity_{i}", "Identity", f"RestoreV2:tensors:{i}",
                             T=dtype("float")))
        restored.append(node(f"Assign_{i}", "AssignVariableOp", f"handle_{i}",
                             f"Identity_{i}:output:0", dtype=dtype("float")))
    restore = function("__inference__traced_restore_1", arguments, restored,
                       {"identity": ("string", "file_prefix")},
                       [f"Assign_{i}" for i in range(len(keys))])
    nodes, functions = body
    nodes = [*nodes, node("saver_filename", "Placeholder", dtype=dtype("string"), shape=shape()),
             node("restore", "StatefulPartitionedCall", "saver_filename", *variables,
                  Tin=dtypes("string", *["resource"] * len(keys)), Tout=dtypes("string"),
                  f=func("__inference__traced_restore_1"))]

    def ends(which, infos):
        return " ".join(f'{which} {{ key: "{key}" value {{ name: "{tensor}" dtype: DT_FLOAT '
                        f"tensor_{shape(*sizes)} }} }}" for key, (tensor, sizes) in infos.items())

    write(HERE / name / "saved_model.pb", "SavedModel", f"""
        saved_model_schema_version: 1
        meta_graphs {{
          meta_info_def {{ tags: "serve" tensorflow_version: "2.14.0" stripped_default_attrs: true }}
          graph_def {{ {graph(nodes, [*functions, restore])} }}
          saver_def {{ filename_tensor_name: "saver_filename:0" restore_op_name: "restore"
                       version: V2 }}
          signature_def {{ key: "serving_default" value {{
            {ends("inputs", inputs)} {ends("outputs", outputs)}
            method_name: "tensorflow/serving/predict" }} }}
        }}""")
    write_checkpoint(HERE / name / "variables", {key: value for key, value in variables.values()})
