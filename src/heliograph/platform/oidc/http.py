"""The one HTTP client with which a process talks to its provider."""

import asyncio
from collections.abc import Mapping

import httpx2

from heliograph.platform.oidc.errors import ProviderUnavailableError

EXCHANGE_TIMEOUT = 10.0
"""Seconds for a whole exchange."""
MAX_ANSWER_SIZE = 1024 * 1024
"""Bytes."""
_CONNECTIONS = 8
_MAX_AT_ONCE = 32


class ProviderHttp:
    """Made without a connection and without reading certificates: both come with the first use."""

    def __init__(self) -> None:
        self._client: httpx2.AsyncClient | None = None
        self._under_way = 0

    async def get(self, url: str, headers: Mapping[str, str] | None = None) -> tuple[int, bytes]:
        """Return status and body. Raises `ProviderUnavailableError`."""
        return await self._exchange("GET", url, headers or {}, None)

    async def post(
        self, url: str, form: Mapping[str, str], headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        """Return status and body. Raises `ProviderUnavailableError`."""
        return await self._exchange("POST", url, headers, form)

    async def _exchange(
        self, method: str, url: str, headers: Mapping[str, str], form: Mapping[str, str] | None
    ) -> tuple[int, bytes]:
        if self._under_way >= _MAX_AT_ONCE:
            raise ProviderUnavailableError("too many sign-ins wait for it")
        self._under_way += 1
        try:
            async with asyncio.timeout(EXCHANGE_TIMEOUT):
                return await self._ask(method, url, headers, form)
        except TimeoutError as error:
            raise ProviderUnavailableError(
                f"{url} took longer than {EXCHANGE_TIMEOUT:.0f} s"
            ) from error
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
            reason = f"{url} does not answer: {error or repr(error)}"
            raise ProviderUnavailableError(reason) from error
        finally:
            self._under_way -= 1

    async def _ask(
        self, method: str, url: str, headers: Mapping[str, str], form: Mapping[str, str] | None
    ) -> tuple[int, bytes]:
        client = await self._open()
        body = bytearray()
        wanted = {"Accept": "application/json", **headers}
        async with client.stream(method, url, headers=wanted, data=form) as answer:
            async for part in answer.aiter_bytes():
                body += part
                if len(body) > MAX_ANSWER_SIZE:
                    raise ValueError(f"its answer is longer than {MAX_ANSWER_SIZE} bytes")
            return answer.status_code, bytes(body)

    async def _open(self) -> httpx2.AsyncClient:
        if self._client is None:
            # reads a few hundred certificates, in 20 ms and more
            context = await asyncio.to_thread(httpx2.create_ssl_context)
            if self._client is None:
                self._client = httpx2.AsyncClient(
                    verify=context,
                    timeout=EXCHANGE_TIMEOUT,
                    limits=httpx2.Limits(max_connections=_CONNECTIONS, max_keepalive_connections=0),
                )
        return self._client
