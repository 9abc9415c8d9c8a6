# SPDX-License-Identifier: Apache-2.0
"""docs/compatibility.md, from what was judged."""

from driver.results import by_reason, share, table
from driver.verdicts import PEER, REFUSED, REJECTED, WRONG, without_path

# Lines of Markdown may be longer.
HEAD = """\
# Compatibility

What the frameworks of today write is read, and what is written for them is run by them. This page is written by
`tests/peers/run.py --document docs/compatibility.md` ([how it works](../tests/peers/README.md)) from verdicts of {dates}.

## The table

A cell has the numbers of cases that are right / refused by Dragoman, with a reason / rejected by the framework that was to load or
run what Dragoman wrote / wrong. In brackets stand those that do not count: the framework computes the producer's own file otherwise or
not at all, or the difference is one of the [known deviations](#known-deviations). Each case is drawn at random; of programs in C++ one in ten
is compiled. An empty cell was not tried.

{table}

Versions: {versions}.
"""
OLDER = """
## Older releases

Files in ONNX, as `convert` writes them by default or with the `--opset` that is stated:

{table}

"""
CHOICE = "The lowest release that loads at least {least:.0%} of them: {choices}."
LEAST = 0.97
FRAMEWORKS = ("ONNX Runtime", "OpenVINO")
LONGEST = 160  # characters of a reason
FEW = 12  # lines of a list; the rest is summed up


def lines_of(records):
    """A list of reasons with their numbers."""
    found = by_reason(records)
    lines = [f"- {consumer}, {len(records)}, such as `{records[0]['form']}/{records[0]['case']}`: "
             f"{plain(without_path(records[0]['reason']))[:LONGEST]}"
             for consumer, _, records in found[:FEW]]
    rest = sum(len(records) for _, _, records in found[FEW:])
    if rest:
        lines.append(f"- {rest} more, of {len(found) - FEW} kinds")
    return "\n".join(lines) or "Nothing."


def refused_once(results):
    """Refusals, without those of files that are not read by any command."""
    unread = {(record["form"], record["case"]) for record in results.with_status(REFUSED)
              if record["consumer"] == "interpreter"}
    return [record for record in results.with_status(REFUSED)
            if record["consumer"] == "interpreter"
            or (record["form"], record["case"]) not in unread]


def plain(text):
    """A message without what Markdown would take for markup."""
    return text.replace("|", "\\|").replace("<", "‹").replace(">", "›").replace("*", "\\*")


def worst_share(results, consumer):
    """The share of right ones over all producers; None where nothing was judged."""
    shares = [share(results, form, consumer) for form in results.forms()]
    return min((part for part in shares if part is not None), default=None)


def older_releases(results, consumers):
    tried = [name for name in consumers if worst_share(results, name) is not None]
    if not tried:
        return ""
    text = OLDER.format(table=table(results, tried))
    loading = [name for name in tried if worst_share(results, name) >= LEAST]
    choices = filter(None, (lowest(loading, framework) for framework in FRAMEWORKS))
    return text + CHOICE.format(least=LEAST, choices="; ".join(choices) or "none of these") + "\n"


def lowest(names, framework):
    """The oldest release among names from new to old; with an --opset only if none does without."""
    own = [name for name in names if name.startswith(framework)]
    without = [name for name in own if "--opset" not in name]
    return (without or own or [None])[-1]


def wrong_cases(results):
    return "\n".join(f"- `{record['form']}/{record['case']}`, {record['consumer']}: "
                     f"{plain(record['reason'])}" for record in results.with_status(WRONG))


def compatibility(results, deviations, consumers, older):
    """The page."""
    dates = sorted({record["date"] for record in results.verdicts.values()})
    page = HEAD.format(dates=" to ".join(dict.fromkeys((dates[0], dates[-1]))),
                       table=table(results, consumers), versions="; ".join(results.versions()))
    page += older_releases(results, older)
    sections = {
        "What is refused": lines_of(refused_once(results)),
        "What frameworks reject": lines_of(results.with_status(REJECTED)),
        "What frameworks cannot do themselves": lines_of(results.with_status(PEER)),
        "Open faults": wrong_cases(results) or "No numbers were wrong.",
        "Known deviations": "\n".join(f"- {deviation.reason}" for deviation in deviations)
                            or "None.",
    }
    return page + "".join(f"\n## {title}\n\n{text}\n" for title, text in sections.items())
