"""Tests that take minutes run a share of their cases, another one each day: share(CASES, OF) is every OF-th of them.

TESSERA_TURN, a number, chooses the share instead of the day; with TESSERA_LONG in the environment all cases are run (make test-long).
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import datetime
import os


def number():
    """The number of today's turn."""
    return int(os.environ.get('TESSERA_TURN') or datetime.date.today().toordinal())


def share(cases, of):
    """Every `of`-th of the cases, in order, beginning with one that the turn chooses; all with TESSERA_LONG."""
    cases = list(cases)
    return cases if 'TESSERA_LONG' in os.environ else cases[number() % of::of]
