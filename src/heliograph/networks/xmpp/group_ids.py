"""The ids of messages in groups.

In a group a message is named by the id that the group gave it (XEP-0359): in replies, reactions,
retractions and markers. Only a correction names it by its sender's own id. The gateway knows the
messages that it has sent by their own ids, and those of others by the group's.
"""

from collections.abc import Callable
from typing import NamedTuple

import structlog
from cachetools import LRUCache, TTLCache

from heliograph.networks.errors import NetworkError
from heliograph.networks.xmpp.archive import ArchiveReader
from heliograph.networks.xmpp.stanzas import Message

MAX_REMEMBERED = 2000
"""The most messages of all of an account's groups that are remembered."""
MAX_CORRECTIONS = 50
"""The longest chain of corrections that is followed."""
MAX_PAGES = 5
"""The most pages of a group's archive that are searched for a message."""
PAUSE = 60.0
"""Seconds after an unsuccessful search before it is repeated."""

log = structlog.get_logger(__name__)


class Written(NamedTuple):
    """Who wrote a message, and the id that they gave it."""

    sender_jid: str
    own_id: str


class GroupIds:
    """The ids of the newest messages, and where to look for older ones.

    `archives` returns what reads the archives at the moment. `sender` says who wrote a message of
    a group.
    """

    def __init__(
        self,
        archives: Callable[[], ArchiveReader | None],
        sender: Callable[[str, Message], str | None],
    ) -> None:
        self._archives = archives
        self._sender = sender
        self._written: LRUCache[tuple[str, str], Written] = LRUCache(MAX_REMEMBERED)
        self._given: LRUCache[tuple[str, Written], str] = LRUCache(MAX_REMEMBERED)
        self._corrects: LRUCache[tuple[str, Written], Written] = LRUCache(MAX_REMEMBERED)
        self._unknown: TTLCache[tuple[str, str], bool] = TTLCache(MAX_REMEMBERED, PAUSE)
        self._searched_in_vain: TTLCache[str, bool] = TTLCache(100, PAUSE)

    def remember(self, group: str, message: Message, sender: str) -> None:
        """Remember a message's ids, if the group has given it one."""
        # in private messages, groups let people write any id
        given = message.archived_as or message.archive_id(group)
        if given and message.kind == "groupchat":
            written = Written(sender, message.own_id)
            self._written[group, given] = written
            self._given[group, written] = given
            if message.replaces:
                self._corrects[group, written] = Written(sender, message.replaces)

    def written(self, group: str, given: str) -> Written | None:
        """Return the author's id of the message with this group id, if it is remembered."""
        return self._written.get((group, given))

    def given(self, group: str, written: Written) -> str | None:
        """Return the group's id of a message, if that is remembered; of a correction, that of the
        message which was corrected first: some programs name a correction to correct it again."""
        for _ in range(MAX_CORRECTIONS):
            corrected = self._corrects.get((group, written))
            if corrected is None:
                return self._given.get((group, written))
            written = corrected
        return None

    async def find_written(self, group: str, given: str) -> Written | None:
        """Find who wrote a message, in the group's archive if need be."""
        known, archives = self.written(group, given), self._archives()
        if known is not None or archives is None or (group, given) in self._unknown:
            return known
        try:
            message = await archives.find(group, given)
        except NetworkError as error:
            log.info("xmpp_group_not_searched", group=group, reason=error.reason)
            return None
        if message is None:
            self._unknown[group, given] = True
        else:
            self._remember(group, message)
        return self.written(group, given)

    async def find_given(self, group: str, written: Written) -> str | None:
        """Find the group's id of a message, in the group's archive if need be."""
        await self._search(group, lambda: self.given(group, written) is not None)
        return self.given(group, written)

    async def _search(self, group: str, is_found: Callable[[], bool]) -> None:
        """Read the group's archive, from its end back, until what is wanted was read."""
        archives = self._archives()
        if is_found() or archives is None or group in self._searched_in_vain:
            return
        before: str | None = None
        try:
            for _ in range(MAX_PAGES):
                page = await archives.page_before(group, None, before)
                for message in page.messages:
                    self._remember(group, message)
                if is_found():
                    return
                if page.is_complete or page.first in (None, before):
                    break
                before = page.first
        except NetworkError as error:
            log.info("xmpp_group_not_searched", group=group, reason=error.reason)
        self._searched_in_vain[group] = True

    def _remember(self, group: str, message: Message) -> None:
        sender = self._sender(group, message)
        if sender is not None:
            self.remember(group, message, sender)

    # --- what a message names ---

    def knows_what_it_names(self, group: str, message: Message, sender: str) -> bool:
        """Return whether a message can be read without a search."""
        given = _given_id(message)
        if given is not None:
            return self.written(group, given) is not None
        corrected = message.replaces
        return corrected is None or self.given(group, Written(sender, corrected)) is not None

    async def look_up(self, group: str, message: Message, sender: str) -> None:
        """Look up the message that this one refers to, and remember it."""
        given, corrected = _given_id(message), message.replaces
        if given is not None:
            await self.find_written(group, given)
        elif corrected is not None:
            await self.find_given(group, Written(sender, corrected))


def _given_id(message: Message) -> str | None:
    return message.replies_to or message.reacts_to or message.retracts
