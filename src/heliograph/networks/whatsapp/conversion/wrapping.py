"""What messages are wrapped in, by its shape: whatever holds another message is a wrapper."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from google.protobuf.unknown_fields import UnknownFieldSet
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message

MAX_LAYERS = 16
"""What is wrapped more deeply is not looked into: a stranger made it."""


class Layer(NamedTuple):
    """A message, and the name of what wraps it; empty for the outermost."""

    wrapper: str
    message: Message


def unwrapped(message: Message) -> Message:
    """Return the message itself, out of whatever it is wrapped in."""
    return layers_of(message)[-1].message


def layers_of(message: Message) -> list[Layer]:
    """List the message as it came, and each one that is wrapped in the one before."""
    layers = [Layer("", message)]
    for _ in range(MAX_LAYERS):
        inner = next(_messages_in(layers[-1].message), None)
        if inner is None:
            break
        layers.append(inner)
    return layers


def is_wrapper(field: Any) -> bool:
    """Return whether a field of `Message` has a message in it: a `FutureProofMessage` and the
    like."""
    if field.message_type is None:
        return False
    inner = field.message_type.fields_by_name.get("message")
    return inner is not None and inner.message_type is Message.DESCRIPTOR


def _messages_in(message: Message) -> Iterator[Layer]:
    for field, value in message.ListFields():
        if is_wrapper(field) and _says_something(value.message):
            yield Layer(field.name, value.message)


def _says_something(message: Message) -> bool:
    # its size can't be asked for where a part lacks what it must have
    return bool(message.ListFields() or len(UnknownFieldSet(message)))
