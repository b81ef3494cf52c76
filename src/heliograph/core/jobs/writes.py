"""The writes that ask an account's session for something: their scopes and traces."""

from collections.abc import Mapping

from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Write
from heliograph.core.jobs.model import JobKind

_READS = "it reads from the chat network, and changes nothing there"

WRITES: Mapping[JobKind, Write] = {
    JobKind.CREATE_GROUP: Write(scope="groups:write", audits=(AuditAction.GROUP_CREATION_ASKED,)),
    JobKind.JOIN_GROUP: Write(scope="groups:write", audits=(AuditAction.GROUP_JOIN_ASKED,)),
    JobKind.LEAVE_GROUP: Write(scope="groups:write", audits=(AuditAction.GROUP_LEAVE_ASKED,)),
    JobKind.CHANGE_GROUP: Write(scope="groups:write", audits=(AuditAction.GROUP_CHANGE_ASKED,)),
    JobKind.ADD_PARTICIPANTS: Write(
        scope="groups:write", audits=(AuditAction.GROUP_ADDITION_ASKED,)
    ),
    JobKind.REMOVE_PARTICIPANT: Write(
        scope="groups:write", audits=(AuditAction.GROUP_REMOVAL_ASKED,)
    ),
    JobKind.GET_INVITE_LINK: Write(
        scope="groups:write", audits=(AuditAction.GROUP_INVITE_LINK_ASKED,)
    ),
    JobKind.LOG_OUT: Write(scope="admin:write", audits=(AuditAction.ACCOUNT_LOG_OUT_ASKED,)),
    JobKind.GET_GROUP: Write(scope="groups:read", unaudited=_READS),
    JobKind.FETCH_PICTURE: Write(scope="contacts:read", unaudited=_READS),
    JobKind.CHECK_NUMBERS: Write(scope="contacts:write", unaudited=_READS),
    JobKind.SYNC_CONTACTS: Write(scope="contacts:write", unaudited=_READS),
    JobKind.SET_TYPING: Write(
        scope="conversations:write", unaudited="it is over in seconds, and shows nothing said"
    ),
    JobKind.MARK_READ: Write(
        scope="conversations:write", unaudited="the conversation's event names who has read it"
    ),
}
