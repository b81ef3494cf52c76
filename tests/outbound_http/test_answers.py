"""Answers read from pieces of any size."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heliograph.platform.outbound_http.answers import MAX_HEAD, AnswerError, AnswerReader, Head

ANSWERS = (
    b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nRetry-After: 3\r\n\r\nhello",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
    b"2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\nx: y\r\n\r\n",
    b"HTTP/1.1 204 No Content\r\nretry-after: 3\r\n\r\n",
)


class Heard:
    """A receiver that notes everything."""

    max_body = 64
    takes_parts = True

    def __init__(self) -> None:
        self.heads: list[Head] = []
        self.body = b""

    def begin(self, head: Head) -> None:
        self.heads.append(head)

    def receive(self, chunk: bytes) -> None:
        self.body += chunk

    def complete(self) -> None:
        raise AssertionError("it is the connection that says so")

    def fail(self, error: AnswerError) -> None:
        raise error


def read(*pieces: bytes) -> tuple[Heard, AnswerReader]:
    heard, reader = Heard(), AnswerReader()
    reader.expect(heard)
    for piece in pieces:
        reader.feed(piece)
    return heard, reader


@given(st.sampled_from(ANSWERS), st.lists(st.integers(0, 120)))
def test_where_it_is_cut_makes_no_difference(answer: bytes, cuts: list[int]) -> None:
    places = [0, *sorted(min(cut, len(answer)) for cut in cuts), len(answer)]
    whole, reader = read(answer)
    pieces, piecewise = read(*(answer[start:end] for start, end in pairwise(places)))
    assert reader.is_complete
    assert piecewise.is_complete
    assert pieces.heads == whole.heads
    assert len(pieces.heads) == 1
    assert pieces.body == whole.body
    assert piecewise.is_reusable is reader.is_reusable is True


@given(st.sampled_from(ANSWERS), st.integers(0, 120))
def test_less_than_an_answer_is_none(answer: bytes, cut: int) -> None:
    heard, reader = read(answer[: min(cut, len(answer) - 1)])
    assert not reader.is_complete
    with pytest.raises(AnswerError, match="closed before"):
        reader.end()
    assert len(heard.heads) <= 1


@given(st.binary(max_size=300), st.integers(0, 300))
def test_whatever_comes_is_read_or_refused(noise: bytes, cut: int) -> None:
    for data in (noise, ANSWERS[0][:cut] + noise, ANSWERS[1][:cut] + noise):
        try:
            heard, reader = read(data)
        except AnswerError:
            continue
        assert not reader.is_complete or len(heard.heads) == 1


@given(st.integers(500, MAX_HEAD))
def test_a_head_may_have_so_many_bytes_and_not_one_more(size: int) -> None:
    def pieces(length: int) -> list[bytes]:
        head = b"HTTP/1.1 200 OK\r\nx: ".ljust(length - 4, b"a") + b"\r\n\r\n"
        return [head[at : at + size] for at in range(0, length, size)]

    assert len(read(*pieces(MAX_HEAD))[0].heads) == 1
    with pytest.raises(AnswerError, match="64 KiB"):
        read(*pieces(MAX_HEAD + 1))


def test_several_fields_of_a_name_are_one() -> None:
    heard, _ = read(b"HTTP/1.1 200 OK\r\nA: b\r\na: c\r\ncontent-length: 0\r\n\r\n")
    assert heard.heads[0].header("A") == "b, c"
    assert heard.heads[0].header("B") is None
