"""What operations answer that are not in the contract's table, written down here as data."""

from typing import Any

from api_description import api_description
from each_case import for_each

DOCUMENT = api_description()
ADDRESSES = {
    operation["operationId"]: (method, path.removeprefix("/api/v1"))
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
}
EVERY = {"401", "403", "413", "422", "429", "503"}
IN_THE_OTHER_TABLE = 39
"""Operations of which `test_openapi_contract.py` has all fields, too."""

ADDRESS_OF = """
sendMessage             post   /messages                                     messages:write
editMessage             patch  /messages/{message_id}                        messages:write
deleteMessage           delete /messages/{message_id}                        messages:write
cancelMessage           post   /messages/{message_id}/cancel                 messages:write
setMessageReaction      put    /messages/{message_id}/reaction               messages:write
deleteMessageReaction   delete /messages/{message_id}/reaction               messages:write
getGroup                get    /groups/{conversation_id}                     groups:read
changeGroup             patch  /groups/{conversation_id}                     groups:write
addGroupParticipants    post   /groups/{conversation_id}/participants        groups:write
removeGroupParticipant  delete /groups/{conversation_id}/participants/{jid}  groups:write
getGroupInviteLink      get    /groups/{conversation_id}/invite-link         groups:write
leaveGroup              post   /groups/{conversation_id}/leave               groups:write
checkContacts           post   /contacts/check                               contacts:write
showTyping              post   /conversations/{conversation_id}/typing       conversations:write
createDevice            post   /devices                                      admin:write
getDevice               get    /devices/{device_id}                          admin:read
deleteDevice            delete /devices/{device_id}                          admin:write
changeDevice            patch  /devices/{device_id}                          admin:write
getDevicePairing        get    /devices/{device_id}/pairing                  admin:read
pairDevice              post   /devices/{device_id}/pairing                  admin:write
reconnectDevice         post   /devices/{device_id}/reconnect                admin:write
logOutDevice            post   /devices/{device_id}/log-out                  admin:write
listNetworks            get    /networks                                     admin:read
listMembers             get    /members                                      conversations:read
listMedia               get    /media                                        messages:read
deleteMedia             delete /media/{media_id}                             messages:write
listApiKeys             get    /api-keys                                     admin:write
createApiKey            post   /api-keys                                     admin:write
revokeApiKey            delete /api-keys/{key_id}                            admin:write
rotateApiKey            post   /api-keys/{key_id}/rotate                     admin:write
"""
ANSWERS_OF = """
sendMessage             SendMessageInput   200 SendResult         404 409 415
editMessage             EditMessageInput   202 ChangeResult       404 409 415
deleteMessage           -                  202 ChangeResult       404 409
cancelMessage           -                  200 Message            404 409
setMessageReaction      ReactionInput      202 ChangeResult       404 409 415
deleteMessageReaction   -                  202 ChangeResult       404 409
getGroup                -                  200 Group              404 409 502 504
changeGroup             ChangeGroup        200 Group              404 409 415 502 504
addGroupParticipants    AddParticipants    200 AddedParticipants  404 409 415 502 504
removeGroupParticipant  -                  204 -                  404 409 502 504
getGroupInviteLink      -                  200 GroupInviteLink    404 409 502 504
leaveGroup              -                  200 LeftGroup          404 409 502 504
checkContacts           CheckNumbers       200 CheckedNumbers     404 409 415 502 504
showTyping              ShowTyping         200 TypingShown        404 409 415 502 504
createDevice            CreateDevice       201 DeviceDetails      409 415
getDevice               -                  200 DeviceDetails      404
deleteDevice            -                  204 -                  404 409
changeDevice            ChangeDevice       200 DeviceDetails      404 415
getDevicePairing        -                  200 Pairing            404 409
pairDevice              PairDevice         202 Pairing            404 409 415
reconnectDevice         -                  202 Device             404 409
logOutDevice            -                  200 Device             404 409 502 504
listNetworks            -                  200 NetworkList
listMembers             -                  200 MemberList
listMedia               -                  200 MediaList
deleteMedia             -                  204 -                  404 409
listApiKeys             -                  200 ApiKeyList
createApiKey            CreateApiKey       201 CreatedApiKey      409 415
revokeApiKey            -                  204 -                  404
rotateApiKey            RotateApiKey       200 CreatedApiKey      404 409 415
"""
"""The body, the answer of success, and the answers beside those that every operation has."""


def rows(table: str) -> dict[str, list[str]]:
    lines = [line.split() for line in table.strip().splitlines()]
    return {name: columns for name, *columns in lines}


def schema_of(part: dict[str, Any] | None) -> str:
    content = (part or {}).get("content")
    return content["application/json"]["schema"]["$ref"].rpartition("/")[2] if content else "-"


def test_no_operation_is_without_its_answers() -> None:
    assert list(rows(ADDRESS_OF)) == list(rows(ANSWERS_OF))
    assert len(ADDRESSES) == len(rows(ANSWERS_OF)) + IN_THE_OTHER_TABLE


@for_each("name", rows(ANSWERS_OF))
def test_an_operation_takes_and_answers_exactly_what_it_can(name: str) -> None:
    method, path, scope = rows(ADDRESS_OF)[name]
    request, success, response, *own = rows(ANSWERS_OF)[name]
    assert ADDRESSES[name] == (method, path)
    found = DOCUMENT["paths"][f"/api/v1{path}"][method]
    assert found["x-required-scope"] == scope
    assert schema_of(found.get("requestBody")) == request
    assert set(found["responses"]) == {success, *own, *EVERY}
    assert schema_of(found["responses"][success]) == response
