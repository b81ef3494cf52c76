"""What a server sends is read stanza by stanza, in bounded memory, and without entities."""

import xml.etree.ElementTree as ET
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.networks.xmpp.parsing import DEEPEST, MAX_STANZA_SIZE, GarbageError, StanzaParser

HEADER = (
    b"<?xml version='1.0'?><stream:stream xmlns='jabber:client' "
    b"xmlns:stream='http://etherx.jabber.org/streams' id='1' xml:lang='en'>"
)
MESSAGE = (
    "<message from='a@b' xml:lang='de'>"
    "<body>Grüße &amp; &lt;b&gt;</body><x xmlns='y'/>tail</message>"
)


class Reader:
    def __init__(self) -> None:
        self.stanzas: list[ET.Element] = []
        self.is_over = False
        self.parser = StanzaParser(lambda _: None, self.stanzas.append, self._end)

    def _end(self) -> None:
        self.is_over = True

    def read(self, *parts: bytes) -> Sequence[ET.Element]:
        for part in parts:
            self.parser.feed(part)
        return self.stanzas


def test_a_stanza_is_read_as_elementtree_reads_it() -> None:
    [stanza] = Reader().read(HEADER, MESSAGE.encode())

    whole = ET.fromstring(HEADER + MESSAGE.encode() + b"</stream:stream>")  # noqa: S314 - ours
    assert ET.canonicalize(ET.tostring(stanza)) == ET.canonicalize(ET.tostring(whole[0]))
    assert stanza.get("{http://www.w3.org/XML/1998/namespace}lang") == "de"


@given(st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_it_does_not_matter_where_the_network_cuts(sizes: list[int]) -> None:
    reader, rest, parts = Reader(), HEADER + MESSAGE.encode() * 2, []
    for size in sizes:
        parts.append(rest[:size])
        rest = rest[size:]

    stanzas = reader.read(*parts, rest)

    assert [stanza.findtext("{jabber:client}body") for stanza in stanzas] == ["Grüße & <b>"] * 2


@for_each("size", [1, 2, 3, 7, 40])
def test_a_stanza_waits_for_nothing_that_comes_after_it(size: int) -> None:
    data = HEADER + MESSAGE.encode()
    parts = [data[at : at + size] for at in range(0, len(data), size)]

    assert len(Reader().read(*parts)) == 1


def test_the_end_of_the_stream_is_told() -> None:
    reader = Reader()
    reader.read(HEADER, b"</stream:stream>")
    assert reader.is_over


BOMB = b"<!DOCTYPE x [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;'>]>"


@for_each(
    "parts",
    [
        (b"<?xml version='1.0'?>" + BOMB + HEADER[21:], b"<message><body>&c;</body></message>"),
        (HEADER, BOMB),
        (HEADER, b"<message><body>&undeclared;</body></message>"),
        (HEADER, b"<?php echo 1 ?>"),
        (HEADER, b"<message></body>"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n",),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",),
        (b" " * 70_000,),
        (b"\x00\xff" * 20,),
    ],
)
def test_garbage_is_refused(parts: tuple[bytes, ...]) -> None:
    reader = Reader()
    with pytest.raises(GarbageError):
        reader.read(*parts)
    assert reader.stanzas == []


def test_of_a_huge_stanza_the_rest_is_left_out_and_the_next_one_is_whole() -> None:
    reader = Reader()
    reader.read(HEADER, b"<message><body>")
    for _ in range(160):
        reader.read(b"x" * 65_536)
    stanzas = reader.read(b"</body><thread>1</thread></message>", MESSAGE.encode())

    cut, whole = stanzas
    assert len(cut.findtext("{jabber:client}body") or "") <= MAX_STANZA_SIZE
    assert cut.find("{jabber:client}thread") is None
    assert whole.findtext("{jabber:client}body") == "Grüße & <b>"


def test_a_deep_stanza_is_cut_off_and_the_next_one_is_whole() -> None:
    reader = Reader()
    depth = 20_000
    stanzas = reader.read(HEADER, b"<message>" + b"<a>" * depth + b"</a>" * depth + b"</message>")
    reader.read(MESSAGE.encode())

    assert len(list(stanzas[0].iter())) < DEEPEST
    assert stanzas[1].findtext("{jabber:client}body") == "Grüße & <b>"


@given(st.binary(max_size=200))
def test_no_bytes_do_anything_but_make_stanzas_or_be_refused(data: bytes) -> None:
    try:
        Reader().read(HEADER, data)
    except GarbageError:
        return
