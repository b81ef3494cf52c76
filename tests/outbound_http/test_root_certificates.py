"""Root certificates are read from the bundle alone, where the folder beside it says the same."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import trustme

from debian_programs import need_program
from heliograph.platform.outbound_http.certificates import (
    BUNDLES,
    FILE_VARIABLE,
    FOLDER_VARIABLE,
    prefer_bundle,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems have other stores")


def certificate() -> bytes:
    return trustme.CA().cert_pem.bytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bundle of two, and each of them in a file, with a link to it by another name."""
    made = tmp_path / "certs"
    made.mkdir()
    one, two = certificate(), certificate()
    (made / "bundle.crt").write_bytes(b"# comment\n" + one + two)
    (made / "one.pem").write_bytes(one.replace(b"\n", b"\r\n"))
    (made / "two.pem").write_bytes(two)
    (made / "5ed36f99.0").symlink_to("two.pem")
    (made / "gone.0").symlink_to("nowhere")
    return made


def chosen(folder: Path, **environment: str) -> dict[str, str]:
    prefer_bundle(environment, [folder / "none", folder / "bundle.crt"], folder)
    return environment


def test_the_bundle_is_enough_where_it_has_them_all(folder: Path) -> None:
    found = chosen(folder)
    assert found[FILE_VARIABLE] == str(folder / "bundle.crt")
    assert not Path(found[FOLDER_VARIABLE]).exists()


def test_one_that_was_added_to_the_folder_alone_stays_trusted(folder: Path) -> None:
    (folder / "own.pem").write_bytes(certificate())
    assert chosen(folder) == {}


def test_what_an_operator_has_set_stays(folder: Path) -> None:
    for variable in (FILE_VARIABLE, FOLDER_VARIABLE):
        assert chosen(folder, **{variable: "/own"}) == {variable: "/own"}


def test_without_a_bundle_nothing_changes(tmp_path: Path) -> None:
    environment: dict[str, str] = {}
    prefer_bundle(environment, [tmp_path / "none"], tmp_path)
    assert environment == {}


SET = (FILE_VARIABLE, FOLDER_VARIABLE)
_MAKE = """
import sys
from pathlib import Path
from heliograph.platform.outbound_http.addresses import AddressPolicy
from heliograph.platform.outbound_http.certificates import prefer_bundle
from heliograph.platform.outbound_http.clients import Clients, _Endpoint
from heliograph.platform.outbound_http.targets import check_url

prefer_bundle(folder=Path(sys.argv[2]))
print("begun", flush=True)
target = check_url(sys.argv[1], AddressPolicy.NONE)
Clients(8, None)._build(_Endpoint.of(target, "127.0.0.1"))
"""


@pytest.mark.skipif(not BUNDLES[0].is_file(), reason="needs the certificates of Debian's kind")
@pytest.mark.parametrize(("url", "most"), [("https://h.example/", 2), ("http://h.example/", 0)])
def test_a_new_pool_opens_no_more_files_than_it_needs(tmp_path: Path, url: str, most: int) -> None:
    need_program("strace", "strace")
    trace = tmp_path / "trace"
    subprocess.run(
        [
            *("strace", "-f", "-qq", "-e", "trace=openat,write", "-o", str(trace)),
            # the machine's folder may have one of its own, such as Debian's package ssl-cert makes
            *(sys.executable, "-c", _MAKE, url, str(tmp_path)),
        ],
        check=True,
        capture_output=True,
        timeout=100,
        env={name: text for name, text in os.environ.items() if name not in SET},
    )
    after = trace.read_text().partition('"begun')[2]
    assert after
    assert len([line for line in after.splitlines() if "/ssl/" in line]) <= most
