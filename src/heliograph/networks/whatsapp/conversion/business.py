"""Messages of businesses and their customers: templates, choices, cards, orders, products.

The account can't press their buttons, and records have no members for most of their parts: these
become lines of a text, in the order in which phones show them. The first file is the message's own;
further ones become lines, too.
"""

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, TypeAlias

from msgspec.structs import replace
from neonize.proto.waE2E import WAWebProtobufsE2E_pb2 as e2e

from heliograph.networks.content import Content, Media, Order, OrderItem, Text
from heliograph.networks.whatsapp.conversion.attachments import FILES, location_of, media_of

Piece: TypeAlias = Any
"""A line, possibly empty, or the part that is a file."""

_THOUSANDTHS = 1000
_MAX_AMOUNT = 10**15


def lines(*texts: str) -> Content | None:
    """Return a text of these lines, without the empty ones; None if all are."""
    text = "\n".join(line for line in texts if line)
    return Text(text) if text else None


def params_of(text: str) -> dict[str, Any]:
    """Return the parameters of a native flow, which are a stranger's text."""
    try:
        params = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return params if isinstance(params, dict) else {}


def business_of(part: Any) -> Content | None:
    """Return the content of a part of one of the types in `BUSINESS`."""
    order = next(_orders_in(part), None) if isinstance(part, e2e.InteractiveMessage) else None
    if order is not None:
        return order
    file, text = _file_and_text(part)
    if file is None:
        return lines(text)
    media = media_of(file)
    return replace(media, caption="\n".join(line for line in (media.caption, text) if line))


def file_in(part: Any) -> Any | None:
    """Return the file that belongs to the content that `business_of` makes of this part."""
    return _file_and_text(part)[0] if isinstance(business_of(part), Media) else None


def _file_and_text(part: Any) -> tuple[Any | None, str]:
    pieces = list(_PIECES[part.DESCRIPTOR](part))
    file = next((piece for piece in pieces if not isinstance(piece, str)), None)
    return file, _text_of(piece for piece in pieces if piece is not file)


def _text_of(pieces: Iterator[Piece]) -> str:
    said = (piece if isinstance(piece, str) else media_of(piece).summary for piece in pieces)
    return "\n".join(line for line in said if line)


def _choice(*words: str) -> str:
    """Return the line of a choice, with its description or target."""
    said = ": ".join(dict.fromkeys(word for word in words if word))
    return f"- {said}" if said else ""


def _over(part: Any) -> Iterator[Piece]:
    """List the parts above a text: a file, a place, a product."""
    for field, value in part.ListFields():
        if field.message_type in FILES:
            yield value
        elif field.message_type is e2e.LocationMessage.DESCRIPTOR:
            yield location_of(value).summary
        elif field.message_type is e2e.ProductMessage.DESCRIPTOR:
            yield from _product(value)


# --- buttons and lists -----------------------------------------------------------------------


def _list(part: Any) -> Iterator[Piece]:
    yield from (part.title, part.description, part.buttonText)
    for section in part.sections:
        yield section.title
        yield from (_choice(row.title, row.description) for row in section.rows)
    for products in part.productListInfo.productSections:
        yield products.title
        yield from (_choice(product.productID) for product in products.products)
    yield part.footerText


def _buttons(part: Any) -> Iterator[Piece]:
    yield from _over(part)
    yield from (part.text, part.contentText)
    for button in part.buttons:
        if button.HasField("nativeFlowInfo"):
            flow = button.nativeFlowInfo
            yield from _flow(flow.name, flow.paramsJSON, button.buttonText.displayText)
        else:
            yield _choice(button.buttonText.displayText)
    yield part.footerText


def _interactive(part: Any) -> Iterator[Piece]:
    yield from _over(part.header)
    yield from (part.header.title, part.header.subtitle, part.body.text)
    for button in part.nativeFlowMessage.buttons:
        yield from _flow(button.name, button.buttonParamsJSON)
    yield from _offer(params_of(part.nativeFlowMessage.messageParamsJSON))
    for card in part.carouselMessage.cards:
        yield from _interactive(card)
    yield from _over(part.footer)
    yield part.footer.text


_TITLES = ("display_text", "title", "flow_cta")
_LEADS_TO = ("copy_code", "code", "url", "merchant_url", "canonical_url", "phone_number")


def _flow(name: str, params_json: str, shown: str = "") -> Iterator[str]:
    """List the label of a native flow's button, and the effect of pressing it."""
    params = params_of(params_json)
    order = params.get("order")
    title = shown or next(filter(None, (_text(params.get(key)) for key in _TITLES)), "")
    leads_to = _leads_to(params)
    if sections := _dicts(params.get("sections")):
        yield title
        yield from _rows(sections)
    elif isinstance(order, dict):
        yield from _status(name, order)
    else:
        yield _choice(title or _words_of(name), *leads_to)
    yield from _payment_settings(params)


def answers_of(params: dict[str, Any]) -> Iterator[str]:
    """List the values that somebody has entered in a business's form."""
    for key, value in params.items():
        if isinstance(value, dict):
            yield from answers_of(value)
        elif not key.endswith("_token"):
            said = [_text(each) for each in value] if isinstance(value, list) else [_text(value)]
            given = ", ".join(word for word in said if word)
            yield f"{_words_of(key)}: {given}" if given else ""


def _leads_to(params: dict[str, Any]) -> list[str]:
    link = params.get("link")
    within = [params, link] if isinstance(link, dict) else [params]
    return [_text(each.get(key)) for each in within for key in _LEADS_TO]


def _rows(sections: list[dict[str, Any]]) -> Iterator[str]:
    for section in sections:
        yield _text(section.get("title"))
        for row in _dicts(section.get("rows")):
            yield _choice(*(_text(row.get(key)) for key in ("header", "title", "description")))


def _offer(params: dict[str, Any]) -> Iterator[str]:
    """List the parts beside the buttons: a limited offer, the page behind a card."""
    for key in ("limited_time_offer", "tap_target_configuration"):
        offer = params.get(key)
        if isinstance(offer, dict):
            words = (_text(offer.get(name)) for name in ("text", "title", "description"))
            yield _choice(*words, *_leads_to(offer))


def _payment_settings(params: dict[str, Any]) -> Iterator[str]:
    """List the payment methods, with their keys and codes."""
    for setting in _dicts(params.get("payment_settings")):
        for kind, details in setting.items():
            if isinstance(details, dict):
                said = ", ".join(filter(None, map(_text, details.values())))
                yield _choice(_words_of(kind), said)


def _status(name: str, order: dict[str, Any]) -> Iterator[str]:
    if name == "order_status":
        status = _words_of(_text(order.get("status")))
        yield f"Status: {status}" if status else ""
        yield _text(order.get("description"))


def _words_of(name: str) -> str:
    """Return a name such as `send_location` as people would write it."""
    return name.replace("_", " ").strip().capitalize()


# --- templates -------------------------------------------------------------------------------


def _template(part: Any) -> Iterator[Piece]:
    if part.HasField("interactiveMessageTemplate"):
        yield from _interactive(part.interactiveMessageTemplate)
        return
    for name in ("hydratedTemplate", "hydratedFourRowTemplate"):
        if part.HasField(name):
            yield from _hydrated(getattr(part, name))
            return
    rows = part.fourRowTemplate
    yield from _over(rows)
    yield from (_structured_text(rows.highlyStructuredMessage), _structured_text(rows.content))
    yield from (_button_line(button, _structured_text) for button in rows.buttons)
    yield _structured_text(rows.footer)


def _structured(part: Any) -> Iterator[Piece]:
    """List the lines of a highly structured message: filled in, or at least its parameters."""
    if part.HasField("hydratedHsm"):
        yield from _template(part.hydratedHsm)
    else:
        yield _structured_text(part)


def _hydrated(part: Any) -> Iterator[Piece]:
    yield from _over(part)
    yield from (part.hydratedTitleText, part.hydratedContentText)
    yield from (_button_line(button, str) for button in part.hydratedButtons)
    yield part.hydratedFooterText


def _button_line(button: Any, text: Callable[[Any], str]) -> str:
    """Return a button's title with its target."""
    for kind, leads_to in (("urlButton", "URL"), ("callButton", "phoneNumber")):
        if button.HasField(kind):
            part = getattr(button, kind)
            return _choice(text(part.displayText), text(getattr(part, leads_to)))
    return _choice(text(button.quickReplyButton.displayText))


def _structured_text(part: Any) -> str:
    params = [*part.params, *(each.default for each in part.localizableParams)]
    return " ".join(word for word in (part.elementName, *params) if word)


# --- orders and products ---------------------------------------------------------------------


def order_of(part: Any) -> Content | None:
    if not any(field.name != "contextInfo" for field, _ in part.ListFields()):
        return None
    return Order(
        order_id=part.orderID,
        text=part.message,
        title=part.orderTitle,
        item_count=part.itemCount if part.HasField("itemCount") else None,
        total=amount_of(part.totalAmount1000, _THOUSANDTHS) if part.totalAmount1000 else None,
        currency=part.totalCurrencyCode or None,
    )


def _product(part: Any) -> Iterator[Piece]:
    product = part.product
    yield from _over(product)
    yield from _over(part.catalog)
    yield from (part.body, part.catalog.title, part.catalog.description)
    price = product.salePriceAmount1000 or product.priceAmount1000
    cost = f"{product.currencyCode} {amount_of(price, _THOUSANDTHS)}".strip() if price else ""
    named = product.title or product.retailerID or product.productID
    about = ", ".join(word for word in (named, cost, product.URL) if word)
    yield f"Product: {about}" if about else ""
    yield from (product.description, part.footer)


def amount_of(value: int, parts: int) -> str:
    """Return a decimal number with two places, or more where they are not zeros."""
    amount = Decimal(value) / parts
    plain = f"{amount:.2f}"
    return plain if Decimal(plain) == amount else str(amount.normalize())


def _orders_in(part: Any) -> Iterator[Order]:
    """List the orders whose details are the parameters of a button, as Meta's `order_details`."""
    for button in part.nativeFlowMessage.buttons:
        params = params_of(button.buttonParamsJSON)
        order = params.get("order")
        if not isinstance(order, dict):
            continue
        items = _dicts(order.get("items"))
        yield Order(
            order_id=_text(params.get("reference_id")),
            text=_text_of(_interactive(part)),
            item_count=len(items),
            total=_money(params.get("total_amount")),
            currency=_text(params.get("currency")) or None,
            items=tuple(_item(item) for item in items),
        )


def _item(item: dict[str, Any]) -> OrderItem:
    quantity = item.get("quantity")
    return OrderItem(
        product_id=_text(item.get("retailer_id") or item.get("product_id")),
        title=_text(item.get("name")) or None,
        quantity=quantity if isinstance(quantity, int) and 0 < quantity < 10**9 else 1,
        price=_money(item.get("sale_amount") or item.get("amount")),
    )


def _money(amount: object) -> str | None:
    """Return an amount of `{"value": 2500, "offset": 100}` as a decimal number."""
    if not isinstance(amount, dict):
        return None
    value, offset = amount.get("value"), amount.get("offset", 1)
    if not (isinstance(value, int) and isinstance(offset, int)):
        return None
    return (
        amount_of(value, offset) if 0 <= value < _MAX_AMOUNT and 0 < offset < _MAX_AMOUNT else None
    )


def _text(value: object) -> str:
    """Return a text or a whole number as a text, and an empty text for anything else."""
    is_number = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _MAX_AMOUNT
    return str(value) if is_number else value if isinstance(value, str) else ""


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


_PIECES: dict[Any, Callable[[Any], Iterator[Piece]]] = {
    e2e.ListMessage.DESCRIPTOR: _list,
    e2e.ButtonsMessage.DESCRIPTOR: _buttons,
    e2e.InteractiveMessage.DESCRIPTOR: _interactive,
    e2e.TemplateMessage.DESCRIPTOR: _template,
    e2e.HighlyStructuredMessage.DESCRIPTOR: _structured,
    e2e.ProductMessage.DESCRIPTOR: _product,
}
BUSINESS = frozenset(_PIECES)
"""The types of parts that become lines."""
