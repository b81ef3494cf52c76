"""Contacts and groups."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Literal

from msgspec.structs import replace
from neonize.proto.Neonize_pb2 import (
    Contact,
    ContactInfo,
    GroupInfo,
    GroupInfoEvent,
    GroupParticipant,
)

from heliograph.networks.port import ContactSeen, GroupDetails, GroupSeen, Participant
from heliograph.networks.whatsapp.addresses import phone_number
from heliograph.networks.whatsapp.conversion.arrivals import at_of
from heliograph.networks.whatsapp.conversion.jids import Book, canonical, is_person, to_text

_ROUNDED = 128
"""The error of a group's creation time in seconds: the library gives it as a 32-bit float."""


def contacts_of(contacts: Iterable[Contact], book: Book) -> Iterator[ContactSeen]:
    """List each person once, without those who have no name."""
    seen: dict[str, ContactSeen] = {}
    for contact in contacts:
        jid = canonical(to_text(contact.JID), book)
        name, own = names_of(contact.Info)
        if not is_person(jid) or not (name or own):
            continue
        known = seen.get(jid, ContactSeen(jid, phone_number(jid)))
        seen[jid] = replace(known, name=name or known.name, chat_name=own or known.chat_name)
    yield from seen.values()


def names_of(info: ContactInfo) -> tuple[str | None, str | None]:
    """Return the address book's name, and the person's own."""
    name = info.FullName or info.FirstName
    return name or None, info.PushName or info.BusinessName or None


def pairs_in(info: GroupInfo) -> dict[str, str]:
    """Hidden ids and phone numbers of a group's members."""
    pairs = {}
    for member in info.Participants:
        lid, number = to_text(member.LID), to_text(member.PhoneNumber)
        if lid and number:
            pairs[lid] = number
    return pairs


def group_of(info: GroupInfo, book: Book) -> GroupSeen:
    book = {**book, **pairs_in(info)}
    owner = to_text(info.OwnerPN) or canonical(to_text(info.OwnerJID), book)
    return GroupSeen(
        remote_jid=to_text(info.JID),
        subject=info.GroupName.Name,
        owner_jid=owner or None,
        created_at=_created_at(info),
        participants=tuple(
            _member(participant, book) for participant in info.Participants if not participant.Error
        ),
    )


def details_of(info: GroupInfo, book: Book) -> GroupDetails:
    book = {**book, **pairs_in(info)}
    group = group_of(info, book)
    return GroupDetails(
        remote_jid=group.remote_jid,
        subject=group.subject,
        participants=tuple(
            _participant(member, book) for member in info.Participants if not member.Error
        ),
        description=info.GroupTopic.Topic,
        owner_jid=group.owner_jid,
        created_at=group.created_at,
    )


def _participant(member: GroupParticipant, book: Book) -> Participant:
    jid = _member(member, book)
    role: Literal["owner", "admin", "member"] = "member"
    if member.IsSuperAdmin:
        role = "owner"
    elif member.IsAdmin:
        role = "admin"
    return Participant(jid, role, phone_number(jid), member.DisplayName or None)


def renamed_group_of(event: GroupInfoEvent) -> GroupSeen | None:
    """Return the group with its new subject, if the subject has changed."""
    return GroupSeen(to_text(event.JID), event.Name.Name) if event.Name.Name else None


def changes_members(event: GroupInfoEvent) -> bool:
    return bool(event.Join or event.Leave)


def _member(member: GroupParticipant, book: Book) -> str:
    return to_text(member.PhoneNumber) or canonical(to_text(member.JID), book)


def _created_at(info: GroupInfo) -> datetime | None:
    """Return when the group was created, if known."""
    # the time of the subject is exact; the first one was set with the group
    if info.GroupCreated <= 0:
        return None
    named = info.GroupName.NameSetAt
    exact = abs(named - info.GroupCreated) <= _ROUNDED
    return at_of(named if exact else int(info.GroupCreated))
