"""The other side of a network that can be driven (the sandbox): people and their phones."""

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field, create_model

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.simulator import MAX_PEOPLE
from heliograph.errors import InvalidInputError
from heliograph.faces.mcp.tool import (
    IDEMPOTENT_WRITE,
    READ_ONLY,
    WRITE,
    CallContext,
    ToolInput,
    ToolSet,
)
from heliograph.networks.action_fields import fields_of, list_actions, read_action
from heliograph.networks.phone_actions import (
    Approve,
    PhoneAction,
    Picture,
    Revoke,
    SendCard,
    SendFile,
)
from heliograph.untrusted import UntrustedText

tools = ToolSet()


PhoneName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=255,
        description="The phone: its number, its JID or its name in list_phones.",
    ),
]


class OfAccount(ToolInput):
    chat_account_id: UUID | None = Field(
        default=None,
        description="The account whose network it is; default: the organization's primary account.",
    )


class OfPhone(OfAccount):
    phone_number: PhoneName
    group_jid: str | None = Field(
        default=None, max_length=255, description="The group to do it in; default: the direct chat."
    )


class ReadPhoneCall(OfPhone):
    limit: Annotated[int, Field(ge=1, le=100, description="Maximum number of messages.")] = 20


_ACTIONS = {
    name: kind
    for name, kind in list_actions(PhoneAction).items()
    if kind not in (SendFile, SendCard, Picture, Revoke, Approve)
}
"""The actions that a model needs to try out a backend; the commands and the dashboard have all."""
_NAMED_ELSEWHERE = {
    "phone": "phone_number",
    "owner": "phone_number",
    "group": "group_jid",
    "message": "chat_message_id",
}
"""Other tools' names for these fields."""


_NEEDS = {
    action: {_NAMED_ELSEWHERE.get(each.name, each.name): each for each in fields_of(kind)}
    for action, kind in _ACTIONS.items()
}
"""What each action needs, by its name in tools."""


def _describe(name: str) -> str:
    """Return the description of a field that is in some actions: `press, react: …`."""
    actions: dict[str, list[str]] = {}
    for action, needs in _NEEDS.items():
        if name in needs:
            actions.setdefault(needs[name].description, []).append(action)
    return " ".join(f"{', '.join(names)}: {told}" for told, names in actions.items())


_FIELDS: dict[str, Any] = {
    "action": (
        Literal[tuple(_ACTIONS)],
        Field(description=" ".join(f"{name}: {kind.__doc__}" for name, kind in _ACTIONS.items())),
    ),
    **{
        name: (each.kind | None, Field(default=None, description=_describe(name)))
        for needs in _NEEDS.values()
        for name, each in needs.items()
        if name not in OfPhone.model_fields
    },
}
ActCall = create_model("ActCall", __base__=OfPhone, **_FIELDS)


class VirtualPhone(BaseModel):
    remote_jid: str
    phone_number: str
    name: UntrustedText
    online: bool
    note: str = Field(description="How this phone misbehaves on purpose; empty if it does not.")


class PhoneList(BaseModel):
    phones: list[VirtualPhone]


class PhoneButton(BaseModel):
    id: UntrustedText
    title: UntrustedText


class ShownMessage(BaseModel):
    """A message as the phone shows it."""

    chat_message_id: str
    message_type: str
    text: UntrustedText
    buttons: list[PhoneButton]
    mine: bool = Field(description="True if the phone's owner sent it.")
    status: str
    sent_at: AwareDatetime


class ShownChat(BaseModel):
    """A chat as the phone shows it, oldest first."""

    messages: list[ShownMessage]


class Done(BaseModel):
    done: UntrustedText = Field(
        description="What the phone now says, or the result: the link of `invite`."
    )
    chat_message_id: str | None = Field(
        description="The id of the message that it sent, else null."
    )


@tools.add(READ_ONLY, "List virtual phones", "messages:read", output=PhoneList)
async def list_phones(call: CallContext, given: OfAccount) -> object:
    """List an account's virtual phones, on a simulated network (the sandbox). Some misbehave on
    purpose; their note says how."""
    simulator = call.services.simulator.of(await _account(call, given))
    return {"phones": await simulator.people(most=MAX_PEOPLE)}


@tools.add(IDEMPOTENT_WRITE, "Look at a virtual phone", "messages:write", output=ShownChat)
async def read_phone(call: CallContext, given: ReadPhoneCall) -> object:
    """Open the chat on a virtual phone, and see its screen, with the buttons that can be pressed.
    Opening a chat marks its messages as read."""
    account = await _account(call, given)
    chat = await call.services.simulator.read_chat(
        account, given.phone_number, group_jid=given.group_jid, limit=given.limit
    )
    return ShownChat.model_validate({"messages": chat.bubbles}, from_attributes=True).model_dump()


@tools.add(WRITE, "Act as a virtual phone", "messages:write", output=Done)
async def act_as_phone(call: CallContext, given: ActCall) -> object:
    """Do on a virtual phone what its person would: answer, write, react, switch it off. The gateway
    gets what the phone sends like a message from anybody, and posts it to webhooks."""
    account = await _account(call, given)
    done = await call.services.simulator.of(account).act(_read_action(given))
    if isinstance(done, str):
        return {"done": done, "chat_message_id": None}
    return {"done": done.content.summary, "chat_message_id": done.chat_message_id}


def _read_action(given: Any) -> Any:
    """Read the action. Raises `InvalidInputError` for a missing field, or one it does not take."""
    said = given.model_dump(exclude_none=True, exclude={"action", "chat_account_id"})
    needs = _NEEDS[given.action]
    for name, each in needs.items():
        if each.is_required and name not in said:
            raise InvalidInputError.at((name,), f"The action '{given.action}' needs this.")
    for name in said:
        if name not in needs:
            raise InvalidInputError.at((name,), f"The action '{given.action}' does not take this.")
    found = {needs[name].name: value for name, value in said.items()}
    return read_action(_ACTIONS[given.action], found)


async def _account(call: CallContext, given: OfAccount) -> Account:
    """Return the account. Raises `NoChatAccountError`, `ChatAccountNotFoundError`,
    `OtherOrganizationError` and `AccountNotAllowedError`."""
    if given.chat_account_id is not None:
        return await call.services.accounts.get(call.principal, given.chat_account_id)
    return await call.services.accounts.get_primary(call.principal)
