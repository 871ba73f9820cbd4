"""The layout algebra: layouts as values, with pictures in notebooks."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes as c
import functools
import itertools
import weakref

from ._errors import check
from ._library import HANDLE, lib, terminated, text, whole


@functools.cache
def _functions():
    names = iter(lambda number=itertools.count(): lib.tesseraFunctionName(next(number)), None)
    return frozenset(name.decode() for name in names)


def _handle_of(operand):
    return operand if isinstance(operand, Layout) else Layout(operand)


class Layout:
    """A value of the layout algebra, from any expression that `tessera layout` takes: Layout("(8,4):(4,1)").

    Functions of the algebra are methods: a.composition(b), a.logical_divide("(2,2)"), a.complement(64); their operands may be texts, tuples
    or numbers. Calling a layout gives the index of a coordinate.
    """

    def __init__(self, expression):
        if isinstance(expression, (int, tuple, list)):
            expression = _written(expression)
        self._own(check(lib.tesseraEvaluate, terminated(str(expression), "layout"), None, 0))

    def __reduce__(self):
        return Layout, (str(self),)

    def __copy__(self):  # it does not change
        return self

    def __deepcopy__(self, memo):
        return self

    def _own(self, handle):
        self._handle = handle
        weakref.finalize(self, lib.tesseraDestroy, handle)

    @classmethod
    def _of(cls, handle):
        made = cls.__new__(cls)
        made._own(handle)
        return made

    def _number(self, function):
        number = c.c_int64()
        check(function, self._handle, c.byref(number))
        return number.value

    @property
    def size(self):
        """Elements of the domain."""
        return self._number(lib.tesseraSize)

    @property
    def cosize(self):
        """1 + the largest index."""
        return self._number(lib.tesseraCosize)

    @property
    def rank(self):
        return self._number(lib.tesseraRank)

    def call(self, name, *operands):
        """What "name(self, operands...)" is, for any function that `tessera layout --functions` lists."""
        values = [self, *map(_handle_of, operands)]
        handles = (HANDLE * len(values))(*[value._handle for value in values])
        return Layout._of(check(lib.tesseraCall, terminated(name, "function"), handles, len(values)))

    def __getattr__(self, name):
        if name not in _functions():
            raise AttributeError(f"the layout algebra has no function '{name}'; `tessera layout --functions` lists them", name=name, obj=self)
        return lambda *operands: self.call(name, *operands)

    def __dir__(self):
        return sorted({*super().__dir__(), *_functions()})

    def __call__(self, *coordinate):
        index = c.c_int64()
        if len(coordinate) == 1 and isinstance(coordinate[0], int):
            check(lib.tesseraIndex, self._handle, whole(coordinate[0], c.c_int64, "coordinate"), c.byref(index))
            return index.value
        flat = coordinate[0] if len(coordinate) == 1 else coordinate
        if all(isinstance(one, int) for one in flat):
            check(lib.tesseraIndexAt, self._handle, (c.c_int64 * len(flat))(*(whole(one, c.c_int64, "coordinate") for one in flat)), len(flat), c.byref(index))
            return index.value
        return int(Layout(flat).call("crd2idx", self))

    def __int__(self):
        return self._number(lib.tesseraGetNumber)

    def __matmul__(self, other):
        """Composition: (a @ b)(c) is a(b(c))."""
        return self.call("composition", other)

    def __eq__(self, other):
        return isinstance(other, Layout) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))

    def __str__(self):
        length = lib.tesseraPrint(self._handle, None, 0)
        buffer = c.create_string_buffer(length + 1)
        lib.tesseraPrint(self._handle, buffer, length + 1)
        return text(buffer.value)

    def __repr__(self):
        return f'Layout("{self}")'

    def draw(self, form="text"):
        """A picture: "text" for a terminal, "svg" or "latex"."""
        drawn = check(lib.tesseraDraw, self._handle, terminated(form, "form"))
        try:
            return text(c.cast(drawn, c.c_char_p).value)
        finally:
            lib.tesseraTextDestroy(drawn)

    def _repr_svg_(self):
        from ._errors import Error

        try:
            return self.draw("svg")
        except Error:  # too large, or not static: the notebook shows the text
            return None

    def _repr_html_(self):
        svg = self._repr_svg_()
        return f"<code>{self}</code><br>{svg}" if svg else None


def _written(value):
    """A coordinate or shape as the algebra writes it; None is `_`."""
    if value is None:
        return "_"
    return str(value) if isinstance(value, int) else "(" + ",".join(map(_written, value)) + ")"
