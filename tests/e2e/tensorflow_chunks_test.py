#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SavedModels in chunks (saved_model.cpb), which TensorFlow 2.14 and newer write: what is read must be
equal to the SavedModel that was cut.
"""

import pathlib
import random
import shutil
import subprocess
import unittest

from chunked_saved_model import (BLOCK, META_GRAPHS, RecordWriter, brotli, chunked, cut, dict_of,
                                 field, fields, joined, path_tags, replace)
from command_case import CommandCase
from commands import dragoman

MODELS = pathlib.Path("tests/models/tensorflow")
SCHEMA = "proto/tensorflow/tensorflow.proto"


def decode(data):
    done = subprocess.run(["protoc", "--decode=dragoman.tf_pb.SavedModel", SCHEMA], input=data,
                          capture_output=True, check=True)
    return done.stdout


@unittest.skipUnless(shutil.which("protoc"), "protoc is not there")
class Chunked(CommandCase):
    def folder(self, name, data):
        folder = self.out / f"{name}_chunked"
        shutil.copytree(MODELS / name, folder)
        (folder / "saved_model.pb").unlink()
        (folder / "saved_model.cpb").write_bytes(data)
        return folder

    def check(self, name, data):
        folder = self.folder(name, data)
        again = self.out / f"{name}_again"
        done = dragoman("convert", folder, "-o", again, "--to", "tf")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(decode((again / "saved_model.pb").read_bytes()),
                         decode((MODELS / name / "saved_model.pb").read_bytes()))

    def test_chunks_give_the_message_that_was_cut(self):
        for name in ("counter", "stateful_lstm", "vocabulary"):
            with self.subTest(name=name):
                saved_model = (MODELS / name / "saved_model.pb").read_bytes()
                first, others = cut(saved_model)
                self.assertTrue(others)
                self.check(name, chunked(first, others))

    def test_records_that_brotli_has_packed(self):
        try:
            brotli(b"")
        except OSError:
            self.skipTest("libbrotlienc is not there")
        saved_model = (MODELS / "stateful_lstm" / "saved_model.pb").read_bytes()
        self.check("stateful_lstm", chunked(*cut(saved_model), brotli))

    def test_text_comes_in_parts(self):
        saved_model = (MODELS / "counter" / "saved_model.pb").read_bytes()
        version = (1, 5)  # meta_info_def.tensorflow_version
        info = dict_of(dict_of(saved_model)[META_GRAPHS])[version[0]]
        text = dict_of(info).get(version[1], b"")
        without = replace(saved_model, META_GRAPHS, lambda meta: replace(
            meta, version[0],
            lambda part: joined([each for each in fields(part) if each[0] != version[1]])))
        path = [("field", META_GRAPHS), ("index", 0), ("field", version[0]), ("field", version[1])]
        self.check("counter", chunked(without, [(path, text[:2]), (path, text[2:])]))

    def test_a_chunk_that_crosses_blocks(self):
        saved_model = (MODELS / "counter" / "saved_model.pb").read_bytes()
        padded = [(path, payload) for path, payload in cut(saved_model)[1]]
        writer = RecordWriter()
        writer.add([bytes(3 * BLOCK)])  # nobody asks for it
        first = writer.add([cut(saved_model)[0]])
        positions = first + [writer.add([payload])[0] for _, payload in padded]
        infos = b"".join(field(2, field(3, position)) for position in positions)
        inner = b"".join(field(2, path_tags(path) + field(3, field(1, i + 1)))
                         for i, (path, _) in enumerate(padded))
        writer.add([infos + field(3, field(1, 0) + inner)])
        self.check("counter", bytes(writer.file))

    def test_damaged_files_are_refused(self):
        data = chunked(*cut((MODELS / "counter" / "saved_model.pb").read_bytes()))
        draw = random.Random(1)
        for i in range(60):
            damaged = bytearray(data[:draw.randrange(64, len(data))] if i % 2 else data)
            for _ in range(3):
                damaged[draw.randrange(24, len(damaged))] = draw.randrange(256)
            file = self.out / "saved_model.cpb"
            file.write_bytes(damaged)
            done = dragoman("inspect", file)
            self.assertIn(done.returncode, (0, 2, 4), done.stderr)


if __name__ == "__main__":
    unittest.main()
