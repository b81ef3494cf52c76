"""The library's client as this driver uses it: its methods, and how it is run.

`NewClient.connect` is not used. It leaves threads that delay the end of the process, does not
report how a pairing ended, and stops the native client when Python frees the object, which ends the
whole process if the client is not paired yet.
"""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Protocol
from uuid import uuid4

import structlog
from neonize._binder import (
    free_bytes,
    func_callback_bytes,
    func_callback_bytes2,
    func_string,
    gocode,
)
from neonize.client import NewClient
from neonize.events import INT_TO_EVENT
from neonize.exc import DecryptPollVoteError, PairPhoneError
from neonize.proto import Neonize_pb2 as proto
from neonize.proto.Neonize_pb2 import Message as MessageEvent
from neonize.proto.waCompanionReg.WAWebProtobufsCompanionReg_pb2 import DeviceProps
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message, PollVoteMessage
from neonize.utils.enum import (
    ChatPresence,
    ChatPresenceMedia,
    MediaType,
    ParticipantChange,
    ReceiptType,
)

from heliograph.networks.whatsapp.conversion.jids import to_jid

DEVICE = 0
"""The code of the event that names this device; the library sends it first."""
WANTED = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 17, 18, 21, 22, 44)
"""Codes of the subscribed events: pairing, connection, messages, receipts, groups, and messages
that could not be decrypted. History is excluded: it is large, and older than the account."""

_CHROME = 1  # the library's number for this client
_DISPLAY_NAME = "Chrome (Linux)"  # WhatsApp accepts only names of this form
_LOG_LEVEL = b"WARN"

log = structlog.get_logger(__name__)


class Callbacks(Protocol):
    """The callbacks of the library, called from its threads. Every method may block."""

    def on_event(self, code: int, event: Any) -> None: ...

    def on_code(self, code: str) -> None: ...

    def on_pairing(self, status: str) -> None: ...


class Contacts(Protocol):
    def get_all_contacts(self) -> Sequence[Any]: ...

    def get_contact(self, user: proto.JID) -> Any: ...


class LibraryClient(Protocol):
    """The client of one linked device. Every method blocks; those that ask the network raise the
    library's `NeonizeError`. None may be called before the first callback, nor after `stop`."""

    @property
    def contact(self) -> Contacts: ...

    def run(self, callbacks: Callbacks) -> str:
        """Connect, and run until `stop`. Returns why it ended; empty after `stop`."""

    def pair_phone(self, number: str) -> str: ...

    def disconnect(self) -> None: ...

    def stop(self) -> None: ...

    def logout(self) -> None: ...

    def set_passive(self, passive: bool) -> None: ...

    def send_message(self, to: proto.JID, message: Message) -> proto.SendResponse: ...

    def is_on_whatsapp(self, *numbers: str) -> Sequence[proto.IsOnWhatsAppResponse]: ...

    def upload(self, binary: bytes, media_type: MediaType) -> proto.UploadResponse: ...

    def decrypt_poll_vote(self, message: MessageEvent) -> PollVoteMessage: ...

    def send_chat_presence(
        self, jid: proto.JID, state: ChatPresence, media: ChatPresenceMedia
    ) -> None: ...

    def mark_read(
        self, *message_ids: str, chat: proto.JID, sender: proto.JID, receipt: ReceiptType
    ) -> None: ...

    def get_pn_from_lid(self, jid: proto.JID) -> proto.JID: ...

    def get_lid_from_pn(self, jid: proto.JID) -> proto.JID: ...

    def create_group(self, name: str, participants: list[proto.JID]) -> proto.GroupInfo: ...

    def get_group_info(self, jid: proto.JID) -> proto.GroupInfo: ...

    def get_group_info_from_link(self, code: str) -> proto.GroupInfo: ...

    def join_group_with_link(self, code: str) -> proto.JID: ...

    def update_group_participants(
        self, jid: proto.JID, participants_changes: list[proto.JID], action: ParticipantChange
    ) -> Sequence[proto.GroupParticipant]: ...

    def set_group_name(self, jid: proto.JID, name: str) -> None: ...

    def set_group_topic(
        self, jid: proto.JID, previous_id: str, new_id: str, topic: str
    ) -> None: ...

    def get_group_invite_link(self, jid: proto.JID) -> str: ...

    def leave_group(self, jid: proto.JID) -> None: ...

    def get_joined_groups(self) -> Sequence[proto.GroupInfo]: ...

    def get_profile_picture(
        self, jid: proto.JID, extra: proto.GetProfilePictureParams
    ) -> proto.ProfilePictureInfo: ...


class NeonizeClient(NewClient):  # type: ignore[misc]  # the library has no types
    """The library's client. `device` is the one to connect as; None pairs a new one.

    `name` goes to the library as it is: the URL of the database that has the device's keys.
    """

    def __init__(self, name: str, device: str | None) -> None:
        super().__init__(name, uuid=uuid4().hex, new_device=device is None)
        self._stop_finalizer.detach()
        if device is not None:
            self.jid = to_jid(device)

    def run(self, callbacks: Callbacks) -> str:
        """Connect, and run until `stop`. Returns why it ended; empty after `stop`."""
        jid = b"" if self.jid is None else self.jid.SerializeToString()
        props = DeviceProps(os="Heliograph", platformType=DeviceProps.CHROME).SerializeToString()
        wanted = (ctypes.c_char * len(WANTED)).from_buffer(bytearray(WANTED))
        held = (  # kept kept as long as the native part may call them
            func_string(lambda _, code: callbacks.on_code(_text(code))),
            func_string(lambda _, status: callbacks.on_pairing(_text(status))),
            func_callback_bytes(lambda _, data, size, code: _pass_on(callbacks, data, size, code)),
            _LOG,
        )
        error: bytes = gocode.Neonize(
            self.name.encode(),
            self.uuid,
            jid,
            len(jid),
            int(self.new_device),
            _LOG_LEVEL,
            *held,
            wanted,
            len(WANTED),
            props,
            len(props),
            b"",
            0,
            None,
        )
        return error.decode(errors="replace")

    def pair_phone(self, number: str) -> str:
        """Request the code to type on the phone with this number (digits)."""
        asked = proto.PairPhoneParams(
            phone=number,
            clientDisplayName=_DISPLAY_NAME,
            clientType=_CHROME,
            showPushNotification=True,
        ).SerializeToString()
        answer = proto.PairPhoneReturnFunction.FromString(
            gocode.PairPhone(self.uuid, asked, len(asked))
        )
        if answer.Error:
            raise PairPhoneError(answer.Error)
        return str(answer.Code)

    def decrypt_poll_vote(self, message: MessageEvent) -> PollVoteMessage:
        """Decrypt a vote, with the secret that the store has of its poll."""
        # the library's own method misreads the native part's answer as bytes
        event = message.SerializeToString()
        pointer = gocode.DecryptPollVote(self.uuid, event, len(event))
        try:
            answer = proto.ReturnFunctionWithError.FromString(_bytes_at(pointer))
        finally:
            free_bytes(pointer)
        if answer.Error:
            raise DecryptPollVoteError(answer.Error)
        return answer.PollVoteMessage


MakeLibraryClient = Callable[[str | None], LibraryClient]
"""Makes a client for a device or None: `NeonizeClient` with its store, or a test double."""


def _pass_on(callbacks: Callbacks, data: int, size: int, code: int) -> None:
    kind = INT_TO_EVENT.get(code)
    if kind is None:
        return
    try:
        callbacks.on_event(code, kind.FromString(ctypes.string_at(data, size)))
    except Exception:
        log.exception("whatsapp_event_not_taken", code=code)


def _bytes_at(pointer: Any) -> bytes:
    """Read the native part's answer, unless a later release of the library has done so already."""
    data: bytes = pointer if isinstance(pointer, bytes) else pointer.contents.get_bytes()
    return data


def _text(address: int) -> str:
    return ctypes.string_at(address).decode(errors="replace")


def _log(data: int, size: int) -> None:
    try:
        entry = proto.LogEntry.FromString(ctypes.string_at(data, size))
    except Exception:
        log.exception("whatsapp_log_not_read")
    else:
        log.warning("whatsapp_library", part=entry.Name, said=entry.Message[:500])


_LOG = func_callback_bytes2(_log)
"""Kept forever: the native part may still log after a client's `run` has ended."""
