"""How many pages are told at once, of a person, an organization and a process.

A person's oldest page gives way to the newest, which is the one that is being looked at. Nobody's
page gives way to another person's: one too many of an organization or a process is refused.
"""

from collections import Counter, defaultdict
from uuid import UUID

from heliograph.core.live.views import DisplacedError, LiveView
from heliograph.core.tenants.principal import Principal
from heliograph.errors import TooManyRequestsError

MAX_VIEWS = 1000
"""Of one process."""
MAX_VIEWS_OF_ORGANIZATION = 250
MAX_VIEWS_OF_PERSON = 12
REFUSED_SECONDS = 30
"""After which a page that was refused may ask again."""


class LiveLimits:
    """The views of one process, from when they are let in until their connections are gone."""

    def __init__(self) -> None:
        self._of_organizations: Counter[UUID] = Counter()
        self._of_people: defaultdict[str, list[LiveView]] = defaultdict(list)

    @property
    def count(self) -> int:
        return self._of_organizations.total()

    def enter(self, principal: Principal, view: LiveView) -> None:
        """End the person's oldest view where this one needs its place.

        Raises `TooManyRequestsError`.
        """
        mine = self._of_people.get(principal.actor, [])
        told = [each for each in mine if not each.has_ended]
        is_full = self._is_full(principal.organization_id)
        # those that gave way to connections which nobody reads are not gone at once
        if len(mine) >= 2 * MAX_VIEWS_OF_PERSON or (is_full and not told):
            raise TooManyRequestsError(
                "Too many pages are open at the same time.", retry_after=REFUSED_SECONDS
            )
        if is_full or len(told) >= MAX_VIEWS_OF_PERSON:
            told[0].end(DisplacedError())
        self._of_people[principal.actor].append(view)
        self._of_organizations[principal.organization_id] += 1

    def leave(self, principal: Principal, view: LiveView) -> None:
        mine = self._of_people[principal.actor]
        mine.remove(view)
        if not mine:
            del self._of_people[principal.actor]
        self._of_organizations[principal.organization_id] -= 1
        if not self._of_organizations[principal.organization_id]:
            del self._of_organizations[principal.organization_id]

    def _is_full(self, organization_id: UUID) -> bool:
        return (
            self.count >= MAX_VIEWS
            or self._of_organizations[organization_id] >= MAX_VIEWS_OF_ORGANIZATION
        )
