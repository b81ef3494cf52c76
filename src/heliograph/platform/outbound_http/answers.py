"""An HTTP/1.1 answer as it arrives (RFC 9112): parsed by llhttp, and bounded.

Of an answer, 64 KiB of heads are read, those of 1xx answers before it included, and as much of its
body as its receiver wants, in which sizes of chunks and trailers may not outweigh the body itself.
What comes after its end makes the connection useless for another.
"""

from typing import Protocol

import msgspec
from httptools import (
    HttpParserCallbackError,
    HttpParserError,
    HttpParserUpgrade,
    HttpResponseParser,
)

MAX_HEAD = 64 * 1024
MAX_FIELDS = 100
"""Of all heads together, each of which counts as one more."""
MAX_FRAMING = 16 * 1024
"""Bytes of a body's chunk sizes and trailers beyond as many bytes of the body before them."""

_HEAD_PIECE = 4 * 1024
"""Bytes parsed at once before the head has ended: no more of the body goes uncounted."""
_BODY_PIECE = 16 * 1024
"""Bytes parsed at once afterwards: a few thousand chunks at the most."""
_PROTOCOL = b"HTTP/"
_SWITCHING_PROTOCOLS = 101
_WITHOUT_BODY = (204, 304)


class AnswerError(Exception):
    """No answer, or none that could be read; the text says why, without a full stop.

    `is_unanswered` says that the connection ended before a single byte of it.
    """

    def __init__(self, reason: str, *, is_unanswered: bool = False) -> None:
        super().__init__(reason)
        self.is_unanswered = is_unanswered


class Head(msgspec.Struct, frozen=True):
    """`fields` by their names in lower case; several of a name are joined by commas."""

    status: int
    fields: dict[bytes, bytes]

    def header(self, name: str) -> str | None:
        value = self.fields.get(name.lower().encode())
        return None if value is None else value.decode("latin-1")

    @property
    def lasts_until_closed(self) -> bool:
        """Whether only the end of the connection ends the body (RFC 9112, 6.3)."""
        coding = self.fields.get(b"transfer-encoding")
        if coding is not None:
            return not coding.lower().endswith(b"chunked")
        return b"content-length" not in self.fields

    @property
    def announces_impossible_body(self) -> bool:
        """Whether the answer promises a body that its status can't have: some servers send it."""
        return self.status in _WITHOUT_BODY and (
            b"transfer-encoding" in self.fields or self.fields.get(b"content-length", b"0") != b"0"
        )


class Receiver(Protocol):
    """Whoever waits for an answer. `max_body` is how much is read of its body, in bytes;
    `takes_parts` says that the beginning of a body will do."""

    max_body: int
    takes_parts: bool

    def begin(self, head: Head) -> None: ...

    def receive(self, chunk: bytes) -> None: ...

    def complete(self) -> None:
        """The answer has ended, or `max_body` has been read."""

    def fail(self, error: AnswerError) -> None:
        """There is no answer, or no end of it. Comes once, and nothing after it."""


class AnswerReader:
    """Reads one answer after another from one connection.

    The methods `on_…` are what the parser calls.
    """

    def __init__(self) -> None:
        self._parser = HttpResponseParser(self)
        # what common clients take, too: there is nobody between us and the server to be misled
        self._parser.set_dangerous_leniencies(
            lenient_optional_cr_before_lf=True,
            lenient_spaces_after_chunk_size=True,
            lenient_keep_alive=True,  # a 1xx answer may say that the connection will be closed
        )
        self._receiver: Receiver | None = None
        self._head: Head | None = None
        self._fields: dict[bytes, bytes] = {}
        self._field_count = 0
        self._beginning = b""
        self._left = 0
        self._framing_left = 0
        self._chunks: list[bytes] = []
        self.has_begun = False
        self.is_reusable = False
        """Whether another answer may follow on this connection."""

    @property
    def is_complete(self) -> bool:
        return self._receiver is None

    def expect(self, receiver: Receiver) -> None:
        """Read the next answer for this receiver."""
        self._receiver, self._head = receiver, None
        self._field_count, self._beginning = 0, b""
        self._left, self._framing_left = MAX_HEAD, MAX_FRAMING
        self.has_begun = self.is_reusable = False

    def feed(self, data: bytes) -> None:
        """Read what has arrived. Raises `AnswerError`."""
        self.has_begun = True
        if len(self._beginning) < len(_PROTOCOL):
            self._check_protocol(data)
        while data and self._receiver is not None:
            had_head = self._head is not None
            size = min(self._left, _BODY_PIECE if had_head else _HEAD_PIECE)
            piece, data = data[:size], data[size:]
            self._left -= len(piece)
            receiver = self._receiver
            self._parse(piece)
            body = b"".join(self._chunks)
            self._chunks.clear()
            if body:
                receiver.receive(body)
            if self._receiver is not None:
                self._check_bounds(len(body), len(piece) - len(body) if had_head else 0)
        if data:
            self.is_reusable = False

    def end(self, problem: str | None = None) -> None:
        """Take the end of the connection for that of the answer. Raises `AnswerError` where it
        can't be, such as one that came by this problem."""
        is_over = self._head is not None and self._head.lasts_until_closed
        takes_it = problem is None or (self._receiver is not None and self._receiver.takes_parts)
        if not (is_over and takes_it):
            raise AnswerError(
                problem or "the connection was closed before the answer ended",
                is_unanswered=not self.has_begun,
            )
        self._receiver = None

    def close(self) -> None:
        """Nothing more will be read. Drop what leads back here: with it, only a collection of
        garbage would find this reader and its parser."""
        self._receiver = None
        del self._parser

    def _check_protocol(self, data: bytes) -> None:
        """Refuse what the parser knows besides HTTP."""
        self._beginning = (self._beginning + data[:64]).lstrip(b"\r\n")[: len(_PROTOCOL)]
        if not _PROTOCOL.startswith(self._beginning):
            raise AnswerError("it is not HTTP")

    def _parse(self, piece: bytes) -> None:
        try:
            self._parser.feed_data(piece)
        except HttpParserCallbackError as error:
            raise error.__context__ or error from None  # what a method of this class has raised
        except (HttpParserError, HttpParserUpgrade) as error:
            if self._receiver is not None:
                raise AnswerError(str(error)) from None
            self.is_reusable = False

    def _check_bounds(self, body: int, framing: int) -> None:
        """End an answer that goes beyond them. The last piece had so many bytes of each."""
        self._framing_left = min(MAX_FRAMING, self._framing_left + body) - framing
        if self._left > 0 and self._framing_left >= 0:
            return
        if self._head is None:
            raise AnswerError(f"its head is longer than {MAX_HEAD // 1024} KiB")
        if self._receiver is not None and not self._receiver.takes_parts:
            raise AnswerError("its body is chunk sizes and trailers for the most part")
        self._receiver = None

    def on_message_begin(self) -> None:
        self._fields = {}
        if self._receiver is None:
            self.is_reusable = False
        else:
            self._count_field()

    def _count_field(self) -> None:
        self._field_count += 1
        if self._field_count > MAX_FIELDS + 1:
            raise AnswerError(f"its head has more than {MAX_FIELDS} fields")

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._head is not None:
            return  # a trailer (RFC 9110, 6.5.1)
        self._count_field()
        fields, name = self._fields, name.lower()
        fields[name] = value if name not in fields else fields[name] + b", " + value

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < 100:
            raise AnswerError(f"its status is {status}")
        if self._receiver is None or (status < 200 and status != _SWITCHING_PROTOCOLS):
            return
        if self._parser.get_http_version() not in ("1.1", "1.0"):
            raise AnswerError(f"it is HTTP/{self._parser.get_http_version()}")
        self._head = Head(status, self._fields)
        self._left = self._receiver.max_body
        self._receiver.begin(self._head)

    def on_body(self, chunk: bytes) -> None:
        if self._receiver is not None:
            self._chunks.append(chunk)

    def on_message_complete(self) -> None:
        if self._head is not None and self._receiver is not None:
            self._receiver = None
            self.is_reusable = (
                self._parser.should_keep_alive() and not self._head.announces_impossible_body
            )
