"""`doctor` says what a Python that was built without optimizations costs."""

import sys
import sysconfig
from pathlib import Path

import pytest

from each_case import for_each
from heliograph.core.health.machine import check_machine, is_optimized
from heliograph.core.health.model import CheckStatus
from heliograph.settings import DataSettings, Settings


@for_each(
    ("configured_with", "prefix", "expected"),
    [
        pytest.param("'--prefix=/root/.pyenv/x' '--enable-shared'", "/root/x", False, id="pyenv"),
        pytest.param("'--enable-optimizations' '--with-lto'", "/root/x", True, id="uv and Docker"),
        pytest.param("'--prefix=/usr' '--enable-shared'", "/usr", True, id="Debian"),
        pytest.param("", "/opt/python", False, id="nobody knows"),
    ],
)
def test_how_it_was_built_is_told_by_its_configuration(
    configured_with: str, prefix: str, expected: bool
) -> None:
    assert is_optimized(configured_with, prefix) is expected


@pytest.mark.parametrize("optimized", [True, False])
def test_doctor_says_so_and_finds_nothing_wrong(
    optimized: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = "'--enable-optimizations'" if optimized else "''"
    monkeypatch.setattr(sysconfig, "get_config_var", lambda _: arguments)
    monkeypatch.setattr(sys, "base_prefix", "/opt/python")
    [check] = [
        check
        for check in check_machine(Settings(data=DataSettings(dir=tmp_path)))
        if check.name == "Python"
    ]
    assert check.status is CheckStatus.OK
    assert ("without optimizations" in check.detail) is not optimized
