# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime of an environment that scripts/peers.sh has made already."""

import hashlib
import os
import pathlib

TESTS = pathlib.Path(__file__).resolve().parent.parent
REQUIREMENTS = TESTS / "peers" / "requirements"
SCRIPT = TESTS / "tools" / "run_onnxruntime.py"  # MODEL INPUTS.npz OUTPUTS.npz


def peer_python(name):
    """The Python of environment `name`, or None if it has not been made."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache"))
    root = pathlib.Path(os.environ.get("DRAGOMAN_PEERS", cache / "dragoman-peers"))
    text = (REQUIREMENTS / f"{name}.txt").read_bytes()
    environment = root / f"{name}-{hashlib.sha256(text).hexdigest()[:12]}"
    ready = environment.with_name(environment.name + ".ready").exists()
    return environment / "bin" / "python" if ready else None
