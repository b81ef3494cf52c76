"""WhatsApp's small parts: addresses, failures, ends, what is kept, the store's URL, pictures."""

import re
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import pytest
import trustme
from neonize.proto import Neonize_pb2 as proto

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from each_case import for_each
from heliograph.networks.errors import (
    InvalidAddressError,
    InviteNotFoundError,
    InviteRevokedError,
    NetworkError,
    NoAnswerError,
    NotConnectedError,
    PictureNotFoundError,
    RecipientNotFoundError,
)
from heliograph.networks.whatsapp import addresses, failures, files
from heliograph.networks.whatsapp.conversion import disconnects
from heliograph.networks.whatsapp.conversion.disconnects import (
    end_of,
    end_of_pairing,
    end_of_thread,
)
from heliograph.networks.whatsapp.library import store_url
from heliograph.networks.whatsapp.options import Kept, read_phone_number

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
LOG_OUTS = (proto.LOGGED_OUT, proto.MAIN_DEVICE_GONE, proto.UNKNOWN_LOGOUT)

# --- addresses -------------------------------------------------------------------------------


@for_each(
    ("value", "jid"),
    [
        ("+49 151 1234-0002", made.ADA),
        ("4915112340002", made.ADA),
        (made.ADA, made.ADA),
        ("4915112340002@c.us", made.ADA),
        (made.ADA_LID, made.ADA_LID),
        (made.GROUP, made.GROUP),
        ("4915112340002-1600000000@g.us", "4915112340002-1600000000@g.us"),
    ],
)
def test_what_is_an_address(value: str, jid: str) -> None:
    assert addresses.address(value) == jid


@for_each("value", ["", "ada", "0151123", "1@x.org", "status@broadcast", "12"])
def test_what_is_no_address(value: str) -> None:
    with pytest.raises(InvalidAddressError):
        addresses.address(value)


def test_only_a_number_is_a_phone_number() -> None:
    assert addresses.phone_number(made.ADA) == "+4915112340002"
    assert addresses.phone_number(made.ADA_LID) is None
    assert addresses.phone_number(made.GROUP) is None


def test_our_names_of_messages_look_like_the_networks() -> None:
    assert re.fullmatch(r"3EB0[0-9A-F]{18}", addresses.message_id(UUID(int=7)))


# --- what fails ------------------------------------------------------------------------------


@for_each(
    ("said", "error", "certain"),
    [
        ("websocket not connected", NotConnectedError, True),
        ("websocket disconnected before message send returned response", NoAnswerError, False),
        ("failed to send usync query: websocket not connected", NotConnectedError, True),
        ("the store doesn't contain a device JID", NotConnectedError, True),
        ("timed out waiting for message send response", NoAnswerError, False),
        ("info query timed out", NoAnswerError, False),
        ("you're not participating in that group", RecipientNotFoundError, True),
        ("that group does not exist", RecipientNotFoundError, True),
        ("something new", NetworkError, False),
        ("server returned error 500", NetworkError, False),
    ],
)
def test_what_the_library_says_has_its_error(
    said: str, error: type[NetworkError], certain: bool
) -> None:
    failure = failures.failure_of(said)

    assert type(failure) is error
    assert failure.certain is certain


@for_each(
    ("said", "permanent", "retry_after"),
    [
        ("info query returned status 429: rate-overlimit", False, 60.0),
        ("server returned error 420", False, 60.0),
        ("server returned error 463", False, None),
        ("info query returned status 503: service-unavailable", False, None),
        ("info query returned status 406: not-acceptable", True, None),
        ("can't send message to unknown server foo", True, None),
        ("message recipient must be a user JID with no device part", True, None),
    ],
)
def test_a_refusal_says_whether_to_try_again(
    said: str, permanent: bool, retry_after: float | None
) -> None:
    failure = failures.failure_of(said)

    assert failure.permanent is permanent
    assert failure.retry_after == retry_after


def test_before_its_devices_are_known_nothing_has_gone_out_to_a_recipient() -> None:
    said = "failed to get device list: failed to send usync query: info query timed out"

    assert failures.send_failure_of(said).certain
    assert not failures.failure_of(said).certain


def test_invites_and_pictures_have_reasons_of_their_own() -> None:
    revoked = failures.invite_failure_of("that group invite link has been revoked")
    unknown = failures.invite_failure_of("that group invite link is not valid")
    hidden = failures.picture_failure_of("the user has hidden their profile picture from you")
    unset = failures.picture_failure_of("that user or group does not have a profile picture")

    assert isinstance(revoked, InviteRevokedError)
    assert isinstance(unknown, InviteNotFoundError)
    assert isinstance(hidden, PictureNotFoundError)
    assert isinstance(unset, PictureNotFoundError)
    assert hidden.reason != unset.reason
    assert isinstance(
        failures.number_failure_of("Function returned nothing."), RecipientNotFoundError
    )


def connect_failure(reason: int, message: str = "") -> proto.ConnectFailure:
    return proto.ConnectFailure(Reason=reason, Message=message, Raw=proto.Node(Tag="failure"))


def logged_out(reason: int) -> proto.LoggedOut:
    return proto.LoggedOut(OnConnect=True, Reason=reason)


def test_every_end_has_a_reason_of_its_own() -> None:
    events = [
        *map(logged_out, LOG_OUTS),
        proto.TemporaryBan(Code=proto.TemporaryBan.BLOCKED_BY_USERS, Expire=600),
        proto.ClientOutdated(),
        proto.StreamReplaced(),
        connect_failure(proto.GENERIC),
        connect_failure(proto.BAD_USER_AGENT),
        connect_failure(proto.INTERNAL_SERVER_ERROR),
        connect_failure(proto.EXPERIMENTAL),
        connect_failure(proto.SERVICE_UNAVAILABLE),
    ]
    reasons = {end.reason for event in events if (end := end_of(event))}

    assert len(reasons) == len(events)


@pytest.mark.parametrize("reason", LOG_OUTS)
def test_a_log_out_is_final_however_it_is_told(reason: int) -> None:
    for event in (logged_out(reason), connect_failure(reason)):
        end = end_of(event)
        assert end is not None
        assert end.is_final


def test_a_ban_lasts_as_long_as_the_network_says() -> None:
    ban = proto.TemporaryBan(Code=proto.TemporaryBan.SENT_TOO_MANY_SAME_MESSAGE, Expire=5400)
    end = end_of(ban)

    assert end is not None
    assert end.pause == 5400
    assert "1:30:00" in end.reason
    assert "same message" in end.reason
    assert not end.is_final


def test_a_ban_without_an_end_is_waited_out_for_hours() -> None:
    for end in (end_of(connect_failure(proto.TEMP_BANNED)), disconnects.banned(None, 0)):
        assert end is not None
        assert end.pause == disconnects.UNKNOWN_BAN


def test_a_session_that_was_just_taken_over_comes_back_soon_and_only_once() -> None:
    def pause(times: int, *, is_takeover: bool) -> float:
        return disconnects.replaced_pause(times, is_takeover=is_takeover, chance=lambda: 1.0)

    assert disconnects.replaced_pause(1, is_takeover=True, chance=lambda: 0.0) == 2
    assert [pause(n, is_takeover=True) for n in (1, 2, 3, 4)] == [6, 300, 600, 1200]
    assert [pause(n, is_takeover=False) for n in (1, 2, 3)] == [300, 300, 600]
    assert pause(10, is_takeover=True) == 6 * 3600


def test_an_outdated_client_says_what_to_update() -> None:
    for event in (proto.ClientOutdated(), connect_failure(proto.CLIENT_OUTDATED)):
        end = end_of(event)
        assert end is not None
        assert "heliograph[whatsapp]" in end.reason
        assert end.pause > 3600


def test_a_silent_connection_is_no_end() -> None:
    assert end_of(proto.KeepAliveTimeout(ErrorCount=1, LastSuccess=0)) is None


@for_each(
    "status",
    [
        "timeout",
        "err-client-outdated",
        "err-unexpected-state",
        "err-scanned-without-multidevice",
        "passkey-request",
        "error",
    ],
)
def test_each_end_of_a_pairing_is_told_apart(status: str) -> None:
    others = {"timeout", "err-client-outdated", "error"} - {status}

    assert end_of_pairing(status) not in {end_of_pairing(other) for other in others}
    assert end_of_pairing(status)


def test_a_pairing_goes_on_while_codes_come() -> None:
    assert end_of_pairing("success") is None
    for status, is_final in (("err-scanned-without-multidevice", False), ("timeout", True)):
        end = end_of_pairing(status)
        assert end is not None
        assert end.is_final is is_final


@for_each(
    ("error", "reason"),
    [
        ("failed to dial whatsapp web websocket: no such host", "can't be reached"),
        ("failed to upgrade database: pq: no", "can't use the database"),
        ("proto: required field neonize.Receipt.Type not set", "an event it does not know"),
        ("another thing\nwith lines", "another thing"),
    ],
)
def test_a_thread_that_ends_says_why(error: str, reason: str) -> None:
    end = end_of_thread(error)

    assert reason in end.reason
    assert not end.is_final
    assert not end.pause


def test_events_that_the_library_can_not_pass_on_still_end_as_they_should() -> None:
    ban = end_of_thread("proto: required field neonize.TemporaryBan.Code not set")
    gone = end_of_thread("proto: required field neonize.LoggedOut.Reason not set")

    assert ban.pause == disconnects.UNKNOWN_BAN
    assert gone.is_final


# --- what is kept, and where -----------------------------------------------------------------


def test_what_an_account_keeps_is_read_as_it_was_written() -> None:
    kept = Kept(device=made.OWN).held(NOW, 60, "banned", replaced=2)

    assert Kept.read(kept.written()) == kept
    assert kept.left(NOW + timedelta(seconds=20)) == 40
    assert kept.free().written() == {
        "device": made.OWN,
        "replaced": "2",
        "replaced_at": NOW.isoformat(),
    }
    assert Kept.read({}) == Kept()
    assert Kept().left(NOW) == 0


def test_being_replaced_is_counted_in_a_row() -> None:
    kept = Kept(device=made.OWN).held(NOW, 300, "replaced", replaced=3).free()

    assert kept.times_replaced(NOW + timedelta(hours=6)) == 3
    assert kept.times_replaced(NOW + timedelta(hours=8)) == 0


def test_a_number_in_the_form_pairs_by_code() -> None:
    assert read_phone_number({"phone_number": "+49 151 1234 0001"}) == "4915112340001"
    assert read_phone_number({}) is None
    for wrong in (made.GROUP, "nobody"):
        with pytest.raises(NetworkError):
            read_phone_number({"phone_number": wrong})


@pytest.mark.parametrize(
    ("url", "begins", "asked"),
    [
        (
            "postgresql://heliograph:s%2Fcret@/heliograph?host=/run/a b",
            "postgres://heliograph:s%2Fcret@/heliograph?",
            {"host": "/run/a b", "sslmode": "prefer"},
        ),
        (
            "postgresql://h:s@db.example:5433/gateway?sslmode=verify-full",
            "postgres://h:s@/gateway?",
            {"host": "db.example", "port": "5433", "sslmode": "verify-full"},
        ),
        (
            "postgresql://h:s@one,two:5433,[::1]:5434/gateway",
            "postgres://h:s@/gateway?",
            {
                "host": "one,two,::1",
                "port": "5432,5433,5434",
                "sslmode": "prefer",
                "target_session_attrs": "read-write",
            },
        ),
    ],
)
def test_the_librarys_connections_are_to_the_drivers_schema_of_the_same_database(
    url: str, begins: str, asked: dict[str, str]
) -> None:
    made = store_url(url)

    assert made.startswith(begins)  # with `postgres` alone, the library takes it for no file
    assert dict(parse_qsl(urlsplit(made).query)) == {
        **asked,
        "search_path": "whatsapp",
        "idle_session_timeout": "60000",
        "application_name": "heliograph-whatsapp",
    }


# --- pictures --------------------------------------------------------------------------------

SERVED = {"/small?v=1": b"x" * 100, "/large": b"x" * 2000}


class Pictures(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path not in SERVED:
            self.send_response(302)
            self.send_header("Location", "/small?v=1")
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(SERVED[self.path])

    def log_request(self, code: object = "-", size: object = "-") -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An HTTPS server that this process trusts."""
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost").configure_cert(context)
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    monkeypatch.setattr(ssl, "_create_default_https_context", lambda: trusting)
    with HTTPServer(("localhost", 0), Pictures) as httpd:
        httpd.socket = context.wrap_socket(httpd.socket, server_side=True)
        thread = threading.Thread(target=httpd.serve_forever)
        thread.start()
        yield f"https://localhost:{httpd.server_port}"
        httpd.shutdown()
        thread.join()


def test_a_picture_is_fetched_from_the_networks_own_servers(server: str) -> None:
    assert files.fetch(f"{server}/small?v=1", hosts=(".localhost",)) == SERVED["/small?v=1"]


@for_each(
    "url",
    [
        "http://pps.whatsapp.net/v/1",
        "https://whatsapp.net.example.com/v/1",
        "https://evilwhatsapp.net/v/1",
        "https://127.0.0.1/v/1",
        "file:///etc/passwd",
    ],
)
def test_no_other_server_is_asked_for_a_picture(url: str) -> None:
    with pytest.raises(NetworkError, match="not to its own servers"):
        files.fetch(url)


def test_a_picture_that_is_too_large_is_left(server: str) -> None:
    with pytest.raises(NetworkError, match="larger than 1000"):
        files.fetch(f"{server}/large", hosts=(".localhost",), most=1000)


def test_no_redirect_is_followed(server: str) -> None:
    with pytest.raises(NetworkError, match="302"):
        files.fetch(f"{server}/elsewhere", hosts=(".localhost",))


def test_a_server_that_is_gone_is_no_crash() -> None:
    with pytest.raises(NetworkError, match="could not be fetched"):
        files.fetch("https://localhost:1/v/1", hosts=(".localhost",))
