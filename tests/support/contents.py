"""Contents as a request gives them."""

import msgspec

from heliograph.core.messages.accepting.content_input import AnyInput, read_content
from heliograph.networks.content import Content


def asked(content: Content) -> AnyInput:
    """The request whose content this is. Raises `InvalidInputError` for one that is refused."""
    return read_content(msgspec.to_builtins(content))
