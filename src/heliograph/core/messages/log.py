"""Log lines of messages that failed or are tried again, each under the id of its send: whoever
looks for a message finds what became of it."""

from uuid import UUID

import structlog

from heliograph.core.messages.model import Message, MessageStatus

log = structlog.get_logger()


def log_trouble(message: Message, reason: str | None) -> None:
    """A message that has just failed, or went back into the queue after a try."""
    again_at = message.next_attempt_at
    log.info(
        _FAILED if message.status is MessageStatus.FAILED else "message will be tried again",
        run_id=message.run_id,
        message_id=str(message.id),
        account_id=str(message.account_id),
        retry_count=message.retry_count,
        next_attempt_at=again_at and again_at.isoformat(),
        reason=reason,
    )


def log_failure(message_id: UUID, account_id: UUID, run_id: str | None, reason: str) -> None:
    """A message that was given up with many others."""
    log.info(
        _FAILED,
        run_id=run_id,
        message_id=str(message_id),
        account_id=str(account_id),
        reason=reason,
    )


_FAILED = "message failed"
