"""What a page says of itself, read from its beginning."""

from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.core.media.previews import (
    MAX_TEXT_LENGTH,
    PagePreview,
    find_url,
    read_preview,
)

URL = "https://lume.example/menu"
PAGE = """<!doctype html><html><head><title> The
 menu &amp; more</title><meta name="description" content="Pasta, made here">
<meta property="og:title" content="Lume"></head><body><title>no</title></body></html>"""


def test_a_page_is_read_by_what_it_gives_for_sharing_first() -> None:
    assert read_preview(URL, PAGE) == PagePreview(URL, "Lume", "Pasta, made here")
    plain = PAGE.replace("og:title", "other")
    assert read_preview(URL, plain) == PagePreview(URL, "The menu & more", "Pasta, made here")


def test_a_page_without_a_title_has_no_preview() -> None:
    assert read_preview(URL, "<p>Hello") is None
    assert read_preview(URL, "<title>\u200b\u202e </title>") is None


def test_long_words_are_cut() -> None:
    found = read_preview(URL, f"<title>{'x' * 1000}</title>")
    assert found is not None
    assert len(found.title) == MAX_TEXT_LENGTH


@given(st.text())
def test_any_text_can_be_read(page: str) -> None:
    found = read_preview(URL, "<title>T</title>" + page)
    assert found is not None
    assert found.title.isprintable()


@for_each(
    ("text", "url"),
    [
        ("See https://lume.example/menu.", URL),
        ("(https://lume.example/menu), now", URL),
        ("http://lume.example/menu", None),
        ("https://", None),
        ("nothing", None),
    ],
)
def test_the_first_address_of_a_text_is_meant(text: str, url: str | None) -> None:
    assert find_url(text) == url
