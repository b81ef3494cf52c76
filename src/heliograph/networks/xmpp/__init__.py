"""XMPP: accounts on servers of one's own or others', by slixmpp.

The parts, from the top:

    driver          the Network: capabilities, form, addresses
    session         what the gateway asks of one account's connection; messages in doubt are looked
                    for in archives (archive_search)
    connection      logging in, being dropped, coming back
    stream          one XMPP stream: slixmpp, its log-in, its acknowledgments (XEP-0198)
    wire            slixmpp's client with our parser (parsing), in bounded memory
    outbox          messages on their way out
    groups          groups as the gateway has them, with bookmarks; rooms as XMPP has them
    people          the roster, vCards, pictures
    addresses, options: the forms of things

The way of a stanza that arrives:

    parsing         from bytes to XML, stanza by stanza
    inbound_router  takes it, live or from an archive (archive), and leads it through the others
    stanzas         what it says; also how stanzas of ours are written
    reading         what it means: texts, presses (questions), locations, receipts, bounces
    publishing      on to the gateway in order, settled once it is on disk
"""

from heliograph.networks.port import Network
from heliograph.networks.xmpp.driver import XmppNetwork
from heliograph.platform.extras import how_to_install, is_installed


def network() -> Network:
    """Make the network. Raises `ImportError` where slixmpp is not installed; it is not imported
    here."""
    if not is_installed("slixmpp"):
        raise ImportError(f"slixmpp is missing: {how_to_install('xmpp')}")
    return XmppNetwork()
