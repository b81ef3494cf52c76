"""Lists of messages, and the history of one."""

from pydantic import BaseModel, Field

from heliograph.core.messages.history_record import (
    MessageDeliveryAttemptRecord,
    MessageDeliveryRecord,
    MessageEventRecord,
    MessageHistoryRecord,
    MessageStepRecord,
    NetworkAttemptsRecord,
)
from heliograph.faces.api.schemas.fields import with_example
from heliograph.faces.api.schemas.messages import Message
from heliograph.faces.api.schemas.records import describe_part, describes

_FAILED = {
    "id": "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40",
    "phone_number": "+5511999990000",
    "content": "Your table is booked for 20:00. Is that right?",
    "status": "failed",
    "direction": "outbound",
    "retry_count": 1,
    "chat_account_id": "01939b1a-0f00-7d11-8c22-93a1b2c3d4e5",
    "created_at": "2025-12-06T10:00:00.000000Z",
    "updated_at": "2025-12-06T10:00:05.200000Z",
    "chat_type": "individual",
    "message_type": "text",
    "failure_reason": "The number is not on the chat network.",
    "queued_at": "2025-12-06T10:00:00.000000Z",
    "failed_at": "2025-12-06T10:00:05.200000Z",
    "typed_content": {"type": "text", "body": "Your table is booked for 20:00. Is that right?"},
}


class MessageList(BaseModel):
    """One page of messages, newest first."""

    model_config = with_example(
        {"messages": [_FAILED], "next_cursor": "eyJiZWZvcmUiOiIwMTkzOWIxZS03YzNhIn0"}
    )

    messages: list[Message]
    next_cursor: str | None = Field(
        default=None,
        description="The `cursor` of the next page; null on the last one. A page may hold fewer "
        "than `limit`, even none, and still have a next one.",
    )


describe_part(MessageStepRecord, "MessageStep")
describe_part(NetworkAttemptsRecord, "NetworkAttempts")
describe_part(MessageEventRecord, "MessageEvent")
describe_part(MessageDeliveryAttemptRecord, "MessageDeliveryAttempt")
describe_part(MessageDeliveryRecord, "MessageDelivery")


@describes(MessageHistoryRecord)
class MessageHistory(BaseModel):
    model_config = with_example(
        {
            "message": _FAILED,
            "explanation": [
                "The message failed and is not tried again: The number is not on the chat network."
            ],
            "steps": [
                {"status": "queued", "at": "2025-12-06T10:00:00.000000Z", "reason": None},
                {
                    "status": "failed",
                    "at": "2025-12-06T10:00:05.200000Z",
                    "reason": "The number is not on the chat network.",
                },
            ],
            "network_attempts": {
                "failed": 1,
                "last_error": "The number is not on the chat network.",
                "next_attempt_at": None,
            },
            "events": [
                {
                    "id": "01939b1e-8c00-7aaa-8bbb-ccccddddeeee",
                    "type": "message.failed",
                    "created_at": "2025-12-06T10:00:05.200000Z",
                }
            ],
            "deliveries": [
                {
                    "id": "01939b1e-9000-7aaa-8bbb-ccccddddeeee",
                    "event_id": "01939b1e-8c00-7aaa-8bbb-ccccddddeeee",
                    "event_type": "message.failed",
                    "webhook_id": "01939b1a-2000-7aaa-8bbb-ccccddddeeee",
                    "webhook_url": "https://backend.example/hooks",
                    "status": "delivered",
                    "created_at": "2025-12-06T10:00:05.200000Z",
                    "delivered_at": "2025-12-06T10:00:05.260000Z",
                    "next_attempt_at": None,
                    "attempts": [
                        {
                            "number": 1,
                            "started_at": "2025-12-06T10:00:05.210000Z",
                            "duration_ms": 48,
                            "response_code": 204,
                            "response_body": "",
                            "error_message": None,
                            "address": "203.0.113.7",
                        }
                    ],
                }
            ],
        }
    )
