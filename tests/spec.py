#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Do the netlink specification and the header say the same? Every name and value of one must be
in the other; the compiler says what the header's are."""

import os
import re
import subprocess
import sys
import tempfile

import yaml

TREE = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
sys.path.insert(0, os.path.join(TREE, "selftests/lib"))
sys.path.insert(0, os.path.join(TREE, "selftests/netlink"))
from client import SPEC, numbered  # noqa: E402
from tap import Tap  # noqa: E402

HEADER = os.path.join(TREE, "include/uapi/linux/ebb.h")
OTHER_ENUMS = {"ebb_pip"}  # of the proc files
SIZES = {"u8": 1, "u16": 2, "u32": 4, "u64": 8}


def c_name(prefix, name):
    return (prefix + name).upper().replace("-", "_")


def evaluate(expressions):
    """{expression: value} as the compiler computes them."""
    prints = "".join(f'printf("%llu\\n", (unsigned long long)({e}));' for e in expressions)
    source = f"#include <linux/ebb.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void){{{prints}}}"
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "values")
        subprocess.run(["gcc", "-w", "-xc", "-", "-I", os.path.join(TREE, "include/uapi"), "-o",
                        program], input=source, text=True, check=True)
        out = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return dict(zip(expressions, map(int, out.split())))


def header_enums():
    """{enum: [constants]} without the ones that only help to count."""
    with open(HEADER, encoding="utf-8") as file:
        text = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    return {m[1]: [n for n in re.findall(r"\b_*EBB_\w+", m[2].replace("=", ",")) if
                   n[0] != "_" and not n.endswith("_UNSPEC")]
            for m in re.finditer(r"enum (\w+) \{(.*?)\}", text, re.S)}


def spec_constants(spec):
    """{enum: {constant: value}} that the specification stands for."""
    out = {"ebb_cmd": {c_name(spec["operations"]["name-prefix"], o["name"]): n
                       for n, o in numbered(spec["operations"]["list"]).items()}}
    for attributes in spec["attribute-sets"]:
        enum = {"main": "ebb_attr", "cap": "ebb_cap_attr"}.get(attributes["name"],
                                                                "ebb_" + attributes["name"])
        out[enum] = {c_name(attributes["name-prefix"], a["name"]): n
                     for n, a in numbered(attributes["attributes"]).items()}
    for definition in spec["definitions"]:
        if definition["type"] in ("enum", "flags"):
            name = definition["name"]
            prefix = f"ebb-{name.rsplit('-', 1)[0]}-"
            out["ebb_" + name.replace("-", "_")] = {
                c_name(prefix, e["name"]): 1 << i if definition["type"] == "flags" else i
                for i, e in enumerate(definition["entries"])}
    return out


def check_struct(tap, definition):
    name, offset, wanted = "struct ebb_" + definition["name"], 0, {}
    for member in definition["members"]:
        wanted[f"offsetof({name}, {member['name']})"] = offset
        offset += SIZES[member["type"]]
    wanted[f"sizeof({name})"] = offset
    tap.equal(evaluate(list(wanted)), wanted, f"{name}: the same layout")


def main():
    tap = Tap()
    with open(SPEC, encoding="utf-8") as file:
        spec = yaml.safe_load(file)
    enums = {k: v for k, v in header_enums().items() if k not in OTHER_ENUMS}
    specified = spec_constants(spec)
    tap.equal(sorted(enums), sorted(specified), "the same enums")
    for enum in sorted(set(enums) & set(specified)):
        tap.equal(evaluate(enums[enum]), specified[enum], f"{enum}: the same names and values")
    for definition in spec["definitions"]:
        if definition["type"] == "struct":
            check_struct(tap, definition)
        if definition["type"] == "const":
            constant = c_name("ebb-", definition["name"])
            tap.equal(evaluate([constant]), {constant: definition["value"]}, constant)
    tap.equal(evaluate(["EBB_GENL_VERSION"]), {"EBB_GENL_VERSION": spec["version"]}, "version")
    check_name = f'sizeof("{spec["name"]}") == sizeof(EBB_GENL_NAME)'
    tap.ok(evaluate([check_name])[check_name], "name of the family")
    tap.end()


main()
