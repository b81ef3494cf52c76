"""What did not arrive, and what waits because something fails."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from heliograph.core.messages.model import Message
from heliograph.core.webhooks.model import Webhook


class FailedMessage(msgspec.Struct, frozen=True):
    """`conversation_id` is that of the chat it was meant for, None where nothing was said yet."""

    message: Message
    contact_name: str | None
    group_name: str | None
    conversation_id: UUID | None


class FailedMessagePage(msgspec.Struct, frozen=True):
    """Newest first; `more` is the `before` of the next page, None where all end."""

    messages: Sequence[FailedMessage]
    more: UUID | None


class EndpointInTrouble(msgspec.Struct, frozen=True):
    """A webhook that fails or was disabled. `waiting` counts to `MOST_WAITING`; `last_answer` is
    what the newest attempt that is to be repeated came to."""

    webhook: Webhook
    waiting: int
    last_answer: str | None


class DeliveryHealth(msgspec.Struct, frozen=True):
    """What became of the newest deliveries; `waiting` are those to endpoints in trouble, however
    old, and those that are tried again. What is on its first way counts as neither."""

    delivered: int
    failed: int
    waiting: int

    @property
    def total(self) -> int:
        return self.delivered + self.failed + self.waiting

    @property
    def percent(self) -> str | None:
        """How much arrived, rounded down: 100.0 means all. None where nothing was posted."""
        if not self.total:
            return None
        permille = 1000 * self.delivered // self.total
        return f"{permille // 10}.{permille % 10}"
