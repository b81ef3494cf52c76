"""Commerce: orders, and the advertisements from which people write."""

from typing import Annotated

import msgspec
from typing_extensions import Doc

from heliograph.networks.content.kinds import Kind
from heliograph.untrusted import UntrustedText


class OrderItem(msgspec.Struct, frozen=True, omit_defaults=True):
    """A product of an order."""

    product_id: UntrustedText
    title: UntrustedText | None = None
    quantity: int = 1
    price: Annotated[UntrustedText | None, Doc("The price of one item, as a decimal number.")] = (
        None
    )


class Order(Kind, frozen=True, tag="order"):
    """A customer's order."""

    order_id: UntrustedText
    text: Annotated[UntrustedText, Doc("The customer's note.")] = ""
    title: UntrustedText = ""
    item_count: int | None = None
    total: Annotated[UntrustedText | None, Doc("A decimal number, such as `25.00`.")] = None
    currency: Annotated[UntrustedText | None, Doc("The currency of all prices (ISO 4217).")] = None
    items: Annotated[
        tuple[OrderItem, ...], Doc("Empty if the network gives only the number of items.")
    ] = ()

    @property
    def summary(self) -> str:
        count = "1 item" if self.item_count == 1 else f"{self.item_count} items"
        price = f"{self.currency or ''} {self.total}".strip() if self.total else ""
        words = (self.title, count if self.item_count else "", price)
        order = f"Order: {', '.join(word for word in words if word)}" if any(words) else "Order"
        return f"{self.text}\n{order}" if self.text else order


class Referral(msgspec.Struct, frozen=True, omit_defaults=True):
    """The advertisement, post or status from which somebody wrote; the field names are Meta's."""

    source_id: str | None = None
    source_type: str | None = None
    source_url: str | None = None
    headline: str | None = None
    body: str | None = None
    ctwa_clid: str | None = None
