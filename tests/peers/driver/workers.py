# SPDX-License-Identifier: Apache-2.0
"""Processes of other environments, which work on cases as shared/serve.py describes."""

import json
import os
import pathlib
import select
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRIPTS = ROOT / "tests/peers"
START_LIMIT_S = 900  # onnx computes all its node cases first
SKIPPED = 77
# A process that has grown beyond this is replaced before its next case.
LARGEST_BYTES = 3 << 30


class Absent(Exception):
    """An environment that is not there and cannot be made."""


class Broken(Exception):
    """A peer that is installed and does not import."""


_found = {}  # environments by name, or why there is none


def environment(name):
    """The folder of an environment, which is made if need be."""
    if name not in _found:
        try:
            _found[name] = _make_environment(name)
        except (Absent, Broken) as error:
            _found[name] = error
    if isinstance(_found[name], Exception):
        raise _found[name]
    return _found[name]


def _make_environment(name):
    done = subprocess.run([ROOT / "scripts/peers.sh", name], stdout=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode == SKIPPED:
        raise Absent(f"{name}: no environment")
    if done.returncode != 0:
        raise Broken(f"scripts/peers.sh {name}: exit code {done.returncode}")
    return pathlib.Path(done.stdout.strip())


class Worker:
    """A process that runs a script of tests/peers in an environment; it is started when asked."""

    def __init__(self, script, peer, scratch):
        self.script = script
        self.peer = peer
        self.scratch = scratch
        self.process = None
        self.broken = None
        self.unread = b""

    def ask(self, limit_s, **request):
        """The answer to a request; "failed" where it takes too long or the process ends."""
        self._start()
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        line = self._line(limit_s)
        if line is None:
            ended = self.process.poll() is not None
            code = self.process.returncode
            self.stop()
            reason = f"the process ended: {code}" if ended else f"took more than {limit_s} s"
            return {"status": "failed", "reason": reason}
        return json.loads(line)

    def stop(self):
        if self.process is not None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
        self.process = None
        self.unread = b""

    def _start(self):
        if self.process is not None and (self.process.poll() is not None
                                         or self._bytes() > LARGEST_BYTES):
            self.stop()
        if self.process is not None:
            return
        if self.broken:
            raise self.broken
        python = environment(self.peer) / "bin/python"
        settings = {"PYTHONPATH": str(SCRIPTS), "OMP_NUM_THREADS": "1", "TVM_NUM_THREADS": "1",
                    "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0",
                    "CUDA_VISIBLE_DEVICES": "", "HF_HUB_OFFLINE": "1", "PYTHONHASHSEED": "0"}
        with open(self.scratch / f"{self.peer}.log", "ab") as log:
            self.process = subprocess.Popen(
                [python, SCRIPTS / self.script], cwd=self.scratch, env=os.environ | settings,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True)
        if self._line(START_LIMIT_S) is None:
            self.stop()
            said = pathlib.Path(log.name).read_text(errors="replace").splitlines()[-1:]
            self.broken = Broken(f"{self.script} does not start in {self.peer}: {said}")
            raise self.broken

    def _bytes(self):
        """What the process has in memory."""
        try:
            pages = int(pathlib.Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        except (OSError, IndexError):
            return 0
        return pages * os.sysconf("SC_PAGE_SIZE")

    def _line(self, limit_s):
        """The next line that the process writes; None if it does not within the time."""
        deadline = time.monotonic() + limit_s
        stream = self.process.stdout.fileno()
        while b"\n" not in self.unread:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([stream], [], [], left)[0]:
                return None
            read = os.read(stream, 1 << 16)
            if not read:
                self.process.wait()
                return None
            self.unread += read
        line, self.unread = self.unread.split(b"\n", 1)
        return line
