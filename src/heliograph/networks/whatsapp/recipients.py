"""Recipients: numbers, which are looked up on WhatsApp once, and members of groups under their
addresses there."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from cachetools import LRUCache

from heliograph.networks.errors import NetworkError, RecipientNotFoundError
from heliograph.networks.phone_numbers import other_form
from heliograph.networks.port import NetworkEvent
from heliograph.networks.whatsapp import addresses
from heliograph.networks.whatsapp.client_run import ClientRun
from heliograph.networks.whatsapp.conversion.jids import to_jid, to_text
from heliograph.networks.whatsapp.conversion.people import names_of
from heliograph.networks.whatsapp.directory import Directory
from heliograph.networks.whatsapp.failures import number_failure_of

MAX_KNOWN = 10_000

Report = Callable[[Sequence[NetworkEvent]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Recipient:
    """A recipient: the address on WhatsApp, the address book's name, and the person's own."""

    jid: str
    name: str | None = None
    chat_name: str | None = None


class Recipients:
    """The people and groups that one session writes to."""

    def __init__(self, directory: Directory, report: Report) -> None:
        self._directory = directory
        self._report = report
        self._known: LRUCache[str, Recipient] = LRUCache(MAX_KNOWN)

    async def find(self, run: ClientRun, jid: str) -> Recipient:
        """Look a recipient up, once. Raises `RecipientNotFoundError` for a number that is not on
        WhatsApp."""
        # WhatsApp accepts messages to numbers that do not exist
        if addresses.is_group(jid):
            return Recipient(jid)
        if jid not in self._known:
            address = await self._address(run, jid)
            info = await run.ask(lambda client: client.contact.get_contact(to_jid(address)))
            self._known[jid] = Recipient(address, *names_of(info))
        return self._known[jid]

    async def list_addresses(self, run: ClientRun, numbers: Sequence[str]) -> dict[str, str]:
        """Look up numbers, each with its `+`. Returns the addresses of those on WhatsApp."""
        try:
            found = await run.ask(lambda client: client.is_on_whatsapp(*numbers), number_failure_of)
        except RecipientNotFoundError:  # the library's error if none exists
            return {}
        named = [(answer.Query, to_text(answer.JID)) for answer in found if answer.IsIn]
        await self._report(await self._directory.resolve((jid for _, jid in named), run))
        asked = {number.lstrip("+"): number for number in numbers}
        addressed = {}
        for query, jid in named:
            number = asked.get(query.partition("@")[0].lstrip("+"))
            if len(numbers) == 1:
                number = numbers[0]
            if number is not None:
                addressed[number] = self._with_number(number, jid)
        return addressed

    async def ask_for_other_forms(self, run: ClientRun, jids: Iterable[str]) -> None:
        """Look up, once, people who may have another number on WhatsApp; `chat` returns it then."""
        unasked = [number for jid in jids if (number := self._unasked(jid))]
        if unasked:
            await self.list_addresses(run, unasked)

    def _unasked(self, jid: str) -> str | None:
        """Return the number of a person who may have another one on WhatsApp and was not looked up
        yet."""
        number = addresses.phone_number(jid)
        if number is None or other_form(number) is None or jid in self._directory.answered:
            return None
        return number

    def chat(self, jid: str) -> str:
        """Return WhatsApp's address for a chat or person, as far as it was looked up."""
        return self._directory.answered.get(jid, jid)

    async def member(self, run: ClientRun, chat: str, jid: str) -> str:
        """Return the address of a person in a chat's messages."""
        jid = self.chat(jid)
        # groups that hide numbers use only hidden ids for their members
        if addresses.is_lid(jid) or not await self._hides_numbers(run, chat):
            return jid
        return (await self._directory.earlier([jid], run)).get(jid, jid)

    async def members(self, run: ClientRun, chat: str, jids: Sequence[str]) -> dict[str, str]:
        await self.ask_for_other_forms(run, jids)
        return {jid: await self.member(run, chat, jid) for jid in jids}

    async def _hides_numbers(self, run: ClientRun, chat: str) -> bool:
        if not addresses.is_group(chat):
            return False
        known = self._directory.hides_numbers
        if chat not in known:
            try:
                info = await run.ask(lambda client: client.get_group_info(to_jid(chat)))
            except NetworkError:
                return False
            learned, _ = self._directory.record_groups([info])
            await self._report(learned)
        return known.get(chat, False)

    async def _address(self, run: ClientRun, jid: str) -> str:
        """Find the address that WhatsApp has for a number."""
        # older numbers of some countries have lost or gained a digit
        number = addresses.phone_number(jid)
        if number is None:
            await self._report(await self._directory.resolve([jid], run))
            return jid
        found = await self.list_addresses(run, [number])
        if number not in found:
            raise RecipientNotFoundError(f"{number} is not on WhatsApp.")
        return found[number]

    def _with_number(self, number: str, answer: str) -> str:
        """Return the address with a number for WhatsApp's answer to a look-up."""
        asked = f"{number.lstrip('+')}@{addresses.PERSON_SERVER}"
        address = self._directory.canonical(answer)
        if addresses.phone_number(address) is None:
            return asked
        self._directory.answered[asked] = address
        return address
