# SPDX-License-Identifier: Apache-2.0
"""What was judged, as lines of a file, so that a table can be made of several runs."""

import collections
import json

from driver.verdicts import DEVIATES, PEER, RIGHT, SHOWN, UNTRIED, kind_of

NOT_WRITTEN = "not written"


class Results:
    """The last verdict on each case by each consumer, and of what versions they are."""

    def __init__(self, path):
        self.path = path
        self.verdicts = {}   # (producer's form, case, consumer) -> record
        self.version_records = {}
        if path.exists():
            for line in path.read_text().splitlines():
                self._take(json.loads(line))

    def add(self, form, case, consumer, verdict, date):
        self._write({"form": form, "case": case, "consumer": consumer, "status": verdict.status,
                     "reason": verdict.reason, "date": date})

    def add_version(self, name, version, date):
        if version and (name, version) not in self.version_records:
            self._write({"name": name, "version": version, "date": date})

    def _write(self, record):
        self._take(record)
        with open(self.path, "a") as file:
            file.write(json.dumps(record) + "\n")

    def _take(self, record):
        if "version" in record:
            self.version_records[record["name"], record["version"]] = record
        else:
            self.verdicts[record["form"], record["case"], record["consumer"]] = record

    def with_status(self, *statuses):
        return [record for record in self.verdicts.values() if record["status"] in statuses]

    def versions(self):
        """What took part, Dragoman in several versions where verdicts are of several days."""
        return sorted({version for _, version in self.version_records}, key=str.lower)

    def has(self, consumer):
        return any(consumer == name for _, _, name in self.verdicts)

    def forms(self):
        return sorted({form for form, _, _ in self.verdicts})

    def counts(self):
        """How many verdicts of each status there are, by form and consumer."""
        counts = collections.defaultdict(collections.Counter)
        for (form, _, consumer), record in self.verdicts.items():
            counts[form, consumer][record["status"]] += 1
        return counts


def cell(counts):
    """right / refused / rejected / wrong, and in brackets those that the peer is at fault for."""
    if not sum(counts[status] for status in (*SHOWN, DEVIATES, PEER)):
        return ""
    text = " / ".join(str(counts[status]) for status in SHOWN)
    beside = counts[PEER] + counts[DEVIATES]
    return text + (f" (+{beside})" if beside else "")


def table(results, consumers):
    """The table as Markdown."""
    counts = results.counts()
    rows = [["producer", *consumers]]
    for form in results.forms():
        cells = [cell(counts[form, consumer]) for consumer in consumers]
        if any(cells):
            rows.append([form, *cells])
    head = [rows[0], ["---"] * len(rows[0])]
    return "\n".join("| " + " | ".join(row) + " |" for row in head + rows[1:])


def by_reason(records):
    """(consumer, kind of reason, records) from the most frequent to the rarest."""
    kinds = collections.defaultdict(list)
    for record in records:
        kinds[record["consumer"], kind_of(record["reason"])].append(record)
    return sorted(((consumer, kind, records) for (consumer, kind), records in kinds.items()),
                  key=lambda row: (-len(row[2]), row[0], row[1]))


def listing(results):
    """What is below the table: every wrong case, and what was refused or rejected, by reason."""
    lines = []
    for status in SHOWN[1:][::-1] + (PEER, DEVIATES, NOT_WRITTEN):
        found = by_reason(results.with_status(status))
        lines += ["", f"{status}: {sum(len(records) for _, _, records in found)}"]
        for consumer, kind, records in found:
            lines.append(f"  {len(records):4} {consumer}: {kind}")
            shown = records if status == "wrong" else records[:2]
            lines += [f"         {record['form']}/{record['case']}"
                      + (f": {record['reason']}" if status == "wrong" else "")
                      for record in shown]
    return "\n".join(lines)


def share(results, form, consumer):
    """Right ones among those that count, as a number from 0 to 1; None without any."""
    counts = results.counts()[form, consumer]
    whole = sum(counts[status] for status in SHOWN)
    return counts[RIGHT] / whole if whole else None


assert UNTRIED not in SHOWN
