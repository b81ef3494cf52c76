"""Where a run's time went, at its end: by subject, and the tests that took the longest.

A file is run by one process: what its tests take together is at least what the run takes. Seconds
are longer where a machine has much else to do; those of processors are the same there, or nearly.
"""

import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping

import pytest

_LONGEST = 10
_KEY = pytest.StashKey["Spent"]()
_BEGAN = pytest.StashKey[float]()
_PROCESSORS = "seconds of processors"


class Spent:
    """Seconds of each test, its set-up and what is torn down after it included; and the seconds of
    processors. What a program took is known, and counted, when it has ended."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.processors: Counter[str] = Counter()

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid] += report.duration  # type: ignore[assignment]  # a counter of seconds
        for name, took in report.user_properties:
            if name == _PROCESSORS:
                self.processors[report.nodeid] += took  # type: ignore[operator]  # as above


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):  # the process that hears of all tests
        config.stash[_KEY] = Spent()
        config.pluginmanager.register(config.stash[_KEY])


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    item.stash[_BEGAN] = _read_processors()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: "pytest.CallInfo[None]"
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if call.when == "teardown":
        took = _read_processors() - item.stash[_BEGAN]
        report.user_properties.append((_PROCESSORS, took))
    return report


def _read_processors() -> float:
    """What this process has taken, and those that it has started and waited for."""
    return sum(os.times()[:4])


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Show it for a run of several subjects."""
    spent = config.stash[_KEY]
    lines = list(show(spent.seconds, spent.processors))
    if lines:
        terminalreporter.section("time spent")
    for line in lines:
        terminalreporter.write_line(line)


def show(seconds: Mapping[str, float], processors: Mapping[str, float]) -> Iterator[str]:
    """The lines to print, none for the tests of one subject."""
    tests = Counter(map(_subject, seconds))
    if len(tests) < 2:
        return
    subjects, on_processors = _add_up(seconds, _subject), _add_up(processors, _subject)
    yield f"{'seconds':>8} {'processors':>10} {'tests':>6}  subject"
    for subject, took in subjects.most_common():
        yield f"{took:8.1f} {on_processors[subject]:10.1f} {tests[subject]:6}  {subject}"
    told = f"{sum(subjects.values()):8.1f} {sum(on_processors.values()):10.1f} {tests.total():6}"
    yield f"{told}  all, in all processes together"
    for title, name in (("file", _file), ("test", str)):
        yield ""
        yield f"{'seconds':>8} {'processors':>10}  the longest: {title}"
        on_processors = _add_up(processors, name)
        for each, took in _add_up(seconds, name).most_common(_LONGEST):
            yield f"{took:8.1f} {on_processors[each]:10.1f}  {each}"


def _add_up(taken: Mapping[str, float], name: Callable[[str], str]) -> Counter[str]:
    """By what each test has to do with."""
    added = Counter[str]()
    for test, took in taken.items():
        added[name(test)] += took  # type: ignore[assignment]  # a counter of seconds
    return added


def _file(test: str) -> str:
    return test.partition("::")[0]


def _subject(test: str) -> str:
    """The folder under tests/ that a test belongs to."""
    return test.removeprefix("tests/").partition("/")[0]
