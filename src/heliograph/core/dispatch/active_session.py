"""The session of a connected account, as senders use it."""

from collections.abc import Callable
from dataclasses import dataclass

from heliograph.core.dispatch.outgoing_files import find_file
from heliograph.core.media.service import MediaService
from heliograph.core.messages.model import ClaimedMessage, Message
from heliograph.networks.choices import without_kinds
from heliograph.networks.content import Content
from heliograph.networks.port import Capabilities, OutgoingFile, Session


@dataclass(frozen=True, slots=True)
class ActiveSession:
    """The session that messages are sent over.

    `is_open` returns whether a send may begin now. `media` provides the files of messages.
    """

    session: Session
    is_open: Callable[[], bool]
    capabilities: Capabilities
    media: MediaService | None = None

    def content(self, message: Message | ClaimedMessage) -> Content:
        """Return the content as this network can show it."""
        link = message.media_url
        if self.media is not None and link is not None:
            link = self.media.renew_link(message.tenant, link)
        return without_kinds(message.content, self.capabilities.content, link)

    def file(self, message: ClaimedMessage) -> OutgoingFile | None:
        """Return the message's file, if the network accepts files. Raises
        `FileUnavailableError`."""
        is_native = message.message_type in self.capabilities.content
        return find_file(self.media, message) if is_native and self.media is not None else None
