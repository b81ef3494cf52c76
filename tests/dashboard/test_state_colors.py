"""A message's state has one color, in badges and charts alike, and no other state has it."""

import re
from pathlib import Path

import pytest

from each_case import for_each
from heliograph.core.messages.model import MessageStatus
from heliograph.faces.dashboard.rendering import badges, charts

STATIC = Path(badges.__file__).parents[1] / "static"
STYLE = (STATIC / "style.css").read_text()
BROWSERS = ("light", "dark")
SHEETS = dict(zip(BROWSERS, re.findall(r"--sheet: (#\w{6});", STYLE), strict=True))


def colors_of(scheme: str) -> dict[str, str]:
    light, dark = STYLE.split("@media (prefers-color-scheme: dark)", 1)
    return dict(re.findall(r"--of-(\w+): (#\w{6});", light if scheme == "light" else dark))


def brightness(color: str) -> float:
    """The relative luminance of WCAG 2."""
    parts = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("scheme", BROWSERS)
def test_each_state_has_a_color_of_its_own_that_can_be_read(scheme: str) -> None:
    colors, sheet = colors_of(scheme), brightness(SHEETS[scheme])
    assert set(colors) == set(charts.STATES) >= set(MessageStatus)
    assert len(set(colors.values())) == len(colors)
    for state, color in colors.items():
        dark, light = sorted((brightness(color), sheet))
        assert (light + 0.05) / (dark + 0.05) > 4.5, state


@for_each("state", charts.STATES)
def test_a_badge_has_the_color_of_the_chart(state: str) -> None:
    assert badges.badge_of("message", state).look == f"in-state of-{state}"
    parts = (STATIC / "components.css").read_text()
    assert f".of-{state} {{ --state: var(--of-{state}); }}" in parts
    assert ".in-state { fill: var(--state); }" in (STATIC / "charts.css").read_text()
