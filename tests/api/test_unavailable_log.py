"""Every 503 leaves its reason in the log."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from api_scene import open_scene
from each_case import for_each
from heliograph.errors import GatewayError, NotFoundError, TooManyConnectionsError, UnavailableError
from heliograph.faces import unavailability
from heliograph.faces.api.encoding import respond_error
from heliograph.faces.mcp.results import failure
from heliograph.faces.unavailability import log_unavailable

BREAK = """
CREATE FUNCTION full_up() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full';
END $$;
CREATE TRIGGER full_up BEFORE INSERT ON labels FOR EACH STATEMENT EXECUTE FUNCTION full_up()
"""


@pytest.fixture(autouse=True)
def _nothing_was_said() -> None:
    unavailability._last.clear()


@pytest.mark.one_server("breaks a table by a trigger")
@pytest.mark.usefixtures("hasty_requests")
async def test_the_reason_of_an_answer_is_in_the_log(database_url: str, tmp_path: Path) -> None:
    async with open_scene(database_url, tmp_path) as scene:
        await scene.database.pool.execute(BREAK)
        with capture_logs() as logged:
            answer = await scene.as_acme(
                "POST", "/api/v1/labels", json={"name": "VIP", "color": "#ff0000"}
            )
    assert answer.status_code == 503
    [line] = [line for line in logged if line["event"] == "answered 503"]
    assert line["code"] == "unavailable"
    assert line["reason"] == "DiskFullError: No space left on device"


def unavailable() -> list[GatewayError]:
    """Each error that is answered 503."""
    found = []
    for kind in (UnavailableError, TooManyConnectionsError, *UnavailableError.__subclasses__()):
        error = kind()
        error.__cause__ = OSError(f"the reason of {kind.__name__}")
        found.append(error)
    return found


@for_each("error", unavailable(), ids=lambda error: type(error).__name__)
def test_each_error_of_that_status_is_told_by_the_api_and_the_tools(error: GatewayError) -> None:
    assert error.status == 503
    for answer in (respond_error, lambda error: failure(error, "id")):
        unavailability._last.clear()
        with capture_logs() as logged:
            answer(error)
        [line] = logged
        assert line["reason"] == f"OSError: {error.__cause__}"


def test_without_a_cause_the_log_has_what_is_answered() -> None:
    with capture_logs() as logged:
        log_unavailable(TooManyConnectionsError())
    assert logged[0]["reason"].startswith("There are too many connections to this node")


def test_an_outage_does_not_fill_the_log() -> None:
    with capture_logs() as logged:
        for tenth in range(25):
            log_unavailable(UnavailableError(), now=tenth / 10)
        log_unavailable(NotFoundError(), now=9.0)
    assert [line["more"] for line in logged] == [None, 9, 9]
