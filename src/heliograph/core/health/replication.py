"""The check of what a commit waits for: whether a failover can lose what was answered with 2xx."""

from heliograph.core.health.model import Check, ok, warning
from heliograph.platform.database.server import Replication

NAME = "standby"
_MAKE_SYNCHRONOUS = (
    "Set synchronous_standby_names on the database's servers; with Patroni, synchronous_mode."
)


def check_replication(found: Replication, role: str, *, several_hosts: bool) -> Check:
    """Check what the server says of itself: the hosts of the URL say little, for a failover may
    happen behind one address."""
    if found.commits in ("off", "local"):
        return _check_setting(found, role, several_hosts=several_hosts)
    if found.names:
        return _check_synchronous(found, role)
    if found.standbys:
        return warning(
            NAME,
            f"The database has {_count(found.standbys)}, and a commit waits for none: a failover "
            "can lose what was answered with 2xx.",
            _MAKE_SYNCHRONOUS,
        )
    if several_hosts:
        return warning(
            NAME,
            "The database has several hosts and no synchronous standby: a failover can lose what "
            "was answered with 2xx.",
            _MAKE_SYNCHRONOUS,
        )
    return ok(NAME, "No other server receives what the database writes.")


def _check_setting(found: Replication, role: str, *, several_hosts: bool) -> Check:
    remedy = f"Set synchronous_commit = on for the role {role}, or on the database's servers."
    if found.commits == "off":
        detail = "synchronous_commit is off: a crash can lose what was answered with 2xx."
        return warning(NAME, detail, remedy)
    if found.standbys or found.names or several_hosts:
        detail = (
            "synchronous_commit is local, so a commit waits for no standby: a failover can lose "
            "what was answered with 2xx."
        )
        return warning(NAME, detail, remedy)
    return ok(NAME, "No other server receives what the database writes.")


def _check_synchronous(found: Replication, role: str) -> Check:
    if found.synchronous:
        return ok(NAME, "A commit waits for a synchronous standby.")
    if found.unknown:
        return ok(
            NAME,
            f"A commit waits for a synchronous standby. The role {role} lacks "
            f"pg_monitor and can't see which of the {found.unknown} connected ones it is, if any.",
        )
    return warning(
        NAME,
        f"A commit waits for a synchronous standby ({found.names}), and none is connected: until "
        "one is, requests that write are answered 503.",
        "Start the standby, or unset synchronous_standby_names on the primary.",
    )


def _count(standbys: int) -> str:
    return "a standby" if standbys == 1 else f"{standbys} standbys"
