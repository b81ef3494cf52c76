"""Each request of `docs/switching.md` is run, in the page's order, and does what the page says.

It is one test for all of them, since the later ones need ids that the earlier ones answer.
"""

from collections.abc import Iterator

import pytest

import switching_messages
import switching_people
from acceptance.hook_receiver import receiving_hooks
from heliograph.settings import Settings
from heliograph.settings.groups import WebhookSettings
from live_gateway import StartGateway
from media_scene import PNG
from switching_page import (
    PAGE,
    anchor_of,
    count_curls,
    links_in,
    list_jobs,
    list_requests,
    list_variables,
)
from switching_reader import Reader

pytest_plugins = ("live_fixtures",)
pytestmark = pytest.mark.timeout(300)  # a shell for each request
REQUESTS = list_requests()
CHECKS = switching_messages.checks | switching_people.checks


@pytest.fixture(scope="module")
def reader(
    start_gateway: StartGateway, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Reader]:
    """Somebody who has the key of a running gateway, a picture to send, and an endpoint."""
    webhook = WebhookSettings.model_validate({"allow_private": "loopback"})
    gateway = start_gateway(Settings(webhook=webhook))
    folder = tmp_path_factory.mktemp("reader")
    (folder / "menu.png").write_bytes(PNG)
    with receiving_hooks() as hooks:
        known = {"HELIOGRAPH_API_KEY": gateway.demo.api_key, "API": f"{gateway.base_url}/api/v1"}
        yield Reader(gateway, hooks, folder, known)


def test_every_request_does_what_it_is_there_for(reader: Reader) -> None:
    for request in REQUESTS:
        if prepare := CHECKS.preparations.get(request.name):
            prepare(reader)
        answer = reader.paste(request)
        assert answer.status == CHECKS.statuses[request.name], (request.name, answer)
        CHECKS.effects[request.name](reader, answer)


def test_no_curl_of_the_page_is_left_out() -> None:
    assert count_curls() == len(REQUESTS)
    assert len({request.name for request in REQUESTS}) == len(REQUESTS)
    assert {request.name for request in REQUESTS} == set(CHECKS.effects)
    assert set(CHECKS.preparations) <= set(CHECKS.effects)


def test_every_request_is_the_answer_to_some_job() -> None:
    linked = {link for job in list_jobs() for link in links_in(job.here + job.difference)}
    assert [request.name for request in REQUESTS if request.anchor not in linked] == []


def test_every_job_names_a_request_or_says_why_there_is_none() -> None:
    anchors = {request.anchor for request in REQUESTS}
    for job in list_jobs():
        assert job.here, job
        assert links_in(job.here) <= anchors, job


def test_the_page_says_where_each_id_comes_from() -> None:
    anchors = {anchor_of(request.name) for request in REQUESTS}
    variables = list_variables()
    assert {variable.anchor for variable in variables} <= anchors
    assert all(f"${variable.name}" in PAGE for variable in variables)
