#!/usr/bin/env python3
"""Checks a file of JUnit's XML as Jenkins, GitLab and the actions of GitHub read it, and prints its test cases in short."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys
import xml.etree.ElementTree as tree


def main():
    root = tree.parse(sys.argv[1]).getroot()
    assert root.tag == "testsuites", root.tag
    for suite in root:
        assert suite.tag == "testsuite" and suite.get("name"), suite.attrib
        cases = list(suite)
        assert {case.tag for case in cases} <= {"testcase"}
        for case in cases:
            assert case.get("classname") and case.get("name") and float(case.get("time")) >= 0, case.attrib
            assert len(case) <= 1, "more than one outcome"
            for outcome in case:
                assert outcome.tag in ("failure", "error") and outcome.get("type") and outcome.get("message")
                assert outcome.text and outcome.text.strip()
        for level in (suite, root):
            assert int(level.get("tests")) == len(cases)
            for kind in ("failure", "error"):
                assert int(level.get(kind + "s")) == sum(case.find(kind) is not None for case in cases), kind
            assert abs(float(level.get("time")) - sum(float(case.get("time")) for case in cases)) < 1e-3
        for case in cases:
            print("case", case.get("classname").rsplit("/", 1)[-1], case.get("name"),
                  "passes" if not len(case) else f"{case[0].tag} {case[0].get('type')}: {case[0].get('message')}")
            if len(case):
                print(case[0].text)


if __name__ == "__main__":
    main()
