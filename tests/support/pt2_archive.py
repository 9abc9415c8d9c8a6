# SPDX-License-Identifier: Apache-2.0
"""Archives of torch.export as JSON and records, without PyTorch."""
import json
import zipfile


def program_of(archive):
    """The JSON of the program, and the names of the archive's records without their folder."""
    with zipfile.ZipFile(archive) as records:
        names = {name.partition("/")[2]: name for name in records.namelist()}
        return json.loads(records.read(names["models/model.json"])), names


def nodes_of(graph):
    """The nodes of a graph and of its bodies."""
    for node in graph["nodes"]:
        yield node
        for argument in node["inputs"]:
            if "as_graph" in argument["arg"]:
                yield from nodes_of(argument["arg"]["as_graph"]["graph"])


def edit_records(archive, change):
    """Writes the archive anew, each record as `change` gives it of its name and bytes."""
    with zipfile.ZipFile(archive) as old:
        records = [(name, old.read(name)) for name in old.namelist()]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as new:
        for name, data in records:
            new.writestr(name, change(name, data))


def edit_program(archive, change):
    """Calls `change` with the JSON of each program, and writes the archive anew."""
    def edit(name, data):
        if "/models/" not in name and not name.endswith("serialized_exported_program.json"):
            return data
        program = json.loads(data)
        change(program)
        return json.dumps(program, separators=(",", ":")).encode()
    edit_records(archive, edit)


def remarks_of(program):
    """By the node that has it, which operator calls are said to be."""
    remarks = {}
    for node in nodes_of(program["graph_module"]["graph"]):
        remark = json.loads(node["metadata"].get("custom", "{}")).get("operator")
        if remark is not None:
            remarks[node["outputs"][0]["as_tensor"]["name"]] = remark
    return remarks


def drop_remarks(archive):
    """Leaves only the calls: what reads them cannot know which operators they are."""
    def change(program):
        for node in nodes_of(program["graph_module"]["graph"]):
            custom = json.loads(node["metadata"].get("custom", "{}"))
            if custom.pop("operator", None) is not None:
                node["metadata"]["custom"] = json.dumps(custom)
    edit_program(archive, change)
