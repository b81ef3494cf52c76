"""Unwraps messages by structure: whatever holds another message is a wrapper."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from google.protobuf.unknown_fields import UnknownFieldSet
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message

MAX_LAYERS = 16
"""The deepest nesting that is unwrapped, since strangers can nest at will."""


class Layer(NamedTuple):
    """A message, and the name of its wrapper; empty for the outermost."""

    wrapper: str
    message: Message


def unwrapped(message: Message) -> Message:
    """Return the innermost message."""
    return layers_of(message)[-1].message


def layers_of(message: Message) -> list[Layer]:
    """List the message as it came, and each message nested in it."""
    layers = [Layer("", message)]
    for _ in range(MAX_LAYERS):
        inner = next(_messages_in(layers[-1].message), None)
        if inner is None:
            break
        layers.append(inner)
    return layers


def is_wrapper(field: Any) -> bool:
    """Return whether a field of `Message` holds a message, such as a `FutureProofMessage`."""
    if field.message_type is None:
        return False
    inner = field.message_type.fields_by_name.get("message")
    return inner is not None and inner.message_type is Message.DESCRIPTOR


def _messages_in(message: Message) -> Iterator[Layer]:
    for field, value in message.ListFields():
        if is_wrapper(field) and _says_something(value.message):
            yield Layer(field.name, value.message)


def _says_something(message: Message) -> bool:
    # its size can't be computed if a part lacks a required field
    return bool(message.ListFields() or len(UnknownFieldSet(message)))
