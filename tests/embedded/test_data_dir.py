"""What is in a data directory, and what becomes of it."""

from pathlib import Path

import pytest

from heliograph.platform.files.data_dir import load_secret_key, read_secret_key
from heliograph.platform.files.private import DataDirError


def test_the_secret_key_is_made_once(tmp_path: Path) -> None:
    made = load_secret_key(tmp_path)
    assert load_secret_key(tmp_path) == read_secret_key(tmp_path) == made


@pytest.mark.parametrize("content", [b"", b"half", b"\xff\x00" * 22])
def test_a_damaged_secret_key_is_named_and_not_shown(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "secret.key"
    path.write_bytes(content)
    with pytest.raises(DataDirError, match="Restore it from a backup") as refused:
        load_secret_key(tmp_path)
    assert str(path) in str(refused.value)
    assert "half" not in str(refused.value)
    assert path.read_bytes() == content
