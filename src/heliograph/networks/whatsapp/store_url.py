"""The database's URL as the library's own connection wants it.

Its tables are in the driver's schema. An idle connection is closed by the server, so that an
account that rests keeps none: the library opens another when it needs one.
"""

from urllib.parse import parse_qsl, quote, urlencode, urlsplit

SCHEMA = "whatsapp"
IDLE_MILLISECONDS = 60_000
APPLICATION = "heliograph-whatsapp"
USUAL_PORT = 5432


def store_url(database_url: str) -> str:
    """The URL with the schema and the limits of these connections; what it says itself stays.

    Hosts and ports move behind the `?`: the library's driver takes several there alone.
    """
    parts = urlsplit(database_url)
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    credentials, at, netloc = parts.netloc.rpartition("@")
    if netloc:
        hosts = [_split(each) for each in netloc.split(",")]
        query["host"] = ",".join(host for host, _ in hosts)
        query["port"] = ",".join(port for _, port in hosts)
    query.setdefault("sslmode", "prefer")
    if "," in query.get("host", ""):
        query.setdefault("target_session_attrs", "read-write")
    query["search_path"] = SCHEMA
    query["idle_session_timeout"] = str(IDLE_MILLISECONDS)
    query["application_name"] = APPLICATION
    asked = urlencode(query, quote_via=quote, safe=",")
    return f"postgres://{credentials}{at}{parts.path}?{asked}"


def _split(host: str) -> tuple[str, str]:
    """The host without the brackets of IPv6, and its port."""
    parts = urlsplit(f"//{host}")
    return parts.hostname or "", str(parts.port or USUAL_PORT)
