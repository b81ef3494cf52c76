"""A real Prometheus of a test's own, on loopback and a free port."""

import json
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml  # type: ignore[import-untyped]  # comes without types, and two calls of it are needed

from debian_programs import need_program
from free_ports import free_port
from processes import running
from waiting import wait_until


@dataclass(frozen=True)
class PrometheusServer:
    url: str

    def is_ready(self) -> bool:
        with suppress(httpx.TransportError):
            return httpx.get(f"{self.url}/-/ready", timeout=5).is_success
        return False

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Every series of an instant query's answer. Raises `httpx.HTTPStatusError` if Prometheus
        refuses the expression."""
        answer = httpx.get(f"{self.url}/api/v1/query", params={"query": expression}, timeout=30)
        return list(answer.raise_for_status().json()["data"]["result"])

    def query_range(self, expression: str, began: float, ended: float) -> list[dict[str, Any]]:
        """Every series of an expression between two times (Unix), a value for each second."""
        parameters: dict[str, Any] = {"query": expression, "start": began, "end": ended, "step": 1}
        answer = httpx.get(f"{self.url}/api/v1/query_range", params=parameters, timeout=30)
        return list(answer.raise_for_status().json()["data"]["result"])

    def firing(self) -> set[str]:
        """The names of the alerts that fire now."""
        alerts = httpx.get(f"{self.url}/api/v1/alerts", timeout=30).json()["data"]["alerts"]
        return {alert["labels"]["alertname"] for alert in alerts if alert["state"] == "firing"}


@contextmanager
def running_prometheus(ports: Sequence[int], rules: Path) -> Iterator[PrometheusServer]:
    """One that scrapes these ports every second, and whose alerts wait for nothing."""
    need_program("prometheus", "prometheus")
    with tempfile.TemporaryDirectory() as name:
        folder, port = Path(name), free_port()
        (folder / "rules.yaml").write_text(json.dumps(_without_waiting(rules)))
        (folder / "prometheus.yaml").write_text(json.dumps(_configuration(ports)))
        server = PrometheusServer(f"http://127.0.0.1:{port}")
        command = [
            "prometheus",
            f"--config.file={folder / 'prometheus.yaml'}",
            f"--storage.tsdb.path={folder / 'data'}",
            f"--web.listen-address=127.0.0.1:{port}",
        ]
        with running(command):
            wait_until(server.is_ready)
            yield server


def _configuration(ports: Sequence[int]) -> dict[str, Any]:
    targets = [f"127.0.0.1:{port}" for port in ports]
    return {
        "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
        "rule_files": ["rules.yaml"],
        "scrape_configs": [{"job_name": "heliograph", "static_configs": [{"targets": targets}]}],
    }


def _without_waiting(rules: Path) -> dict[str, Any]:
    """The rules with `for: 0s`: how long they wait is tested apart."""
    content = dict(yaml.safe_load(rules.read_text()))
    for group in content["groups"]:
        group["rules"] = [rule | {"for": "0s"} for rule in group["rules"]]
    return content
