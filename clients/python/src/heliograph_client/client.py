"""The client: the operations of the API, and how they are called."""

import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import count
from os import PathLike
from pathlib import Path
from typing import Self
from uuid import UUID

import httpx

from .address import read_address, read_key
from .errors import accept, read
from .events import Event, EventQuery, EventsPage, read_page
from .generated.client import Answer, Item, Operations, Request, SomePage
from .generated.models import MediaFile, SendResult, TextInput
from .generated.types import UNSET, File, Unset
from .requests import TIMEOUT, Gateway, Upload, with_upload
from .retries import DEFAULT, Outcome, Retries


class Heliograph(Operations):
    """A client of one gateway with one key. Use it as a context manager, or `close` it.

    `http` is a client of httpx of your own, such as one with a proxy; it is not closed.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: httpx.Timeout | float = TIMEOUT,
        retries: Retries = DEFAULT,
        http: httpx.Client | None = None,
    ) -> None:
        self._gateway = Gateway(read_address(base_url), read_key(api_key))
        self._retries = retries
        self._http = http or httpx.Client(timeout=timeout)
        self._owns_http = http is None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if self._owns_http:
            self._http.close()

    def send_text(
        self,
        to: str,
        body: str,
        *,
        chat_account_id: str | UUID | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> SendResult:
        """Send a text to a phone number or a JID. `send_message` sends everything else."""
        return self.send_message(
            phone_number=to,
            content=TextInput(body=body),
            chat_account_id=chat_account_id,
            idempotency_key=idempotency_key,
        )

    def upload_file(self, path: str | PathLike[str], media_type: str | None = None) -> MediaFile:
        """Upload a file to send. Without a media type, the gateway finds out by its bytes."""
        with Path(path).open("rb") as file:
            body = File(file, mime_type=media_type)
            return self.upload_media(body=body, file_name=Path(path).name)

    def iterate_events(
        self,
        after: str | None = None,
        *,
        types: Iterable[str] = (),
        chat_account_id: str | UUID | None = None,
        limit: int = 50,
        wait: int = 30,
    ) -> Iterator[Event]:
        """Wait for events, and yield them in order, for ever; with `wait=0`, those that there are.

        To go on after a restart, keep the `cursor` of the last event that you have dealt with, and
        pass it as `after`. `oldest` begins with all that is kept, None with what happens from now
        on. `types` are types and patterns, such as `message.*`.
        """
        for page in self.iterate_event_pages(
            after, types=types, chat_account_id=chat_account_id, limit=limit, wait=wait
        ):
            yield from page.events

    def iterate_event_pages(
        self,
        after: str | None = None,
        *,
        types: Iterable[str] = (),
        chat_account_id: str | UUID | None = None,
        limit: int = 50,
        wait: int = 30,
    ) -> Iterator[EventsPage]:
        """Do the same page by page: `next_cursor` moves even where no event fits."""
        query = EventQuery(types, chat_account_id, limit, wait)
        while True:
            page = self._call(query.build_request(after), partial(read_page, after=after))
            yield page
            if query.ends_with(page, after):
                return
            after = page.next_cursor

    def _iterate(
        self,
        request_page: Callable[[str | Unset], Request],
        parse: Callable[[httpx.Response], SomePage],
        items_of: Callable[[SomePage], list[Item]],
    ) -> Iterator[Item]:
        cursor: str | Unset | None = UNSET
        while cursor is not None:
            page = self._call(request_page(cursor), parse)
            yield from items_of(page)
            cursor = page.next_cursor or None

    def _call(self, request: Request, parse: Callable[[httpx.Response], Answer]) -> Answer:
        complete = with_upload(self._gateway.complete(request), Upload)
        built = self._http.build_request(**complete)
        for attempt in count(1):
            outcome = self._try(built)
            wait = self._retries.wait_after(built, outcome, attempt)
            if wait is None:
                break
            time.sleep(wait)
        return read(accept(outcome), parse)

    def _try(self, request: httpx.Request) -> Outcome:
        try:
            return self._http.send(request)
        except httpx.TransportError as error:
            return error
