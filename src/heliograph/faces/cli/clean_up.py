"""`heliograph clean-up`: delete what is too old, now."""

import asyncio
from collections import Counter

from rich.progress import Progress as ProgressBar

from heliograph.app.bootstrap import open_services
from heliograph.core.upkeep.retention import Progress
from heliograph.faces.cli.organizations import JsonOption
from heliograph.faces.cli.output import Screen, print_json, print_table


def clean_up(as_json: JsonOption = False) -> None:
    """Delete what is too old, as one node does each night, and say how much that was."""
    deleted = asyncio.run(_clean_up())
    if as_json:
        print_json(deleted)
        return
    rows = [(kind.replace("_", " "), f"{count:,}") for kind, count in deleted.items()]
    print_table(("what", "deleted"), rows, empty="There is no organization yet.")


async def _clean_up() -> Counter[str]:
    with ProgressBar(console=Screen(stderr=True), transient=True) as bar:
        task = bar.add_task("Organizations", total=None)

        def show(progress: Progress) -> None:
            bar.update(task, completed=progress.done, total=progress.total)

        async with open_services() as gateway:
            return await gateway.retention.clean_up_now(show)
