"""What people mean by the same letters folds to the same text."""

import unicodedata
from typing import Literal

from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.core.messages.search.words import words_of
from heliograph.platform.folding import find_folded, fold

FORMS: tuple[Literal["NFC", "NFD", "NFKC", "NFKD"], ...] = ("NFC", "NFD", "NFKC", "NFKD")
ALIKE = [
    ("José da Conceição", "jose da conceicao"),
    ("Nguyễn Văn Đức", "nguyen van duc"),
    ("ŁUKASZ Żółć", "lukasz zolc"),
    ("Søren Ærø", "soren aero"),
    ("Œuvre", "oeuvre"),
    ("İstanbul ISPARTA ılık", "istanbul isparta ilik"),
    ("Ħamrun", "hamrun"),
    ("Sápmi Ŧ ŋ", "sapmi t n"),
    ("Þórður Guðrún", "thordur gudrun"),
    ("Straße STRASSE ẞ", "strasse strasse ss"),
    ("Əliyev", "eliyev"),
    ("Kɔfi Ɛ ɖ Ɓ", "kofi e d b"),
    ("Ångström Çelik Ščerba", "angstrom celik scerba"),
    ("ＡＢＣ　１２３", "abc 123"),
    ("𝓙𝓸𝓼𝓮 Ⓐ ﬁ ㎏ Ⅷ ᴊᴏsᴇ", "jose a fi kg viii jose"),
    ("ΟΔΥΣΣΕΎΣ", "οδυσσευσ"),
    ("Ὀδυσσεύς", "οδυσσευσ"),
    ("τῷ ᾼδῃ", "τω αδη"),
    ("Ёлка", "елка"),
    ("Ґанок Їжак", "ганок іжак"),
    ("مُحَمَّد", "محمد"),
    ("كتـــاب", "كتاب"),
    ("أحمد إبراهيم آدم ٱلله", "احمد ابراهيم ادم الله"),
    ("علی", "علي"),
    ("کریم", "كريم"),
    ("فاطمة", "فاطمه"),
    ("שָׁלוֹם", "שלום"),
    ("٠١٢٣ ۴۵ ४५", "0123 45 45"),
    ("한국어", unicodedata.normalize("NFD", "한국어")),
    ("ﾊﾟﾝ", "パン"),
    ("हिन्दी ज़", "हिनदी ज"),
    ("O’Brien", "o'brien"),
    ("Oʼbrien", "o'brien"),
    ("O`Brien", "o'brien"),
    ("Jean–Luc", "jean-luc"),
    ("«Отель»", '"отель"'),
    ("a\u00adb\u200bc\u202e\ufeff", "abc"),
    ("1\ufe0f\u20e3", "1"),
    ("น้ำ ม้า", "นำ มา"),
    ("  two\u00a0 \n words\t", "two words"),
]


@for_each(("written", "searched"), ALIKE)
def test_what_is_written_in_two_ways_folds_alike(written: str, searched: str) -> None:
    assert fold(written) == fold(searched)
    assert all(fold(unicodedata.normalize(form, written)) == fold(searched) for form in FORMS)


def test_other_letters_stay_other_letters() -> None:
    assert len({fold(text) for text in ("ガ", "カ", "パ", "ハ", "バ")}) == 5
    assert fold("दिल") != fold("दल")
    assert len({fold(text) for text in ("หม", "หมู", "หมุ", "หมี")}) == 4
    assert fold("ກູ") != fold("ກ")
    assert fold("བོད") != fold("བད")
    assert fold("а") != fold("a")
    assert fold("👍") == "👍"


@given(st.text())
def test_a_fold_is_its_own_fold_in_any_form_and_case(text: str) -> None:
    folded = fold(text)
    assert fold(folded) == folded
    assert fold(unicodedata.normalize("NFKC", text)) == folded


@given(st.text(st.characters(categories=["L", "N", "P", "S"])), st.integers(0), st.integers(0))
def test_a_part_of_a_text_folds_to_a_part_of_its_fold(text: str, begin: int, end: int) -> None:
    text = unicodedata.normalize("NFKC", text)
    begin, end = sorted((begin % (len(text) + 1), end % (len(text) + 1)))
    assert fold(text[begin:end]) in fold(text)


@for_each(
    ("text", "part", "place"),
    [
        ("Ærø Straße", "strasse", 4),
        ("für Nguyễn", "nguyen", 4),
        ("abc", "d", -1),
        ("", "a", -1),
        ("xﬁy", "i", 1),
    ],
)
def test_the_place_of_a_part_is_that_in_the_text_as_written(
    text: str, part: str, place: int
) -> None:
    assert find_folded(text, part) == place


def test_words_keep_their_vowel_signs_and_are_split_at_apostrophes() -> None:
    assert words_of("नमस्ते दुनिया") == ["नमसते", "दुनिया"]
    assert words_of("l'amour l’amour O'Brien") == ["l", "amour", "o", "brien"]
    assert words_of("Đức ĐỨC duc") == ["duc"]
    assert words_of("天気がいい") == ["天", "気", "が", "い"]


def test_an_underscore_stands_between_words() -> None:
    assert words_of("rechnung_4711_acme.pdf") == ["rechnung", "4711", "acme", "pdf"]
    assert words_of("at _noon_ on __Friday__") == ["at", "noon", "on", "friday"]
    assert words_of("_") == []
