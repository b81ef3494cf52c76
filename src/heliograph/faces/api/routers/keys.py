"""API keys: list them, make, rotate and revoke one."""

from datetime import timedelta
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Body, Response

from heliograph import errors
from heliograph.core.keys.serializers import key_record, new_key_record
from heliograph.core.tenants.model import Principal
from heliograph.faces.api.dependencies import OnceDependency, ServicesDependency, requires
from heliograph.faces.api.encoding import respond
from heliograph.faces.api.error_responses import WITH_BODY, error_responses
from heliograph.faces.api.problem_places import in_body
from heliograph.faces.api.routes import api_router
from heliograph.faces.api.schemas.fields import Limit, Offset
from heliograph.faces.api.schemas.keys import ApiKeyList, CreateApiKey, CreatedApiKey, RotateApiKey

router = api_router("api-keys", "API keys")

Writer = Annotated[Principal, requires("admin:write")]


@router.get("", response_model=ApiKeyList, responses=error_responses())
async def list_api_keys(
    principal: Writer, services: ServicesDependency, limit: Limit = 50, offset: Offset = 0
) -> Response:
    """List the organization's API keys, newest first, including revoked ones. A key that is limited
    to certain devices sees only keys that are limited to these, too.
    """
    keys = (await services.keys.list(principal))[::-1]
    return respond(
        {
            "api_keys": [key_record(key) for key in keys[offset : offset + limit]],
            "total": len(keys),
            "limit": limit,
            "offset": offset,
        }
    )


@router.post(
    "",
    status_code=201,
    response_model=CreatedApiKey,
    responses=error_responses(
        *WITH_BODY, errors.ExpiryNotAllowedError, errors.PlanLimitReachedError
    ),
)
async def create_api_key(
    body: CreateApiKey, once: OnceDependency, principal: Writer, services: ServicesDependency
) -> Response:
    """Create an API key. The answer contains its secret, which is shown only this once. A key can't
    create one with more scopes or devices than its own, or one that lives longer.
    """
    mint = partial(
        services.keys.mint,
        principal,
        body.name,
        scopes=body.scopes,
        expires_at=body.expires_at,
        account_ids=body.chat_account_ids,
    )
    with in_body():
        return await once(201, mint, new_key_record, body=body, shows_secret=True)


@router.delete(
    "/{key_id}",
    status_code=204,
    response_class=Response,
    responses=error_responses(
        errors.ExpiryNotAllowedError, errors.OtherOrganizationError, errors.ApiKeyNotFoundError
    ),
)
async def revoke_api_key(key_id: UUID, principal: Writer, services: ServicesDependency) -> Response:
    """Revoke a key for good, on every node within a second. It stays in the list, as revoked;
    revoking it again changes nothing. A key can't revoke one that lives longer than itself.
    """
    found = await services.keys.get(principal, key_id)
    await services.keys.revoke(principal, found.key_id)
    return Response(status_code=204)


@router.post(
    "/{key_id}/rotate",
    response_model=CreatedApiKey,
    responses=error_responses(
        *WITH_BODY,
        errors.ExpiryNotAllowedError,
        errors.OtherOrganizationError,
        errors.ApiKeyNotFoundError,
        errors.TooManySecretsError,
    ),
)
async def rotate_api_key(
    key_id: UUID,
    body: Annotated[RotateApiKey, Body(default_factory=RotateApiKey)],
    once: OnceDependency,
    principal: Writer,
    services: ServicesDependency,
) -> Response:
    """Give a key a new secret, which is shown only this once. The old one stays valid for a grace
    period. Rotating again does not shorten the grace period of older secrets; at most four are
    valid at once. A key can't rotate one that lives longer than itself.
    """
    grace = timedelta(seconds=body.grace_seconds)
    rotate = partial(services.keys.rotate_by_id, principal, key_id, grace=grace)
    return await once(200, rotate, new_key_record, body=body, shows_secret=True)
