"""Messages that the gateway does not understand, and reports nevertheless."""

from typing import Annotated

from typing_extensions import Doc

from heliograph.networks.content.kinds import Kind
from heliograph.untrusted import UntrustedText


class System(Kind, frozen=True, tag="system"):
    """A message that the gateway can't read: it has to be opened on the phone."""

    # replaced by the same message if the network delivers it again and it is understood
    kind: Annotated[UntrustedText, Doc("The network's name for its kind.")]
    body: Annotated[UntrustedText, Doc("What the gateway knows of it, as a sentence.")]


def not_understood(kind: str, said: str = "") -> System:
    """Return the content of a message of this kind, which nobody here can read.

    `said` is what can be read of it.
    """
    sentence = f"A message of a kind that is not shown here ({kind}). Open it on the phone."
    return System(kind, f"{said}\n{sentence}" if said else sentence)
