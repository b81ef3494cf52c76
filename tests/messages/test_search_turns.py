"""Organizations take turns in the batches of the search, each with about as many bytes."""

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from heliograph.core.messages.search import turns as search_turns
from heliograph.core.messages.search.sql import ListedMessage
from heliograph.core.messages.search.turns import BATCH, BATCH_BYTES, ReadingQueue


def listed(*messages: tuple[int, int]) -> list[ListedMessage]:
    """Messages of these organizations and sizes, in the order of their ids."""
    return [
        ListedMessage(0, UUID(int=organization), UUID(int=number), size)
        for number, (organization, size) in enumerate(messages, 1)
    ]


def read_all(turns: ReadingQueue) -> list[list[ListedMessage]]:
    batches = []
    while turns:
        batches.append(turns.choose())
        turns.remove(batches[-1])
    return batches


def organizations(messages: Sequence[ListedMessage]) -> Counter[int]:
    return Counter(message.organization_id.int for message in messages)


@given(st.lists(st.tuples(st.integers(1, 4), st.sampled_from([0, 50, 5_000, 200_000]))))
def test_each_is_read_once_and_those_of_an_organization_in_their_order(
    messages: list[tuple[int, int]],
) -> None:
    turns = ReadingQueue()
    turns.add(listed(*messages))
    batches = read_all(turns)
    read = [message for batch in batches for message in batch]
    assert sorted(read) == sorted(listed(*messages))
    for organization in range(1, 5):
        ids = [message.id for message in read if message.organization_id.int == organization]
        assert ids == sorted(ids)
    for batch in batches:
        assert 0 < len(batch) <= BATCH
        assert sum(message.size for message in batch[:-1]) < BATCH_BYTES


def test_an_organization_whose_texts_are_long_takes_no_more_than_its_share() -> None:
    turns = ReadingQueue()
    turns.add(listed(*[(1, 4_000)] * 500, *[(2, 100)] * 30, *[(3, 100)] * 30))
    first = organizations(turns.choose())
    assert (first[2], first[3]) == (30, 30)
    assert 0 < first[1] < 10


def test_whoever_had_no_turn_is_next() -> None:
    turns = ReadingQueue()
    turns.add(listed(*[(organization, 50) for organization in range(1, 301) for _ in range(2)]))
    for _ in range(3):
        turns.remove(turns.choose())
    assert set(organizations(turns.choose()).values()) == {1}
    assert len(turns.choose()) == BATCH
    assert sum(map(len, read_all(turns))) == 300


def test_what_one_organization_has_keeps_room_for_others_within_bounds() -> None:
    turns = ReadingQueue()
    turns.add(listed(*[(1, 100)] * 5_000))
    assert turns.have_room()
    turns.add(listed(*[(organization, 100) for organization in range(2, 11) for _ in range(100)]))
    assert not turns.have_room()
    full = ReadingQueue()
    full.add(listed(*[(1, 100)] * search_turns.MAX_WAITING))
    assert not full.have_room()


def test_the_oldest_that_waits_is_known_before_a_batch_is_done() -> None:
    turns = ReadingQueue()
    turns.add(listed((1, 10), (1, 10), (2, 10), (2, 10)))
    everything = turns.choose()
    assert turns.find_oldest(besides=[]) == UUID(int=1)
    assert turns.find_oldest(besides=[everything[0]]) == UUID(int=2)
    of_first = [message for message in everything if message.organization_id.int == 1]
    assert turns.find_oldest(besides=of_first) == UUID(int=3)
    assert turns.find_oldest(besides=everything) is None
