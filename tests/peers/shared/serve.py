# SPDX-License-Identifier: Apache-2.0
"""The loop of a process that works on one case after the other, so that imports are paid once.

Requests come as lines of JSON on standard input, `{"do": NAME, ...arguments}`; each is answered by
one line: `{"status": "ok", ...}`, or "refused" or "failed" with a reason. Whoever started the
process ends it where an answer takes too long.
"""

import json
import os
import sys
import traceback

from shared.cases import Refused


def short(error):
    """The first line of an exception's text, with its type."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # TVM prints a backtrace of C++ first, OpenVINO the places of its sources; the message is last.
    backwards = lines and lines[0].startswith(("Traceback", "Exception from"))
    said = lines[-1] if backwards else (lines or [""])[0]
    return f"{type(error).__name__}: {said}"[:400]


def answer(handlers, request):
    try:
        return {"status": "ok", **(handlers[request.pop("do")](**request) or {})}
    except Refused as refusal:
        return {"status": "refused", "reason": str(refusal)}
    except Exception as error:  # whatever a framework raises is an answer
        trace = traceback.format_exc() if os.environ.get("DRAGOMAN_PEERS_TRACE") else ""
        return {"status": "failed", "reason": short(error), "trace": trace}


def serve(**handlers):
    """Answers requests by the functions of their names until standard input ends."""
    # Libraries print to standard output; answers have a descriptor of their own.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    print(json.dumps({"status": "ready"}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(handlers, json.loads(line))), file=answers, flush=True)
