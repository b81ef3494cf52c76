"""How many connections a server takes, in all and from one address."""

from collections import Counter

from heliograph.core.rates.client_addresses import ClientAddresses


class ConnectionLimits:
    """Limit how many connections a server has open, in all and from one address; None is no limit.

    `per_address` does not apply to addresses that stand for many people: neither this machine nor a
    trusted proxy is shut out.
    """

    def __init__(
        self,
        total: int | None = None,
        per_address: int | None = None,
        addresses: ClientAddresses | None = None,
    ) -> None:
        self._total = total
        self._per_address = per_address
        self._addresses = addresses or ClientAddresses()
        self._open: dict[object, str] = {}
        self._of_address: Counter[str] = Counter()

    def admit(self, connection: object, host: str | None) -> bool:
        """Return whether there is room for this connection from this address.

        If so, it is counted until it is released.
        """
        client = self._addresses.find(host)
        if _is_reached(self._total, len(self._open)):
            return False
        if not client.is_shared and _is_reached(self._per_address, self._of_address[client.name]):
            return False
        self._open[connection] = client.name
        self._of_address[client.name] += 1
        return True

    def name_client(self, host: str | None) -> str:
        """Return what the client at this address is counted under."""
        return self._addresses.find(host).name

    def release(self, connection: object) -> None:
        """Stop counting the connection; do nothing if it was not admitted."""
        name = self._open.pop(connection, None)
        if name is None:
            return
        self._of_address[name] -= 1
        if not self._of_address[name]:
            del self._of_address[name]


def _is_reached(limit: int | None, number: int) -> bool:
    return limit is not None and number >= limit
