"""Which phone numbers are on an account's chat network."""

from collections.abc import Sequence
from typing import Annotated, Any, TypedDict
from uuid import UUID

from typing_extensions import Doc

from heliograph.core.accounts.service import AccountDirectory, require_connected
from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse, encode_response
from heliograph.core.jobs.model import Job, JobKind, NewJob
from heliograph.core.jobs.service import JobService
from heliograph.core.tenants.model import Principal
from heliograph.errors import NotSupportedByNetworkError
from heliograph.networks.addresses import get_phone_number, read_each
from heliograph.networks.registry import NetworkRegistry
from heliograph.untrusted import UntrustedText

MAX_NUMBERS = 100


class NumberCheckRecord(TypedDict):
    """Whether a phone number is on the chat network."""

    phone_number: Annotated[str, Doc("`+` and digits.")]
    exists: bool
    jid: Annotated[UntrustedText | None, Doc("Their address on the network.")]


class NumberCheckList(TypedDict):
    """The numbers in the order in which they were asked for, each once."""

    contacts: list[NumberCheckRecord]


class NumberCheckService:
    def __init__(
        self, networks: NetworkRegistry, directory: AccountDirectory, jobs: JobService
    ) -> None:
        self._networks = networks
        self._directory = directory
        self._jobs = jobs

    async def check(
        self,
        principal: Principal,
        account_id: UUID | None,
        phone_numbers: Sequence[str],
        key: IdempotencyKey | None,
    ) -> StoredResponse:
        """Ask the network about up to 100 numbers, over the primary account by default.

        Raises `InvalidInputError` for what is no phone number, `NotSupportedByNetworkError`, and
        what the account's lookup and `wait_for_end` raise.
        """
        principal.require("contacts:write")
        location = ("body", "phone_numbers")
        numbers = dict.fromkeys(await read_each(get_phone_number, phone_numbers, location))

        async def plan() -> NewJob:
            account = await self._directory.read(principal, account_id)
            principal.require_account(account.id)
            network = self._networks.get_for_account(account.network)
            if not network.capabilities.number_checks:
                raise NotSupportedByNetworkError(network.title, "tell who is on it")
            require_connected(account)
            digits = [number.removeprefix("+") for number in numbers]
            return NewJob(account.id, JobKind.CHECK_NUMBERS, {"phone_numbers": digits})

        async def respond(job: Job) -> StoredResponse:
            result = (await self._jobs.wait_for_end(job)).result or {}
            return encode_response(200, _record(result))

        return await self._jobs.perform(principal, key, plan, respond)


def _record(result: dict[str, Any]) -> NumberCheckList:
    checks: list[NumberCheckRecord] = [
        {
            "phone_number": "+" + found["phone_number"].removeprefix("+"),
            "exists": found["remote_jid"] is not None,
            "jid": found["remote_jid"],
        }
        for found in result["numbers"]
    ]
    return {"contacts": checks}
