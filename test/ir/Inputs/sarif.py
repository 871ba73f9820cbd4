#!/usr/bin/env python3
"""Checks a file against OASIS SARIF 2.1.0, as far as a run of the simulator uses it, and prints its results in short.

The tables are written from the specification (sections 3.13 to 3.58): for each object the properties that it may have, with
what each holds, and those that it must have. What GitHub asks of rules and results beyond that is checked too
(docs.github.com, "SARIF support for code scanning").
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import re
import sys

ANY, TEXT, BOOL, COUNT, FROM_1 = "any", "text", "bool", "count", "from 1"
URI = "uri"
# object: ({property: what}, required, at least one of). A list of one: an array; a dict of one: any names.
OBJECTS = {
    "log": ({"$schema": URI, "version": ("2.1.0",), "runs": ["run"], "properties": ANY}, ["version", "runs"], []),
    "run": ({"tool": "tool", "invocations": ["invocation"], "originalUriBaseIds": {"": "artifactLocation"},
             "results": ["result"], "properties": ANY}, ["tool"], []),
    "tool": ({"driver": "component", "properties": ANY}, ["driver"], []),
    "component": ({"name": TEXT, "version": TEXT, "informationUri": URI, "rules": ["rule"]}, ["name"], []),
    "rule": ({"id": TEXT, "name": TEXT, "shortDescription": "message", "fullDescription": "message", "help": "message",
              "properties": ANY}, ["id", "shortDescription", "fullDescription", "help"], []),
    "message": ({"text": TEXT, "markdown": TEXT}, ["text"], []),
    "invocation": ({"executionSuccessful": BOOL, "exitCode": COUNT,
                    "toolExecutionNotifications": ["notification"]}, ["executionSuccessful"], []),
    "notification": ({"level": ("none", "note", "warning", "error"), "message": "message",
                      "descriptor": "reference"}, ["message"], []),
    "reference": ({"id": TEXT, "index": COUNT}, [], ["id", "index"]),
    "result": ({"ruleId": TEXT, "ruleIndex": COUNT, "level": ("none", "note", "warning", "error"), "message": "message",
                "locations": ["location"], "relatedLocations": ["location"], "properties": ANY},
               ["message", "locations"], []),
    "location": ({"id": COUNT, "physicalLocation": "physical", "logicalLocations": ["logical"], "message": "message"},
                 ["physicalLocation"], []),
    "physical": ({"artifactLocation": "artifactLocation", "region": "region"}, [], ["artifactLocation"]),
    "artifactLocation": ({"uri": URI, "uriBaseId": TEXT}, [], ["uri"]),
    "region": ({"startLine": FROM_1, "startColumn": FROM_1, "snippet": "content"}, ["startLine"], []),
    "content": ({"text": TEXT}, ["text"], []),
    "logical": ({"name": TEXT, "fullyQualifiedName": TEXT, "kind": ("function",)}, ["name"], []),
}


def fail(where, why):
    sys.exit(f"sarif: {where}: {why}")


def check(value, what, where):
    if isinstance(what, tuple):
        if value not in what:
            fail(where, f"{value!r} is none of {what}")
    elif isinstance(what, list):
        if not isinstance(value, list):
            fail(where, "is no array")
        for i, one in enumerate(value):
            check(one, what[0], f"{where}[{i}]")
    elif isinstance(what, dict):
        for name, one in value.items():
            check(one, what[""], f"{where}.{name}")
    elif what in OBJECTS:
        properties, required, one_of = OBJECTS[what]
        if not isinstance(value, dict):
            fail(where, "is no object")
        for name in value:
            if name not in properties:
                fail(where, f"{what} has no property {name!r}")
            check(value[name], properties[name], f"{where}.{name}")
        for name in required:
            if name not in value:
                fail(where, f"{what} needs {name!r}")
        if one_of and not any(name in value for name in one_of):
            fail(where, f"{what} needs one of {one_of}")
    elif what == TEXT and not (isinstance(value, str) and value):
        fail(where, "is no text")
    elif what == BOOL and not isinstance(value, bool):
        fail(where, "is no boolean")
    elif what in (COUNT, FROM_1) and not (type(value) is int and value >= (what == FROM_1)):
        fail(where, f"{value!r} is no integer from {int(what == FROM_1)} on")
    elif what == URI and not (isinstance(value, str)  # RFC 3986, appendix A: characters and escapes of a reference
                              and re.fullmatch(r"([A-Za-z0-9\-._~:/?#\[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+", value)):
        fail(where, f"{value!r} is no URI")


def place(location):
    at = location["physicalLocation"]
    region = at.get("region", {})
    name = at["artifactLocation"]["uri"].rsplit("/", 1)[-1]
    return ":".join([name] + [str(region[key]) for key in ("startLine", "startColumn") if key in region])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        log = json.load(file)
    check(log, "log", "log")
    for run in log["runs"]:
        rules = run["tool"]["driver"].get("rules", [])
        if len({rule["id"] for rule in rules}) != len(rules):
            fail("rules", "two have one id")
        bases = run.get("originalUriBaseIds", {})
        for base in bases.values():
            if not base["uri"].startswith("file:///") or not base["uri"].endswith("/"):  # 3.14.14
                fail("originalUriBaseIds", f"{base['uri']!r} is no absolute URI of a folder")
        for result in run["results"]:
            if rules[result["ruleIndex"]]["id"] != result["ruleId"]:
                fail("result", "ruleIndex and ruleId are of different rules")
            related = result.get("relatedLocations", [])
            if len({one["id"] for one in related}) != len(related):
                fail("relatedLocations", "two have one id")
            for one in result["locations"] + related:
                at = one["physicalLocation"]["artifactLocation"]
                if at.get("uriBaseId", "%SRCROOT%") not in bases:
                    fail("artifactLocation", "its uriBaseId is not among originalUriBaseIds")
                if ("uriBaseId" in at) == at["uri"].startswith("file:///"):
                    fail("artifactLocation", "is to be relative to a base, or absolute")
            print("result", result["ruleId"], "at", place(result["locations"][0]), "of",
                  result["locations"][0].get("logicalLocations", [{"name": "-"}])[0]["name"])
            for one in related:
                print("  related", place(one), one["message"]["text"])
            print("  fields", json.dumps({key: value for key, value in sorted(result["properties"].items())
                                          if key not in ("message", "text", "source", "earlier", "rule", "places")}))
            if "earlier" in result["properties"]:
                earlier = result["properties"]["earlier"]
                print("  earlier", earlier["access"], earlier["block"], earlier["thread"], earlier["line"])
        for invocation in run["invocations"]:
            print("exit", invocation["exitCode"], invocation["executionSuccessful"])
            for note in invocation.get("toolExecutionNotifications", []):
                print("notification", note["descriptor"]["id"], note["message"]["text"])


if __name__ == "__main__":
    main()
