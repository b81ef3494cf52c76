"""What a request that waits for the network is answered, and what a repeat of it gets."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from httpx import Response

from api_scene import GROUPS, Scene, code, group_of
from api_scene import scene as scene
from core_scene import Scene as CoreScene
from core_scene import ScriptedSession, jobs_of, playing
from heliograph.core import topics
from heliograph.core.idempotency.service import IdempotencyKey, StoredResponse, encode_response
from heliograph.core.jobs.model import Job, JobKind, NewJob
from heliograph.errors import GatewayError, InvalidInputError
from heliograph.input_problems import InputProblem
from heliograph.networks import errors as network
from heliograph.networks.errors import NetworkError
from heliograph.networks.port import AccountStatus, GroupSeen
from media_scene import media_of

KEY = IdempotencyKey("order-8", b"f" * 32)
LOUIS = "2@sandbox"
WORDS = "No group today."
DECIDED: list[tuple[NetworkError, int, str]] = [
    (NetworkError(WORDS, permanent=True), 409, "refused_for_good"),
    (NetworkError(WORDS, certain=False), 409, "job_unknown"),
    (network.NoAnswerError(WORDS), 409, "job_unknown"),
]
"""What a repeat under the same key gets again."""
PASSING: list[tuple[NetworkError, int, str]] = [
    (NetworkError(WORDS), 502, "network_refused"),
    (network.NoAnswerError(WORDS, certain=True), 504, "network_timeout"),
    (network.NotConnectedError(WORDS), 409, "chat_account_not_connected"),
    (network.LoggedOutError(WORDS), 409, "chat_account_not_connected"),
    (network.BannedError(WORDS), 409, "chat_account_not_connected"),
]
"""What a repeat asks anew."""


class Club(ScriptedSession):
    """Makes groups, but for the trouble that lies in its way: one a try."""

    def __init__(self, *trouble: NetworkError) -> None:
        super().__init__()
        self.trouble = list(trouble)
        self.asked = 0

    async def create_group(self, subject: str, participants: Sequence[str]) -> GroupSeen:
        self.asked += 1
        if self.trouble:
            raise self.trouble.pop(0)
        return GroupSeen("4242@g.sandbox", subject)

    async def find_group(self, subject: str, since: object) -> GroupSeen | None:
        return None

    async def join_group(self, invite_link: str) -> GroupSeen:
        raise AssertionError


class Desk:
    """Where groups are asked for, and the session that makes them."""

    def __init__(self, scene: CoreScene, folder: Path) -> None:
        self._scene, self._folder = scene, folder
        self._jobs = jobs_of(scene, timeout=20)

    def open(self, session: Club) -> Club:
        media = media_of(self._scene.database, self._folder.as_uri())
        worker = self._scene.job_runner(session, media)
        self._scene.notifications.subscribe(topics.jobs_of(self._scene.account.id), worker.wake)
        return session

    async def ask(self) -> StoredResponse:
        async def plan() -> NewJob:
            request = {"subject": "Trip", "participants": [LOUIS], "given": {LOUIS: (3, "+2")}}
            return NewJob(self._scene.account.id, JobKind.CREATE_GROUP, request)

        async def respond(job: Job) -> StoredResponse:
            done = await self._jobs.wait_for_end(job)
            return encode_response(201, {"jid": (done.result or {})["remote_jid"]})

        return await self._jobs.perform(self._scene.principal, KEY, plan, respond)

    async def log_out(self) -> AccountStatus:
        """The account's state as who waited for its log-out finds it."""
        job = NewJob(self._scene.account.id, JobKind.LOG_OUT, {})
        await self._jobs.wait_for_end(await self._jobs.start(self._scene.principal, job))
        account = await self._scene.accounts.get(self._scene.principal, self._scene.account.id)
        return account.status


@pytest.fixture
async def desk(database_url: str, tmp_path: Path) -> AsyncIterator[Desk]:
    async with playing(database_url) as scene:
        yield Desk(scene, tmp_path)


async def refused(desk: Desk, trouble: NetworkError, status: int, code: str) -> "Club":
    """The session whose network has refused once."""
    session = desk.open(Club(trouble))
    with pytest.raises(GatewayError) as told:
        await desk.ask()
    assert (told.value.status, told.value.code) == (status, code)
    return session


@pytest.mark.parametrize(("trouble", "status", "code"), DECIDED)
async def test_what_is_decided_is_told_again_and_not_asked_again(
    desk: Desk, trouble: NetworkError, status: int, code: str
) -> None:
    session = await refused(desk, trouble, status, code)
    repeats = [await desk.ask() for _ in range(2)]
    assert {(repeat.status, repeat.replayed) for repeat in repeats} == {(status, True)}
    assert session.asked == 1


@pytest.mark.parametrize(("trouble", "status", "code"), PASSING)
async def test_what_passes_is_asked_anew_by_a_repeat(
    desk: Desk, trouble: NetworkError, status: int, code: str
) -> None:
    session = await refused(desk, trouble, status, code)
    repeat = await desk.ask()
    assert (repeat.status, repeat.replayed, session.asked) == (201, False, 2)


@pytest.mark.parametrize(
    "trouble",
    [
        network.RecipientNotFoundError(WORDS, value=LOUIS),
        NetworkError(WORDS, permanent=True, value=LOUIS),
    ],
)
async def test_a_value_that_the_network_alone_can_judge_is_422_with_its_place(
    desk: Desk, trouble: NetworkError
) -> None:
    desk.open(Club(trouble))
    with pytest.raises(InvalidInputError) as told:
        await desk.ask()
    [problem] = told.value.problems
    assert problem == InputProblem(("body", "participants", 3), WORDS, input="+2")


async def test_the_networks_words_stand_in_a_refusal_for_good(desk: Desk) -> None:
    desk.open(Club(NetworkError(WORDS, permanent=True)))
    with pytest.raises(GatewayError, match=WORDS):
        await desk.ask()


async def test_an_account_is_logged_out_when_its_log_out_is_done(desk: Desk) -> None:
    desk.open(Club())  # it never says so itself
    assert await desk.log_out() is AccountStatus.LOGGED_OUT


# --- over the API, with no session behind it ---


async def create_group(scene: Scene) -> Response:
    headers = {"Idempotency-Key": "trip"}
    return await scene.as_acme("POST", GROUPS, headers=headers, json=group_of(scene.acme.account))


async def test_a_repeat_after_reconnecting_does_the_job(scene: Scene) -> None:
    refused = [await create_group(scene) for _ in range(2)]
    assert [code(response) for response in refused] == [(409, "chat_account_not_connected")] * 2
    assert (await scene.count_rows())["jobs"] == 0
    await scene.set_connected(scene.acme.account)
    repeat = await create_group(scene)
    assert (repeat.status_code, "idempotent-replayed" in repeat.headers) == (504, False)
    assert (await scene.count_rows())["jobs"] == 1


async def test_a_job_whose_end_nobody_knows_is_409_for_ever(scene: Scene) -> None:
    await scene.set_connected(scene.acme.account)
    assert code(await create_group(scene)) == (504, "network_timeout")
    await scene.database.pool.execute("UPDATE jobs SET status = 'unknown'")
    answers = [await create_group(scene) for _ in range(3)]
    assert [code(response) for response in answers] == [(409, "job_unknown")] * 3
    replayed = ["idempotent-replayed" in response.headers for response in answers]
    assert replayed == [False, True, True]
    assert (await scene.count_rows())["jobs"] == 1


async def test_a_job_that_is_not_there_any_more_is_unknown_too(scene: Scene) -> None:
    await scene.set_connected(scene.acme.account)
    assert code(await create_group(scene)) == (504, "network_timeout")
    await scene.database.pool.execute("DELETE FROM jobs")
    answers = [await create_group(scene) for _ in range(2)]
    assert {response.json()["code"] for response in answers} == {"job_unknown"}
    assert (await scene.count_rows())["jobs"] == 0
