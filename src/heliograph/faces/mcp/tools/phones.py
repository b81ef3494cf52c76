"""The other side of a network that can be driven (the sandbox): people and their phones."""

from typing import Annotated, Any
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, Field

from heliograph.core.accounts.model import Account
from heliograph.core.accounts.simulator import MOST_PEOPLE, show_bubble
from heliograph.faces.mcp.tool import (
    IDEMPOTENT_WRITE,
    READ_ONLY,
    WRITE,
    CallContext,
    Input,
    ToolSet,
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


class OfAccount(Input):
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


class PressButtonCall(OfPhone):
    button: str = Field(min_length=1, max_length=256, description="Its id or its title.")
    chat_message_id: str | None = Field(
        default=None,
        max_length=255,
        description="The message that has it; default: the newest that does.",
    )


class SayCall(OfPhone):
    text: str = Field(min_length=1, max_length=4096)


class SwitchPhoneCall(OfAccount):
    phone_number: PhoneName
    online: bool = Field(description="False: messages wait for the phone, as on a real network.")


class InviteCall(OfAccount):
    phone_number: PhoneName = Field(description="The phone that owns the group.")
    subject: str = Field(min_length=1, max_length=100, description="The group's name.")


class Phone(BaseModel):
    remote_jid: str
    phone_number: str
    name: UntrustedText
    online: bool
    note: str = Field(description="How this phone misbehaves on purpose; empty if it does not.")


class PhoneList(BaseModel):
    phones: list[Phone]


class PhoneButton(BaseModel):
    id: UntrustedText
    title: UntrustedText


class Bubble(BaseModel):
    """A message as the phone shows it."""

    chat_message_id: str
    message_type: str
    text: UntrustedText
    buttons: list[PhoneButton]
    mine: bool = Field(description="True if the phone's owner sent it.")
    status: str
    sent_at: AwareDatetime

    @classmethod
    def of(cls, shown: object) -> dict[str, Any]:
        """Return what a tool tells of a bubble, of which pages show more."""
        return cls.model_validate(shown, from_attributes=True).model_dump()


class Screen(BaseModel):
    """A chat as the phone shows it, oldest first."""

    messages: list[Bubble]


class InviteLink(BaseModel):
    invite_link: str


class PhoneState(BaseModel):
    phone_number: str
    online: bool


@tools.add(
    READ_ONLY,
    "List virtual phones",
    "messages:read",
    output=PhoneList,
)
async def list_phones(call: CallContext, given: OfAccount) -> object:
    """List an account's virtual phones, on a simulated network (the sandbox). Some misbehave on
    purpose; their note says how."""
    simulator = call.services.simulator.of(await _account(call, given))
    return {"phones": await simulator.people(most=MOST_PEOPLE)}


@tools.add(
    IDEMPOTENT_WRITE,
    "Look at a virtual phone",
    "messages:write",
    output=Screen,
)
async def read_phone(call: CallContext, given: ReadPhoneCall) -> object:
    """Open the chat on a virtual phone, and see its screen, with the buttons that can be pressed.
    Opening a chat marks its messages as read."""
    account = await _account(call, given)
    chat = await call.services.simulator.read_chat(
        account, given.phone_number, group_jid=given.group_jid, limit=given.limit
    )
    return {"messages": [Bubble.of(each) for each in chat.bubbles]}


@tools.add(WRITE, "Press a button on a virtual phone", "messages:write", output=Bubble)
async def press_button(call: CallContext, given: PressButtonCall) -> object:
    """Press a button of a message on a virtual phone, as the person would. The gateway gets it as a
    message of the type button_reply, and posts it to webhooks."""
    simulator = call.services.simulator.of(await _account(call, given))
    pressed = await simulator.press(
        given.phone_number,
        given.button,
        chat_message_id=given.chat_message_id,
        group_jid=given.group_jid,
    )
    return Bubble.of(show_bubble(pressed))


@tools.add(WRITE, "Write from a virtual phone", "messages:write", output=Bubble)
async def say_from_phone(call: CallContext, given: SayCall) -> object:
    """Let a virtual phone write to the account, or to a group that both are in."""
    simulator = call.services.simulator.of(await _account(call, given))
    said = await simulator.say(given.phone_number, given.text, group_jid=given.group_jid)
    return Bubble.of(show_bubble(said))


@tools.add(
    IDEMPOTENT_WRITE, "Switch a virtual phone on or off", "messages:write", output=PhoneState
)
async def switch_phone(call: CallContext, given: SwitchPhoneCall) -> object:
    """Switch a virtual phone off, so that messages wait for it undelivered, or on again."""
    simulator = call.services.simulator.of(await _account(call, given))
    await simulator.set_online(given.phone_number, given.online)
    return {"phone_number": given.phone_number, "online": given.online}


@tools.add(WRITE, "Make a group with a virtual phone", "groups:write", output=InviteLink)
async def make_invite_link(call: CallContext, given: InviteCall) -> object:
    """Let a virtual phone make a group, and get its invite link for join_group."""
    simulator = call.services.simulator.of(await _account(call, given))
    return {"invite_link": await simulator.invite(given.subject, owner=given.phone_number)}


async def _account(call: CallContext, given: OfAccount) -> Account:
    """Raises `NoChatAccountError`, `ChatAccountNotFoundError`, `OtherOrganizationError` and
    `AccountNotAllowedError`."""
    if given.chat_account_id is not None:
        return await call.services.accounts.get(call.principal, given.chat_account_id)
    return await call.services.accounts.get_primary(call.principal)
