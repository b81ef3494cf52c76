"""Which message a correction or a retraction means, as programs of all kinds name it."""

from collections.abc import Callable

import pytest

from each_case import for_each
from heliograph.networks.content import Button, ButtonReply, System, Text
from heliograph.networks.port import Changed, Inbound, NetworkEvent
from heliograph.networks.xmpp.questions import Questions
from heliograph.networks.xmpp.rooms import Room
from xmpp_stanzas import ADA, NOW, OWN, ROOM, group_ids, reader, stanza

FIRST, SECOND, THIRD = "first-message-0001", "second-message-002", "third-message-0003"


def correction(of: str, text: str = "Ten") -> str:
    return f"<body>{text}</body><replace xmlns='urn:xmpp:message-correct:0' id='{of}'/>"


def retraction(of: str) -> str:
    """As the first versions of XEP-0424 take something back."""
    retract = "<retract xmlns='urn:xmpp:message-retract:0'/>"
    return (
        f"<apply-to xmlns='urn:xmpp:fasten:0' id='{of}'>{retract}</apply-to>"
        "<body>This person took something back.</body>"
    )


class Chat:
    def __init__(self) -> None:
        self._ids = group_ids()
        self.questions = Questions()
        self._reader = reader(self.questions, self._ids)
        self._room = Room(ROOM, "desk", "Choir", features=frozenset({"urn:xmpp:sid:0"}))

    def told(self, inner: str, id_: str, *, by: str = ADA) -> NetworkEvent:
        to = OWN if by == ADA else ADA
        [event] = self._reader.direct(stanza(inner, sender=f"{by}/phone", to=to, id_=id_))
        return event

    def told_in_group(self, inner: str, id_: str, *, by: str = ADA) -> NetworkEvent:
        given = f"<stanza-id xmlns='urn:xmpp:sid:0' by='{ROOM}' id='given-{id_}'/>"
        message = stanza(inner + given, sender=f"{ROOM}/{by}", kind="groupchat", id_=id_)
        self._ids.remember(ROOM, message, by)
        [event] = self._reader.in_group(message, self._room, by, from_me=False)
        return event


def changed(event: NetworkEvent) -> Changed:
    assert isinstance(event, Changed)
    return event


def heard(event: NetworkEvent) -> Inbound:
    assert isinstance(event, Inbound)
    return event


def test_a_correction_of_a_correction_means_the_first_message() -> None:
    chat = Chat()
    said = heard(chat.told("<body>Tne</body>", FIRST)).chat_message_id
    chat.told(correction(FIRST), SECOND)
    again = changed(chat.told(correction(SECOND, "Eleven"), THIRD))
    assert (again.chat_message_id, again.content) == (said, Text("Eleven"))
    taken_back = changed(chat.told(retraction(THIRD), "retraction-0000004"))
    assert (taken_back.kind, taken_back.chat_message_id) == ("deleted", said)


def test_a_correction_of_a_correction_in_a_group_means_the_first_message() -> None:
    chat = Chat()
    said = heard(chat.told_in_group("<body>Tne</body>", FIRST)).chat_message_id
    chat.told_in_group(correction(FIRST), SECOND)
    again = changed(chat.told_in_group(correction(SECOND, "Eleven"), THIRD))
    assert (again.chat_message_id, again.content) == (said, Text("Eleven"))
    other = changed(chat.told_in_group(correction(SECOND), "others-000000004", by="bo@example.org"))
    assert other.chat_message_id != said


def test_corrections_in_a_ring_mean_nothing() -> None:
    chat = Chat()
    chat.told_in_group(correction(SECOND), FIRST)
    assert changed(chat.told_in_group(correction(FIRST), SECOND)).chat_message_id == FIRST


def test_a_short_id_means_the_newest_message_that_had_it() -> None:
    chat = Chat()
    chat.told("<body>Before</body>", "7")
    said = heard(chat.told("<body>Tne</body>", "7")).chat_message_id
    edited = changed(chat.told(correction("7"), "8"))
    assert (edited.chat_message_id, edited.content) == (said, Text("Ten"))
    assert changed(chat.told(retraction("8"), "9")).chat_message_id == said


@for_each("named", ["7", "never-seen-by-anybody"])
@for_each("where", [Chat.told, Chat.told_in_group])
def test_what_corrects_a_message_that_nobody_knows_can_be_told_by_itself(
    named: str, where: Callable[[Chat, str, str], NetworkEvent]
) -> None:
    edited = changed(where(Chat(), correction(named, "Ten, not nine"), FIRST))
    assert edited.otherwise is not None
    assert edited.otherwise.content == Text("Ten, not nine")
    told = edited.otherwise
    assert (told.chat_jid, told.sender_jid) == (edited.chat_jid, edited.sender_jid)
    assert told.chat_message_id == edited.change_id


def test_what_takes_back_or_reacts_says_nothing_anew() -> None:
    assert changed(Chat().told(retraction("7"), FIRST)).otherwise is None


def test_nobody_corrects_what_the_other_has_written_under_the_same_id() -> None:
    chat = Chat()
    said = heard(chat.told("<body>I pay 10</body>", "7", by=OWN)).chat_message_id
    forged = changed(chat.told(correction("7", "I pay 1000"), "8"))
    assert forged.chat_message_id != said


@pytest.mark.parametrize("by_id_of_group", [True, False])
def test_what_an_older_program_takes_back_in_a_group_is_found(by_id_of_group: bool) -> None:
    chat = Chat()
    said = heard(chat.told_in_group("<body>Tne</body>", FIRST)).chat_message_id
    named = f"given-{FIRST}" if by_id_of_group else FIRST
    taken_back = changed(chat.told_in_group(retraction(named), SECOND))
    assert (taken_back.kind, taken_back.chat_message_id) == ("deleted", said)


@pytest.mark.parametrize("text", ["?OTR:AAMDJ+MVmSfj", "?OTR,1,3,?OTR:AAMD", "?OTR|5a73a599|,1,3"])
def test_an_encrypted_text_is_told_as_one(text: str) -> None:
    content = heard(Chat().told(f"<body>{text}</body>", FIRST)).content
    assert isinstance(content, System)
    assert content.kind == "otr"


def test_who_asks_for_an_encrypted_chat_is_heard() -> None:
    text = "?OTRv23? Ada has asked for an encrypted chat."
    assert heard(Chat().told(f"<body>{text}</body>", FIRST)).content == Text(text)


YES, NO = Button("yes", "Yes"), Button("no", "No")
PRESSED_YES, PRESSED_NO = ButtonReply("yes", "Yes"), ButtonReply("no", "No")


def test_a_corrected_answer_chooses_anew_from_the_question_that_it_answered() -> None:
    chat = Chat()
    chat.questions.remember(ADA, "question", (YES, NO), NOW)
    assert heard(chat.told("<body>1</body>", FIRST)).content == PRESSED_YES
    chat.questions.remember(ADA, "later question", (NO, YES), NOW)
    again = changed(chat.told(correction(FIRST, "2"), SECOND))
    assert again.content == PRESSED_NO
    assert changed(chat.told(correction(SECOND, "Yes"), THIRD)).content == ButtonReply(
        YES.id, YES.title
    )
    in_words = changed(chat.told(correction(SECOND, "Neither"), THIRD))
    assert in_words.content == Text("Neither")


def test_a_correction_of_what_has_chosen_nothing_chooses_nothing() -> None:
    chat = Chat()
    chat.told("<body>Well</body>", FIRST)
    chat.questions.remember(ADA, "question", (YES, NO), NOW)
    assert changed(chat.told(correction(FIRST, "1"), SECOND)).content == Text("1")
