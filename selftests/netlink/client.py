#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A client of a genetlink family that knows nothing but its specification:

    client.py COMMAND [ATTRIBUTE=NUMBER...]
"""

import os
import socket
import struct
import sys

import yaml

SPEC = os.path.join(os.path.dirname(os.path.realpath(__file__)),
                    "../../Documentation/netlink/specs/ebb.yaml")
CODES = {"u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
CTRL = 16  # the family that knows the others
REQUEST, ACK, DUMP = 0x1, 0x4, 0x300


class Refused(OSError):
    """The kernel's errno, and its text."""


def pack(number, data):
    """One attribute: length, number, value, padding to 4 bytes."""
    return struct.pack("HH", 4 + len(data), number) + data + bytes(-len(data) % 4)


def unpack(data):
    """The attributes in DATA, as (number, value)."""
    while len(data) >= 4:
        length, number = struct.unpack_from("HH", data)
        yield number & 0x3FFF, data[4:length]
        data = data[(length + 3) & ~3:]


def numbered(entries, first=1):
    """{number: entry}, as the specification counts."""
    out, number = {}, first
    for entry in entries:
        number = entry.get("value", number)
        out[number] = entry
        number += 1
    return out


class Family:
    """An open socket that speaks the family of the specification at PATH."""

    def __init__(self, path=SPEC):
        with open(path, encoding="utf-8") as file:
            self.spec = yaml.safe_load(file)
        self.sets = {s["name"]: numbered(s["attributes"]) for s in self.spec["attribute-sets"]}
        self.structs = {d["name"]: d["members"] for d in self.spec["definitions"]
                        if d["type"] == "struct"}
        self.operations = numbered(self.spec["operations"]["list"])
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, CTRL)
        self.socket.setsockopt(270, 11, 1)  # SOL_NETLINK, NETLINK_EXT_ACK
        name = self.spec["name"].encode() + b"\0"
        self.id = struct.unpack("H", dict(unpack(self.ask(CTRL, 3, pack(2, name))[0]))[1])[0]

    def ask(self, family, command, attributes, flags=ACK):
        """The payloads of all replies to one request."""
        self.socket.send(struct.pack("IHHIIBBH", 20 + len(attributes), family, REQUEST | flags,
                                     1, 0, command, 1, 0) + attributes)
        replies = []
        while True:
            data = self.socket.recv(1 << 20)
            while data:
                length, kind, flags = struct.unpack_from("IHH", data)
                if kind in (2, 3):  # error or acknowledgement, end of a dump
                    self.judge(data[16:length], kind, flags)
                    return replies
                replies.append(data[20:length])
                data = data[(length + 3) & ~3:]

    @staticmethod
    def judge(data, kind, flags):
        """Raise what the kernel says of a request that it refused."""
        error = -struct.unpack_from("i", data)[0]
        echo = 4 if kind == 3 else 20 if flags & 0x100 else 4 + struct.unpack_from("I", data, 4)[0]
        if error:
            texts = dict(unpack(data[echo:])) if flags & 0x200 else {}
            raise Refused(error, texts.get(1, b"").rstrip(b"\0").decode())

    def encode(self, attribute, value):
        """VALUE (a number, text, or tuples for an array of structs) as ATTRIBUTE's type says."""
        if attribute["type"] == "string":
            return value.encode() + b"\0"
        if attribute["type"] == "binary":
            code = "".join(CODES[m["type"]] for m in self.structs[attribute["struct"]])
            return b"".join(struct.pack("=" + code, *v) for v in value)
        return struct.pack(CODES[attribute["type"]], value)

    def decode(self, attribute, data):
        """The value of ATTRIBUTE: a number, text, a list of structs or numbers, or a dict."""
        if attribute["type"] == "string":
            return data.rstrip(b"\0").decode()
        if attribute["type"] == "nest":
            return self.decode_all(self.sets[attribute["nested-attributes"]], data)
        if "struct" in attribute:
            members = self.structs[attribute["struct"]]
            code = "=" + "".join(CODES[m["type"]] for m in members)
            return [dict(zip((m["name"] for m in members), v))
                    for v in struct.iter_unpack(code, data)]
        code = CODES[attribute.get("sub-type", attribute["type"])]
        values = [v for v, in struct.iter_unpack(code, data)]
        return values if attribute["type"] == "binary" else values[0]

    def decode_all(self, attributes, data):
        """{name: value} of what DATA holds; a list where an attribute may come several times."""
        out = {}
        for number, value in unpack(data):
            attribute = attributes[number]
            if attribute["type"] == "pad":
                continue
            value = self.decode(attribute, value)
            if attribute.get("multi-attr"):
                out.setdefault(attribute["name"], []).append(value)
            else:
                out[attribute["name"]] = value
        return out

    def call(self, name, **values):
        """Do or dump the operation NAME: a list of replies, each {name: value}."""
        number, operation = next((n, o) for n, o in self.operations.items() if o["name"] == name)
        attributes = self.sets[operation["attribute-set"]]
        data = b"".join(pack(n, self.encode(a, values[a["name"]]))
                        for n, a in attributes.items() if a["name"] in values)
        replies = self.ask(self.id, number, data, DUMP | ACK if "dump" in operation else ACK)
        return [self.decode_all(attributes, r) for r in replies]


if __name__ == "__main__":
    for reply in Family().call(sys.argv[1], **{k: int(v, 0) for k, v in
                                               (a.split("=") for a in sys.argv[2:])}):
        print(reply)
