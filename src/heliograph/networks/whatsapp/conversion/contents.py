"""Contents of messages: converts the library's many kinds to ours.

A kind is recognized by the type of its part, not by the name of the field, so that its next version
is read like the earlier ones. Unknown kinds are reported by `unknown`.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from neonize.proto.waE2E import WAWebProtobufsE2E_pb2 as e2e

from heliograph.networks.cards import names_of
from heliograph.networks.content import (
    ButtonReply,
    ContactCard,
    Content,
    LinkPreview,
    ListReply,
    Referral,
    Text,
)
from heliograph.networks.whatsapp.conversion.attachments import (
    FILES,
    location_of,
    media_of,
    remote_file_of,
)
from heliograph.networks.whatsapp.conversion.business import (
    BUSINESS,
    amount_of,
    answers_of,
    business_of,
    file_in,
    lines,
    order_of,
    params_of,
)
from heliograph.networks.whatsapp.conversion.polls import poll_of
from heliograph.networks.whatsapp.conversion.wrapping import unwrapped
from heliograph.networks.whatsapp.files import RemoteFile

_LIST_FLOWS = ("single_select", "menu_options")
_AD_ENTRY = "ctwa"
_STATUSES = "status@broadcast"
STATUS = "status"
"""The `Referral.source_type` of an answer to a status."""
_LATEST = 253_402_300_799  # the last second of the year 9999


def content_of(message: e2e.Message) -> Content | None:
    """Return the content of an unwrapped message; None if it can't be read or is empty."""
    for field, part in message.ListFields():
        convert = _CONVERTERS.get(field.message_type)
        content = convert(part) if convert else None
        if content is not None:
            return content
    return Text(message.conversation) if message.conversation else None


def context_of(message: e2e.Message) -> e2e.ContextInfo | None:
    """Return the context of an unwrapped message, which names the message that it answers."""
    for field, part in message.ListFields():
        fields = field.message_type.fields_by_name if field.message_type is not None else {}
        if "contextInfo" in fields and part.HasField("contextInfo"):
            return part.contextInfo
    return None


def referral_of(message: e2e.Message) -> Referral | None:
    """Return the advertisement or the status that led to an unwrapped message; the preview of a
    link does not count."""
    context = context_of(message)
    if context is None:
        return None
    ad = context.externalAdReply
    if ad.sourceID or ad.ctwaClid or ad.sourceType:
        texts = (ad.sourceID, ad.sourceType, ad.sourceURL, ad.title, ad.body, ad.ctwaClid)
        return Referral(*(text or None for text in texts))
    if context.HasField("quotedAd"):
        words = (context.quotedAd.advertiserName, context.quotedAd.caption)
        return Referral(None, "ad", None, *(word or None for word in words))
    if _came_by_ad(context):
        return Referral(source_type="ad")
    return _status_answered(context) if context.remoteJID == _STATUSES else None


def _status_answered(context: e2e.ContextInfo) -> Referral:
    """Return the text of the status that somebody answers, since statuses are not stored as
    messages."""
    said = content_of(unwrapped(context.quotedMessage))
    return Referral(context.stanzaID or None, STATUS, body=said.summary if said else None)


def _came_by_ad(context: e2e.ContextInfo) -> bool:
    by = context.entryPointConversionSource
    return bool(by.startswith(_AD_ENTRY) or context.ctwaPayload or context.ctwaSignals)


def file_of(message: e2e.Message) -> RemoteFile | None:
    """Return the remote file of an unwrapped message, or None."""
    for field, part in message.ListFields():
        if field.message_type in FILES:
            return remote_file_of(part)
        if field.message_type in BUSINESS and (file := file_in(part)) is not None:
            return remote_file_of(file)
    return None


def kinds_of(message: e2e.Message) -> str:
    """Return the names of a message's parts, for a log."""
    return ", ".join(field.name for field, _ in message.ListFields())


# --- texts -----------------------------------------------------------------------------------


def _text(part: Any) -> Content | None:
    if not part.text:
        return lines(part.title, part.description, part.matchedText)
    has_preview = bool(part.matchedText and part.title)
    preview = LinkPreview(part.matchedText, part.title, part.description) if has_preview else None
    mentions = tuple(part.contextInfo.mentionedJID)
    return Text(part.text, mentions, preview)


def _event(part: Any) -> Content | None:
    place = location_of(part.location) if part.HasField("location") else None
    canceled = "Canceled." if part.isCanceled and part.name else ""
    where = place.summary if place else ""
    return lines(part.name, part.description, _time(part.startTime), where, part.joinLink, canceled)


def _event_invitation(part: Any) -> Content | None:
    canceled = "Canceled." if part.isCanceled and part.eventTitle else ""
    return lines(part.caption, part.eventTitle, _time(part.startTime), part.callLink, canceled)


def _time(seconds: int) -> str:
    if not 0 < seconds <= _LATEST:
        return ""
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M} UTC"


def _newsletter_invitation(part: Any) -> Content | None:
    name = part.newsletterName
    return lines(part.caption, f"Invitation to the channel {name!r}" if name else "")


def _group_invitation(part: Any) -> Content | None:
    name = part.groupName
    return lines(part.caption, f"Invitation to the group {name!r}" if name else "")


def _payment(part: Any) -> Content | None:
    return _with_note("Sent a payment", part)


def _payment_request(part: Any) -> Content | None:
    money = part.amount
    value, parts, currency = part.amount1000, 1000, part.currencyCodeIso4217
    if not value and money.value > 0:
        value, parts, currency = money.value, money.offset or 1, money.currencyCode or currency
    of = f" of {currency} {amount_of(value, parts)}".replace("  ", " ") if value else ""
    return _with_note(f"Asks for a payment{of}", part, is_enough=bool(value))


def _with_note(said: str, part: Any, *, is_enough: bool = False) -> Content | None:
    """Return the sentence with the note below it; None if it says too little without one."""
    note = content_of(unwrapped(part.noteMessage))
    if note is not None:
        return lines(f"{said}: {note.summary}")
    return Text(f"{said}.") if is_enough else None


def _poll_result(part: Any) -> Content | None:
    votes = [f"- {each.optionName}: {each.optionVoteCount}" for each in part.pollVotes]
    return lines(part.name, *votes)


# --- answers ---------------------------------------------------------------------------------


def _list_response(part: Any) -> Content | None:
    row = part.singleSelectReply.selectedRowID
    if not (row or part.title):
        return None
    return ListReply(row, part.title or row, part.description or None)


def _interactive_response(part: Any) -> Content | None:
    flow = part.nativeFlowResponseMessage
    params = params_of(flow.paramsJSON)
    chosen = str(params.get("id", "") or "")
    title = part.body.text or str(params.get("title") or params.get("display_text") or chosen)
    if not chosen:
        return lines(title, *answers_of(params))
    if flow.name in _LIST_FLOWS:
        return ListReply(chosen, title, str(params.get("description") or "") or None)
    return _pressed(chosen, title)


def _pressed(button_id: str, title: str) -> Content | None:
    return ButtonReply(button_id, title or button_id) if button_id or title else None


# --- cards -----------------------------------------------------------------------------------


def _card(part: Any) -> Content | None:
    name = part.displayName or names_of(part.vcard)
    return ContactCard(name, part.vcard) if name or part.vcard else None


def _cards(part: Any) -> Content | None:
    names = ", ".join(card.displayName or names_of(card.vcard) for card in part.contacts)
    vcards = "\n".join(card.vcard for card in part.contacts)
    return ContactCard(names or part.displayName, vcards) if part.ListFields() else None


_CONVERTERS: dict[Any, Callable[[Any], Content | None]] = {
    kind.DESCRIPTOR: convert
    for kind, convert in (
        (e2e.ExtendedTextMessage, _text),
        (
            e2e.ButtonsResponseMessage,
            lambda part: _pressed(part.selectedButtonID, part.selectedDisplayText),
        ),
        (
            e2e.TemplateButtonReplyMessage,
            lambda part: _pressed(part.selectedID, part.selectedDisplayText),
        ),
        (e2e.InteractiveResponseMessage, _interactive_response),
        (e2e.ListResponseMessage, _list_response),
        (e2e.LocationMessage, location_of),
        (e2e.LiveLocationMessage, location_of),
        (e2e.ContactMessage, _card),
        (e2e.ContactsArrayMessage, _cards),
        (e2e.PollCreationMessage, poll_of),
        (e2e.PollResultSnapshotMessage, _poll_result),
        (e2e.GroupInviteMessage, _group_invitation),
        (e2e.NewsletterAdminInviteMessage, _newsletter_invitation),
        (e2e.NewsletterFollowerInviteMessage, _newsletter_invitation),
        (e2e.EventMessage, _event),
        (e2e.EventInviteMessage, _event_invitation),
        (e2e.SendPaymentMessage, _payment),
        (e2e.RequestPaymentMessage, _payment_request),
        (e2e.OrderMessage, order_of),
    )
}
_CONVERTERS |= dict.fromkeys(FILES, media_of) | dict.fromkeys(BUSINESS, business_of)
