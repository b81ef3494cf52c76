from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="ErrorBody")


@_attrs_define
class ErrorBody:
    """A sentence for people and a code for programs.

    More members may follow, such as `required_scope` or `retry_after`.

        Attributes:
            detail (str): One sentence for people.
            code (str): An error code for programs. Known values: `account_not_allowed`, `address_too_long`,
                `already_in_group`, `already_sent`, `api_key_not_found`, `approval_required`, `body_too_large`,
                `chat_account_connected`, `chat_account_not_connected`, `chat_account_not_found`, `contact_not_found`,
                `conversation_not_found`, `cursor_expired`, `delivery_not_found`, `expired_api_key`, `expiry_not_allowed`,
                `head_too_large`, `idempotency_conflict`, `internal_error`, `invalid_api_key`, `invite_revoked`, `job_unknown`,
                `malformed_authorization`, `malformed_request`, `media_in_use`, `media_not_found`, `message_deleted`,
                `message_not_found`, `method_not_allowed`, `missing_api_key`, `missing_scope`, `network_refused`,
                `network_timeout`, `no_chat_account`, `no_qr_code`, `not_found`, `not_sent`, `not_supported_by_network`,
                `other_organization`, `picture_not_found`, `plan_limit_reached`, `rate_limited`, `refused_for_good`,
                `request_timeout`, `revoked_api_key`, `session_not_found`, `subscription_not_found`, `too_many_connections`,
                `too_many_readers`, `too_many_reads`, `too_many_secrets`, `too_old`, `unavailable`, `unsupported_media_type`,
                `webhook_disabled`. More may be added.
    """

    detail: str
    code: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        detail = self.detail

        code = self.code

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "detail": detail,
                "code": code,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        detail = d.pop("detail")

        code = d.pop("code")

        error_body = cls(
            detail=detail,
            code=code,
        )

        error_body.additional_properties = d
        return error_body

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties
