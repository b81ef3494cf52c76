"""Pictures and files are fetched from WhatsApp's own servers, by links that the network gives."""

import http.client
from collections.abc import Sequence
from urllib.parse import urlsplit

from heliograph.networks.errors import NetworkError

HOSTS = (".whatsapp.net",)
MOST_BYTES = 5_000_000
PATIENCE = 15.0


def fetch(url: str, most: int = MOST_BYTES, *, hosts: Sequence[str] = HOSTS) -> bytes:
    """What the link leads to; blocks. No other host is asked, and no redirect followed.

    Raises `NetworkError`.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme != "https" or not any(f".{host}".endswith(each) for each in hosts):
        raise NetworkError("WhatsApp gave a link that is not to its own servers.")
    connection = http.client.HTTPSConnection(host, parts.port, timeout=PATIENCE)
    try:
        return _get(connection, parts._replace(scheme="", netloc="").geturl(), most)
    except (OSError, http.client.HTTPException) as error:
        raise NetworkError(f"It could not be fetched: {error}") from error
    finally:
        connection.close()


def _get(connection: http.client.HTTPConnection, path: str, most: int) -> bytes:
    connection.request("GET", path)
    answer = connection.getresponse()
    if answer.status != http.client.OK:
        raise NetworkError(f"It could not be fetched: WhatsApp answers {answer.status}.")
    data = answer.read(most + 1)
    if len(data) > most:
        raise NetworkError(f"It is larger than {most} bytes.", permanent=True)
    return data
