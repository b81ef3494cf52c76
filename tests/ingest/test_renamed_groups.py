"""A group's new subject is an event of its conversation, whoever changed it."""

from typing import Any

from core_scene import ADA, AT, Scene, arrival
from heliograph.core.ingest.model import JobEnded
from heliograph.core.jobs.model import Job, JobKind, JobStatus
from heliograph.networks.port import GroupSeen

GROUP = "12345@g.sandbox"


async def updates(scene: Scene) -> list[dict[str, Any]]:
    return await scene.told("conversation.updated")


async def test_a_subject_that_the_network_reports_is_told_of_when_it_is_another(
    scene: Scene,
) -> None:
    in_group: dict[str, Any] = {"chat_jid": GROUP, "is_group": True}
    await scene.report(arrival("A1", ADA, **in_group, group_subject="Trip"))
    await scene.report(GroupSeen(GROUP, "Trip"))
    await scene.report(arrival("A2", ADA, **in_group, group_subject="Trip"))
    assert await updates(scene) == [], "it began with that"
    await scene.report(GroupSeen(GROUP, "Trip to Porto"))
    await scene.report(arrival("A3", ADA, **in_group, group_subject="Home again"))
    await scene.report(arrival("A1", ADA, **in_group, group_subject="Trip"))  # comes again
    told = await updates(scene)
    assert [each["group_subject"] for each in told] == ["Trip to Porto", "Home again"]
    assert {tuple(each["changed"]) for each in told} == {("group_subject",)}
    assert [each["changed_by"] for each in told] == [None, None]
    [conversation] = await scene.rows("SELECT id FROM conversations")
    assert {each["id"] for each in told} == {str(conversation["id"])}


async def test_the_event_shows_the_labels_and_who_asked_for_the_subject(scene: Scene) -> None:
    await scene.report(arrival("A1", ADA, chat_jid=GROUP, is_group=True, group_subject="Trip"))
    tenant = scene.principal.tenant
    await scene.rows(
        "WITH label AS (INSERT INTO labels VALUES ($1, $2, gen_random_uuid(), 'VIP', '#ff0000',"
        " now()) RETURNING id) INSERT INTO conversation_labels"
        " (shard, organization_id, conversation_id, label_id)"
        " SELECT $1, $2, c.id, label.id FROM conversations AS c, label",
        *tenant,
    )
    author = {"kind": "api_key", "id": "abc", "name": "backend"}
    job = Job(
        tenant=tenant,
        id=scene.database.clock.new_id(),
        account_id=scene.account.id,
        kind=JobKind.CHANGE_GROUP,
        status=JobStatus.RUNNING,
        safe_to_repeat=True,
        request={"remote_jid": GROUP, "subject": "Porto", "changed_by": author},
        result=None,
        error=None,
        claim_epoch=None,
        created_at=AT,
        deadline=AT,
        started_at=AT,
        finished_at=None,
    )
    await scene.report(JobEnded(job, JobStatus.COMPLETED, {}, group=GroupSeen(GROUP, "Porto")))
    [told] = await updates(scene)
    assert (told["group_subject"], told["changed_by"]) == ("Porto", author)
    assert [label["name"] for label in told["labels"]] == ["VIP"]
