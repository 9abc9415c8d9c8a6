# SPDX-License-Identifier: Apache-2.0
"""The run over producers, their cases and the consumers of each."""

import collections
import datetime
import fnmatch
import hashlib
import pathlib
import shutil
import time
import traceback

from driver import deviations
from driver.consumers import newest_consumers, older_consumers
from driver.results import NOT_WRITTEN, Results
from driver.verdicts import DEVIATES, PEER, REFUSED, REJECTED, WRONG, Verdict
from driver.workers import Absent, Broken, Worker
from shared.cases import Case, Stored
from shared.serve import short

PRODUCERS = {  # name: (script, environment)
    "onnx_nodes": ("producers/onnx_nodes.py", "onnx"),
    "onnx_elements": ("producers/onnx_elements.py", "onnx"),
    "onnx_spellings": ("producers/onnx_spellings.py", "onnx"),
    "onnx_drawn": ("producers/onnx_drawn.py", "onnx"),
    "torch_operators": ("producers/torch_operators.py", "torch"),
    "torch_modules": ("producers/torch_modules.py", "torch"),
    "torch_programs": ("producers/torch_programs.py", "torch"),
    "torch_models": ("producers/torch_models.py", "torch"),
    "keras_models": ("producers/keras_models.py", "tensorflow"),
    "tensorflow_programs": ("producers/tensorflow_programs.py", "tensorflow"),
    "tensorflow_functions": ("producers/tensorflow_functions.py", "tensorflow"),
    "tree_models": ("producers/tree_models.py", "trees"),
    "relay_modules": ("producers/relay_modules.py", "relay"),
}
WRITE_LIMIT_S = 300
LIST_LIMIT_S = 600


def hashed(name):
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")


def failed_judge(error):
    """The verdict where judging itself fails: nothing is known to be right."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return Verdict(WRONG, f"judge failed: {short(error)} "
                          f"({pathlib.Path(place.filename).name}:{place.lineno})")


class Matrix:
    """The run: producers and consumers as chosen, and what was judged so far."""

    def __init__(self, options, scratch, seed):
        self.options = options
        self.scratch = scratch
        self.date = datetime.date.today().isoformat()
        self.results = Results(options.results or scratch / "results.jsonl")
        self.deviations = deviations.read()
        self.newest = newest_consumers(scratch)
        self.older = older_consumers(scratch)
        self.consumers = self.newest | self.older
        self.seed = seed
        self.versions = {}
        self.absent = []
        self.broken = []
        self.counts = collections.Counter()  # verdicts of this run, by status

    def run(self, producers, consumers):
        """Runs the producers one after the other; each gets its share of the time that is left."""
        end = time.monotonic() + 60 * self.options.minutes
        try:
            for place, name in enumerate(producers):
                now = time.monotonic()
                self.run_producer(name, consumers, now + (end - now) / (len(producers) - place))
        finally:
            for consumer in self.consumers.values():
                consumer.stop()

    def note(self, notes, what, error):
        """Says once why a peer takes no part."""
        if str(error) not in notes:
            notes.append(str(error))
            print(f"{what}: {error}", flush=True)

    def run_producer(self, name, consumers, deadline):
        worker = Worker(*PRODUCERS[name], self.scratch)
        try:
            self.run_cases(worker, consumers, deadline)
        except Absent as absent:
            self.note(self.absent, "skipped", absent)
        except Broken as broken:
            self.note(self.broken, "broken", broken)
        finally:
            worker.stop()

    def run_cases(self, worker, consumers, deadline):
        listed = worker.ask(LIST_LIMIT_S, do="list")
        if "cases" not in listed:
            raise Broken(f"{worker.script}: {listed.get('reason')}")
        part, parts = map(int, self.options.share.split("/"))
        names = [name for name in listed["cases"] if fnmatch.fnmatchcase(name, self.options.cases)
                 and hashed(name) % parts == part]
        # In an order drawn by names, so that what fits into the time is a sample.
        for name in sorted(names, key=lambda name: hashed(self.seed + name)):
            if time.monotonic() > deadline:
                break
            self.run_case(worker, name, consumers)
        version = worker.ask(LIST_LIMIT_S, do="version").get("version")
        self.results.add_version(worker.script, version, self.date)

    def run_case(self, worker, name, consumers):
        form, case_name = name.split("/", 1)
        folder = (self.options.keep or self.scratch) / f"{form}-{case_name}".replace("/", "-")
        shutil.rmtree(folder, ignore_errors=True)
        answer = worker.ask(WRITE_LIMIT_S, do="write", case=name, folder=str(folder))
        if answer["status"] != "ok":
            verdict = Verdict(NOT_WRITTEN, answer.get("reason", ""))
            self.results.add(form, case_name, "", verdict, self.date)
            return
        case = Case(folder, Stored)
        case.producer = worker
        for consumer in consumers:
            if consumer == "C++" and hashed(name + "C++") % self.options.programs:
                continue
            verdict = self.judge(case, self.consumers[consumer], name)
            if verdict:
                self.results.add(form, case_name, consumer, verdict, self.date)
                self.counts[verdict.status] += 1
                if verdict.status in (WRONG, REJECTED):
                    print(f"{verdict.status}: {name}: {consumer}: {verdict.reason}", flush=True)
        if not self.options.keep:
            shutil.rmtree(folder, ignore_errors=True)

    def judge(self, case, consumer, name):
        """The verdict of a consumer; None where it is not there."""
        try:
            verdict = consumer.judge(case)
            if verdict.status in (WRONG, REJECTED, REFUSED):
                verdict = self.excused(case, consumer, name, verdict)
            self.note_version(consumer)
            return verdict
        except Absent as absent:
            self.note(self.absent, "skipped", absent)
        except Broken as broken:
            self.note(self.broken, "broken", broken)
        except Exception as error:  # a fault of the judge, of which the other cases know nothing
            return failed_judge(error)
        return None

    def note_version(self, consumer):
        """Records what a consumer says of itself, once it has started."""
        if not self.versions.get(consumer.name):
            self.versions[consumer.name] = consumer.version()
            self.results.add_version(consumer.name, self.versions[consumer.name], self.date)

    def excused(self, case, consumer, name, verdict):
        """The verdict, unless a deviation is known or the producer's file itself is to blame."""
        known = deviations.find(self.deviations, name, consumer.name)
        if known and verdict.status != REFUSED:
            return Verdict(DEVIATES, known.reason)
        if case.facts.get("converter") and consumer.name != "ONNX Runtime":
            try:
                own = self.consumers["ONNX Runtime"].judge_own(case)
            except Absent:
                return verdict
            if own.status == WRONG or own.status == REJECTED and verdict.status == REFUSED:
                return Verdict(PEER, f"so does ONNX Runtime the producer's own file: {own.reason}")
        return verdict
