"""How the dashboard's pages look in a real browser, where that decides whether they can be used."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, ViewportSize, expect

from acceptance.dashboard_pages import go, open_form
from acceptance.running_program import Program

PHONE: ViewportSize = {"width": 390, "height": 800}
LONG = "A label with a name as long as labels may have it."
COLORS = ("#111111", "#ffee00", "#2f7a3c")
"""The first can't be seen on a dark ground, the second on a light one."""
SEEN = 3
"""The contrast with what is around it that WCAG 2.2 (1.4.11) wants of what is no text."""
CONTRAST = """dot => {
    const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
    const luminance = color => {
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        const [red, green, blue] = [...canvas.getImageData(0, 0, 1, 1).data].map(byte => {
            const part = byte / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
    };
    const one = luminance(getComputedStyle(dot).fill);
    const other = luminance(getComputedStyle(dot.parentElement).backgroundColor);
    return Math.max(one, other) / Math.min(one, other);
}"""


@pytest.fixture
def page(signed_in: BrowserContext) -> Iterator[Page]:
    page = signed_in.new_page()
    page.set_viewport_size(PHONE)
    page.goto("/dashboard")
    yield page
    page.close()


@pytest.fixture(scope="module")
def labels(program: Program) -> list[str]:
    """The ids of labels, one with each color."""
    names = (LONG, "VIP", "Wholesale")
    bodies = [{"name": name, "color": color} for name, color in zip(names, COLORS, strict=True)]
    answers = [program.ask("POST", "/api/v1/labels", json=body) for body in bodies]
    return [answer.json()["id"] for answer in answers]


def box(element: Locator) -> dict[str, Any]:
    return dict(element.bounding_box() or {})


def test_figures_fill_their_last_row(page: Page) -> None:
    tiles = [box(tile) for tile in page.locator(".tile").all()]
    assert len(tiles) == 5
    assert tiles[-1]["width"] == pytest.approx(2 * tiles[0]["width"], rel=0.1)


@pytest.mark.parametrize("area", ["Statistics", "Deliveries"])
def test_a_button_that_is_alone_on_its_line_fills_it(page: Page, area: str) -> None:
    go(page, area)
    form = page.locator("form.filters")
    assert box(form.get_by_role("button"))["width"] == box(form)["width"]


def test_the_button_of_a_long_form_is_always_in_sight(page: Page) -> None:
    go(page, "Webhooks")
    open_form(page, "Add a webhook")
    expect(page.get_by_role("button", name="Add the webhook")).to_be_in_viewport(ratio=1)
    last = page.get_by_role("dialog").locator("input:visible").last
    last.focus()
    assert box(last)["y"] < box(page.get_by_role("button", name="Add the webhook"))["y"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_labels_of_any_color_can_be_seen(page: Page, labels: list[str], scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    go(page, "Labels")
    dots = page.locator(".chip > .dot")
    expect(page.locator(".chip", has_text=LONG)).to_be_visible()
    assert dots.count() >= len(labels)
    assert min(dot.evaluate(CONTRAST) for dot in dots.all()) >= SEEN


def test_a_long_label_has_one_line_in_the_inbox(
    page: Page, program: Program, labels: list[str]
) -> None:
    conversation = program.wait_for_status(program.send(), "read")["conversation_id"]
    path = f"/api/v1/conversations/{conversation}"
    assert program.ask("PATCH", path, json={"label_ids": labels}).status_code == 200
    go(page, "Inbox")
    heights = page.locator(".conversations .chip").evaluate_all(
        "all => all.map(a => a.offsetHeight)"
    )
    assert len(heights) == len(labels)
    assert max(heights) == min(heights)


def test_a_conversation_has_one_header_on_a_phone(page: Page, program: Program) -> None:
    program.wait_for_status(program.send(), "read")
    go(page, "Inbox")
    expect(page.get_by_role("banner")).to_be_visible()
    page.locator(".conversations .who").first.click()
    header = page.locator(".thread .pane-head")
    expect(header).to_be_visible()
    expect(page.get_by_role("banner")).to_be_hidden()
    assert box(header)["y"] == 0
    composer = box(page.locator(".composer"))
    assert composer["y"] + composer["height"] == PHONE["height"]
    header.get_by_role("link", name="Back to the list").click()
    expect(page.get_by_role("banner")).to_be_visible()
    go(page, "Members")


@pytest.mark.parametrize("width", [768, 1024])
def test_deliveries_fit_beside_the_areas(page: Page, program: Program, width: int) -> None:
    url = "http://127.0.0.1:9/a/long/address/of/an/endpoint/that/nobody/answers"
    program.cli("webhooks", "create", "--url", url)
    program.wait_for_status(program.send(), "read")
    page.set_viewport_size({"width": width, "height": 800})
    go(page, "Deliveries")
    expect(page.get_by_text("Connection refused").first).to_be_visible()
    table = page.locator(".scroll:has(table.deliveries)")
    assert table.evaluate("around => around.scrollWidth - around.clientWidth") == 0
