"""A mark for what strangers write, on the member that holds it: data, and no instructions.

    class Contact(TypedDict):
        name: UntrustedText | None
        phones: Annotated[list[UntrustedText], Doc("...")]

A mark is beside the type and not in it: readers that don't know it see a plain text.
"""

from typing import Annotated, TypeAlias


class Untrusted:
    """Marks a text that people outside wrote: a name, a message, a word from another network."""


UntrustedText: TypeAlias = Annotated[str, Untrusted]
