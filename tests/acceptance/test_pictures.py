"""Pictures of a running gateway of two nodes whose object storage is an S3-compatible server."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from acceptance.running_program import ANSWERED, Program, running
from s3_server import S3Server
from s3_server import s3 as s3

HARMFUL = "+15550109015"
HUGE = "+15550109016"
PREVIEW_SIDE = 96


@pytest.fixture(scope="module")
def program(data_dir: Path, s3: S3Server) -> Iterator[Program]:
    with running(data_dir, nodes="2", objects_url=s3.url("heliograph")) as started:
        started.receipts_at_once()
        yield started


def picture_path(program: Program, phone: str = "", *, preview: bool = False) -> str:
    """Where the picture of somebody we have written to is."""
    message = program.wait_for_status(program.send(phone), "read")
    path = f"/api/v1/contacts/{message['contact_id']}/profile-picture"
    return f"{path}?preview=true" if preview else path


def opened(answer: httpx.Response) -> Any:
    return Image.open(io.BytesIO(answer.content))


@pytest.mark.parametrize(("preview", "side"), [(False, 640), (True, PREVIEW_SIDE)])
def test_a_picture_is_stored_once_and_served_as_we_wrote_it(
    program: Program, s3: S3Server, preview: bool, side: int
) -> None:
    path = picture_path(program, preview=preview)
    before = len(s3.list_keys())
    first, second = program.get(path), program.get(path)
    assert (first["cached"], second["cached"]) == (False, True)
    assert len(s3.list_keys()) == before + 1
    assert all(key.startswith("heliograph/pictures/") for key in s3.list_keys())

    served = httpx.get(second["url"])

    assert served.headers["content-type"] == "image/jpeg"
    assert served.headers["x-content-type-options"] == "nosniff"
    assert (opened(served).format, opened(served).size) == ("JPEG", (side, side))


def test_another_picture_is_fetched_anew(program: Program) -> None:
    path = picture_path(program)
    before = httpx.get(program.get(path)["url"])
    program.cli("sandbox", "picture", program.phone)

    after = program.get(path)

    assert after["cached"] is False
    assert httpx.get(after["url"]).content != before.content


def test_a_script_that_calls_itself_a_picture_is_neither_kept_nor_served(
    program: Program, s3: S3Server
) -> None:
    path, before = picture_path(program, HARMFUL), s3.list_keys()
    answer = program.ask("GET", path)
    assert (answer.status_code, answer.json()["code"]) == (502, "network_refused")
    assert "unusable" in answer.json()["detail"]
    assert s3.list_keys() == before


def test_a_picture_of_very_many_pixels_is_decoded_anew_at_each_look(program: Program) -> None:
    path = picture_path(program, HUGE)
    first, second = program.get(path), program.get(path)
    assert (first["cached"], second["cached"]) == (False, False)
    assert opened(httpx.get(second["url"])).size == (640, 640)


def test_a_storage_that_is_gone_is_a_failure_of_ours(program: Program, s3: S3Server) -> None:
    path = picture_path(program)
    link = program.get(path)["url"]
    program.cli("sandbox", "picture", program.phone)
    s3.stop()

    for answer in (httpx.get(link, timeout=ANSWERED), program.ask("GET", path)):
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert "object storage" in answer.json()["detail"]
        assert answer.headers["retry-after"]
    assert "the object storage failed" in program.printed
    assert program.wait_for_status(program.send(), "read"), "messages go on"
