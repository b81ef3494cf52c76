"""The manifests in `deploy/kubernetes` are valid, and fit the program and each other.

No cluster is needed: Kustomize builds them, and the schemas of Kubernetes are in a package.
"""

import json
import re
import subprocess
from functools import cache
from ipaddress import ip_network
from pathlib import Path
from typing import Any, TypeAlias

import kubernetes_validate
import pytest
import yaml  # type: ignore[import-untyped]  # comes without types, and one call of it is needed

from debian_programs import need_program
from deployed import parse, read_settings
from each_case import for_each
from exposed_metrics import exposed_names, named_in
from heliograph.platform.crypto import generate_secret_key
from heliograph.settings import Role
from repository import ROOT

Manifest: TypeAlias = dict[str, Any]
FOLDER = ROOT / "deploy" / "kubernetes"
BUILT = ["base", "example", "example/migration"]
VERSIONS = ["1.30", "1.37"]
SECRET = {
    "HELIOGRAPH_DATABASE_URL": "postgresql://heliograph:0123456789abcdef@database/heliograph",
    "HELIOGRAPH_SECRET_KEYS": generate_secret_key(),
}
OF_OTHERS = {"monitoring.coreos.com/v1"}
"""What the Prometheus operator adds to a cluster. Its schema is in no package."""


@cache
def build(name: str) -> list[Manifest]:
    """What `kubectl apply -k` would send."""
    need_program("kubectl", "kubernetes-client")
    if not _has_components():  # Debian 12: the files as they are, without what Kustomize adds
        return _read_files(FOLDER / name)
    done = subprocess.run(
        ["kubectl", "kustomize", str(FOLDER / name)], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr  # such as warnings of what is deprecated
    return list(yaml.safe_load_all(done.stdout))


@cache
def _has_components() -> bool:
    told = subprocess.run(
        ["kubectl", "version", "--client", "--output", "json"],
        check=True,
        capture_output=True,
        text=True,
    )
    return "kustomizeVersion" in json.loads(told.stdout)


def _read_files(folder: Path) -> list[Manifest]:
    found: list[Manifest] = []
    customization = yaml.safe_load((folder / "kustomization.yaml").read_text())
    for name in customization.get("resources", []) + customization.get("components", []):
        path = folder / name
        found += _read_files(path) if path.is_dir() else list(yaml.safe_load_all(path.read_text()))
    return found


def of_kind(kind: str, name: str = "example") -> list[Manifest]:
    found = [manifest for manifest in build(name) if manifest["kind"] == kind]
    assert found
    return found


def test_nodes_and_their_migrations_have_one_image() -> None:
    images = {
        container["image"]
        for template in pod_templates()
        for container in template["spec"]["containers"]
    }
    assert len(images) == 1


def pod_templates() -> list[Manifest]:
    return [
        manifest["spec"]["template"]
        for manifest in of_kind("Deployment") + of_kind("Job", "example/migration")
    ]


def matches(selector: Manifest, labels: dict[str, str]) -> bool:
    """Whether a label selector of Kubernetes takes something that has these labels."""
    return all(
        labels.get(name) == value for name, value in selector.get("matchLabels", {}).items()
    ) and all(
        expression["operator"] == "In" and labels.get(expression["key"]) in expression["values"]
        for expression in selector.get("matchExpressions", [])
    )


@for_each("version", VERSIONS)
@for_each("name", BUILT)
def test_kubernetes_takes_each_manifest(name: str, version: str) -> None:
    for manifest in build(name):
        if manifest["apiVersion"] not in OF_OTHERS:
            kubernetes_validate.validate(manifest, version, strict=True)


def test_a_manifest_with_an_unknown_field_is_refused() -> None:
    manifest = {**of_kind("Deployment", "base")[0], "replicas": 2}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(manifest, VERSIONS[-1], strict=True)


def test_each_file_is_in_a_customization() -> None:
    for file in FOLDER.rglob("kustomization.yaml"):
        customization = yaml.safe_load(file.read_text())
        named = {"kustomization.yaml", *customization["resources"]}
        for generator in customization.get("configMapGenerator", []):
            named |= set(generator.get("envs", []))
        beside = {"prometheus-adapter.yaml"}  # which is not for Kubernetes, but for a chart
        files = {each.name for each in file.parent.iterdir() if each.is_file()}
        assert files - beside <= named


def test_pods_are_restricted_and_keep_nothing() -> None:
    """What the profile `restricted` asks for, and a root that can't be written."""
    for template in pod_templates():
        pod = template["spec"]
        [container] = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] == 10001  # the image's
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        context = container["securityContext"]
        assert context["allowPrivilegeEscalation"] is False
        assert context["readOnlyRootFilesystem"] is True
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert all("emptyDir" in volume for volume in pod["volumes"])
        mounted = {mount["mountPath"] for mount in container["volumeMounts"]}
        assert mounted == {"/var/lib/heliograph", "/tmp"}


def test_each_role_has_nodes_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    variables = dict(re.findall(r"^(\w+)=(.*)$", read("base/settings.env"), re.MULTILINE)) | SECRET
    roles: list[Role] = []
    for deployment in of_kind("Deployment"):
        command, *options = deployment["spec"]["template"]["spec"]["containers"][0]["args"]
        assert command == "serve"
        settings = read_settings(monkeypatch, variables, roles=parse([command, *options])["roles"])
        assert not settings.is_embedded
        assert settings.server.nodes == 1
        roles += settings.server.roles
    assert sorted(roles) == sorted(Role)


def test_only_the_ingress_controllers_addresses_are_trusted() -> None:
    assert "TRUSTED_PROXIES" not in read("base/settings.env")
    [trusted] = re.findall(r"TRUSTED_PROXIES=(\S+)", read("example/kustomization.yaml"))
    assert ip_network(trusted).prefixlen >= 24  # a pool of a few pods, no cluster's network


def test_the_job_migrates() -> None:
    [job] = of_kind("Job", "example/migration")
    [container] = job["spec"]["template"]["spec"]["containers"]
    parse(container["args"])
    assert container["args"] == ["migrate"]


def test_probes_ask_for_paths_that_nodes_answer() -> None:
    for deployment in of_kind("Deployment"):
        [container] = deployment["spec"]["template"]["spec"]["containers"]
        asked = {name: container[f"{name}Probe"]["httpGet"] for name in ("liveness", "readiness")}
        assert {name: get["path"] for name, get in asked.items()} == {
            "liveness": "/healthz",
            "readiness": "/readyz",
        }
        [port] = container["ports"]
        assert {get["port"] for get in asked.values()} == {port["name"]}


def test_selectors_take_the_pods_that_they_are_for() -> None:
    pods = {
        deployment["metadata"]["name"]: deployment["spec"]["template"]["metadata"]["labels"]
        for deployment in of_kind("Deployment")
    }
    for manifest in of_kind("Deployment") + of_kind("PodDisruptionBudget"):
        taken = [name for name, labels in pods.items() if selects(manifest, labels)]
        assert taken == [manifest["metadata"]["name"]]
    services = {manifest["metadata"]["name"]: manifest for manifest in of_kind("Service")}
    assert [
        name
        for name, labels in pods.items()
        if matches({"matchLabels": services["heliograph"]["spec"]["selector"]}, labels)
    ] == ["heliograph-api"]
    everyone = {"matchLabels": services["heliograph-metrics"]["spec"]["selector"]}
    assert all(matches(everyone, labels) for labels in pods.values())
    [monitor] = of_kind("ServiceMonitor")
    assert selects(monitor, services["heliograph-metrics"]["metadata"]["labels"])
    assert not selects(monitor, services["heliograph"]["metadata"]["labels"])


def selects(manifest: Manifest, labels: dict[str, str]) -> bool:
    return matches(manifest["spec"]["selector"], labels)


def test_policies_keep_the_inside_from_whom_customers_name() -> None:
    """What an endpoint or an XMPP server may be: outside, whatever its port."""
    for role in ("sessions", "deliveries"):
        labels = {"app.kubernetes.io/name": "heliograph", "app.kubernetes.io/component": role}
        policies = [
            manifest
            for manifest in of_kind("NetworkPolicy")
            if matches(manifest["spec"]["podSelector"], labels)
        ]
        every_port = [
            peer["ipBlock"]
            for manifest in policies
            for rule in manifest["spec"].get("egress", [])
            for peer in rule["to"]
            if rule["ports"] == [{"protocol": "TCP"}]
        ]
        assert {block["cidr"] for block in every_port} == {"0.0.0.0/0", "::/0"}
        [inside, inside6] = (set(block["except"]) for block in every_port)
        assert {"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16"} <= inside
        assert {"fc00::/7", "fe80::/10"} <= inside6


def test_autoscalers_scale_by_metrics_that_exist() -> None:
    adapter = yaml.safe_load(read("autoscaling/prometheus-adapter.yaml"))
    provided = {rule["name"]["as"] for rule in adapter["rules"]["external"]}
    for rule in adapter["rules"]["external"]:
        assert named_in(rule["metricsQuery"]) == {rule["seriesQuery"]} <= exposed_names()
    deployments = {manifest["metadata"]["name"] for manifest in of_kind("Deployment")}
    asked = set()
    for scaler in of_kind("HorizontalPodAutoscaler"):
        assert scaler["spec"]["scaleTargetRef"]["name"] in deployments
        [metric] = scaler["spec"]["metrics"]
        if metric["type"] == "External":
            asked.add(metric["external"]["metric"]["name"])
    assert asked == provided


def test_the_secret_of_the_page_has_what_is_asked_for() -> None:
    page = (ROOT / "docs" / "kubernetes.md").read_text()
    given = {name for name, _ in re.findall(r"\b([A-Z_]+)=(\"|\S)", page)}
    [monitor] = of_kind("ServiceMonitor")
    [endpoint] = monitor["spec"]["endpoints"]
    credentials = endpoint["authorization"]["credentials"]
    assert credentials["key"] in given
    assert set(SECRET) <= given
    secrets = {
        source["secretRef"]["name"]
        for template in pod_templates()
        for source in template["spec"]["containers"][0]["envFrom"]
        if "secretRef" in source
    }
    made = set(re.findall(r"secret generic .* (\S+)$", page, re.MULTILINE))
    assert secrets == {credentials["name"]} == made


def read(name: str) -> str:
    return (FOLDER / name).read_text()
