"""Where a run's time went, at its end: by subject, and the tests that took the longest.

A file is run by one process: what its tests take together is at least what the run takes.
"""

from collections import Counter
from collections.abc import Iterator, Mapping

import pytest

_LONGEST = 10
_KEY = pytest.StashKey["Spent"]()


class Spent:
    """Seconds of each test, its set-up and what is torn down after it included."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration  # type: ignore[assignment]  # a counter of seconds


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the process that hears of all tests
        config.stash[_KEY] = Spent()
        config.pluginmanager.register(config.stash[_KEY])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Show it for a run of several subjects."""
    lines = list(show(config.stash[_KEY].seconds))
    if lines:
        terminalreporter.section("time spent")
    for line in lines:
        terminalreporter.write_line(line)


def show(seconds: Mapping[str, float]) -> Iterator[str]:
    """The lines to print, none for the tests of one subject."""
    subjects, files, tests = Counter[str](), Counter[str](), Counter[str]()
    for test, took in seconds.items():
        subjects[_subject(test)] += took  # type: ignore[assignment]  # as above
        files[test.partition("::")[0]] += took  # type: ignore[assignment]  # as above
        tests[_subject(test)] += 1
    if len(subjects) < 2:
        return
    yield f"{'seconds':>8} {'tests':>6}  subject"
    for subject, took in subjects.most_common():
        yield f"{took:8.1f} {tests[subject]:6}  {subject}"
    yield f"{sum(subjects.values()):8.1f} {tests.total():6}  all, in all processes together"
    for title, found in (("file", files), ("test", Counter(seconds))):
        yield ""
        yield f"{'seconds':>8}  the longest: {title}"
        for name, took in found.most_common(_LONGEST):
            yield f"{took:8.1f}  {name}"


def _subject(test: str) -> str:
    """The folder under tests/ that a test belongs to."""
    return test.removeprefix("tests/").partition("/")[0]
