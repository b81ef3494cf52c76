"""Calls that a model may repeat without doing the thing twice, as the API's `Idempotency-Key`."""

import hashlib

from pydantic import BaseModel, Field

from heliograph.core.idempotency.service import IdempotencyKey
from heliograph.faces.api.dependencies import IdempotencyName


class Repeatable(BaseModel):
    """What a tool takes that can be called once more with the same effect."""

    idempotency_key: IdempotencyName | None = Field(
        default=None,
        description="A name for this call, 1 to 255 characters. A repeat with the same name within "
        "24 hours gets the first answer, and nothing is done twice.",
    )

    def make_key(self, tool: str) -> IdempotencyKey | None:
        """The key with the call's fingerprint: SHA-256 of the tool's name and its input."""
        if self.idempotency_key is None:
            return None
        digest = hashlib.sha256(f"{tool}\n".encode())
        digest.update(self.model_dump_json().encode())
        return IdempotencyKey(self.idempotency_key, digest.digest())
