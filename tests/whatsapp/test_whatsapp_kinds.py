"""What each kind of message that is understood says, from the library's own object to ours."""

import json
from collections.abc import Iterator
from typing import Any

from neonize.proto.waE2E import WAWebProtobufsE2E_pb2 as wa
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message

import libmagic_needed  # noqa: F401 - before the library
from each_case import for_each
from heliograph.networks.content import (
    Audio,
    ButtonReply,
    ContactCard,
    Content,
    Document,
    Image,
    ListReply,
    Location,
    Order,
    OrderItem,
    Poll,
    Sticker,
    Text,
    Video,
    decode_content,
    encode_content,
)
from heliograph.networks.whatsapp.conversion.contents import file_of
from heliograph.networks.whatsapp.conversion.wrapping import is_wrapper, unwrapped
from whatsapp_arrivals import said, wrapped

FIELDS = list(Message.DESCRIPTOR.fields)
POLL = wa.PollCreationMessage(
    name="Lunch?", options=[wa.PollCreationMessage.Option(optionName="Pizza")]
)
WRAPPERS = [field.name for field in FIELDS if is_wrapper(field)]
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


def of(part: str, **members: Any) -> Message:
    """A message of one part."""
    return Message(**{part: members})


def structured(*params: str) -> wa.HighlyStructuredMessage:
    return wa.HighlyStructuredMessage(elementName="parcel", params=params)


def answer(name: str, params: str, body: str = "") -> Message:
    """What somebody chose in a flow."""
    chosen = {"name": name, "paramsJSON": params}
    return of("interactiveResponseMessage", body={"text": body}, nativeFlowResponseMessage=chosen)


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
    return of("interactiveMessage", body={"text": "Hello"}, nativeFlowMessage={"buttons": written})


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
PIX = {"type": "pix_static_code", "pix_static_code": {"key": "k@example.com"}}
VCARD = "BEGIN:VCARD\nFN:Ana\nTEL;waid=15550100001:\nEND:VCARD"


KINDS: dict[str, tuple[Message, Content]] = {
    "a text": (Message(conversation="Good morning 🌞"), Text("Good morning 🌞")),
    "a text with a link": (
        of("extendedTextMessage", text="see https://example.com"),
        Text("see https://example.com"),
    ),
    "a pressed button": (
        answer("quick_reply", '{"id": "yes"}', "Yes, gladly"),
        ButtonReply("yes", "Yes, gladly"),
    ),
    "a pressed button of the older kind": (
        of("buttonsResponseMessage", selectedButtonID="yes", selectedDisplayText="Yes"),
        ButtonReply("yes", "Yes"),
    ),
    "a pressed button of a template": (
        of("templateButtonReplyMessage", selectedID="no", selectedDisplayText="No"),
        ButtonReply("no", "No"),
    ),
    "a pressed button without a title": (
        answer("quick_reply", '{"id": "yes"}'),
        ButtonReply("yes", "yes"),
    ),
    "a row of a list": (
        of(
            "listResponseMessage",
            title="Tuesday",
            description="from nine",
            singleSelectReply={"selectedRowID": "r1"},
        ),
        ListReply("r1", "Tuesday", "from nine"),
    ),
    "a row of a list in a flow": (
        answer("single_select", '{"id": "r2", "title": "Friday"}'),
        ListReply("r2", "Friday"),
    ),
    "an answer that is no JSON": (answer("quick_reply", "{", "Hm"), Text("Hm")),
    "an answer that is no object": (answer("quick_reply", '["id"]', "Hm"), Text("Hm")),
    "a picture": (
        of("imageMessage", mimetype="image/png", caption="Us", fileLength=9),
        Image("image/png", "Us", size=9),
    ),
    "a film": (
        of("videoMessage", mimetype="video/mp4", caption="Look", fileLength=10),
        Video("video/mp4", "Look", size=10),
    ),
    "a round film": (of("ptvMessage", fileLength=11), Video("video/mp4", size=11)),
    "a voice": (
        of("audioMessage", mimetype="audio/ogg; codecs=opus", fileLength=12),
        Audio("audio/ogg; codecs=opus", size=12),
    ),
    "a document": (
        of(
            "documentMessage",
            mimetype="application/pdf",
            fileName="menu.pdf",
            caption="Today",
            fileLength=13,
        ),
        Document("application/pdf", "Today", "menu.pdf", 13),
    ),
    "a document with no more than a title": (
        of("documentMessage", title="menu"),
        Document("application/octet-stream", file_name="menu"),
    ),
    "a sticker": (
        of("stickerMessage", mimetype="image/webp", fileLength=14),
        Sticker("image/webp", size=14),
    ),
    "a place": (
        of("locationMessage", **PLACE, address="Quay 1"),
        Location(50.5, -7.25, "Harbour", "Quay 1"),
    ),
    "a place that is nowhere": (
        of("locationMessage", degreesLatitude=float("nan"), name="Harbour"),
        Text("Harbour"),
    ),
    "a place beyond the pole, without a name": (
        of("locationMessage", degreesLatitude=90.5),
        Text("[location]"),
    ),
    "a place that moves": (
        of("liveLocationMessage", degreesLatitude=1.0, degreesLongitude=2.0, caption="on my way"),
        Location(1.0, 2.0, "on my way"),
    ),
    "a card": (
        of("contactMessage", displayName="Bruno", vcard="BEGIN:VCARD"),
        ContactCard("Bruno", "BEGIN:VCARD"),
    ),
    "somebody's older buttons": (
        of(
            "buttonsMessage",
            contentText="Which?",
            footerText="soon",
            buttons=[{"buttonText": {"displayText": "Red"}}],
        ),
        Text("Which?\n- Red\nsoon"),
    ),
    "an invitation to a group": (
        of("groupInviteMessage", groupName="Choir", caption="Join us"),
        Text("Join us\nInvitation to the group 'Choir'"),
    ),
    "an order": (
        of(
            "orderMessage",
            orderID="1",
            itemCount=2,
            message="Two, please",
            totalAmount1000=25000,
            totalCurrencyCode="BRL",
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
        of(
            "productMessage",
            body="Is it in stock?",
            product={"title": "Cake", "currencyCode": "BRL", "priceAmount1000": 12505},
        ),
        Text("Is it in stock?\nProduct: Cake, BRL 12.505"),
    ),
    "a template, filled in": (
        of("templateMessage", hydratedFourRowTemplate=HYDRATED),
        Text(HYDRATED_TEXT),
    ),
    "a template of the newer form": (
        of("templateMessage", hydratedTemplate=HYDRATED),
        Text(HYDRATED_TEXT),
    ),
    "a template with a flow": (
        of("templateMessage", interactiveMessageTemplate={"body": {"text": "Hello"}}),
        Text("Hello"),
    ),
    "a template of four rows": (
        of(
            "templateMessage",
            fourRowTemplate={
                "content": structured("4711"),
                "buttons": [{"quickReplyButton": {"displayText": structured("yes")}}],
            },
        ),
        Text("parcel 4711\n- parcel yes"),
    ),
    "a highly structured message": (
        Message(highlyStructuredMessage=structured("4711", "today")),
        Text("parcel 4711 today"),
    ),
    "a highly structured message, filled in": (
        of("highlyStructuredMessage", hydratedHsm={"hydratedTemplate": HYDRATED}),
        Text(HYDRATED_TEXT),
    ),
    "a template with a picture": (
        of(
            "templateMessage",
            hydratedTemplate={
                "hydratedContentText": "New in",
                "imageMessage": {"mimetype": "image/png"},
            },
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
        of(
            "interactiveMessage",
            body={"text": "Hello"},
            nativeFlowMessage={
                "messageParamsJSON": json.dumps(
                    {"limited_time_offer": {"text": "Half price", "copy_code": "SPRING"}}
                )
            },
        ),
        Text("Hello\n- Half price: SPRING"),
    ),
    "ways to pay": (
        flows(("payment_info", {"payment_settings": [PIX]})),
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
        of(
            "listMessage",
            title="Menu of Monday",
            description="What would you like?",
            buttonText="Choose",
            sections=[
                {"title": "Pizza", "rows": [{"title": "Margherita", "description": "9 EUR"}]}
            ],
            footerText="Lume",
        ),
        Text("Menu of Monday\nWhat would you like?\nChoose\nPizza\n- Margherita: 9 EUR\nLume"),
    ),
    "a list of products": (
        of(
            "listMessage",
            title="Shop",
            productListInfo={
                "productSections": [{"title": "Cakes", "products": [{"productID": "77"}]}]
            },
        ),
        Text("Shop\nCakes\n- 77"),
    ),
    "a place over a template": (
        of(
            "templateMessage",
            hydratedTemplate={"locationMessage": PLACE, "hydratedContentText": "Come"},
        ),
        Text("Harbour (50.500000, -7.250000)\nCome"),
    ),
    "a place over buttons": (
        of("buttonsMessage", locationMessage=PLACE, contentText="Come"),
        Text("Harbour (50.500000, -7.250000)\nCome"),
    ),
    "a place over a flow": (
        of("interactiveMessage", header={"locationMessage": PLACE}, body={"text": "Come"}),
        Text("Harbour (50.500000, -7.250000)\nCome"),
    ),
    "a product over a flow": (
        of(
            "interactiveMessage",
            header={"productMessage": {"product": {"title": "Cake", "description": "Moist"}}},
        ),
        Text("Product: Cake\nMoist"),
    ),
    "a product with its picture": (
        of(
            "productMessage",
            body="Is it in stock?",
            product={"title": "Cake", "productImage": {"mimetype": "image/png"}},
        ),
        Image("image/png", "Is it in stock?\nProduct: Cake"),
    ),
    "cards with pictures, more than ten": (
        of(
            "interactiveMessage",
            body={"text": "New in"},
            carouselMessage={"cards": [card(number) for number in range(12)]},
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
        answer(
            "galaxy_message",
            json.dumps(
                {
                    "flow_token": "secret",
                    "first_name": "Ana",
                    "days": ["Monday", "Friday"],
                    "values": {"zip_code": "10115"},
                }
            ),
            "Sent",
        ),
        Text("Sent\nFirst name: Ana\nDays: Monday, Friday\nZip code: 10115"),
    ),
    "a place with nothing but a link": (
        of("locationMessage", URL=LINK, name="Harbour"),
        Text("Harbour, https://example.com/1"),
    ),
    "a place with a link": (
        of("locationMessage", **PLACE, URL=LINK),
        Location(50.5, -7.25, "Harbour, https://example.com/1"),
    ),
    "a card that has its name inside": (
        of("contactMessage", vcard=VCARD),
        ContactCard("Ana", VCARD),
    ),
    "cards that have their names inside": (
        of("contactsArrayMessage", contacts=[{"vcard": VCARD}, {"displayName": "Bruno"}]),
        ContactCard("Ana, Bruno", f"{VCARD}\n"),
    ),
    "cards side by side": (
        of(
            "interactiveMessage",
            body={"text": "New in"},
            carouselMessage={
                "cards": [
                    {"header": {"title": "Cake"}, "body": {"text": "with plums"}},
                    {"body": {"text": "Bread"}},
                ]
            },
        ),
        Text("New in\nCake\nwith plums\nBread"),
    ),
    "a note with a payment": (
        of("sendPaymentMessage", noteMessage=Message(conversation="for lunch")),
        Text("Sent a payment: for lunch"),
    ),
    "a note with a request for one": (
        of("requestPaymentMessage", noteMessage=Message(extendedTextMessage={"text": "for lunch"})),
        Text("Asks for a payment: for lunch"),
    ),
    "a request for an amount": (
        of(
            "requestPaymentMessage",
            noteMessage=Message(conversation="rent"),
            amount1000=50_000,
            currencyCodeIso4217="BRL",
        ),
        Text("Asks for a payment of BRL 50.00: rent"),
    ),
    "a request for an amount of the newer form, without a note": (
        of("requestPaymentMessage", amount={"value": 5050, "offset": 100, "currencyCode": "INR"}),
        Text("Asks for a payment of INR 50.50."),
    ),
    "an event": (
        of(
            "eventMessage",
            name="Rehearsal",
            startTime=1_772_442_910,
            location={"degreesLatitude": 50.5, "degreesLongitude": 7.5, "name": "Hall"},
        ),
        Text("Rehearsal\n2026-03-02 09:15 UTC\nHall (50.500000, 7.500000)"),
    ),
    "an event at no time": (
        of("eventMessage", name="Rehearsal", startTime=2**62),
        Text("Rehearsal"),
    ),
    "an invitation to an event": (
        of("eventInviteMessage", eventTitle="Rehearsal", isCanceled=True),
        Text("Rehearsal\nCanceled."),
    ),
    "an invitation to a channel": (
        of("newsletterFollowerInviteMessageV2", newsletterName="News"),
        Text("Invitation to the channel 'News'"),
    ),
    "what came out in a poll": (
        of(
            "pollResultSnapshotMessage",
            name="Lunch?",
            pollVotes=[{"optionName": "Pizza", "optionVoteCount": 3}],
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
    assert content.summary


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
    message = Message(interactiveMessage={"carouselMessage": {"cards": [card(7), card(8)]}})
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
