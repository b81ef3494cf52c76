"""Virtual phones: the people of the sandbox.

Each account sees phones of its own: what one account does to +1 555 010 0001 (switch it off, change
its picture) no other account notices. A phone's name follows from its number, so even a number that
nobody has used yet is somebody.
"""

import hashlib
from collections.abc import Sequence
from uuid import UUID

import msgspec

from heliograph.networks.errors import NetworkError, RecipientNotFoundError
from heliograph.networks.phone_numbers import phone_digits
from heliograph.networks.port import ContactSeen, Person
from heliograph.networks.sandbox import addresses
from heliograph.networks.sandbox.database_access import Database
from heliograph.networks.sandbox.pictures import picture_id
from heliograph.networks.sandbox.test_numbers import MAGIC_JIDS, Misbehavior, misbehavior_of
from heliograph.platform.database.rows import Columns, reads

FIRST_NAMES = (
    "Ada", "Bruno", "Chiara", "Dario", "Elif", "Femi", "Grace", "Hugo", "Ines", "Jonas", "Kofi",
    "Lea", "Mateus", "Nadia", "Oskar", "Priya", "Quinn", "Rosa", "Sven", "Tomoko", "Umar", "Vera",
    "Wanda", "Ximena", "Yusuf", "Zoe",
)  # fmt: skip
LAST_NAMES = (
    "Abara", "Berg", "Costa", "Duarte", "Eriksen", "Fontana", "Gupta", "Haddad", "Ito", "Jansen",
    "Kaya", "Lima", "Moreau", "Novak", "Okafor", "Petrov", "Quiroga", "Rossi", "Santos", "Tanaka",
    "Usman", "Vidal", "Weber", "Xu", "Yilmaz", "Zamora",
)  # fmt: skip

FIRST_PHONE = 15550100001
MAX_CONTACTS = 8999
PAGE = 100


class Phone(msgspec.Struct, frozen=True):
    """A phone as one account sees it. `name` is the address book's, None for a stranger."""

    jid: str
    chat_name: str
    name: str | None = None
    online: bool = True
    picture_version: int = 0

    @property
    def display_name(self) -> str:
        return self.name or self.chat_name

    @property
    def person(self) -> Person:
        return Person(
            remote_jid=self.jid,
            phone_number=addresses.phone_number(self.jid) or self.jid,
            name=self.display_name,
            online=self.online,
            note=misbehavior_of(self.jid) or "",
        )

    @property
    def contact(self) -> ContactSeen:
        hidden = misbehavior_of(self.jid) in (Misbehavior.HIDDEN_PICTURE, Misbehavior.NO_PICTURE)
        return ContactSeen(
            remote_jid=self.jid,
            phone_number=addresses.phone_number(self.jid),
            name=self.name,
            chat_name=self.chat_name,
            picture_id=None if hidden else picture_id(self.jid, self.picture_version),
        )


_phone_of = reads(Phone)


def generated(jid: str) -> Phone:
    """Return the phone as it is before anything has happened to it."""
    number = int(hashlib.sha256(jid.encode()).hexdigest()[:12], 16)
    first = FIRST_NAMES[number % len(FIRST_NAMES)]
    last = LAST_NAMES[number // len(FIRST_NAMES) % len(LAST_NAMES)]
    is_online = misbehavior_of(jid) is not Misbehavior.OFFLINE
    return Phone(jid=jid, chat_name=f"{first} {last}", online=is_online)


def address_book(size: int) -> list[Phone]:
    """Return the people whom every account knows from the start: those from +1 555 010 0001 on."""
    book = []
    for n in range(min(size, MAX_CONTACTS)):
        first = FIRST_NAMES[n % len(FIRST_NAMES)]
        last = LAST_NAMES[(n + n // len(FIRST_NAMES)) % len(LAST_NAMES)]
        jid = addresses.address(str(FIRST_PHONE + n))
        book.append(Phone(jid=jid, chat_name=first, name=f"{first} {last}"))
    return book


_NEW = Columns("jid text, name text, chat_name text, online boolean")
INSERT_PHONES = _NEW.fill("""
INSERT INTO sandbox.phones (account_id, {names}) SELECT $1, {values} FROM {rows}
ON CONFLICT DO NOTHING
""")


async def insert_phones(database: Database, account_id: UUID, phones: Sequence[Phone]) -> None:
    """Insert phones; one that the account already knows stays as it is."""
    phones = sorted(phones, key=lambda phone: phone.jid)
    await database.execute(INSERT_PHONES, account_id, *_NEW.of(phones))


FIND_PHONE = "SELECT * FROM sandbox.phones WHERE account_id = $1 AND jid = $2"


async def find_phone(database: Database, account_id: UUID, jid: str) -> Phone | None:
    row = await database.fetchrow(FIND_PHONE, account_id, jid)
    return None if row is None else _phone_of(row)


async def get_phone(database: Database, account_id: UUID, who: str) -> Phone:
    """Return the phone of this number, JID or name, made on first use.

    Raises `InvalidAddressError`, `RecipientNotFoundError`, and `NetworkError` for a name that
    nobody or more than one person has.
    """
    is_number = phone_digits(who) is not None
    if not is_number and any(letter.isalpha() for letter in who.partition("@")[0]):
        return await _get_by_name(database, account_id, who)
    jid = addresses.address(who)
    if addresses.is_group(jid):
        raise NetworkError(f"{jid} is a group, not a phone.", permanent=True)
    if misbehavior_of(jid) is Misbehavior.GONE:
        raise RecipientNotFoundError(f"{addresses.phone_number(jid)} is not on the network.")
    found = await find_phone(database, account_id, jid)
    if found is None:
        found = generated(jid)
        await insert_phones(database, account_id, [found])
    return found


GET_BY_NAME = """
SELECT * FROM sandbox.phones
WHERE account_id = $1 AND lower($2) IN (lower(name), lower(chat_name))
ORDER BY jid LIMIT 2
"""


async def _get_by_name(database: Database, account_id: UUID, name: str) -> Phone:
    rows = await database.fetch(GET_BY_NAME, account_id, name.strip())
    if len(rows) == 1:
        return _phone_of(rows[0])
    many = "More than one person is" if rows else "Nobody is"
    raise NetworkError(f"{many} called {name!r} here; give the phone number.", permanent=True)


LIST_PEOPLE = "SELECT * FROM sandbox.phones WHERE account_id = $1 ORDER BY jid LIMIT $2"


async def list_people(
    database: Database, account_id: UUID, most: int | None = None
) -> list[Person]:
    """List the people this account deals with, and the test numbers: the first `most`, by JID."""
    rows = await database.fetch(LIST_PEOPLE, account_id, most)
    phones = {jid: generated(jid) for jid in MAGIC_JIDS}
    phones |= {row["jid"]: _phone_of(row) for row in rows}
    return [phones[jid].person for jid in sorted(phones)[:most]]


FIND_NAMES = "SELECT * FROM sandbox.phones WHERE account_id = $1 AND jid = ANY($2)"


async def find_names(database: Database, account_id: UUID, jids: Sequence[str]) -> dict[str, str]:
    rows = await database.fetch(FIND_NAMES, account_id, jids)
    return {row["jid"]: _phone_of(row).display_name for row in rows}


LIST_CONTACTS = """
SELECT * FROM sandbox.phones WHERE account_id = $1 AND name IS NOT NULL AND jid > $2
ORDER BY jid LIMIT $3
"""


async def list_contacts(database: Database, account_id: UUID, after: str = "") -> list[ContactSeen]:
    """List the address book, `PAGE` people at a time, in the order of their JIDs."""
    rows = await database.fetch(LIST_CONTACTS, account_id, after, PAGE)
    return [_phone_of(row).contact for row in rows]


SET_ONLINE = "UPDATE sandbox.phones SET online = $3 WHERE account_id = $1 AND jid = $2"


async def set_online(database: Database, account_id: UUID, jid: str, online: bool) -> None:
    await database.execute(SET_ONLINE, account_id, jid, online)


CHANGE_PICTURE = """
UPDATE sandbox.phones SET picture_version = picture_version + 1
WHERE account_id = $1 AND jid = $2 RETURNING picture_version
"""


async def change_picture(database: Database, account_id: UUID, jid: str) -> int:
    """Give the phone another picture; returns its version."""
    version: int = await database.fetchval(CHANGE_PICTURE, account_id, jid)
    return version
