"""The layout algebra from Python: values against tables that are written out here."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import copy
import os
import pickle
import re
import subprocess
import unittest
import xml.etree.ElementTree as xml

import tessera
from tessera import Layout


class Layouts(unittest.TestCase):
    def test_is_a_function(self):
        a = Layout("(8,4):(4,1)")
        self.assertEqual([a(i) for i in range(a.size)], [4 * (i % 8) + i // 8 for i in range(32)])
        self.assertEqual(a(3, 2), 14)
        self.assertEqual(a((3, 2)), 14)
        self.assertEqual(Layout("((2,2),3):((1,6),2)")(((1, 1), 2)), 1 + 6 + 4)
        self.assertEqual((a.size, a.cosize, a.rank), (32, 32, 2))

    def test_prints_what_reads_back(self):
        for text in ("(8,4):(4,1)", "((2,2),3):((1,6),2)", "(?,4):(1,?)", "S<3,4,3>", "[8:1;4:2]"):
            self.assertEqual(str(Layout(text)), text)
            self.assertEqual(eval(repr(Layout(text)), {"Layout": Layout}), Layout(text))

    def test_copies_and_pickles(self):
        for text in ("(8,4):(4,1)", "(?,4):(1,?)", "S<3,4,3>"):
            value = Layout(text)
            for made in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value)), copy.deepcopy([value])[0]):
                self.assertEqual((str(made), made), (text, value))

    def test_operations_are_methods(self):
        a, b = Layout("(8,4):(4,1)"), Layout("(2,4):(4,8)")
        both = a @ "(2,4):(4,8)"
        self.assertEqual([both(i) for i in range(8)], [a(b(i)) for i in range(8)])
        self.assertEqual(str(Layout("4:2").complement(24)), "(2,3):(1,8)")
        self.assertEqual(str(Layout((4, 8))), "(4,8)")
        self.assertEqual(int(Layout("7")), 7)

    def test_has_the_methods_that_there_are(self):
        a = Layout("(8,4):(4,1)")
        for name in ("composition", "complement", "logical_divide", "coalesce", "size", "call"):
            self.assertTrue(hasattr(a, name), name)
            self.assertIn(name, dir(a))
        for name in ("nope", "compositions", "", "_repr_latex_", "__array__", "__dlpack__"):
            self.assertFalse(hasattr(a, name), name)
        with self.assertRaisesRegex(AttributeError, "the layout algebra has no function 'nope'; `tessera layout --functions` lists them"):
            a.nope
        # As many as the program lists, of which some are also Python's own, as size.
        listed = subprocess.run([os.environ["TESSERA"], "layout", "--functions"], capture_output=True, text=True, check=True).stdout
        for name in set(re.findall(r"^ *([a-z]\w*)\(", listed, re.M)):
            self.assertTrue(hasattr(a, name), name)

    def test_refuses_with_a_sentence(self):
        with self.assertRaises(tessera.Error) as refused:
            Layout("(8,4):(4")
        self.assertTrue(refused.exception.id)
        self.assertRegex(str(refused.exception), r"expect")
        with self.assertRaises(tessera.Error):
            Layout("(3,5):(1,3)").call("no_such_function")

    def test_pictures(self):
        svg = Layout("(8,4):(4,1)")._repr_svg_()
        texts = [e.text for e in xml.fromstring(svg).iter() if e.tag.endswith("text")]
        for index in range(32):
            self.assertIn(str(index), texts)
        self.assertIn("<code>(8,4):(4,1)</code>", Layout("(8,4):(4,1)")._repr_html_())
        self.assertIsNone(Layout("(?,4):(1,?)")._repr_svg_())
        self.assertIn("31", Layout("(8,4):(4,1)").draw())
        with self.assertRaises(tessera.Error) as refused:
            Layout("(8,4):(4,1)").draw("png")
        self.assertEqual(refused.exception.id, "PictureForm")


if __name__ == "__main__":
    unittest.main()
