"""The reference at `/docs` in a real browser."""

import json
from typing import Literal
from urllib.parse import urlsplit

import httpx
import pytest

from browser import SLOWEST, running_browser
from each_case import for_each
from heliograph.faces.api.app import list_operations
from heliograph.faces.api.openapi import read_description
from live_gateway import LiveGateway

pytest_plugins = ("live_fixtures",)
DEVICES = "#operations-Devices-listDevices"
RECORD_WHAT_IS_RESOLVED = """
window.resolvedLengths = [];
const record = () => ({
  afterLoad({fn}) {
    const {resolveSubtree} = fn;
    fn.resolveSubtree = (description, ...more) => {
      resolvedLengths.push(JSON.stringify(description).length);
      return resolveSubtree(description, ...more);
    };
  },
});
let bundle;
Object.defineProperty(window, "SwaggerUIBundle", {
  get: () => (options) => bundle({...options, plugins: [record, ...options.plugins ?? []]}),
  set(value) { bundle = value; },
});
"""
"""Keeps how much of the description Swagger UI goes through for each part that it shows."""


RECORD_VIOLATIONS = """
window.violations = [];
addEventListener("securitypolicyviolation", ({violatedDirective, blockedURI, sourceFile}) =>
  violations.push([violatedDirective, blockedURI, sourceFile]));
"""


def test_trying_out_asks_the_address_that_the_page_is_from(gateway: LiveGateway) -> None:
    """The description names the public URL, and the page's policy allows its own address alone."""
    with running_browser() as browser:
        page = browser.new_page()
        page.set_default_timeout(SLOWEST)
        page.goto(f"http://localhost:{gateway.port}/docs")
        page.click(f"{DEVICES} button.opblock-summary-control")
        with page.expect_response("**/api/v1/devices*") as answered:
            page.click(f"{DEVICES} .execute")
        assert answered.value.url.startswith(f"http://localhost:{gateway.port}/api/v1/devices")
        assert answered.value.status == 401
        assert page.locator(".opblock").count() == len(list_operations()) + len(
            read_description()["webhooks"]
        )


def test_an_operation_is_shown_without_going_through_all_others(gateway: LiveGateway) -> None:
    """Swagger UI resolves the whole description for each, which takes it seconds."""
    with running_browser() as browser:
        page = browser.new_page()
        page.set_default_timeout(SLOWEST)
        page.add_init_script(RECORD_WHAT_IS_RESOLVED)
        page.goto(f"http://localhost:{gateway.port}/docs")
        page.click("#operations-Devices-createDevice button.opblock-summary-control")
        page.wait_for_selector("#operations-Devices-createDevice .execute")
        assert "session_name" in page.input_value("#operations-Devices-createDevice textarea")
        assert page.locator(".errors-wrapper").count() == 0
        lengths = page.evaluate("resolvedLengths")
    whole = len(json.dumps(read_description()))
    assert lengths
    assert max(lengths) < whole / 10


@for_each(
    "path",
    ["/docs", "/docs/swagger-ui.css", "/docs/look.css", "/docs/start.js", "/openapi.json"],
)
def test_who_checks_whether_it_is_there_need_not_read_it(gateway: LiveGateway, path: str) -> None:
    read, asked = (
        httpx.request(method, gateway.base_url + path, timeout=60) for method in ("GET", "HEAD")
    )
    assert (asked.status_code, asked.content) == (200, b"")
    for name in ("content-type", "content-length"):
        assert asked.headers[name] == read.headers[name]


def test_the_page_needs_no_inline_script_and_no_inline_style(gateway: LiveGateway) -> None:
    with running_browser() as browser:
        page = browser.new_page()
        page.set_default_timeout(SLOWEST)
        page.add_init_script(RECORD_VIOLATIONS)
        answer = page.goto(f"http://localhost:{gateway.port}/docs")
        assert answer is not None
        assert "unsafe" not in answer.headers["content-security-policy"]
        for shown in (
            "#operations-Messages-sendMessage",
            "#operations-Devices-createDevice",
            DEVICES,
        ):
            page.click(f"{shown} button.opblock-summary-control")
            page.wait_for_selector(f"{shown} .execute")
        page.click(f"{DEVICES} .execute")
        page.wait_for_selector(f"{DEVICES} .live-responses-table")
        page.locator(".model-box-control, .json-schema-2020-12-accordion").first.click()
        page.locator("button.authorize").first.click()
        page.wait_for_selector(".dialog-ux .modal-ux")
        assert page.evaluate("violations") == []


@pytest.mark.parametrize(("scheme", "ground"), [("light", (247, 246, 243)), ("dark", (19, 18, 16))])
def test_the_page_has_the_dashboards_look_and_nothing_from_elsewhere(
    gateway: LiveGateway, scheme: Literal["light", "dark"], ground: tuple[int, int, int]
) -> None:
    with running_browser() as browser:
        context = browser.new_context(color_scheme=scheme, viewport={"width": 390, "height": 800})
        page = context.new_page()
        page.set_default_timeout(SLOWEST)
        asked, complaints = list[str](), list[str]()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(f"http://localhost:{gateway.port}/docs")
        page.click(f"{DEVICES} button.opblock-summary-control")
        page.wait_for_selector(f"{DEVICES} .execute")
        shown = page.evaluate("getComputedStyle(document.querySelector('.swagger-ui')).background")
        assert f"rgb{ground}" in shown
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.get_by_role("heading", name="Webhooks", exact=True).count() == 1
    assert complaints == []
    assert asked
    assert {urlsplit(url).port for url in asked if not url.startswith("data:")} == {gateway.port}
