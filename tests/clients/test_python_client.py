"""The Python client against the running gateway, with threads and with asyncio."""

import pickle
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest

from api_description import api_description
from demo_phone import act
from heliograph.networks.phone_actions import Press
from heliograph_client import ApiError, AsyncHeliograph, Event, Heliograph, Retries
from heliograph_client.generated import EVENT_CLASSES
from heliograph_client.models import (
    UNSET,
    ButtonReplyContent,
    ButtonsInput,
    ContentButtonInput,
    InboundMessage,
    Message,
    MessageReadEvent,
    MessageReceivedEvent,
    TextInput,
)
from live_gateway import LiveGateway

pytest_plugins = ("live_fixtures",)
MISSING = UUID(int=7)
ONCE = Retries(attempts=1)


@pytest.fixture
def client(gateway: LiveGateway) -> Iterator[Heliograph]:
    with Heliograph(gateway.base_url, gateway.demo.api_key) as made:
        yield made


@pytest.fixture
async def async_client(gateway: LiveGateway) -> AsyncIterator[AsyncHeliograph]:
    async with AsyncHeliograph(gateway.base_url, gateway.demo.api_key) as made:
        yield made


@pytest.fixture
def phone(gateway: LiveGateway) -> str:
    return gateway.demo.contact_phone


def is_read(event: Event, message_id: UUID) -> bool:
    return isinstance(event.body, MessageReadEvent) and event.body.data.id == message_id


def test_a_text_is_sent_and_read_back(client: Heliograph, phone: str) -> None:
    sent = client.send_text(phone, "Hello")
    message = client.get_message(sent.message_id)
    told = (message.content, message.direction, message.phone_number)
    assert told == ("Hello", "outbound", phone)
    assert message.scheduled_for is None or message.scheduled_for is UNSET


def test_values_of_ones_own_are_a_dict(client: Heliograph, phone: str) -> None:
    content = TextInput(body="Your order is ready")
    sent = client.send_message(phone_number=phone, content=content, metadata={"order": "4711"})
    metadata = client.get_message(sent.message_id).metadata
    assert metadata
    assert (metadata["order"], metadata.to_dict()) == ("4711", {"order": "4711"})


def test_a_pressed_button_comes_as_an_event_of_its_class(
    gateway: LiveGateway, client: Heliograph, phone: str
) -> None:
    [*_, page] = client.iterate_event_pages("oldest", wait=0)
    sent = client.send_message(
        phone_number=phone,
        content=ButtonsInput(
            body="Tomorrow?",
            buttons=[ContentButtonInput(id="yes", title="Yes")],
        ),
    )
    events = client.iterate_events(page.next_cursor, types=["message.*"])
    next(event for event in events if is_read(event, sent.message_id))
    act(gateway, Press(phone, "yes"))
    received = next(event.body for event in events if event.type == "message.received")
    assert isinstance(received, MessageReceivedEvent)
    assert isinstance(received.data, InboundMessage)
    assert received.data.reply_to_message_id == sent.message_id
    reply = received.data.typed_content
    assert isinstance(reply, ButtonReplyContent)
    assert reply.id == "yes"


def test_a_list_is_read_over_its_pages(client: Heliograph, phone: str) -> None:
    sent = [client.send_text(phone, f"Number {number}").message_id for number in range(5)]
    found = client.iterate_messages(direction="outbound", limit=2)
    assert [next(found).id for _ in sent] == sent[::-1]
    assert all(isinstance(message, Message) for message in found)  # to the end of all pages


async def test_a_list_is_read_over_its_pages_with_asyncio(
    async_client: AsyncHeliograph, phone: str
) -> None:
    sent = [(await async_client.send_text(phone, f"No. {n}")).message_id for n in range(3)]
    found = [message.id async for message in async_client.iterate_messages(limit=2)]
    outbound = [message_id for message_id in found if message_id in sent]
    assert outbound == sent[::-1]
    assert len(found) == len(set(found)) > 2


def test_who_goes_on_after_any_event_misses_none(client: Heliograph, phone: str) -> None:
    sent = client.send_text(phone, "Hello").message_id
    next(event for event in client.iterate_events("oldest") if is_read(event, sent))

    def read(after: str | None) -> list[Event]:
        return list(client.iterate_events(after, types=["message.*"], limit=3, wait=0))

    events = read("oldest")
    assert len(events) >= 3
    for number, event in list(enumerate(events, 1))[-12:]:
        together = [each.id for each in events[:number] + read(event.cursor)]
        assert list(dict.fromkeys(together)) == [each.id for each in events]
    assert read(events[-1].cursor) == []


async def test_events_are_waited_for_with_asyncio(
    async_client: AsyncHeliograph, phone: str
) -> None:
    events = async_client.iterate_event_pages(types=["message.*"])
    assert (await anext(events)).events == [], "nothing has happened since"
    sent = await async_client.send_text(phone, "Hello")
    async for page in events:
        if any(is_read(event, sent.message_id) for event in page.events):
            break


def test_waiting_for_events_is_no_timeout(gateway: LiveGateway) -> None:
    with Heliograph(gateway.base_url, gateway.demo.api_key, timeout=1, retries=ONCE) as hurried:
        pages = hurried.iterate_event_pages(types="contacts.synced", wait=2)
        assert [next(pages).events, next(pages).events] == [[], []]


def test_the_key_is_not_shown(gateway: LiveGateway) -> None:
    with Heliograph(gateway.base_url, gateway.demo.api_key) as made:
        assert gateway.demo.api_key not in f"{made!r} {vars(made)!r}"


def test_without_waiting_the_events_end(client: Heliograph) -> None:
    assert [page.events for page in client.iterate_event_pages(wait=0)][-1] == []


def test_each_post_has_an_idempotency_key(client: Heliograph, phone: str) -> None:
    key = f"order-{uuid4()}"
    once, again = (client.send_text(phone, "Once", idempotency_key=key) for _ in range(2))
    assert once.message_id == again.message_id
    other = client.send_text(phone, "Once")
    assert other.message_id != client.send_text(phone, "Once").message_id


def test_an_error_says_what_the_answer_says(client: Heliograph) -> None:
    with pytest.raises(ApiError) as caught:
        client.get_message(MISSING)
    error = caught.value
    assert (error.status, error.code) == (404, "message_not_found")
    assert error.detail in str(error)
    assert error.request_id
    assert pickle.loads(pickle.dumps(error)).code == error.code  # noqa: S301 - our own


def test_a_refused_request_says_where(client: Heliograph) -> None:
    with pytest.raises(ApiError) as caught:
        client.send_text("nobody", "Hello")
    assert (caught.value.status, caught.value.code) == (422, None)
    assert [each.loc for each in caught.value.errors] == [["body", "phone_number"]]


async def test_a_wrong_key_is_an_error_with_asyncio(gateway: LiveGateway) -> None:
    async with AsyncHeliograph(f"{gateway.base_url}/", "hg_wrong") as stranger:
        with pytest.raises(ApiError, match="invalid_api_key"):
            await stranger.list_devices()


def test_a_file_is_uploaded_with_its_type_and_name(client: Heliograph, tmp_path: Path) -> None:
    menu = tmp_path / "menu.csv"
    menu.write_bytes(b"dish,price\n" * 20_000)  # more than one piece
    file = client.upload_file(menu, media_type="text/csv")
    assert (file.size, file.file_name) == (menu.stat().st_size, "menu.csv")
    assert file.media_type.startswith("text/csv")
    assert httpx.get(file.url, timeout=60).content == menu.read_bytes()


def test_what_has_no_answer_returns_nothing(client: Heliograph) -> None:
    label = client.create_label(name=f"VIP {uuid4()}", color="#ff8800")
    client.delete_label(label.id)
    assert label.id not in [each.id for each in client.list_labels().labels]


def test_there_is_a_method_for_each_operation_and_a_class_for_each_event() -> None:
    description = api_description()
    for path in description["paths"].values():
        for operation in path.values():
            words = "".join(f"_{x.lower()}" if x.isupper() else x for x in operation["operationId"])
            assert callable(getattr(Heliograph, words))
            assert callable(getattr(AsyncHeliograph, words))
    assert set(EVENT_CLASSES) == set(description["webhooks"]) - {"batch"}
