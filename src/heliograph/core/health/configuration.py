"""The checks of what the settings name: rates, proxies, sign-in, webhooks, networks, objects."""

from collections.abc import Sequence

from heliograph.core.cluster.model import Node
from heliograph.core.health import objects
from heliograph.core.health.guard import guard, guard_awaited
from heliograph.core.health.model import Check, failed, ok, warning
from heliograph.core.health.nodes import check_rates
from heliograph.core.health.objects import check_objects
from heliograph.core.rates.client_addresses import ClientAddresses
from heliograph.core.rates.counts import RequestCounts
from heliograph.errors import ConfigurationError
from heliograph.networks.registry import NetworkRegistry
from heliograph.settings import AllowPrivate, Settings


async def check_configuration(
    settings: Settings, networks: NetworkRegistry, nodes: Sequence[Node]
) -> list[Check]:
    """Check what the settings name; `nodes` are those that are alive."""
    return [
        await guard_awaited("rates", _check_rate_storage(settings, nodes)),
        guard("proxies", lambda: _check_proxies(settings)),
        guard("metrics", lambda: _check_metrics(settings)),
        await guard_awaited("sign-in", _check_sign_in(settings)),
        guard("webhooks", lambda: _check_webhooks(settings)),
        guard("networks", lambda: check_networks(networks)),
        await guard_awaited(objects.NAME, check_objects(settings)),
    ]


async def _check_rate_storage(settings: Settings, nodes: Sequence[Node]) -> Check:
    """Check first, as a node does at its start, that the storage can be used."""
    url = settings.rate_limit.url
    try:
        counts = RequestCounts(None if url is None else url.get_secret_value())
    except ConfigurationError as error:
        return failed("rates", error.problem, error.remedy)
    return check_rates(settings, nodes, storage_lost=await counts.has_lost_storage())


def check_networks(networks: NetworkRegistry) -> Check:
    failures = networks.failures()
    broken = [str(error) for error in failures.values() if not error.is_extra]
    if not broken:
        unusable = networks.list_unusable()
        names = ", ".join(name for name in networks.names() if name not in unusable)
        return ok("networks", f"Drivers are installed for {names}.")
    return failed(
        "networks",
        " ".join(broken),
        "Repair or uninstall each, and restart the gateway: until then its accounts stay "
        "disconnected.",
    )


def _check_proxies(settings: Settings) -> Check:
    trusted = settings.server.trusted_proxies
    addresses = ClientAddresses(trusted)
    is_local = settings.is_behind_a_local_proxy
    if is_local and not any(addresses.is_named(host) for host in ("127.0.0.1", "::1")):
        return _warn_of_proxies("The proxy on this machine is not trusted", "127.0.0.1")
    if trusted:
        return ok("proxies", f"{', '.join(map(str, trusted))} may say who the client is.")
    if settings.is_behind_a_proxy:
        return _warn_of_proxies("The proxy in front is not trusted", "its address")
    return ok("proxies", "No proxy is trusted to say who the client is.")


def _warn_of_proxies(problem: str, name: str) -> Check:
    return warning(
        "proxies",
        f"{problem}: to the gateway, all clients have its address and share one limit, so one "
        "person can lock everybody else out of signing in.",
        f"Set HELIOGRAPH_TRUSTED_PROXIES to {name} if the proxy writes X-Forwarded-For.",
    )


def _check_metrics(settings: Settings) -> Check:
    if settings.metrics.token is not None:
        return ok("metrics", "Metrics are visible to whoever has the token.")
    if settings.is_for_this_machine_alone:
        return ok("metrics", "Metrics are visible only from this machine.")
    return ok("metrics", "Metrics are visible to nobody: HELIOGRAPH_METRICS_TOKEN is not set.")


async def _check_sign_in(settings: Settings) -> Check:
    issuer = settings.sign_in.issuer
    if issuer is None:
        return ok("sign-in", "No provider is set: people can sign in only to a demo.")
    if not settings.allows_sessions:
        return failed(
            "sign-in",
            f"Nobody can sign in at {settings.public_url}: a session could be intercepted.",
            "Set HELIOGRAPH_PUBLIC_URL to an address that begins with https://.",
        )
    # imports an HTTP client and cryptography, for which no other command should wait
    from heliograph.platform.oidc.suitability import find_shortcomings

    if found := await find_shortcomings(settings.sign_in):
        judge = failed if any(each.stops for each in found) else warning
        problems = " ".join(each.problem for each in found)
        return judge("sign-in", problems, " ".join(each.remedy for each in found))
    detail = f"{issuer} answers; its redirect address is {settings.redirect_uri}."
    if settings.sign_in.trust_email:
        detail += " Its e-mail addresses count, unless it says that one is not verified."
    return ok("sign-in", detail)


def _check_webhooks(settings: Settings) -> Check:
    allowed = settings.allow_private
    if allowed is AllowPrivate.NONE:
        return ok("webhooks", "Webhooks are posted to public addresses only.")
    where = "this machine" if allowed is AllowPrivate.LOOPBACK else "every private address"
    detail = f"Webhooks are posted to public addresses and to {where}."
    if settings.is_for_this_machine_alone:
        return ok("webhooks", detail)
    remedy = (
        "Whoever may add a webhook can reach what listens there. Unless that is wanted, unset "
        "HELIOGRAPH_WEBHOOK_ALLOW_PRIVATE."
    )
    return warning("webhooks", detail, remedy)
