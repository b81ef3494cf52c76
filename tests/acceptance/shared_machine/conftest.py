"""One machine of two nodes, with the defaults, for the tests that do it no harm.

Processes that share the tests leave this folder to one of them, so that it is started once.
"""

from collections.abc import Iterator

import pytest

from acceptance.machines import Customer, Installation, Machine, installation

ACCOUNTS = 12


@pytest.fixture(scope="session")
def shared(
    postgres_url: str, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("machines")
    with installation(postgres_url, template_database, folder) as made:
        yield made


@pytest.fixture(scope="session")
def acme(shared: Installation) -> Customer:
    return shared.customer("Acme", ACCOUNTS)


@pytest.fixture(scope="session")
def first(shared: Installation, acme: Customer) -> Iterator[Machine]:
    """A machine of two nodes, to which others come and from which they go."""
    with shared.machine("--nodes", "2") as machine:
        yield machine
