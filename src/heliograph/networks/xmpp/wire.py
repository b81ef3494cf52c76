"""What comes over a connection, given to slixmpp stanza by stanza: its client, with our parser."""

import xml.etree.ElementTree as ET
from abc import abstractmethod
from typing import Any

import slixmpp
import structlog

from heliograph.networks.xmpp.parsing import GarbageError, StanzaParser

log = structlog.get_logger(__name__)


class Wire(slixmpp.ClientXMPP):
    """Messages go past slixmpp, whose handlers stumble over senders that are no JID, and lose what
    comes behind."""

    _xml: StanzaParser | None = None

    @abstractmethod
    def message_came(self, element: ET.Element) -> None: ...

    @abstractmethod
    def garbage_came(self, error: GarbageError) -> None: ...

    def init_parser(self) -> None:
        if self._xml is not None:
            self._xml.stop()
        self.xml_root = None
        self._xml = StanzaParser(self._stream_began, self._stanza_came, self._stream_ended)

    def data_received(self, data: bytes | str) -> None:
        if self._xml is None:
            return
        try:
            self._xml.feed(data if isinstance(data, bytes) else data.encode())
        except GarbageError as error:
            self.garbage_came(error)

    def _stream_began(self, root: ET.Element) -> None:
        self.xml_root = root
        begin: Any = self.start_stream_handler
        begin(root)

    def _stanza_came(self, element: ET.Element) -> None:
        try:
            if element.tag == "{jabber:client}message":
                self.message_came(element)
            else:
                self._spawn_event(element)
        except Exception:
            log.exception("xmpp_stanza_failed", tag=element.tag)

    def _stream_ended(self) -> None:
        self.disconnect_reason = "the server ended the stream"
        self.abort()

    def exception(self, exception: Exception) -> None:
        log.error("xmpp_handler_failed", exc_info=exception)
