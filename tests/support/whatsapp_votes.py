"""Votes as phones encrypt them (whatsmeow's `msgsecret.go`)."""

import os

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from neonize.proto.waCommon.WACommon_pb2 import MessageKey
from neonize.proto.waE2E.WAWebProtobufsE2E_pb2 import (
    Message,
    PollEncValue,
    PollUpdateMessage,
    PollVoteMessage,
)

from heliograph.networks.whatsapp.conversion.polls import option_hash


def encrypted_vote(secret: bytes, poll_id: str, author: str, voter: str, *options: str) -> Message:
    """A vote in the poll that the author has made with this secret."""
    chosen = PollVoteMessage(selectedOptions=[option_hash(option) for option in options])
    info = f"{poll_id}{author}{voter}Poll Vote".encode()
    key, iv = HKDF(hashes.SHA256(), 32, None, info).derive(secret), os.urandom(12)
    sealed = AESGCM(key).encrypt(iv, chosen.SerializeToString(), f"{poll_id}\0{voter}".encode())
    update = PollUpdateMessage(
        pollCreationMessageKey=MessageKey(remoteJID=author, fromMe=False, ID=poll_id),
        vote=PollEncValue(encPayload=sealed, encIV=iv),
    )
    return Message(pollUpdateMessage=update)
