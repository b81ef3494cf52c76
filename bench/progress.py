"""Progress bars of the measures."""

from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

Track = Callable[[str, int], Callable[[int], None]]
"""Shows a bar of this title and total; what it returns moves the bar on by so many."""


def progress_bars(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        refresh_per_second=4,
    )


def one_at_a_time(progress: Progress) -> Track:
    """Show one bar at a time: the next one replaces the one before."""

    def track(title: str, total: int) -> Callable[[int], None]:
        for shown in progress.task_ids:
            progress.remove_task(shown)
        task = progress.add_task(title, total=total)

        def move(count: int) -> None:
            if task in progress.task_ids:
                progress.advance(task, count)

        return move

    return track
