"""What docs/python.md shows after >>> is what happens, with the kernel of the README in kernel.mlir and a race in race.ptx."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import doctest
import os
import tempfile
import unittest
from pathlib import Path

from calls import RACE, TWICE

PAGE = Path(os.environ["TESSERA_SOURCE"]) / "docs/python.md"


class Page(unittest.TestCase):
    def test_examples(self):
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as work:
            Path(work, "kernel.mlir").write_text(TWICE)
            Path(work, "race.ptx").write_text(RACE)
            os.chdir(work)
            try:
                text = "\n".join("" if line.startswith("```") else line for line in PAGE.read_text().splitlines())
                test = doctest.DocTestParser().get_doctest(text, {}, "docs/python.md", str(PAGE), 0)
                runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
                said = []
                runner.run(test, out=said.append)
            finally:
                os.chdir(before)
        self.assertEqual(runner.failures, 0, "".join(said))
        self.assertGreater(runner.tries, 20)


if __name__ == "__main__":
    unittest.main()
