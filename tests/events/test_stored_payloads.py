"""Payloads as they are stored: smaller, and read as they were posted."""

from hashlib import sha256
from importlib import resources

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from heliograph.core.events.payload_sql import NEWEST, pack, unpack
from heliograph.faces.api.schemas.events import EVENTS, DescribedEvent

FROZEN = {1: "bcddd0bc9e4385680eb8cd755d77a5f557fd80612339e87c6b55db4defc44536"}
"""What has been compressed with a dictionary can be read only with the same: it never changes."""

payloads = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.dictionaries(st.text(), payloads))
def test_every_payload_is_read_as_it_was(data: dict[str, object]) -> None:
    payload = msgspec.json.encode(data)
    stored = pack(payload)
    assert len(stored) <= len(payload)
    assert unpack(stored) == payload


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.example["type"])
def test_what_an_event_says_takes_less_room(event: DescribedEvent) -> None:
    payload = msgspec.json.encode(event.example)
    assert unpack(pack(payload)) == payload
    assert len(pack(payload)) < len(payload) * 0.6


def test_nothing_stays_nothing_and_json_is_read_as_it_is() -> None:
    assert pack(b"") == unpack(b"") == b""
    assert unpack(b'{"type":"a"}') == b'{"type":"a"}'


def test_no_dictionary_ever_changes() -> None:
    folder = resources.files("heliograph.core.events")
    found = {
        number: sha256(folder.joinpath(f"payload_dictionary_{number}.jsonl").read_bytes())
        for number in range(1, NEWEST + 1)
    }
    assert {number: digest.hexdigest() for number, digest in found.items()} == FROZEN
