"""A phone whose messages the network takes without saying so."""

import threading
from dataclasses import dataclass, field

import pytest
from neonize.proto.Neonize_pb2 import JID, SendResponse
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import Message

import libmagic_needed  # noqa: F401 - before the library
from whatsapp_standin import StandInPhone


@dataclass
class Post:
    """Sends of a phone, held back until `go`: the network has taken them and says nothing yet."""

    go: threading.Event = field(default_factory=threading.Event)
    taken: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, phone: StandInPhone, monkeypatch: pytest.MonkeyPatch) -> "Post":
        post, send = cls(), phone.send_message

        def slowly(to: JID, message: Message) -> SendResponse:
            response = send(to, message)
            post.taken.append(response.ID)
            assert post.go.wait(60)
            return response

        monkeypatch.setattr(phone, "send_message", slowly)
        return post
