"""What every driver must do, written once: the tests of all parts."""

from heliograph.networks.testing.changing import Changing
from heliograph.networks.testing.claims import Claims
from heliograph.networks.testing.connecting import Connecting
from heliograph.networks.testing.contents import Contents
from heliograph.networks.testing.grouping import Grouping
from heliograph.networks.testing.people import People
from heliograph.networks.testing.receiving import Receiving
from heliograph.networks.testing.sending import QUESTION, Sending

__all__ = ["QUESTION", "Conformance"]


class Conformance(Claims, Sending, Contents, Changing, Receiving, Connecting, Grouping, People):
    """The tests. A subclass brings the fixture `harness`."""
