# SPDX-License-Identifier: Apache-2.0
"""Small files that are nearly what a reader expects: one part less, twice, empty, or another."""

import copy
import io
import json
import struct
import zipfile

BIG = 1 << 62


def of_text(text):
    """Texts without a line, with one twice, cut after each, without a token."""
    lines = text.splitlines(keepends=True)
    for i in range(len(lines)):
        yield "".join(lines[:i])
        yield "".join(lines[:i] + lines[i + 1:])
        yield "".join(lines[:i + 1] + lines[i:])
    words = text.split(" ")
    for i in range(len(words)):
        yield " ".join(words[:i] + words[i + 1:])


def of_json(value):
    """Values in which one part is missing, empty, or of another kind; all by themselves."""
    holders = [value]
    for holder in holders:
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        for key in keys:
            part = holder[key]
            if isinstance(part, (dict, list)):
                holders.append(part)
            for other in ({}, [], "", None, -1, str(BIG), "x", [{}]):
                holder[key] = other
                yield copy.deepcopy(value)
            del holder[key]
            yield copy.deepcopy(value)
            if isinstance(holder, dict):
                holder[key] = part
            else:
                holder.insert(key, part)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
        if shift > 63:
            raise ValueError


def encoded(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def fields(message):
    """(tag, what stands after it) of each field; None where the bytes are not a message."""
    found, at = [], 0
    try:
        while at < len(message):
            tag, at = varint(message, at)
            kind = tag & 7
            if kind == 0:
                value, at = varint(message, at)
            elif kind == 2:
                size, at = varint(message, at)
                value, at = message[at:at + size], at + size
            elif kind in (1, 5):
                size = 8 if kind == 1 else 4
                value, at = message[at:at + size], at + size
            else:
                return None
            if tag < 8 or at > len(message):
                return None
            found.append((tag, value))
    except (IndexError, ValueError):
        return None
    return found


def joined(parts):
    out = b""
    for tag, value in parts:
        out += encoded(tag)
        if isinstance(value, int):
            out += encoded(value)
        else:
            out += (encoded(len(value)) if tag & 7 == 2 else b"") + value
    return out


def of_message(message, depth=5):
    """Protocol-buffer messages in which one field, at any depth, is missing, doubled or another."""
    parts = fields(message)
    if not parts or depth == 0:
        return
    for i, (tag, value) in enumerate(parts):
        before, after = parts[:i], parts[i + 1:]
        yield joined(before + after)
        yield joined(before + [(tag, value)] * 2 + after)
        if isinstance(value, int):
            others = (0, 1, value + 1, BIG, (1 << 64) - 1)
        else:
            others = [b"", b"\xff"] if tag & 7 == 2 else [b"\xff" * len(value)]
        for other in others:
            yield joined(before + [(tag, other)] + after)
        if tag & 7 == 2:
            for inner in of_message(value, depth - 1):
                yield joined(before + [(tag, inner)] + after)


def of_archive(data):
    """Archives of which one file is missing, empty, cut, doubled, or has another's content."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]

    def archive_of(entries):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name, content in entries:
                archive.writestr(name, content)
        return out.getvalue()

    yield archive_of([])
    for i, (name, content) in enumerate(members):
        before, after = members[:i], members[i + 1:]
        yield archive_of(before + after)
        for other in (b"", content[:len(content) // 2], content * 2, b"\0" * len(content),
                      members[i - 1][1]):
            yield archive_of(before + [(name, other)] + after)
        if name.endswith(".py"):
            for text in of_text(content.decode()):
                yield archive_of(before + [(name, text)] + after)
        yield archive_of(before + [("x/" + name, content)] + after)


def xxh64(data):
    """The hash of 64 bits by which native files are checked."""
    primes = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
              0x27D4EB2F165667C5)
    p1, p2, p3, p4, p5 = primes
    mask = (1 << 64) - 1

    def rotated(x, bits):
        x &= mask
        return (x << bits | x >> 64 - bits) & mask

    def mixed(lane, word):
        return rotated(lane + word * p2, 31) * p1 & mask

    at, lanes = 0, [p1 + p2, p2, 0, -p1]
    while at + 32 <= len(data):
        words = struct.unpack_from("<4Q", data, at)
        lanes = [mixed(lane, word) for lane, word in zip(lanes, words)]
        at += 32
    total = p5
    if at:
        total = sum(rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18)))
        for lane in lanes:
            total = ((total ^ mixed(0, lane)) * p1 + p4) & mask
    total += len(data)
    while at + 8 <= len(data):
        total = rotated(total ^ mixed(0, struct.unpack_from("<Q", data, at)[0]), 27) * p1 + p4
        at += 8
    if at + 4 <= len(data):
        total = rotated(total ^ struct.unpack_from("<I", data, at)[0] * p1, 23) * p2 + p3
        at += 4
    for byte in data[at:]:
        total = rotated(total ^ byte * p5, 11) * p1
    total = ((total & mask) ^ (total & mask) >> 33) * p2 & mask
    total = (total ^ total >> 29) * p3 & mask
    return total ^ total >> 32


def of_native(data):
    """Native files with a message that is nearly one and a fitting header, or another header."""
    head = struct.Struct("<8s2I4Q16s")
    magic, layout, zero, size, digest, offset, total, spare = head.unpack_from(data)
    message, rest = data[head.size:head.size + size], data[offset:]
    assert xxh64(message) == digest
    for other in (b"", *of_message(message)):
        start = -(-(head.size + len(other)) // 64) * 64
        header = head.pack(magic, layout, zero, len(other), xxh64(other), start, len(rest), spare)
        yield header + other + b"\0" * (start - head.size - len(other)) + rest
    for wrong in (layout + 1, zero, 1 << 31):
        yield head.pack(magic, wrong, 1, size, digest, offset, total, spare) + data[head.size:]
    for wrong in (0, 1, size - 1, size + 1, BIG, (1 << 64) - 1):
        yield head.pack(magic, layout, zero, wrong, digest, offset, total, spare) + data[head.size:]
        yield head.pack(magic, layout, zero, size, digest, wrong, total, spare) + data[head.size:]
        yield head.pack(magic, layout, zero, size, digest, offset, wrong, spare) + data[head.size:]


def of_json_text(text):
    for value in of_json(json.loads(text)):
        yield json.dumps(value)
