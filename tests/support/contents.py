"""Contents as a request gives them."""

import msgspec

from heliograph.networks.content import AnyInput, Content, read_content


def asked(content: Content) -> AnyInput:
    """The request whose content this is. Raises `InvalidInputError` for one that is refused."""
    return read_content(msgspec.to_builtins(content))
