"""The client for asyncio, which does what the other one does."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
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
from .generated.client import Answer, AsyncOperations, Item, Request, SomePage
from .generated.models import MediaFile, SendResult, TextInput
from .generated.types import UNSET, File, Unset
from .requests import TIMEOUT, AsyncUpload, Gateway, with_upload
from .retries import DEFAULT, Outcome, Retries


class AsyncHeliograph(AsyncOperations):
    """The same for asyncio. Use it as an asynchronous context manager, or `await` its `close`."""

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        timeout: httpx.Timeout | float = TIMEOUT,
        retries: Retries = DEFAULT,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        self._gateway = Gateway(read_address(base_url), read_key(api_key))
        self._retries = retries
        self._http = http or httpx.AsyncClient(timeout=timeout)
        self._owns_http = http is None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        if self._owns_http:
            await self._http.aclose()

    async def send_text(
        self,
        to: str,
        body: str,
        *,
        chat_account_id: str | UUID | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> SendResult:
        """Send a text to a phone number or a JID. `send_message` sends everything else."""
        return await self.send_message(
            phone_number=to,
            content=TextInput(body=body),
            chat_account_id=chat_account_id,
            idempotency_key=idempotency_key,
        )

    async def upload_file(
        self, path: str | PathLike[str], media_type: str | None = None
    ) -> MediaFile:
        """Upload a file to send. Without a media type, the gateway finds out by its bytes."""
        with Path(path).open("rb") as file:  # noqa: ASYNC230  # it is read in a thread
            body = File(file, mime_type=media_type)
            return await self.upload_media(body=body, file_name=Path(path).name)

    async def iterate_events(
        self,
        after: str | None = None,
        *,
        types: Iterable[str] = (),
        chat_account_id: str | UUID | None = None,
        limit: int = 50,
        wait: int = 30,
    ) -> AsyncIterator[Event]:
        """Wait for events, as `Heliograph.iterate_events` does."""
        async for page in self.iterate_event_pages(
            after, types=types, chat_account_id=chat_account_id, limit=limit, wait=wait
        ):
            for event in page.events:
                yield event

    async def iterate_event_pages(
        self,
        after: str | None = None,
        *,
        types: Iterable[str] = (),
        chat_account_id: str | UUID | None = None,
        limit: int = 50,
        wait: int = 30,
    ) -> AsyncIterator[EventsPage]:
        """Do the same page by page: `next_cursor` moves even where no event fits."""
        query = EventQuery(types, chat_account_id, limit, wait)
        while True:
            page = await self._call(query.build_request(after), partial(read_page, after=after))
            yield page
            if query.ends_with(page, after):
                return
            after = page.next_cursor

    async def _iterate(
        self,
        request_page: Callable[[str | Unset], Request],
        parse: Callable[[httpx.Response], SomePage],
        items_of: Callable[[SomePage], list[Item]],
    ) -> AsyncIterator[Item]:
        cursor: str | Unset | None = UNSET
        while cursor is not None:
            page = await self._call(request_page(cursor), parse)
            for item in items_of(page):
                yield item
            cursor = page.next_cursor or None

    async def _call(self, request: Request, parse: Callable[[httpx.Response], Answer]) -> Answer:
        complete = with_upload(self._gateway.complete(request), AsyncUpload)
        built = self._http.build_request(**complete)
        for attempt in count(1):
            outcome = await self._try(built)
            wait = self._retries.wait_after(built, outcome, attempt)
            if wait is None:
                break
            await asyncio.sleep(wait)
        return read(accept(outcome), parse)

    async def _try(self, request: httpx.Request) -> Outcome:
        try:
            return await self._http.send(request)
        except httpx.TransportError as error:
            return error
