# SPDX-License-Identifier: Apache-2.0
"""What a consumer made of a case."""

import re
import typing

RIGHT = "right"
REFUSED = "refused"    # Dragoman says that it cannot
REJECTED = "rejected"  # the consumer cannot load or run what Dragoman wrote
WRONG = "wrong"        # other numbers; or a crash, a hang or a bug of Dragoman
PEER = "peer"          # the consumer cannot run the producer's own file either
DEVIATES = "deviates"  # otherwise than the producer for a reason that deviations.tsv states
UNTRIED = "untried"    # nothing that this consumer can be given

SHOWN = (RIGHT, REFUSED, REJECTED, WRONG)


class Verdict(typing.NamedTuple):
    status: str
    reason: str = ""


# Dragoman's exit codes: valid but not supported, and invalid input, which is a refusal too where
# a producer wrote the file.
_UNSUPPORTED, _INVALID = 4, 2


def of_failed_command(done):
    """The verdict of a call of Dragoman, or of a program that it wrote, that did not succeed."""
    said = [line for line in done.stderr.splitlines() if "error: " in line]
    line = (said or done.stderr.splitlines() or ["says nothing"])[0].split("error: ", 1)[-1]
    if done.returncode in (_UNSUPPORTED, _INVALID):
        return Verdict(REFUSED, line[:300])
    return Verdict(WRONG, f"exit code {done.returncode}: {line[:300]}")


def without_path(reason):
    """A message of ONNX Runtime without the file that it was to load."""
    return re.sub(r"Load model from .*?model\.onnx failed: ?", "", reason)


def kind_of(reason):
    """A reason without what differs from case to case: names in quotes, numbers, sizes."""
    kind = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`", "'…'", without_path(reason))
    kind = re.sub(r"^\S+\.(onnx|pt2?|pb|py|relay|dgt): ?", "", kind)
    kind = re.sub(r"%[\w./]+", "%…", kind)
    return re.sub(r"-?\d[\d.,e+-]*", "N", kind)[:110]
