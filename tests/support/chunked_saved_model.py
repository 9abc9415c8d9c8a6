# SPDX-License-Identifier: Apache-2.0
"""SavedModels as TensorFlow's proto_splitter writes them in chunks: cut at the wire's level, and written
as the specification of Riegeli's records says, but for hashes, which a reader need not check.
"""

import ctypes
import ctypes.util
import struct

BLOCK, BLOCK_HEADER, CHUNK_HEADER = 1 << 16, 24, 40
META_GRAPHS, GRAPH_DEF, NODE, LIBRARY = 2, 2, 1, 2  # numbers of fields


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out + bytearray([number]))


def fields(message):
    """(number, wire type, payload) of each."""
    at, found = 0, []

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(message):
        tag = number()
        if tag & 7 == 0:
            found.append((tag >> 3, 0, number()))
            continue
        size = {1: 8, 5: 4}.get(tag & 7) or number()
        found.append((tag >> 3, tag & 7, message[at:at + size]))
        at += size
    return found


def field(number, payload):
    if isinstance(payload, int):
        return varint(number << 3) + varint(payload)
    return varint(number << 3 | 2) + varint(len(payload)) + payload


def dict_of(message):
    return {number: payload for number, _, payload in fields(message)}


def joined(parts):
    out = b""
    for number, kind, payload in parts:
        if kind in (0, 2):
            out += field(number, payload)
        else:
            out += varint(number << 3 | kind) + payload
    return out


def replace(message, number, change):
    """`message` with the first field `number` changed."""
    parts = fields(message)
    at = next(i for i, part in enumerate(parts) if part[0] == number)
    parts[at] = (number, 2, change(parts[at][2]))
    return joined(parts)


def cut(saved_model):
    """The first chunk, and the others with the way to each: every other node, and the library."""
    chunks = []
    base = [("field", META_GRAPHS), ("index", 0), ("field", GRAPH_DEF)]

    def cut_graph(graph):
        parts, nodes = [], 0
        for number, kind, payload in fields(graph):
            if number == LIBRARY:
                chunks.append((base + [("field", LIBRARY)], payload))
                continue
            if number == NODE and nodes % 2 == 1:
                chunks.append((base + [("field", NODE), ("index", nodes)], payload))
                payload = b""
            nodes += number == NODE
            parts.append((number, kind, payload))
        return joined(parts)
    first = replace(saved_model, META_GRAPHS, lambda meta: replace(meta, GRAPH_DEF, cut_graph))
    return first, chunks


def path_tags(path):
    kinds = {"field": 1, "index": 3}
    tags = b""
    for kind, value in path:
        inner = field(2, field(1, value)) if kind == "key" else field(kinds[kind], value)
        tags += field(1, inner)
    return tags


def brotli(data):
    name = ctypes.util.find_library("brotlienc") or "libbrotlienc.so.1"
    encoder = ctypes.CDLL(name)
    size = ctypes.c_size_t(len(data) + 1024)
    out = ctypes.create_string_buffer(size.value)
    assert encoder.BrotliEncoderCompress(6, 22, 0, ctypes.c_size_t(len(data)), data,
                                         ctypes.byref(size), out)
    return varint(len(data)) + out.raw[:size.value]


class RecordWriter:
    """Riegeli's records, `per_chunk` to a chunk."""

    def __init__(self, pack=None):
        self.pack, self.file = pack, bytearray()
        self.add_chunk(b"s", b"", [])

    def put(self, data):
        for byte in data:
            if len(self.file) % BLOCK == 0:
                self.file += bytes(BLOCK_HEADER)
                if len(self.file) == BLOCK_HEADER:
                    self.file[:8] = bytes.fromhex("83af70d10d884a3f")
            self.file.append(byte)

    def add_chunk(self, kind, data, records):
        begin = len(self.file)
        self.put(struct.pack("<QQQ", 0, len(data), 0) + kind + len(records).to_bytes(7, "little") +
                 struct.pack("<Q", sum(map(len, records))))
        self.put(data)
        while len(self.file) < begin + len(records) or 0 < len(self.file) % BLOCK <= BLOCK_HEADER:
            self.file.append(0)
        return begin

    def add(self, records):
        """The positions of the records, which go to one chunk."""
        sizes, values = b"".join(varint(len(record)) for record in records), b"".join(records)
        kind = b"b" if self.pack else b"\0"
        if self.pack:
            sizes, values = self.pack(sizes), self.pack(values)
        begin = self.add_chunk(b"r", kind + varint(len(sizes)) + sizes + values, records)
        return [begin + i for i in range(len(records))]


def chunked(first, others, pack=None):
    writer = RecordWriter(pack)
    positions = writer.add([first])
    records = [payload for _, payload in others]
    for i in range(0, len(records), 2):
        positions += writer.add(records[i:i + 2])
    infos = b"".join(field(2, field(1, 1) + field(3, position)) for position in positions)
    inner = b"".join(field(2, path_tags(path) + field(3, field(1, i + 1)))
                     for i, (path, _) in enumerate(others))
    writer.add([infos + field(3, field(1, 0) + inner)])
    return bytes(writer.file)
