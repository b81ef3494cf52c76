"""Whose certificates are believed."""

import ssl
from pathlib import Path

import pytest
import trustme

from heliograph.platform.outbound_http.certificates import make_context


def certificate() -> bytes:
    return trustme.CA().cert_pem.bytes()


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """The bundle of a system whose administrator has added a certificate."""
    made = tmp_path / "bundle.crt"
    made.write_bytes(b"# comment\n" + certificate() + certificate())
    return made


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Python that looks for certificates where this system has none."""
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    monkeypatch.setattr(ssl.SSLContext, "load_default_certs", lambda *_: None)


def count_trusted(context: ssl.SSLContext) -> int:
    return len(context.get_ca_certs())


@pytest.mark.usefixtures("elsewhere")
def test_the_systems_bundle_is_found_where_python_does_not_look(
    bundle: Path, tmp_path: Path
) -> None:
    assert count_trusted(make_context(bundles=[tmp_path / "none", bundle])) == 2


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_nobody_is_trusted_besides_those_whom_an_operator_names(
    bundle: Path, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "/nonexistent")
    assert count_trusted(make_context(bundles=[bundle])) == 0


def test_the_file_that_an_operator_names_is_read(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(bundle))
    assert count_trusted(make_context(bundles=[])) == 2


@pytest.mark.usefixtures("elsewhere")
def test_certificates_that_are_given_are_trusted_besides(bundle: Path) -> None:
    assert count_trusted(make_context(certificate(), bundles=[bundle])) == 3


def test_names_and_certificates_are_checked() -> None:
    context = make_context()
    assert context.check_hostname
    assert context.verify_mode is ssl.CERT_REQUIRED
