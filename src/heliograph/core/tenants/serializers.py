"""Callers as clients see them."""

from typing import Annotated, TypedDict

from typing_extensions import Doc

from heliograph.core.tenants.model import Author


class AuthorRecord(TypedDict):
    """The author of a note or a change."""

    kind: Annotated[str, Doc("`api_key`, `user`, or `operator` for the command line.")]
    id: Annotated[str | None, Doc("The public part of an API key, or a person's id.")]
    name: Annotated[str, Doc("The name of the key or the person at that time.")]


def author_record(author: Author) -> AuthorRecord:
    return {"kind": author.kind, "id": author.id, "name": author.name}
