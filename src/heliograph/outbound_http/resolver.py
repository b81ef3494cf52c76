"""Names to addresses, by the system's resolver."""

import asyncio
import socket
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

from heliograph.outbound_http.errors import DnsError

Resolver = Callable[[str], Awaitable[Sequence[str]]]
"""Takes an ASCII host name, gives its addresses in the order to try. Raises `DnsError`."""

_DOES_NOT_EXIST = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}


class SystemResolver:
    """`getaddrinfo` in threads of its own, one look-up a name at a time, answers kept for `ttl` s.

    Not `loop.getaddrinfo`: its few threads are shared with everything else, and a name server that
    hangs would hold up all of it. A look-up that nobody waits for any more still ends in its
    thread, and serves whoever asks next.
    """

    def __init__(self, *, ttl: float = 5.0, threads: int = 32, max_names: int = 4096) -> None:
        self._ttl = ttl
        self._max_names = max_names
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="dns")
        self._answers: OrderedDict[str, asyncio.Future[list[str]]] = OrderedDict()

    async def __call__(self, host: str) -> Sequence[str]:
        answer = self._answers.get(host)
        if answer is None:
            answer = self._ask(host)
        try:
            return await asyncio.shield(answer)
        except OSError as error:
            raise _dns_error(host, error) from None
        except UnicodeError:
            raise DnsError(f"{host} is not a valid name.") from None

    def _ask(self, host: str) -> asyncio.Future[list[str]]:
        loop = asyncio.get_running_loop()
        answer = loop.run_in_executor(self._threads, _getaddrinfo, host)
        self._answers[host] = answer
        answer.add_done_callback(lambda _: self._expire(host, answer))
        if len(self._answers) > self._max_names:
            self._answers.popitem(last=False)
        return answer

    def _expire(self, host: str, answer: asyncio.Future[list[str]]) -> None:
        if not answer.cancelled():
            answer.exception()  # else asyncio complains of a failure that nobody waited for
        answer.get_loop().call_later(self._ttl, self._forget, host, answer)

    def _forget(self, host: str, answer: asyncio.Future[list[str]]) -> None:
        if self._answers.get(host) is answer:
            del self._answers[host]

    def close(self) -> None:
        """Start no more look-ups; wait for none."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _getaddrinfo(host: str) -> list[str]:
    found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


def _dns_error(host: str, error: OSError) -> DnsError:
    if error.errno in _DOES_NOT_EXIST:
        return DnsError(f"The name {host} does not exist or has no address.")
    return DnsError(f"The address of {host} could not be found out: {error.strerror or error}.")
