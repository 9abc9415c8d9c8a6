#!/usr/bin/env python3
"""Makes the seed corpora of the fuzz targets from the models of tests/models and ONNX's suite.

Usage: make_corpus.py FOLDER     gets onnx_model/ and torchscript_{archive,unpickler,language}/

ONNX models are one of every operator of the suite, if it is there. Archives are the smallest model files as they are; pickles their data.pkl, constants.pkl and traced
inputs; sources their code, in which the model's own class is called Net.
"""

import pathlib
import re
import sys
import zipfile

MODELS = pathlib.Path(__file__).resolve().parent.parent / "models" / "torchscript"
SUITE = pathlib.Path("/usr/share/libonnx-testdata/data/node")
ARCHIVES = 8
PICKLES = ("data.pkl", "constants.pkl", "traced_inputs.pkl")


def net_source(text):
    """The source with its last class called Net, in the file of that class."""
    names = re.findall(r"^class (\w+)\(Module\)", text, re.MULTILINE)
    return re.sub(rf"\b{names[-1]}\b", "Net", text) if names else text


def onnx_models():
    """The smallest model of the suite for every first word of its name: "conv", "lstm", …"""
    models = sorted(SUITE.glob("test_*/model.onnx"), key=lambda path: (path.stat().st_size, str(path)))
    first = {}
    for model in models:
        first.setdefault(model.parent.name.split("_")[1], model)
    return first


def main():
    folder = pathlib.Path(sys.argv[1])
    for name in ("onnx_model", "torchscript_archive", "torchscript_unpickler", "torchscript_language"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, model in onnx_models().items():
        (folder / "onnx_model" / name).write_bytes(model.read_bytes())
    models = sorted(MODELS.glob("*/model.pt"), key=lambda path: (path.stat().st_size, path.name))
    for i, model in enumerate(models):
        name = model.parent.name
        if i < ARCHIVES:
            (folder / "torchscript_archive" / name).write_bytes(model.read_bytes())
        with zipfile.ZipFile(model) as archive:
            for record in archive.namelist():
                inner = record.split("/", 1)[1]
                if inner in PICKLES:
                    (folder / "torchscript_unpickler" / f"{name}.{inner}").write_bytes(archive.read(record))
                if inner == "code/__torch__.py":
                    source = net_source(archive.read(record).decode())
                    (folder / "torchscript_language" / name).write_text(source, encoding="utf-8")


if __name__ == "__main__":
    main()
