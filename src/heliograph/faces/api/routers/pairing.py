"""The registration of a device on its network: pair it, reconnect it, log it out."""

from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import Header, Response

from heliograph import errors
from heliograph.core.accounts.serializers import device_record
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.accepting import accepted_types
from heliograph.faces.api.dependencies import OnceDependency, ServicesDependency, requires
from heliograph.faces.api.encoding import respond, respond_stored
from heliograph.faces.api.error_responses import WAITING, WITH_BODY, error_responses
from heliograph.faces.api.problem_places import in_body
from heliograph.faces.api.routers.devices import ONE_DEVICE
from heliograph.faces.api.routes import api_router
from heliograph.faces.api.schemas.devices import Device, PairDevice, Pairing

router = api_router("devices/{device_id}", "Devices")

Writer = Annotated[Principal, requires("admin:write")]

_PNG = "image/png"
_PICTURE: dict[int | str, dict[str, Any]] = {
    200: {"content": {_PNG: {"schema": {"type": "string", "format": "binary"}}}}
}


@router.get(
    "/pairing",
    response_model=Pairing,
    responses=error_responses(*ONE_DEVICE, errors.NoQrCodeError) | _PICTURE,
)
async def get_device_pairing(
    device_id: UUID,
    principal: Annotated[Principal, requires("admin:read")],
    services: ServicesDependency,
    accept: Annotated[
        str | None, Header(description="`image/png` for the QR code as a picture.")
    ] = None,
) -> Response:
    """Read what a person has to do to pair a device: scan a QR code, or type a code. The code
    changes every few seconds until somebody uses it: ask again when it expires. With
    `Accept: image/png` the answer is the QR code as a picture, to show unchanged; while there is
    none, it is 409 `no_qr_code`.
    """
    if _wants_picture(accept):
        image = await services.pairing.get_png(principal, device_id)
        return Response(image, media_type=_PNG, headers={"Cache-Control": "no-store"})
    return respond(await services.pairing.get(principal, device_id))


@router.post(
    "/pairing",
    status_code=202,
    response_model=Pairing,
    responses=error_responses(
        *WITH_BODY, *ONE_DEVICE, errors.ChatAccountConnectedError, errors.NotSupportedByNetworkError
    ),
)
async def pair_device(
    device_id: UUID,
    body: PairDevice,
    once: OnceDependency,
    principal: Writer,
    services: ServicesDependency,
) -> Response:
    """Start pairing a device, also one that was logged out, or change the method. The answer does
    not wait for the chat network: read the code to scan or type a moment later, with
    `getDevicePairing`."""
    method, number = body.method, body.phone_number
    start = partial(services.pairing.start, principal, device_id, method, number)
    with in_body():
        return await once(202, start, body=body)


@router.post(
    "/reconnect",
    status_code=202,
    response_model=Device,
    responses=error_responses(*ONE_DEVICE, errors.IdempotencyConflictError),
)
async def reconnect_device(
    device_id: UUID, once: OnceDependency, principal: Writer, services: ServicesDependency
) -> Response:
    """Reopen a device's connection; a logged-out device starts pairing again."""
    reconnect = partial(services.account_maintenance.reconnect, principal, device_id)
    return await once(202, reconnect, device_record)


@router.post(
    "/log-out",
    response_model=Device,
    responses=error_responses(
        *ONE_DEVICE, *WAITING, errors.IdempotencyConflictError, errors.JobUnknownError
    ),
)
async def log_out_device(
    device_id: UUID, once: OnceDependency, principal: Writer, services: ServicesDependency
) -> Response:
    """End a device's registration on its network. Its queue is kept; it can be paired again."""
    response = await services.account_maintenance.log_out(principal, device_id, once.key())
    return respond_stored(response)


def _wants_picture(accept: str | None) -> bool:
    """Return whether the picture's type is named first, or is the only one of ours."""
    named = accepted_types(accept or "")
    ours = [kind for kind in named if kind in (_PNG, "application/json", "*/*")]
    return bool(ours) and ours[0] == _PNG
