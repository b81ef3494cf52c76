"""Groups: make one on the chat network, or join one."""

from heliograph.faces.api.routers import conversations as api
from heliograph.faces.mcp.operations import add_operation
from heliograph.faces.mcp.tool import IDEMPOTENT_WRITE, WRITE, ToolSet

tools = ToolSet()

add_operation(
    tools,
    WRITE,
    "Make a group",
    api.create_conversation_group,
    "Make a group on the chat network, and its conversation. Waits for the network, 30 seconds "
    "unless the operator has set another time: give an idempotency_key, so that a later repeat "
    "gets the same group.",
)
add_operation(
    tools,
    IDEMPOTENT_WRITE,
    "Join a group",
    api.join_group,
    "Join a group through its invite link, with the account of this session name (list_devices has "
    "them). Waits for the network. On the sandbox, act_as_phone makes a group to join.",
)
