"""The XML of a stream, stanza by stanza, in bounded memory.

Document types are refused (RFC 6120, section 11.1), so that no entity is ever declared. Of a stanza
that is larger than `MAX_STANZA_SIZE` or deeper than `DEEPEST` the rest is left out, and the stream
goes on: to drop the connection for it would be to be sent it again, forever.
"""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from xml.parsers import expat

MAX_STANZA_SIZE = 4 * 1024 * 1024
"""Characters of text and attributes in one stanza."""
DEEPEST = 64
MAX_HEADER_SIZE = 65_536
"""The most bytes before the stream's root element."""
_BLANK = b" \t\r\n"


class GarbageError(Exception):
    """The server sent something that is not XMPP."""


class StanzaParser:
    """Calls `opened` with the stream's root, `stanza` with each of its children, `closed` at its
    end.

    A callback may call `stop`: the rest of the data is then ignored.
    """

    def __init__(
        self,
        opened: Callable[[ET.Element], None],
        stanza: Callable[[ET.Element], None],
        closed: Callable[[], None],
    ) -> None:
        self._opened = opened
        self._stanza = stanza
        self._closed = closed
        self._stack: list[ET.Element] = []
        self._depth = 0
        self._size = 0
        self._header = 0
        self._stopped = False
        self._texts: list[str] = []
        self._expat = expat.ParserCreate("utf-8", " ")
        self._expat.buffer_text = True
        # since libexpat 2.6, a tag that came in pieces may be deferred until the server sends more
        if hasattr(self._expat, "SetReparseDeferralEnabled"):  # Python 3.11.9, 3.12.3 and newer
            self._expat.SetReparseDeferralEnabled(False)
        self._expat.StartElementHandler = self._start
        self._expat.EndElementHandler = self._end
        self._expat.CharacterDataHandler = self._text
        self._expat.StartDoctypeDeclHandler = _refuse
        self._expat.EntityDeclHandler = _refuse
        self._expat.ProcessingInstructionHandler = _refuse

    def stop(self) -> None:
        """Ignore all further data."""
        self._stopped = True

    def feed(self, data: bytes) -> None:
        """Parse data. Raises `GarbageError`."""
        if self._stopped:
            return
        if not self._depth:
            begins = self._header or data.lstrip(_BLANK)[:1] in (b"", b"<")
            self._header += len(data)
            if not begins or self._header > MAX_HEADER_SIZE:
                raise GarbageError("no stream begins")
        try:
            self._expat.Parse(data, False)
        except expat.ExpatError as error:
            raise GarbageError(str(error)) from None

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._write_text()
        self._depth += 1
        if self._stopped or self._is_over():
            return
        self._size += len(name) + sum(len(key) + len(value) for key, value in attributes.items())
        element = ET.Element(_tag(name), {_tag(key): value for key, value in attributes.items()})
        if self._depth > 2:
            self._stack[-1].append(element)
        if self._depth == 1:
            self._opened(element)
        self._stack.append(element)

    def _end(self, name: str) -> None:
        self._write_text()
        if len(self._stack) == self._depth:
            element = self._stack.pop()
        self._depth -= 1
        if self._stopped:
            return
        if self._depth == 1:
            self._size = 0
            self._stanza(element)
        elif self._depth == 0:
            self._closed()

    def _text(self, text: str) -> None:
        if self._stopped or self._depth < 2 or len(self._stack) < self._depth:
            return
        text = text[: max(0, MAX_STANZA_SIZE - self._size)]
        self._size += len(text)
        self._texts.append(text)

    def _write_text(self) -> None:
        if not self._texts:
            return
        text = "".join(self._texts)
        self._texts.clear()
        element = self._stack[-1]
        if len(element):
            element[-1].tail = (element[-1].tail or "") + text
        else:
            element.text = (element.text or "") + text

    def _is_over(self) -> bool:
        """Return whether an element that begins now is dropped, because its stanza is too large or
        too deep."""
        return self._depth > 2 and (
            self._depth > DEEPEST
            or self._size >= MAX_STANZA_SIZE
            or len(self._stack) < self._depth - 1
        )


def _tag(name: str) -> str:
    namespace, _, local = name.rpartition(" ")
    return f"{{{namespace}}}{local}" if namespace else local


def _refuse(*_: object) -> None:
    raise GarbageError("a document type or a processing instruction, which XMPP does not have")
