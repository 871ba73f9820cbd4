"""Errors of the library as exceptions."""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import ctypes as c

from ._library import HANDLE, lib, text


class Error(Exception):
    """Something was refused. `id` is the rule's stable name, such as BindExtent; the message is a sentence."""

    def __init__(self, id, message):
        super().__init__(message)
        self.id = id

    def __reduce__(self):  # what Exception does itself would lack the id
        return type(self), (self.id, str(self))


class Here:
    """Handles of this process: a copy is the handle itself, and another process cannot take it."""

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        raise TypeError(f"a {type(self).__name__} of tessera belongs to its process and is not pickled: make it again where it is needed")


def raise_error(handle):
    """Raises the error that a handle holds, and takes it out."""
    error = HANDLE(handle.value)
    handle.value = None
    try:
        id, message, help = text(lib.tesseraErrorId(error)), text(lib.tesseraErrorText(error)), text(lib.tesseraErrorHelp(error))
    finally:
        lib.tesseraErrorDestroy(error)
    raise Error(id, message + (f"; {help}" if help else ""))


def check(function, *arguments):
    """The result of a function that takes an error last; raises what it refuses."""
    error = HANDLE()
    result = function(*arguments, c.byref(error))
    if error.value:
        raise_error(error)
    return result
