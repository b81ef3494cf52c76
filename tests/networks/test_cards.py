"""Contact cards of every version, as phones and programs write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.networks.cards import (
    lines_for_people,
    list_phones,
    names_of,
    read_cards,
    write_card,
)
from heliograph.networks.choices import as_text
from heliograph.networks.content import ContactCard, decode_content, encode_content
from heliograph.platform.characters import has_controls, one_line, shows_something, storable_text

NUMBER = "+5511999990000"
ONE_NUMBER = {
    "a grouped property": "item1.TEL;waid=5511999990000:+55 11 99999-0000\nitem1.X-ABLabel:Celular",
    "a folded value": "TEL;TYPE=CELL:+55 11 99\n 999-0000",
    "a folded parameter": "TEL;TYPE\n =CELL:+55 11 99999-0000",
    "quoted parameters": 'TEL;TYPE="voice,home";LABEL="a:b;c":+55 11 99999-0000',
    "quoted-printable": "TEL;CELL;ENCODING=QUOTED-PRINTABLE:=2B55=\n=2011=2099999-0000",
    "base64": "TEL;TYPE=CELL;ENCODING=b:KzU1IDExIDk5OTk5LTAwMDA=",
    "base64 in version 2.1": "TEL;CELL;BASE64:KzU1IDExIDk5OTk5LTAwMDA=",
    "version 2.1": "TEL;CELL;VOICE:+55 11 99999-0000",
    "a URI": "TEL;VALUE=uri;TYPE=cell:tel:+55-11-99999-0000",
    "an escaped URI": "TEL;VALUE=uri:tel:%2B55(11)99999-0000",
    "small letters": "tel;type=cell:+55 11 99999-0000",
    "blanks": "TEL ; TYPE=CELL : +55 11 99999-0000",
    "marks of direction": "TEL:\u202a+55 11 99999\u20110000\u202c",
    "00": "TEL:0055 11 99999 0000",
    "a national number that WhatsApp knows": "TEL;waid=5511999990000:(11) 99999-0000",
    "nothing but what WhatsApp knows": "TEL;waid=5511999990000:",
    "a line before it that is none": "this is no line\nTEL\nTEL;X\nTEL:+5511999990000",
}


def card(lines: str, name: str = "FN:Ana") -> str:
    return f"BEGIN:VCARD\nVERSION:3.0\n{name}\n{lines}\nEND:VCARD"


@for_each("breaks", ["\n", "\r\n", "\r"])
@for_each("form", ONE_NUMBER)
def test_a_number_is_read_in_every_form(form: str, breaks: str) -> None:
    vcard = card(ONE_NUMBER[form]).replace("\n", breaks)
    assert list_phones(vcard) == [NUMBER]
    assert "99999" in as_text(ContactCard("Ana", vcard))


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("TEL:912345678", "912345678"),
        ("TEL;VALUE=uri:tel:+1-555-010-0001;ext=5", "+1-555-010-0001;ext=5"),
        ("TEL:+44 20 HELLO", "+44 20 HELLO"),
    ],
)
def test_a_number_that_is_not_clear_stays_as_it_is_written(line: str, written: str) -> None:
    assert list_phones(card(line)) == [written]


@for_each(
    ("line", "name"),
    [
        ("FN;ENCODING=b:Sm9zw6k=", "José"),
        ("FN;CHARSET=UTF-8;ENCODING=BASE64:Sm9zw6k=", "José"),
        ("FN;ENCODING=BASE64;CHARSET=ISO-8859-1:Sm9z6Q==", "José"),
        ("FN;ENCODING=b:José", "José"),
        ("FN;ENCODING=b:" + 4000 * "QUJD", 4000 * "QUJD"),
    ],
)
def test_a_name_in_base64_is_read_and_nothing_as_long_as_a_picture(line: str, name: str) -> None:
    assert names_of(card("TEL:1", line)) == name


@for_each(
    "parameters", ["CELL;QUOTED-PRINTABLE", "CELL;8BIT", "TYPE=cell\\,voice", 'TYPE="CELL,VOICE"']
)
def test_how_a_number_is_encoded_is_not_what_it_is_called(parameters: str) -> None:
    vcard = card(f"TEL;{parameters}:+15550100001\nTEL;TYPE=work:+15550100002")
    assert lines_for_people(vcard) == "+15550100001 (mobile)\n+15550100002 (work)"


def test_all_numbers_are_shown_with_what_they_are_called() -> None:
    vcard = card(
        "TEL;TYPE=CELL,VOICE:+55 11 99999-0000\nTEL;TYPE=WORK;TYPE=pref:+55 11 3333-4444\n"
        "item1.TEL:+44 20 7946 0958\nitem1.X-ABLabel:_$!<Assistant>!$_"
    )
    assert as_text(ContactCard("Ana", vcard)) == (
        "Ana\n\n+55 11 99999-0000 (mobile)\n+55 11 3333-4444 (work)\n+44 20 7946 0958 (Assistant)"
    )


def test_the_name_of_a_group_is_the_same_in_any_case() -> None:
    vcard = card("ITEM1.TEL:+15550100001\nitem1.X-ABLabel:Front desk")
    assert lines_for_people(vcard) == "+15550100001 (Front desk)"


def test_each_of_several_cards_is_shown_with_its_numbers() -> None:
    vcards = f"{card('TEL:+15550100001')}\n{card('TEL;HOME:+15550100002', 'FN:Bruno')}"
    assert [each.name for each in read_cards(vcards)] == ["Ana", "Bruno"]
    assert list_phones(vcards) == ["+15550100001", "+15550100002"]
    assert as_text(ContactCard("Ana, Bruno", vcards)) == (
        "Ana, Bruno\n\nAna: +15550100001\nBruno: +15550100002 (home)"
    )


@for_each(
    ("line", "name"),
    [
        ("FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg=20M=\n=C3=BCller", "Jörg Müller"),
        ("FN;CHARSET=ISO-8859-1;QUOTED-PRINTABLE:J=F6rg", "Jörg"),
        ("FN;CHARSET=X-UNKNOWN;ENCODING=QUOTED-PRINTABLE:J=F6rg", "Jörg"),
        ("N:M\\;ller;Jörg;;;", "Jörg M;ller"),
        ("FN:Ana\\, da\\nSilva", "Ana, da Silva"),
    ],
)
def test_a_name_is_read_in_every_encoding(line: str, name: str) -> None:
    assert read_cards(card("TEL:+15550100001", line))[0].name == name


@given(st.text(max_size=30), st.lists(st.sampled_from([NUMBER, "+15550100001"]), unique=True))
def test_a_card_that_was_written_is_read_back(name: str, phones: list[str]) -> None:
    written = write_card(name, phones)
    assert list_phones(written) == phones
    assert read_cards(written)[0].name == (
        one_line(storable_text(name)) if shows_something(name) else ""
    )


def test_a_number_is_written_once() -> None:
    assert write_card("Ana", [NUMBER, NUMBER]).count("TEL") == 1


@for_each(
    ("lines", "name"),
    [
        ("FN:\u3164\nN:Silva;Ana;;;", "Ana Silva"),
        ("FN:\nN:;;;;\nORG:Lume\\; Co;Kitchen", "Lume; Co"),
        ("ORG:Lume\nNICKNAME:Nana", "Nana"),
        ("FN;PREF=2:Ana Silva\nFN;PREF=1:Ana\nFN:Nana", "Ana"),
        ("N:Silva\\\\;Ana;;;", "Ana Silva\\"),
        ("ORG:Lume\\\\\\;Co\\\\;Kitchen", "Lume\\;Co\\"),
        ("FN:Ana\x1b[31m\x00 Silva", "Ana[31m Silva"),
        ("NOTE:Ana", ""),
    ],
)
def test_a_card_is_called_by_the_best_name_that_shows_something(lines: str, name: str) -> None:
    assert read_cards(card("TEL:+15550100001", lines))[0].name == name


def test_of_several_cards_one_without_a_name_shows_its_numbers_alone() -> None:
    vcards = f"{card('TEL:+15550100001', 'NOTE:x')}\n{card('TEL:+15550100002', 'ORG:Lume')}"
    assert as_text(ContactCard("x", vcards)) == "x\n\n+15550100001\nLume: +15550100002"


@pytest.mark.parametrize("address", ["sip:ana@example.org", "xmpp:ana@example.org", "mailto:a@b.c"])
def test_what_is_reached_in_another_way_is_shown_and_is_no_phone_number(address: str) -> None:
    vcard = card(f"TEL;VALUE=uri:{address}\nTEL:{NUMBER}")
    assert list_phones(vcard) == [NUMBER]
    assert address in as_text(ContactCard("Ana", vcard))


# --- a card within a card --------------------------------------------------------------------

BOSS = "BEGIN:VCARD\nFN:Boss\nTEL:+15550100002\nEND:VCARD"


@for_each("agent", ["AGENT:\n", "AGENT:", "AGENT :\n", "agent: "])
@for_each("before", [True, False])
def test_the_numbers_around_an_inner_card_are_those_of_the_outer_one(
    agent: str, before: bool
) -> None:
    inner, number = f"{agent}{BOSS}", f"TEL:{NUMBER}"
    vcard = card("\n".join([inner, number] if before else [number, inner]))
    assert list_phones(vcard) == [NUMBER, "+15550100002"]
    assert as_text(ContactCard("Ana", vcard)) == f"Ana\n\nAna: {NUMBER}\nBoss: +15550100002"


def test_what_stands_behind_a_card_belongs_to_none() -> None:
    assert list_phones(f"{card('TEL:+15550100001')}\nTEL:+15550100002") == ["+15550100001"]
    assert list_phones("END:VCARD\nTEL:+15550100002") == []


@pytest.mark.parametrize(
    "agent", ["AGENT:urn:uuid:1", "AGENT:BEGIN:VCARD\\nFN:Boss\\nEND:VCARD\\n"]
)
def test_a_card_without_an_end_ends_where_the_next_one_begins(agent: str) -> None:
    vcard = f"BEGIN:VCARD\nFN:Ana\n{agent}\nTEL:{NUMBER}\n{BOSS}"
    assert [each.name for each in read_cards(vcard)][-1] == "Boss"
    assert list_phones(vcard) == [NUMBER, "+15550100002"]


# --- what strangers write --------------------------------------------------------------------

QUOTED = "TEL;ENCODING=QUOTED-PRINTABLE;CHARSET="
UNSTORABLE = [
    f"{QUOTED}UTF-7:x+2AA-y",
    f"{QUOTED}raw_unicode_escape:=5Cud800x",
    f"{QUOTED}unicode_escape:=5Cud800x",
    f"{QUOTED}UTF-8:=ED=A0=80",
    f"{QUOTED}UTF-16:=D8=00",
    f"{QUOTED}UTF-8:+1=00555",
    "TEL:tel:+1%00555",
    "TEL:tel:%ED%A0%80",
    "TEL:+1\x1b[8m555",
    "TEL:\ud800",
    "TEL;TYPE=\ud800\x00:+15550100001",
    "FN:\ud800\x00",
]


@for_each("line", UNSTORABLE)
def test_no_card_says_what_can_not_be_stored_or_steers_a_terminal(line: str) -> None:
    vcard = card(line, line)
    for said in (*list_phones(vcard), read_cards(vcard)[0].name, lines_for_people(vcard)):
        assert said.encode().decode() == said
        assert not has_controls(said.replace("\n", ""))


@given(st.text(st.characters()))
def test_any_text_is_read_as_some_cards_or_none(text: str) -> None:
    for vcard in (text, f"BEGIN:VCARD\n{text}", card(f"TEL;{text}"), card(f"{QUOTED}{text}")):
        read = ContactCard("Ana", vcard)
        "".join((*(read.phones or ()), as_text(read))).encode()


def test_a_record_has_the_numbers_that_were_read_when_it_was_made() -> None:
    made = ContactCard("Ana", card(f"TEL:{NUMBER}"))
    assert made.phones == (NUMBER,)
    stored = encode_content(made)
    assert decode_content(stored) == made
    assert decode_content(stored.replace(f'"{NUMBER}"', '"+1"')).members["phones"] == ["+1"]


MADE_TO_TAKE_LONG = [
    "TEL" + ';a="b"' * 30_000,
    "TEL" + ";a" * 80_000,
    "TEL;A=" + '"a",' * 50_000,
    "=\n" * 90_000,
    "X;QUOTED-PRINTABLE:" + "=\n" * 400_000,
    "X:" + "a\n " * 300_000,
    " \n" * 500_000,
    " " * 1_000_000,
    f"TEL:{'(' * 480}x\n" * 2_000,
    "TEL:+39 (0)6 1234567\n" * 40_000,
    f"a.X-ABLABEL:{'_$!<' * 200_000}\n" + "a.TEL:+15550100001\n" * 1_000,
    "AGENT:\nBEGIN:VCARD\n" * 40_000,
    "AGENT" + " " * 900_000,
]


@for_each("line", MADE_TO_TAKE_LONG)
def test_what_is_made_to_take_long_is_read_in_its_length_or_left_out(line: str) -> None:
    """Patterns that try each division of it take hours for a hundredth of it."""
    assert len(list_phones(card(f"{line}\nTEL:{NUMBER}"))) <= 2
    assert len(read_cards(f"{line}\n{card('')}")) <= 40_000
