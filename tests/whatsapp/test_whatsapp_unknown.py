"""Whatever arrives is told: every field that a message can have, known or not, and what came
without its content. Only protocol stays silent."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from neonize.proto.Neonize_pb2 import UndecryptableMessage
from neonize.proto.waCommon.WACommon_pb2 import MessageKey
from neonize.proto.waE2E import WAWebProtobufsE2E_pb2 as wa
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import ContextInfo, Message

import libmagic_needed  # noqa: F401 - before the library
import whatsapp_events as made
from each_case import for_each
from heliograph.networks.content import (
    ContactCard,
    Content,
    Image,
    Location,
    Order,
    OrderItem,
    Poll,
    Referral,
    System,
    Text,
    decode_content,
    encode_content,
)
from heliograph.networks.port import Changed, Inbound
from heliograph.networks.whatsapp.conversion.arrivals import arrival_of, unreadable_arrival_of
from heliograph.networks.whatsapp.conversion.contents import file_of
from heliograph.networks.whatsapp.conversion.unknown import PROTOCOL
from heliograph.networks.whatsapp.conversion.wrapping import MAX_LAYERS, is_wrapper, unwrapped
from whatsapp_events import ADA, GROUP, OWN_JID
from whatsapp_world import NEWER_KIND

FIELDS = list(Message.DESCRIPTOR.fields)
WRAPPERS = [field.name for field in FIELDS if is_wrapper(field)]


def arrived(message: Message, **more: Any) -> Inbound:
    arrival = arrival_of(made.message(message, **more), OWN_JID, {}, group_subject="Choir")
    assert isinstance(arrival, Inbound)
    return arrival


def said(message: Message) -> Content:
    return arrived(message).content


def wrapped(name: str, message: Message) -> Message:
    outer = Message()
    getattr(outer, name).message.CopyFrom(message)
    return outer


def with_field(field: Any) -> Message:
    if field.message_type is None:
        return Message(conversation="Hello")
    message = Message()
    getattr(message, field.name).SetInParent()
    return message


def test_protocol_is_a_short_list_with_reasons() -> None:
    silent = {field.name for field in FIELDS if field.message_type in PROTOCOL}

    assert silent == {
        "senderKeyDistributionMessage",
        "fastRatchetKeySenderKeyDistributionMessage",
        "groupRootKeyShare",
        "rootSecretDistributeMessage",
        "messageContextInfo",
        "statusLinkPreviewMetadata",
        "stickerSyncRmrMessage",
        "protocolMessage",
    }
    assert all(PROTOCOL.values())


@for_each("field", FIELDS, ids=lambda field: field.name)
def test_every_field_of_a_message_is_told_unless_it_is_protocol(field: Any) -> None:
    message = with_field(field)
    arrival = arrival_of(made.message(message), OWN_JID, {})

    if field.message_type in PROTOCOL:
        assert arrival is None
    elif field.name == "reactionMessage":
        assert isinstance(arrival, Changed)
    else:
        assert isinstance(arrival, Inbound)
        assert arrival.content.summary
        assert decode_content(encode_content(arrival.content)) == arrival.content


@for_each("name", WRAPPERS)
def test_a_message_is_read_out_of_every_wrapper(name: str) -> None:
    assert said(wrapped(name, Message(conversation="inner"))) == Text("inner")
    assert said(wrapped(name, wrapped("ephemeralMessage", Message(conversation="inner")))) == Text(
        "inner"
    )


@for_each("name", WRAPPERS)
def test_a_wrapper_with_nothing_in_it_is_told(name: str) -> None:
    empty = wrapped(name, Message())

    content = said(empty)
    assert isinstance(content, System)
    assert content.kind == name


def test_there_are_more_wrappers_than_a_list_of_names_had() -> None:
    assert len(WRAPPERS) >= 30


def test_what_is_wrapped_without_end_is_told_and_not_followed() -> None:
    message = Message(conversation="inner")
    for _ in range(MAX_LAYERS + 1):
        message = wrapped("viewOnceMessage", message)

    assert isinstance(said(message), System)


@pytest.mark.parametrize("keys", [b"", Message(messageContextInfo={}).SerializeToString()])
def test_a_kind_that_is_newer_than_the_library_is_told(keys: bytes) -> None:
    content = said(Message.FromString(keys + NEWER_KIND))

    assert isinstance(content, System)
    assert content.kind == "field_10144"
    assert "Open it on the phone" in content.body


def test_a_newer_kind_in_a_wrapper_is_told() -> None:
    assert isinstance(said(wrapped("ephemeralMessage", Message.FromString(NEWER_KIND))), System)


def test_keys_beside_a_message_do_not_hide_it() -> None:
    message = Message(senderKeyDistributionMessage={"groupID": "g"}, musicMessage={})

    content = said(message)
    assert isinstance(content, System)
    assert content.kind == "musicMessage"


def test_what_a_person_wrote_in_an_unknown_kind_is_shown() -> None:
    song = wa.EmbeddedMusic(title="Nachtlied", author="Clara")
    content = said(Message(musicMessage=wa.MusicMessage(embeddedMusic=song)))

    assert content.summary.startswith("Clara\nNachtlied\n")


def test_what_another_device_of_the_owner_sent_is_told_too() -> None:
    where = made.source(ADA, from_me=True)
    arrival = arrived(Message(musicMessage={}), where=where)

    assert arrival.from_me
    assert isinstance(arrival.content, System)


@pytest.mark.parametrize(
    ("kind", "told"),
    [("SHARE_PHONE_NUMBER", True), ("REQUEST_WELCOME_MESSAGE", True), ("EPHEMERAL_SETTING", False)],
)
def test_of_protocol_only_what_phones_show_in_the_chat_is_told(kind: str, *, told: bool) -> None:
    protocol = wa.ProtocolMessage(type=wa.ProtocolMessage.Type.Value(kind))
    arrival = arrival_of(made.message(Message(protocolMessage=protocol)), OWN_JID, {})

    assert (arrival is not None) is told


@pytest.mark.parametrize("empty", [{"conversation": ""}, {"extendedTextMessage": {}}])
def test_an_edit_that_says_nothing_changes_nothing(empty: dict[str, Any]) -> None:
    edit = wa.ProtocolMessage(
        key=MessageKey(ID="3A01", fromMe=True),
        type=wa.ProtocolMessage.MESSAGE_EDIT,
        editedMessage=Message(**empty),
    )
    assert arrival_of(made.message(Message(protocolMessage=edit)), OWN_JID, {}) is None


def test_an_edit_into_something_unknown_is_told() -> None:
    edit = wa.ProtocolMessage(
        key=MessageKey(ID="3A01", fromMe=True),
        type=wa.ProtocolMessage.MESSAGE_EDIT,
        editedMessage=Message(musicMessage={}),
    )
    change = arrival_of(made.message(Message(protocolMessage=edit)), OWN_JID, {})

    assert isinstance(change, Changed)
    assert isinstance(change.content, System)


@for_each(
    ("name", "member", "type_", "sentence"),
    [
        ("pinInChatMessage", "type", 1, "Pinned a message."),
        ("pinInChatMessage", "type", 2, "Unpinned a message."),
        ("pinInChatMessage", "type", 0, "Pinned a message, or unpinned one."),
        ("keepInChatMessage", "keepType", 1, "Kept a message in the chat."),
        ("keepInChatMessage", "keepType", 2, "No longer keeps a message in the chat."),
    ],
)
def test_what_is_done_to_another_message_is_said(
    name: str, member: str, type_: int, sentence: str
) -> None:
    message = Message()
    setattr(getattr(message, name), member, type_)

    assert said(message).summary == sentence


@pytest.mark.parametrize("name", ["pinInChatMessage", "keepInChatMessage"])
def test_what_is_about_another_message_names_it(name: str) -> None:
    message = Message()
    getattr(message, name).key.ID = "3A77"

    assert arrived(message).reply_to_chat_message_id == "3A77"


def test_a_comment_names_what_it_is_about() -> None:
    comment = wrapped("commentMessage", Message(conversation="Nice"))
    comment.commentMessage.targetMessageKey.ID = "3A77"

    for message in (comment, wrapped("ephemeralMessage", comment)):
        arrival = arrived(message)
        assert (arrival.content, arrival.reply_to_chat_message_id) == (Text("Nice"), "3A77")


# --- messages that belong to another one -------------------------------------------------------

PICTURE = Message(imageMessage={"mimetype": "image/jpeg", "directPath": "/v/1"})


def associated(kind: str, wrapper: str, *, outside: bool = False) -> Message:
    inner = Message.FromString(PICTURE.SerializeToString())
    message = wrapped(wrapper, inner)
    target = message if outside else getattr(message, wrapper).message
    association = target.messageContextInfo.messageAssociation
    association.associationType = wa.MessageAssociation.AssociationType.Value(kind)
    association.parentMessageKey.ID = "3A77"
    return message


@for_each("outside", [False, True])
@for_each(
    "kind",
    ["HD_IMAGE_DUAL_UPLOAD", "HD_VIDEO_DUAL_UPLOAD", "HEVC_VIDEO_DUAL_UPLOAD", "MOTION_PHOTO"],
)
def test_a_better_copy_of_a_picture_is_the_same_message(kind: str, *, outside: bool) -> None:
    for message in (
        (copy := associated(kind, "associatedChildMessage", outside=outside)),
        wrapped("ephemeralMessage", copy),
    ):
        arrival = arrived(message)
        assert (arrival.chat_message_id, arrival.content) == ("3A77", Image("image/jpeg"))


@for_each(
    ("kind", "wrapper"),
    [
        ("EVENT_COVER_IMAGE", "eventCoverImage"),
        ("MEDIA_POLL", "pollCreationOptionImageMessage"),
        ("EVENT_COVER_IMAGE", "associatedChildMessage"),
        ("UNKNOWN", "eventCoverImage"),
        ("UNKNOWN", "pollCreationOptionImageMessage"),
    ],
)
def test_a_picture_within_another_message_is_none_of_its_own(kind: str, wrapper: str) -> None:
    for message in ((part := associated(kind, wrapper)), wrapped("ephemeralMessage", part)):
        assert arrival_of(made.message(message), OWN_JID, {}) is None


@pytest.mark.parametrize("kind", ["MEDIA_ALBUM", "UNKNOWN"])
def test_a_picture_of_an_album_is_a_message_of_its_own(kind: str) -> None:
    arrival = arrived(associated(kind, "associatedChildMessage"))
    assert (arrival.chat_message_id, arrival.content) == (
        "3A0123456789ABCDEF01",
        Image("image/jpeg"),
    )


@pytest.mark.parametrize("chat", ["1-4711@interop", "4711@msgr", "4711@bot"])
def test_somebody_on_a_server_that_is_not_known_is_told(chat: str) -> None:
    arrival = arrived(Message(conversation="Hello"), where=made.source(chat))

    assert (arrival.chat_jid, arrival.sender_jid) == (chat, chat)
    assert not arrival.is_group
    assert arrival.sender_phone_number is None


def test_what_the_owners_devices_tell_each_other_is_silent() -> None:
    event = made.message(Message.FromString(NEWER_KIND))
    event.Info.Category = "peer"

    assert arrival_of(event, OWN_JID, {}) is None


# --- kinds that are understood -----------------------------------------------------------------

POLL = wa.PollCreationMessage(
    name="Lunch?", options=[wa.PollCreationMessage.Option(optionName="Pizza")]
)
POLLS = [field for field in FIELDS if field.message_type is wa.PollCreationMessage.DESCRIPTOR]
HYDRATED = wa.TemplateMessage.HydratedFourRowTemplate(
    hydratedTitleText="Parcel",
    hydratedContentText="Your code is 1",
    hydratedFooterText="Lume",
    hydratedButtons=[
        {"quickReplyButton": {"displayText": "Thanks", "ID": "t"}},
        {"urlButton": {"displayText": "Track", "URL": "https://example.com/1"}},
        {"callButton": {"displayText": "Call", "phoneNumber": "+15550100001"}},
    ],
)
HYDRATED_TEXT = (
    "Parcel\nYour code is 1\n- Thanks\n- Track: https://example.com/1\n- Call: +15550100001\nLume"
)
DETAILS = {
    "reference_id": "R-1",
    "currency": "BRL",
    "total_amount": {"value": 2500, "offset": 100},
    "order": {
        "items": [
            {
                "retailer_id": "sku-1",
                "name": "Cake",
                "amount": {"value": 1250, "offset": 100},
                "quantity": 2,
            },
            "nonsense",
        ]
    },
}


def structured(*params: str) -> wa.HighlyStructuredMessage:
    return wa.HighlyStructuredMessage(elementName="parcel", params=params)


def flow(params: str) -> wa.InteractiveMessage:
    button = {"name": "order_details", "buttonParamsJSON": params}
    return wa.InteractiveMessage(
        body={"text": "Your order"}, nativeFlowMessage={"buttons": [button]}
    )


def flows(*buttons: tuple[str, dict[str, Any] | None]) -> Message:
    """A message with these buttons, given by their names and parameters."""
    written = [
        {"name": name, "buttonParamsJSON": "" if params is None else json.dumps(params)}
        for name, params in buttons
    ]
    return Message(
        interactiveMessage={"body": {"text": "Hello"}, "nativeFlowMessage": {"buttons": written}}
    )


def card(number: int) -> dict[str, Any]:
    buy = {"display_text": "Buy", "url": f"https://example.com/{number}"}
    button = {"name": "cta_url", "buttonParamsJSON": json.dumps(buy)}
    return {
        "header": {"imageMessage": {"directPath": f"/v/{number}"}, "title": f"Cake {number}"},
        "nativeFlowMessage": {"buttons": [button]},
    }


LINK = "https://example.com/1"
PLACE = {"degreesLatitude": 50.5, "degreesLongitude": -7.25, "name": "Harbour"}
SECTION = {
    "title": "Pizza",
    "rows": [{"id": "m", "title": "Margherita", "description": "9 EUR"}, {"title": "Funghi"}],
}
VCARD = "BEGIN:VCARD\nFN:Ana\nTEL;waid=15550100001:\nEND:VCARD"


KINDS: dict[str, tuple[Message, Content]] = {
    "an order": (
        Message(
            orderMessage={
                "orderID": "1",
                "itemCount": 2,
                "message": "Two, please",
                "totalAmount1000": 25000,
                "totalCurrencyCode": "BRL",
            }
        ),
        Order("1", "Two, please", item_count=2, total="25.00", currency="BRL"),
    ),
    "an order with its items": (
        Message(interactiveMessage=flow(json.dumps(DETAILS))),
        Order(
            "R-1",
            "Your order",
            item_count=1,
            total="25.00",
            currency="BRL",
            items=(OrderItem("sku-1", "Cake", 2, "12.50"),),
        ),
    ),
    "a question about a product": (
        Message(
            productMessage={
                "body": "Is it in stock?",
                "product": {"title": "Cake", "currencyCode": "BRL", "priceAmount1000": 12505},
            }
        ),
        Text("Is it in stock?\nProduct: Cake, BRL 12.505"),
    ),
    "a template, filled in": (
        Message(templateMessage={"hydratedFourRowTemplate": HYDRATED}),
        Text(HYDRATED_TEXT),
    ),
    "a template of the newer form": (
        Message(templateMessage={"hydratedTemplate": HYDRATED}),
        Text(HYDRATED_TEXT),
    ),
    "a template with a flow": (
        Message(templateMessage={"interactiveMessageTemplate": {"body": {"text": "Hello"}}}),
        Text("Hello"),
    ),
    "a template of four rows": (
        Message(
            templateMessage={
                "fourRowTemplate": {
                    "content": structured("4711"),
                    "buttons": [{"quickReplyButton": {"displayText": structured("yes")}}],
                }
            }
        ),
        Text("parcel 4711\n- parcel yes"),
    ),
    "a highly structured message": (
        Message(highlyStructuredMessage=structured("4711", "today")),
        Text("parcel 4711 today"),
    ),
    "a highly structured message, filled in": (
        Message(highlyStructuredMessage={"hydratedHsm": {"hydratedTemplate": HYDRATED}}),
        Text(HYDRATED_TEXT),
    ),
    "a template with a picture": (
        Message(
            templateMessage={
                "hydratedTemplate": {
                    "hydratedContentText": "New in",
                    "imageMessage": {"mimetype": "image/png"},
                }
            }
        ),
        Image("image/png", "New in"),
    ),
    "a code to copy, a page to open, a number to call": (
        flows(
            ("cta_copy", {"display_text": "Copy code", "copy_code": "482913"}),
            ("cta_copy", {"display_text": "Copy it", "copy_code": 7}),
            ("cta_url", {"display_text": "Open", "url": LINK, "merchant_url": LINK}),
            ("cta_call", {"display_text": "Call", "phone_number": "+15550100001"}),
            ("quick_reply", {"display_text": "Thanks", "id": "t"}),
            ("open_webview", {"title": "Look", "link": {"url": "https://example.com/2"}}),
            ("galaxy_message", {"flow_cta": "Fill in", "flow_id": "1"}),
            ("send_location", None),
        ),
        Text(
            "Hello\n- Copy code: 482913\n- Copy it: 7\n- Open: https://example.com/1\n"
            "- Call: +15550100001\n- Thanks\n- Look: https://example.com/2\n- Fill in\n"
            "- Send location"
        ),
    ),
    "rows to choose from, in a flow": (
        flows(("single_select", {"title": "Menu", "sections": [SECTION, "nonsense"]})),
        Text("Hello\nMenu\nPizza\n- Margherita: 9 EUR\n- Funghi"),
    ),
    "rows to choose from that make no sense": (
        flows(("single_select", {"title": "Menu", "sections": [7, {"rows": [8, {}]}]})),
        Text("Hello\nMenu"),
    ),
    "an offer that ends, with a code": (
        Message(
            interactiveMessage={
                "body": {"text": "Hello"},
                "nativeFlowMessage": {
                    "messageParamsJSON": json.dumps(
                        {"limited_time_offer": {"text": "Half price", "copy_code": "SPRING"}}
                    )
                },
            }
        ),
        Text("Hello\n- Half price: SPRING"),
    ),
    "ways to pay": (
        flows(
            (
                "payment_info",
                {
                    "payment_settings": [
                        {"type": "pix_static_code", "pix_static_code": {"key": "k@example.com"}}
                    ]
                },
            )
        ),
        Text("Hello\n- Payment info\n- Pix static code: k@example.com"),
    ),
    "an order that goes on": (
        flows(
            (
                "order_status",
                {
                    "reference_id": "R-1",
                    "order": {"status": "partially_shipped", "description": "By bike"},
                },
            ),
            ("cta_url", {"display_text": "Track", "url": LINK}),
        ),
        Order(
            "R-1",
            "Hello\nStatus: Partially shipped\nBy bike\n- Track: https://example.com/1",
            item_count=0,
        ),
    ),
    "a list with all that it shows": (
        Message(
            listMessage={
                "title": "Menu of Monday",
                "description": "What would you like?",
                "buttonText": "Choose",
                "sections": [
                    {"title": "Pizza", "rows": [{"title": "Margherita", "description": "9 EUR"}]}
                ],
                "footerText": "Lume",
            }
        ),
        Text("Menu of Monday\nWhat would you like?\nChoose\nPizza\n- Margherita: 9 EUR\nLume"),
    ),
    "a list of products": (
        Message(
            listMessage={
                "title": "Shop",
                "productListInfo": {
                    "productSections": [{"title": "Cakes", "products": [{"productID": "77"}]}]
                },
            }
        ),
        Text("Shop\nCakes\n- 77"),
    ),
    "a place over a template": (
        Message(
            templateMessage={
                "hydratedTemplate": {"locationMessage": PLACE, "hydratedContentText": "Come"}
            }
        ),
        Text("Harbour (50.500000, -7.250000)\nCome"),
    ),
    "a place over buttons": (
        Message(buttonsMessage={"locationMessage": PLACE, "contentText": "Come"}),
        Text("Harbour (50.500000, -7.250000)\nCome"),
    ),
    "a place over a flow": (
        Message(
            interactiveMessage={"header": {"locationMessage": PLACE}, "body": {"text": "Come"}}
        ),
        Text("Harbour (50.500000, -7.250000)\nCome"),
    ),
    "a product over a flow": (
        Message(
            interactiveMessage={
                "header": {"productMessage": {"product": {"title": "Cake", "description": "Moist"}}}
            }
        ),
        Text("Product: Cake\nMoist"),
    ),
    "a product with its picture": (
        Message(
            productMessage={
                "body": "Is it in stock?",
                "product": {"title": "Cake", "productImage": {"mimetype": "image/png"}},
            }
        ),
        Image("image/png", "Is it in stock?\nProduct: Cake"),
    ),
    "cards with pictures, more than ten": (
        Message(
            interactiveMessage={
                "body": {"text": "New in"},
                "carouselMessage": {"cards": [card(number) for number in range(12)]},
            }
        ),
        Image(
            "image/jpeg",
            "New in\nCake 0\n- Buy: https://example.com/0\n"
            + "\n".join(
                f"[image]\nCake {number}\n- Buy: https://example.com/{number}"
                for number in range(1, 12)
            ),
        ),
    ),
    "a form that somebody has filled in": (
        Message(
            interactiveResponseMessage={
                "body": {"text": "Sent"},
                "nativeFlowResponseMessage": {
                    "name": "galaxy_message",
                    "paramsJSON": json.dumps(
                        {
                            "flow_token": "secret",
                            "first_name": "Ana",
                            "days": ["Monday", "Friday"],
                            "values": {"zip_code": "10115"},
                        }
                    ),
                },
            }
        ),
        Text("Sent\nFirst name: Ana\nDays: Monday, Friday\nZip code: 10115"),
    ),
    "a place with nothing but a link": (
        Message(locationMessage={"URL": LINK, "name": "Harbour"}),
        Text("Harbour, https://example.com/1"),
    ),
    "a place with a link": (
        Message(locationMessage={**PLACE, "URL": LINK}),
        Location(50.5, -7.25, "Harbour, https://example.com/1"),
    ),
    "a card that has its name inside": (
        Message(contactMessage={"vcard": VCARD}),
        ContactCard("Ana", VCARD),
    ),
    "cards that have their names inside": (
        Message(contactsArrayMessage={"contacts": [{"vcard": VCARD}, {"displayName": "Bruno"}]}),
        ContactCard("Ana, Bruno", f"{VCARD}\n"),
    ),
    "cards side by side": (
        Message(
            interactiveMessage={
                "body": {"text": "New in"},
                "carouselMessage": {
                    "cards": [
                        {"header": {"title": "Cake"}, "body": {"text": "with plums"}},
                        {"body": {"text": "Bread"}},
                    ]
                },
            }
        ),
        Text("New in\nCake\nwith plums\nBread"),
    ),
    "a note with a payment": (
        Message(sendPaymentMessage={"noteMessage": Message(conversation="for lunch")}),
        Text("Sent a payment: for lunch"),
    ),
    "a note with a request for one": (
        Message(
            requestPaymentMessage={
                "noteMessage": Message(extendedTextMessage={"text": "for lunch"})
            }
        ),
        Text("Asks for a payment: for lunch"),
    ),
    "a request for an amount": (
        Message(
            requestPaymentMessage={
                "noteMessage": Message(conversation="rent"),
                "amount1000": 50_000,
                "currencyCodeIso4217": "BRL",
            }
        ),
        Text("Asks for a payment of BRL 50.00: rent"),
    ),
    "a request for an amount of the newer form, without a note": (
        Message(
            requestPaymentMessage={"amount": {"value": 5050, "offset": 100, "currencyCode": "INR"}}
        ),
        Text("Asks for a payment of INR 50.50."),
    ),
    "an event": (
        Message(
            eventMessage={
                "name": "Rehearsal",
                "startTime": 1_772_442_910,
                "location": {"degreesLatitude": 50.5, "degreesLongitude": 7.5, "name": "Hall"},
            }
        ),
        Text("Rehearsal\n2026-03-02 09:15 UTC\nHall (50.500000, 7.500000)"),
    ),
    "an event at no time": (
        Message(eventMessage={"name": "Rehearsal", "startTime": 2**62}),
        Text("Rehearsal"),
    ),
    "an invitation to an event": (
        Message(eventInviteMessage={"eventTitle": "Rehearsal", "isCanceled": True}),
        Text("Rehearsal\nCanceled."),
    ),
    "an invitation to a channel": (
        Message(newsletterFollowerInviteMessageV2={"newsletterName": "News"}),
        Text("Invitation to the channel 'News'"),
    ),
    "what came out in a poll": (
        Message(
            pollResultSnapshotMessage={
                "name": "Lunch?",
                "pollVotes": [{"optionName": "Pizza", "optionVoteCount": 3}],
            }
        ),
        Text("Lunch?\n- Pizza: 3"),
    ),
}


@for_each("kind", KINDS)
def test_what_it_says(kind: str) -> None:
    message, content = KINDS[kind]

    assert said(message) == content
    assert said(wrapped("ephemeralMessage", message)) == content
    assert decode_content(encode_content(content)) == content


def polls() -> Iterator[Message]:
    for field in POLLS:
        yield Message(**{field.name: POLL})
    for name in WRAPPERS:
        yield wrapped(name, Message(pollCreationMessage=POLL))


@for_each("message", list(polls()))
def test_a_poll_is_one_in_every_version(message: Message) -> None:
    assert said(message) == Poll("Lunch?", ("Pizza",), 1)


@for_each("params", ["[]", "{", '{"order": 1}', '{"order": {"items": 1}}', '{"order": {}}'])
def test_an_order_that_makes_no_sense_harms_nothing(params: str) -> None:
    assert said(Message(interactiveMessage=flow(params))).summary


def test_the_first_picture_of_cards_is_the_file() -> None:
    message = Message(
        interactiveMessage={"carouselMessage": {"cards": [card(7), card(8)]}},
    )
    file = file_of(message)
    assert file is not None
    assert file.path == "/v/7"


def test_an_order_with_a_picture_over_it_has_no_file() -> None:
    message = Message(interactiveMessage=flow(json.dumps(DETAILS)))
    message.interactiveMessage.header.imageMessage.directPath = "/v/1"

    content = said(message)
    assert isinstance(content, Order)
    assert content.text == "[image]\nYour order"
    assert file_of(message) is None


@for_each("params", [None, {}, {"title": 7, "sections": "none"}, {"display_text": ["no"]}])
def test_a_button_without_words_is_told_by_its_kind(params: dict[str, Any] | None) -> None:
    assert "single_select" not in said(flows(("single_select", params))).summary


def test_the_picture_over_a_text_is_its_file() -> None:
    picture = wa.ImageMessage(directPath="/v/1", mediaKey=b"k" * 32)
    for message in (
        Message(interactiveMessage={"header": {"imageMessage": picture}}),
        Message(buttonsMessage={"imageMessage": picture}),
        Message(templateMessage={"hydratedFourRowTemplate": {"imageMessage": picture}}),
    ):
        assert isinstance(said(message), Image)
        file = file_of(unwrapped(message))
        assert file is not None
        assert file.path == "/v/1"


# --- advertisements ----------------------------------------------------------------------------

AD = ContextInfo.ExternalAdReplyInfo(
    title="Spring offer",
    body="Half price",
    sourceType="ad",
    sourceID="120200000000000001",
    sourceURL="https://fb.me/1",
    ctwaClid="ARAk",
)
REFERRAL = Referral(
    "120200000000000001", "ad", "https://fb.me/1", "Spring offer", "Half price", "ARAk"
)


def test_an_answer_to_a_status_says_which() -> None:
    context = ContextInfo(
        stanzaID="3A55",
        remoteJID="status@broadcast",
        quotedMessage=Message(imageMessage={"caption": "Plum cake today"}),
    )
    text = {"text": "How much?", "contextInfo": context}
    arrival = arrived(Message(extendedTextMessage=text))
    assert (arrival.content, arrival.reply_to_chat_message_id) == (Text("How much?"), "3A55")
    assert arrival.referral == Referral("3A55", "status", body="Plum cake today")


def test_an_empty_answer_to_a_status_is_no_click_on_an_advertisement() -> None:
    context = ContextInfo(stanzaID="3A55", remoteJID="status@broadcast")
    arrival = arrived(Message(extendedTextMessage={"contextInfo": context}))
    assert arrival.content == System("extendedTextMessage", "An empty message.")


def test_a_click_on_an_advertisement_without_a_text_is_told() -> None:
    arrival = arrived(Message(extendedTextMessage={"contextInfo": {"externalAdReply": AD}}))

    assert arrival.referral == REFERRAL
    assert arrival.content == System("referral", "Came from an advertisement: Spring offer")


@for_each("name", ["extendedTextMessage", "imageMessage", "locationMessage"])
@for_each("wrapper", ["", "ephemeralMessage"])
def test_what_came_from_an_advertisement_says_so(name: str, wrapper: str) -> None:
    message = Message()
    getattr(message, name).contextInfo.externalAdReply.CopyFrom(AD)
    if name == "extendedTextMessage":
        message.extendedTextMessage.text = "Hello"

    arrival = arrived(wrapped(wrapper, message) if wrapper else message)
    assert arrival.referral == REFERRAL
    assert not isinstance(arrival.content, System)


def test_older_and_bare_forms_of_an_advertisement() -> None:
    quoted = {"text": "Hi", "contextInfo": {"quotedAd": {"advertiserName": "Lume"}}}
    bare = {"text": "Hi", "contextInfo": {"entryPointConversionSource": "ctwa_ad"}}

    assert arrived(Message(extendedTextMessage=quoted)).referral == Referral(
        source_type="ad", headline="Lume"
    )
    assert arrived(Message(extendedTextMessage=bare)).referral == Referral(source_type="ad")


def test_the_preview_of_a_link_is_no_advertisement() -> None:
    preview = {"text": "Hi", "contextInfo": {"externalAdReply": {"title": "A page"}}}

    assert arrived(Message(extendedTextMessage=preview)).referral is None


def test_the_owners_own_words_come_from_no_advertisement() -> None:
    message = Message(extendedTextMessage={"text": "Hi", "contextInfo": {"externalAdReply": AD}})

    assert arrived(message, where=made.source(ADA, from_me=True)).referral is None


# --- what comes without its content ------------------------------------------------------------


def unreadable(where: Any = None, *, hidden: bool = False, gone: bool = False) -> Any:
    mode = (
        UndecryptableMessage.DECRYPT_FAIL_HIDE if hidden else UndecryptableMessage.DECRYPT_FAIL_SHOW
    )
    return UndecryptableMessage(
        Info=made.message(where=where).Info, IsUnavailable=gone, DecryptFailMode=mode
    )


@pytest.mark.parametrize(("gone", "kind"), [(True, "unavailable"), (False, "undecryptable")])
def test_a_message_without_its_content_is_told(kind: str, *, gone: bool) -> None:
    where = made.source(GROUP, ADA)
    arrival = unreadable_arrival_of(unreadable(where, gone=gone), OWN_JID, {})

    assert arrival is not None
    assert isinstance(arrival.content, System)
    assert arrival.content.kind == kind
    assert "pen it on the phone" in arrival.content.body
    assert (arrival.chat_jid, arrival.sender_jid, arrival.is_group) == (GROUP, ADA, True)
    assert arrival.chat_message_id == made.message().Info.ID


def test_what_its_sender_hides_is_not_told() -> None:
    assert unreadable_arrival_of(unreadable(hidden=True), OWN_JID, {}) is None


def test_a_status_that_cannot_be_read_is_not_told() -> None:
    where = made.source("status@broadcast", ADA)
    assert unreadable_arrival_of(unreadable(where), OWN_JID, {}) is None
