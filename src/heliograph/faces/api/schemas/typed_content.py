"""What a message says, by kind: the union `typed_content` of the Message record.

Each kind's schema is made from its struct and named after its `type`, with `Content` appended.
"""

from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, RootModel

from heliograph.faces.api.schemas.records import describe_struct
from heliograph.networks.content import STRUCTS, Button, OrderItem, Row, Section

describe_struct(Button, "Choice")
describe_struct(Row, "ListRow")
describe_struct(Section, "ListSection")
describe_struct(OrderItem, "OrderedItem")


def _name_of(kind: str) -> str:
    return "".join(word.title() for word in kind.split("_")) + "Content"


CONTENTS = {
    kind: describe_struct(struct, _name_of(kind), type=(Literal[kind], ...))
    for kind, struct in STRUCTS.items()
}
_AnyContent: Any = Annotated[Union[tuple(CONTENTS.values())], Field(discriminator="type")]  # noqa: UP007 - of a tuple


class TypedContent(RootModel[_AnyContent]):
    """The content of a message, distinguished by `type`."""


class UnknownContent(BaseModel):
    """A kind that was added later, for the description of the API alone."""

    model_config = ConfigDict(extra="allow")

    type: str
