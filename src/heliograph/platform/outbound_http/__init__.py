"""The one HTTP client for addresses that a customer gave.

    addresses     which addresses may be dialed
    own_ports     which of this machine's ports may not, whatever address they are reached at
    targets       what a URL dials, judged before it is dialed
    resolver      names to addresses
    client        GuardedClient: post and get, with a deadline, caps and nothing followed
    downloads     Downloader: a file over https, a few redirects followed, each checked anew
    errors        what can go wrong, each with a sentence for the delivery log

    requests      a request in bytes
    pool          connections, opened and kept
    connections   one exchange after another on one of them
    answers       the parser of answers, and its bounds
    receivers     what becomes of an answer: its beginning is kept, or it is streamed
    retry_after   when a server wants to be asked again
    certificates  whom to trust

What is checked is what is dialed: a name is resolved here, every address of it is judged, and the
connection is pinned to one of them.
"""

from heliograph.platform.outbound_http.addresses import AddressPolicy
from heliograph.platform.outbound_http.client import GuardedClient
from heliograph.platform.outbound_http.downloads import DOWNLOAD_TIMEOUT, Download, Downloader
from heliograph.platform.outbound_http.errors import (
    ConnectError,
    DeadlineError,
    DnsError,
    InvalidUrlError,
    NoDownloadError,
    OutboundError,
    ProtocolError,
    RefusedAddressError,
    TlsError,
)
from heliograph.platform.outbound_http.own_ports import OwnPorts
from heliograph.platform.outbound_http.resolver import SystemResolver
from heliograph.platform.outbound_http.targets import check_url
