"""The library itself: found, refused or loaded; its surface; its store in the gateway's database.

What runs it is a process of its own whose way out leads to a closed port: WhatsApp is never asked.
"""

import inspect
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
from neonize.client import ContactStore

import libmagic_needed  # noqa: F401 - before the library
from each_case import for_each
from heliograph.networks.whatsapp import library, library_client
from heliograph.networks.whatsapp.conversion.polls import option_hash
from heliograph.networks.whatsapp.library import LibraryError, check_library, find_folder
from whatsapp_standin import ContactBook, StandInPhone

NO_WAY_OUT = {"HTTPS_PROXY": "http://127.0.0.1:1", "HTTP_PROXY": "http://127.0.0.1:1"}


def run_python(script: str, *arguments: str, patience: float = 100.0) -> Any:
    """What a process with this script prints, as JSON; it must end by itself."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script), *arguments],
        env={**os.environ, **NO_WAY_OUT, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=patience,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


# --- found, refused, loaded ------------------------------------------------------------------


def test_the_driver_is_known_and_imported_without_the_library() -> None:
    shown = run_python(
        """
        import json, sys
        sys.modules["neonize"] = None  # as where it is not installed
        from heliograph.networks.whatsapp import network
        from heliograph.networks.whatsapp.library import LibraryError, load
        made = network()
        try:
            load("heliograph.networks.whatsapp.session")
        except LibraryError as error:
            recipient = made.recipient("+49 151 12340002", {})
            print(json.dumps([recipient, error.reason, made.missing()]))
        """
    )

    assert shown[0] == "4915112340002@s.whatsapp.net"
    assert "pip install 'heliograph[whatsapp]'" in shown[1]
    assert shown[2] == shown[1]


def test_the_library_is_imported_when_an_account_is_connected_and_not_before() -> None:
    before, after, handlers = run_python(
        """
        import json, logging, sys
        from heliograph.networks.registry import NetworkRegistry
        from heliograph.networks.whatsapp import network
        from heliograph.networks.whatsapp.library import load
        NetworkRegistry().list_networks(), network()
        before = "neonize" in sys.modules
        load("heliograph.networks.whatsapp.session")
        handlers = len(logging.getLogger().handlers)
        print(json.dumps([before, "neonize" in sys.modules, handlers]))
        """
    )

    assert not before
    assert after
    assert handlers == 0  # the root logger is the program's


def test_the_installed_library_fits() -> None:
    check_library(find_folder())


def package(folder: Path, version: str) -> Path:
    """The library's package as far as its native part is concerned."""
    (folder / "download.py").write_text(f'__GONEONIZE_VERSION__ = "{version}"\n')
    return folder


def test_a_native_part_of_another_version_is_refused(tmp_path: Path) -> None:
    name = library.binary_name()
    (tmp_path / name).symlink_to(find_folder() / name)

    with pytest.raises(LibraryError, match=r"would download another: refused") as refused:
        check_library(package(tmp_path, "9.9.9"))

    assert "9.9.9" in refused.value.reason
    assert "heliograph[whatsapp]" in refused.value.reason


def test_a_missing_native_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LibraryError, match="would download it: refused"):
        check_library(package(tmp_path, "0.5.2"))


def test_a_native_part_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / library.binary_name()).write_bytes(b"not a library")

    with pytest.raises(LibraryError, match="can't be loaded"):
        check_library(package(tmp_path, "0.5.2"))


def test_a_release_that_is_not_known_is_refused(tmp_path: Path) -> None:
    (tmp_path / "download.py").write_text("")

    with pytest.raises(LibraryError, match="not known here"):
        check_library(tmp_path)


def test_where_libmagic_is_missing_that_is_said() -> None:
    reason = run_python(
        """
        import json, sys
        import importlib.abc
        class NoMagic(importlib.abc.MetaPathFinder):
            def find_spec(self, name, path, target=None):
                if name == "magic":
                    raise ImportError("failed to find libmagic.  Check your installation")
        sys.meta_path.insert(0, NoMagic())
        from heliograph.networks.whatsapp.library import LibraryError, load
        try:
            load("heliograph.networks.whatsapp.session")
        except LibraryError as error:
            print(json.dumps(error.reason))
        """
    )

    assert "libmagic1" in reason


# --- its surface -----------------------------------------------------------------------------

METHODS = [
    name
    for name, member in vars(library_client.LibraryClient).items()
    if inspect.isfunction(member) and not name.startswith("_")
]


def takes(real: Any, wanted: Any) -> None:
    """The real one can be called as the wanted one is, by position and by name."""
    have = list(inspect.signature(real).parameters.values())
    want = list(inspect.signature(wanted).parameters.values())
    assert [column.name for column in have[: len(want)]] == [column.name for column in want]
    assert [column.kind for column in have[: len(want)]] == [column.kind for column in want]
    for extra in have[len(want) :]:
        assert extra.default is not inspect.Parameter.empty, extra


@for_each("name", METHODS)
@for_each("kind", [library_client.NeonizeClient, StandInPhone])
def test_the_client_and_its_stand_in_have_each_method_that_is_used(kind: Any, name: str) -> None:
    takes(getattr(kind, name), getattr(library_client.LibraryClient, name))


@for_each("name", ["get_all_contacts", "get_contact"])
@for_each("kind", [ContactStore, ContactBook])
def test_so_have_their_contacts(kind: Any, name: str) -> None:
    takes(getattr(kind, name), getattr(library_client.Contacts, name))


def test_the_client_offers_what_it_is_built_on() -> None:
    made = library_client.NeonizeClient("postgres:///", "4915112340001:7@s.whatsapp.net")

    assert isinstance(made.contact, ContactStore)
    assert made.jid.Device == 7
    assert not made.new_device
    assert not made._stop_finalizer.alive  # Python letting go of it must not stop anything
    assert library_client.NeonizeClient("postgres:///", None).uuid != made.uuid


# --- the real thing, without a network -------------------------------------------------------

STORE = """
import asyncio, json, os, sys, uuid
import asyncpg
from heliograph.networks.whatsapp import sql
from heliograph.networks.whatsapp.conversion.jids import to_jid, to_text
from heliograph.networks.whatsapp.library_client import NeonizeClient
from heliograph.networks.whatsapp.library import store_url
from heliograph.platform.database.pool import Database
import whatsapp_events as made
from whatsapp_votes import encrypted_vote
from neonize.utils.enum import (
    ChatPresence, ChatPresenceMedia, MediaType, ParticipantChange, ReceiptType)

SECRET = os.urandom(32)
POLL = "3EB0AAAAAAAAAAAAAAAAAA"
URL, DEVICE = sys.argv[1], "4915112340001:7@s.whatsapp.net"

class Callbacks:
    def on_event(self, code, event): ...
    def on_code(self, code): ...
    def on_pairing(self, status): ...

async def prepare():
    connection = await asyncpg.connect(URL, server_settings={"search_path": "whatsapp"})
    key, signature = os.urandom(32), os.urandom(64)
    await connection.execute(
        "INSERT INTO whatsmeow_device (jid, lid, registration_id, noise_key, identity_key,"
        " signed_pre_key, signed_pre_key_id, signed_pre_key_sig, adv_key, adv_details,"
        " adv_account_sig, adv_account_sig_key, adv_device_sig)"
        " VALUES ($1, '70000000000001:7@lid', 1, $2, $2, $2, 1, $3, $2, $2, $3, $2, $3)",
        DEVICE, key, signature)
    await connection.execute(
        "INSERT INTO whatsmeow_contacts (our_jid, their_jid, full_name, push_name)"
        " VALUES ($1, '4915112340002@s.whatsapp.net', 'Ada Abara', 'ada')", DEVICE)
    await connection.execute(
        "INSERT INTO whatsmeow_lid_map (lid, pn) VALUES ('70000000000002', '4915112340002')")
    await connection.execute(
        "INSERT INTO whatsmeow_message_secrets (our_jid, chat_jid, sender_jid, message_id, key)"
        " VALUES ($1, '4915112340002@s.whatsapp.net', '70000000000001@lid', $2, $3)",
        DEVICE, POLL, SECRET)
    await connection.close()

async def open_connections():
    connection = await asyncpg.connect(URL)
    query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'heliograph-whatsapp'"
    try:
        while await connection.fetchval(query):
            await asyncio.sleep(0.1)
        return await connection.fetchval(query)
    finally:
        await connection.close()

STORE_URL = store_url(URL).replace("=60000", "=500")
first = NeonizeClient(STORE_URL, None)
told = {"unpaired": first.run(Callbacks())}
first.stop()
asyncio.run(prepare())
phone = NeonizeClient(STORE_URL, DEVICE)
told["paired"] = phone.run(Callbacks())
[contact] = phone.contact.get_all_contacts()
told["contact"] = [to_text(contact.JID), contact.Info.FullName]
told["number"] = to_text(phone.get_pn_from_lid(to_jid("70000000000002@lid")))
told["nobody"] = to_text(phone.get_pn_from_lid(to_jid("70000000000009@lid")))
vote = encrypted_vote(SECRET, POLL, made.OWN_LID, made.ADA_LID, "Soup", "Bread")
answer = phone.decrypt_poll_vote(made.message(vote, made.source(made.ADA_LID, made.ADA_LID)))
told["vote"] = [option.hex() for option in answer.selectedOptions]
other = encrypted_vote(os.urandom(32), POLL, made.OWN_LID, made.ADA_LID, "Soup")
try:
    phone.decrypt_poll_vote(made.message(other, made.source(made.ADA_LID, made.ADA_LID)))
except Exception as error:
    told["forged"] = str(error)
told["open"] = asyncio.run(asyncio.wait_for(open_connections(), 60))
told["again"] = len(phone.contact.get_all_contacts())
for name, call in {
    "send": lambda: phone.send_message(to_jid("4915112340002@s.whatsapp.net"), "hi"),
    "exists": lambda: phone.is_on_whatsapp("+4915112340002"),
    "passive": lambda: phone.set_passive(False),
    "group": lambda: phone.create_group("Choir", [to_jid("4915112340002@s.whatsapp.net")]),
    "groups": lambda: phone.get_joined_groups(),
    "link": lambda: phone.get_group_info_from_link("AbCdEfGhIjKlMnOpQrStUv"),
    "join": lambda: phone.join_group_with_link("AbCdEfGhIjKlMnOpQrStUv"),
    "upload": lambda: phone.upload(b"data", MediaType.MediaDocument),
    "typing": lambda: phone.send_chat_presence(to_jid(made.ADA),
        ChatPresence.CHAT_PRESENCE_COMPOSING, ChatPresenceMedia.CHAT_PRESENCE_MEDIA_TEXT),
    "read": lambda: phone.mark_read(
        "3A01", chat=to_jid(made.ADA), sender=to_jid(made.ADA), receipt=ReceiptType.READ),
    "members": lambda: phone.update_group_participants(
        to_jid(made.GROUP), [to_jid(made.ADA)], ParticipantChange.ADD),
    "name": lambda: phone.set_group_name(to_jid(made.GROUP), "Choir"),
    "topic": lambda: phone.set_group_topic(to_jid(made.GROUP), "", "", "We sing"),
    "invite": lambda: phone.get_group_invite_link(to_jid(made.GROUP)),
    "leave": lambda: phone.leave_group(to_jid(made.GROUP)),
    "picture": lambda: phone.get_profile_picture(to_jid("4915112340002@s.whatsapp.net")),
    "code": lambda: phone.pair_phone("4915112340001"),
    "logout": lambda: phone.logout(),
}.items():
    try:
        call()
        told[name] = "no error"
    except Exception as error:
        first = error.args[0]
        told[name] = str(getattr(first, "Error", first))
phone.disconnect()
phone.stop()

async def rows_before_and_after():
    database = await Database.open(URL)
    account_id = uuid.uuid4()
    asked = "SELECT (SELECT count(*) FROM whatsapp.whatsmeow_device WHERE jid = $1)" + "".join(
        f" + (SELECT count(*) FROM whatsapp.{name} WHERE our_jid = $1)"
        for name in ("whatsmeow_contacts", "whatsmeow_sessions", "whatsmeow_privacy_tokens"))
    await sql.insert_device(database.pool, account_id, DEVICE)
    before = await database.pool.fetchval(asked, DEVICE)
    await sql.delete_account(database.pool, account_id)
    after = await database.pool.fetchval(asked, DEVICE)
    await database.close()
    return [before, after]

told["rows"] = asyncio.run(rows_before_and_after())
print(json.dumps(told))
"""


def test_the_library_keeps_its_sessions_in_our_database(own_database_url: str) -> None:
    told = run_python(STORE, own_database_url)

    assert told["contact"] == ["4915112340002@s.whatsapp.net", "Ada Abara"]
    assert told["number"] == "4915112340002@s.whatsapp.net"
    assert told["nobody"] == ""
    for name in ("unpaired", "paired"):
        assert "failed to dial" in told[name], name
    assert (told["open"], told["again"]) == (0, 1)  # none is kept open, and each can be anew
    assert told["rows"] == [2, 0]  # the keys of an account that is forgotten
    assert told["vote"] == [option_hash(option).hex() for option in ("Soup", "Bread")]
    assert "failed to decrypt" in told["forged"]
    others = {"contact", "number", "nobody", "unpaired", "paired", "open", "again", "rows"}
    asked = set(told) - others - {"vote", "forged"}
    assert len(asked) == 18
    for name in asked:
        assert "not connected" in told[name], (name, told[name])


DRIVER = """
import asyncio, json, sys, uuid
from heliograph.core.accounts.model import AccountStatus
from heliograph.networks.port import Account, NetworkContext
from heliograph.networks.whatsapp import network
from heliograph.platform.database.pool import Database

class Told:
    def __init__(self):
        self.states = []
        self.enough = asyncio.Event()
    async def publish(self, events):
        self.states += [[str(event.status), event.reason] for event in events]
        if len(self.states) >= 2:
            self.enough.set()

async def main():
    database = await Database.open(sys.argv[1])
    made = network()
    made.start(NetworkContext(
        pool=database.pool, now=database.clock.now, notify=lambda topic: None,
        subscribe=lambda topic, call: lambda: None, database_url=sys.argv[1]))
    told = Told()
    session = await made.connect(Account(uuid.uuid4(), "desk", {}, {}), told)
    await asyncio.wait_for(told.enough.wait(), 60)
    await session.close()
    gone = Told()
    lost = Account(uuid.uuid4(), "desk", {}, {"device": "4915112340009:7@s.whatsapp.net"})
    other = await made.connect(lost, gone)
    while not gone.states:
        await asyncio.sleep(0.01)
    await other.close()
    await database.close()
    print(json.dumps([told.states, gone.states]))

asyncio.run(main())
"""


def test_the_driver_over_the_library_says_that_the_network_is_out_of_reach(
    own_database_url: str,
) -> None:
    told, gone = run_python(DRIVER, own_database_url)

    assert told == [
        ["disconnected", "WhatsApp can't be reached."],
        ["connecting", "WhatsApp can't be reached."],
    ]
    assert gone == [["logged_out", "The account's session is gone: pair it again."]]
