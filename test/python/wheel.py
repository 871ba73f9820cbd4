"""The wheel that utils/wheel.py packs: whole by its own list, and used from where it is unpacked."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import base64
import csv
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

SOURCE = Path(os.environ["TESSERA_SOURCE"])


class Wheel(unittest.TestCase):
    def test_is_whole_and_works(self):
        with tempfile.TemporaryDirectory() as work:
            subprocess.run([sys.executable, SOURCE / "utils/wheel.py", os.environ["TESSERA_LIBRARY"], work], check=True, capture_output=True)
            [path] = Path(work).glob("*.whl")
            self.assertRegex(path.name, r"^tessera-\d+\.\d+\.\d+-py3-none-manylinux_2_\d+_x86_64\.whl$")
            with zipfile.ZipFile(path) as wheel:
                names = wheel.namelist()
                [record] = [name for name in names if name.endswith("/RECORD")]
                rows = list(csv.reader(wheel.read(record).decode().splitlines()))
                self.assertEqual([row[0] for row in rows], names)
                for name, digest, size in rows[:-1]:
                    data = wheel.read(name)
                    self.assertEqual(digest, "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode())
                    self.assertEqual(int(size), len(data))
                wheel.extractall(f"{work}/site")
                for entry in wheel.infolist():  # as pip does, and zipfile does not
                    os.chmod(f"{work}/site/{entry.filename}", entry.external_attr >> 16 & 0o777)
            environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TESSERA_LIBRARY")}
            ran = subprocess.run([sys.executable, "-c", "import tessera; print(tessera.__file__, tessera.Layout('(4,8):(8,1)').size, tessera._kernels._short_call)"],
                                 env={**environment, "PYTHONPATH": f"{work}/site"}, capture_output=True, text=True)
            self.assertEqual(ran.stdout, f"{work}/site/tessera/__init__.py 32 <built-in function call>\n", ran.stderr)
            program = f"""import numpy, tessera; x, y = numpy.ones(256, "f4"), numpy.zeros(256, "f4")
tessera.load({str(SOURCE / "examples/program/twice.mlir")!r}, device="sim", cache=False, compile_timeout=600)(x, y); print(y.sum())"""
            ran = subprocess.run([sys.executable, "-c", program], env={**environment, "PYTHONPATH": f"{work}/site"}, capture_output=True, text=True)
            self.assertEqual(ran.stdout, "512.0\n", ran.stderr)
            version = re.search(r"VERSION (\d+\.\d+\.\d+)", (SOURCE / "CMakeLists.txt").read_text())[1]
            self.assertIn(f"tessera-{version}-", path.name)


if __name__ == "__main__":
    unittest.main()
