"""Lets asyncpg tell arrays from their elements without asking abstract base classes.

Of each element of each array it asks whether that is `Iterable`, in order to find arrays of arrays.
With a thousand elements in a statement, this was a quarter of what the statement took a node.
"""

from asyncpg.protocol import protocol

ARRAYS = (list, tuple)
"""The classes of which the gateway's statements get arrays."""
_CHECKS = ("IterableABC", "SizedABC", "MappingABC")
"""Globals of asyncpg's own module: what an array is, is, and is not."""


def make_array_checks_cheap() -> bool:
    """Take `ARRAYS` alone for arrays. Return whether asyncpg still asks where it did."""
    if not all(hasattr(protocol, name) for name in _CHECKS):
        return False
    protocol.IterableABC, protocol.SizedABC, protocol.MappingABC = ARRAYS, ARRAYS, ()  # type: ignore[attr-defined]  # not declared
    return True
