"""Order within a conversation, whatever is claimed when and ends when."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec.structs import replace

from delivery_tables import claimed_delivery
from heliograph.core.webhooks.model import ClaimedDelivery
from heliograph.core.webhooks.queue.lanes import LANE_LIMIT, Lanes

KEYS = [UUID(int=number) for number in range(1, 4)]


def delivery(seq: int, key: UUID, attempts: int = 0) -> ClaimedDelivery:
    return claimed_delivery(seq, key, attempt_count=attempts)


def batch_of(members: list[ClaimedDelivery]) -> ClaimedDelivery:
    """These as one batch."""
    return replace(members[0], members=tuple(members))


class LanesMachine(RuleBasedStateMachine):
    """Claims, attempts and ends in any order, against a plain list of what must hold."""

    def __init__(self) -> None:
        super().__init__()
        self.lanes = Lanes()
        self.seq = 0
        self.begun: list[ClaimedDelivery] = []
        self.attempted: list[ClaimedDelivery] = []
        self.began_last: dict[UUID, int] = {}
        self.waiting: set[UUID] = set()
        self.key_of: dict[UUID, UUID] = {}

    @rule(keys=st.lists(st.tuples(st.sampled_from(KEYS), st.booleans()), max_size=6))
    def claim(self, keys: list[tuple[UUID, bool]]) -> None:
        new = []
        for key, is_retry in keys:
            self.seq += 1
            new.append(delivery(self.seq, key, int(is_retry)))
            self.key_of[new[-1].id] = key
        self.lanes.add(new)
        self.lanes.add(new)  # what is held already is not taken twice
        self.waiting.update(delivery.id for delivery in new)

    @rule()
    def take(self) -> None:
        taken = self.lanes.take()
        if taken is None:
            return
        assert taken.id in self.waiting
        self.waiting.difference_update(taken.delivery_ids)
        self.begin(taken)

    def begin(self, taken: ClaimedDelivery) -> None:
        if not taken.attempt_count:
            for key in taken.order_keys:
                others = [begun for begun in self.begun if key in begun.order_keys]
                assert all(other.attempt_count for other in others), "two first attempts at once"
        for id_ in taken.delivery_ids if not taken.attempt_count else ():
            key = self.key_of[id_]
            assert id_.int > self.began_last.get(key, 0), "out of order"
            self.began_last[key] = id_.int
        self.begun.append(taken)

    @rule(size=st.integers(1, 4))
    def take_a_new_batch(self, size: int) -> None:
        members = self.lanes.list_new()[:size]
        if members:
            begun = self.lanes.take_batch(batch_of(members))
            self.waiting.difference_update(begun.delivery_ids)
            self.begin(begun)

    @rule()
    def take_what_is_in_no_new_batch(self) -> None:
        taken = self.lanes.take_attempted()
        if taken is not None:
            assert taken.attempt_count or taken.members
            self.waiting.difference_update(taken.delivery_ids)
            self.begin(taken)

    @rule(keys=st.lists(st.sampled_from(KEYS), min_size=1, max_size=4), is_retry=st.booleans())
    def claim_a_batch(self, keys: list[UUID], is_retry: bool) -> None:
        members = []
        for key in keys:
            self.seq += 1
            members.append(delivery(self.seq, key, int(is_retry)))
            self.key_of[members[-1].id] = key
        self.lanes.add([batch_of(members)])
        self.waiting.update(member.id for member in members)

    @precondition(lambda self: self.begun)
    @rule(data=st.data())
    def attempt(self, data: st.DataObject) -> None:
        attempted = data.draw(st.sampled_from(self.begun))
        self.begun.remove(attempted)
        self.attempted.append(attempted)
        self.lanes.release_next(attempted)

    @precondition(lambda self: self.attempted)
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        ended = data.draw(st.sampled_from(self.attempted))
        self.attempted.remove(ended)
        self.lanes.end(ended)

    @rule()
    def drop(self) -> None:
        before = set(self.lanes.held)
        self.lanes.drop_waiting()
        dropped = before - set(self.lanes.held)
        assert {UUID(int=seq) for seq in dropped} == self.waiting
        self.waiting.clear()

    @invariant()
    def holds_what_waits_and_what_has_begun(self) -> None:
        begun = (*self.begun, *self.attempted)
        held = {id_ for delivery in begun for id_ in delivery.delivery_ids}
        assert {UUID(int=seq) for seq in self.lanes.held} <= self.waiting | held
        assert {delivery.seq for delivery in begun} <= set(self.lanes.held)
        assert len(self.lanes) == len(self.lanes.held)

    def teardown(self) -> None:
        """Nothing is stuck: ending everything that begins brings out all that waits."""
        for begun in self.begun:
            self.lanes.end(begun)
        for attempted in self.attempted:
            self.lanes.end(attempted)
        while (taken := self.lanes.take()) is not None:
            self.waiting.difference_update(taken.delivery_ids)
            self.lanes.end(taken)
        assert not self.waiting
        assert len(self.lanes) == 0


TestLanes = LanesMachine.TestCase


@given(extra=st.integers(0, 2))
def test_a_key_is_busy_when_enough_of_it_waits(extra: int) -> None:
    lanes = Lanes()
    lanes.add(delivery(seq, KEYS[0]) for seq in range(1, LANE_LIMIT + extra + 1))
    assert lanes.busy == ([KEYS[0]] if extra else [])
