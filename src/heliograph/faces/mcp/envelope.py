"""What a message of the protocol has to be, checked before the protocol's library reads it.

The library answers other messages with its validator's errors, or takes a request whose id it can't
read for a notification, which gets no answer at all.
"""

from collections.abc import Sequence

import mcp_types as protocol
import msgspec
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS

from heliograph.faces.api.encoding import JSONBytes
from heliograph.faces.mcp.batches import REVISION
from heliograph.faces.mcp.refusals import is_id, refuse

_NO_BATCH = f"Batches belong to revision {REVISION}, and are not nested: send one message."
_NOTHING = msgspec.Raw(b"")


class _Envelope(msgspec.Struct):
    jsonrpc: object = None
    id: object = msgspec.UNSET
    method: object = msgspec.UNSET
    params: msgspec.Raw = _NOTHING
    result: msgspec.Raw = _NOTHING
    error: msgspec.Raw = _NOTHING


class _Params(msgspec.Struct):
    arguments: msgspec.Raw = _NOTHING


_decoder = msgspec.json.Decoder(_Envelope)
_params_decoder = msgspec.json.Decoder(_Params)


def refuse_message(body: bytes) -> JSONBytes | None:
    """Return the answer to a body that is not a message; None for one that the library can read,
    and for anything but JSON, which the library reports itself."""
    if body.lstrip(b" \t\r\n").startswith(b"["):
        return refuse(_NO_BATCH)
    try:
        envelope = _decoder.decode(body)
    except msgspec.ValidationError:
        return refuse("A message of the protocol is a JSON object.")
    except (msgspec.DecodeError, RecursionError):
        return None
    why = _why_not(envelope)
    return None if why is None else refuse(why, envelope.id)


def _why_not(envelope: _Envelope) -> str | None:
    if envelope.jsonrpc != "2.0":
        return '`jsonrpc` must be "2.0".'
    if envelope.method is msgspec.UNSET:
        has_answer = bytes(envelope.result) or bytes(envelope.error)
        return None if has_answer else "This is not a message of the protocol: it has no `method`."
    if not isinstance(envelope.method, str):
        return "`method` must be a string."
    if envelope.id is not msgspec.UNSET and not is_id(envelope.id):
        return "`id` must be a string or a whole number; only a notification has none."
    params = bytes(envelope.params)
    if not params:
        return None
    if not params.startswith(b"{"):
        return "`params` must be an object."
    arguments = bytes(_params_decoder.decode(params).arguments)
    if arguments and arguments != b"null" and not arguments.startswith(b"{"):
        return "`arguments` must be an object, and not a string that contains one."
    return None


def refuse_revision(revisions: Sequence[str]) -> JSONBytes | None:
    """Return the answer to a request of an unknown revision; None for all others."""
    unknown = [each for each in revisions if each not in KNOWN_PROTOCOL_VERSIONS]
    if not unknown:
        return None
    known = ", ".join(KNOWN_PROTOCOL_VERSIONS)
    return refuse(
        f"The revision '{unknown[0][:100]}' of the protocol is not supported here: {known} are.",
        code=protocol.UNSUPPORTED_PROTOCOL_VERSION,
        supported=KNOWN_PROTOCOL_VERSIONS,
        requested=unknown[0][:100],
    )
