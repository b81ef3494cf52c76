"""Groups: make one on the chat network, or join one."""

from heliograph.faces.api.schemas.conversations import (
    CreatedGroup,
    CreateGroup,
    JoinedGroup,
    JoinGroup,
)
from heliograph.faces.mcp.tool import IDEMPOTENT_WRITE, WRITE, CallContext, Repeatable, ToolSet

tools = ToolSet()


class CreateGroupCall(CreateGroup, Repeatable):
    pass


class JoinGroupCall(JoinGroup, Repeatable):
    pass


@tools.add(WRITE, "Make a group", "groups:write", output=CreatedGroup)
async def create_conversation_group(call: CallContext, given: CreateGroupCall) -> object:
    """Make a group on the chat network, and its conversation. Waits for the network, 30 seconds at
    most: give an idempotency_key, so that a later repeat gets the same group."""
    return await call.services.groups.create(
        call.principal,
        given.chat_account_id,
        given.subject,
        given.participants,
        given.make_key(call.principal, "create group"),
    )


@tools.add(
    IDEMPOTENT_WRITE, "Join a group", "groups:write", output=JoinedGroup, untrusted=("/name",)
)
async def join_group(call: CallContext, given: JoinGroupCall) -> object:
    """Join a group through its invite link, with the account of this session name (list_devices has
    them). Waits for the network. On the sandbox, act_as_phone makes a group to join."""
    return await call.services.groups.join(
        call.principal,
        given.session_name,
        given.invite_link,
        given.make_key(call.principal, "join group"),
    )
