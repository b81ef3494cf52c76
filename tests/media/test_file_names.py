"""Which names files may have, and how they stand in a header."""

from each_case import for_each
from heliograph.platform.file_names import attachment, tidy_file_name, why_refused

GOOD = ["map.png", "Grüße 2024.pdf", "日本.txt", "👩\u200d💻.gif", ".bashrc", "a..b", "x" * 255]
BAD = [
    "",
    " ",
    " a",
    "a ",
    ".",
    "..",
    "../a",
    "a/b",
    "a\\b",
    "a\nb",
    "a\x00b",
    "a\x7fb",
    "a\x85b",
    "a\u2028b",
    "\u3164",
    "\u202e",
    "x" * 256,
    "é" * 128,
    "\ud800",
]


@for_each("name", GOOD)
def test_ordinary_names_are_taken(name: str) -> None:
    assert why_refused(name) is None
    assert tidy_file_name(name) == name


@for_each("name", BAD, ids=ascii)
def test_names_that_mislead_are_refused(name: str) -> None:
    assert why_refused(name) is not None


@for_each(
    ("name", "kept"),
    [
        ("\u200fחשבונית.pdf", "חשבונית.pdf"),
        ("gpj.\u202eexe", "gpj.exe"),
        ("\u2066a\u2069", "a"),
        ("\ufeffa", "a"),
        ("Rech\u00adnung.pdf", "Rechnung.pdf"),
    ],
)
def test_what_hides_in_a_name_is_dropped_and_no_reason_to_refuse_it(name: str, kept: str) -> None:
    assert why_refused(name) is None
    assert tidy_file_name(name) == kept


@for_each(
    ("name", "tidied"),
    [
        ("../a\n.png", "..a.png"),
        ("é" * 200, "é" * 127),
        ("日" * 90 + ".pdf", "日" * 83 + ".pdf"),
        ("\u202e", None),
        ("..", None),
        ("", None),
    ],
)
def test_a_name_that_nobody_chose_is_tidied(name: str, tidied: str | None) -> None:
    assert tidy_file_name(name) == tidied


def test_a_header_has_the_name_for_old_clients_and_for_others() -> None:
    assert attachment(None) == "attachment"
    assert attachment("a b.png") == 'attachment; filename="a b.png"'
    assert attachment('é".png') == (
        "attachment; filename=\"__.png\"; filename*=UTF-8''%C3%A9%22.png"
    )
