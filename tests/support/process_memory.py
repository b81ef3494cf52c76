"""Memory that processes take, as Linux tells it."""

from pathlib import Path

from processes import list_children


def memory_of(process: int) -> float:
    """MiB that belong to a process: what it shares is divided among those who share it (PSS)."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    [size] = [int(line.split()[1]) for line in lines if line.startswith("Pss:")]
    return size / 1024


def family_of(process: int) -> list[int]:
    """A process, its children and theirs."""
    return [process, *(each for child in list_children(process) for each in family_of(child))]
