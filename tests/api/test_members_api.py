"""Members over HTTP: those to whom a conversation can be assigned."""

from api_scene import Scene
from heliograph.core.members.model import MemberRole
from heliograph.core.members.sql import insert_member, upsert_user
from heliograph.platform.database.pool import Connection
from heliograph.platform.oidc.claims import Identity


async def join(scene: Scene, name: str, role: MemberRole) -> str:
    now, new = scene.database.clock.now(), scene.database.clock.new_id()

    async def work(connection: Connection) -> str:
        identity = Identity("https://idp.example", name, f"{name}@example.com", name)
        user = await upsert_user(connection, new, identity)
        await insert_member(connection, scene.acme.organization.tenant, user.id, role, now)
        return str(user.id)

    return await scene.database.transact(work)


async def test_members_are_listed_by_name_for_who_assigns_conversations(scene: Scene) -> None:
    zoe = await join(scene, "Zoe", MemberRole.AGENT)
    ada = await join(scene, "Ada", MemberRole.OWNER)
    key = await scene.mint(scene.acme, scopes=["conversations:read"])
    page = (await scene.with_key(key, "GET", "/api/v1/members")).json()
    assert page["members"] == [
        {"id": ada, "name": "Ada", "role": "owner"},
        {"id": zoe, "name": "Zoe", "role": "agent"},
    ]
    assert page["total"] == 2
    second = await scene.with_key(key, "GET", "/api/v1/members?limit=1&offset=1")
    assert [member["id"] for member in second.json()["members"]] == [zoe]
    reading = await scene.mint(scene.acme, scopes=["messages:read"])
    refused = await scene.with_key(reading, "GET", "/api/v1/members")
    assert refused.json()["required_scope"] == "conversations:read"
    theirs = await scene.as_globex("GET", "/api/v1/members")
    assert theirs.json()["members"] == []
