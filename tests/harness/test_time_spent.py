"""The table at the end of a run."""

from time_spent import show


def test_subjects_files_and_tests_come_with_the_longest_first() -> None:
    short, long = "tests/inbox/test_a.py::test_it", "tests/api/test_b.py::test_that[é]"
    lines = list(show({short: 1.5, long: 20.25}, {short: 0.25, long: 4.5}))
    assert lines[1:3] == ["    20.2        4.5      1  api", "     1.5        0.2      1  inbox"]
    assert lines[3].endswith("all, in all processes together")
    assert "    20.2        4.5  tests/api/test_b.py" in lines
    assert lines[-1] == "     1.5        0.2  tests/inbox/test_a.py::test_it"


def test_the_tests_of_one_subject_need_no_table() -> None:
    assert list(show({"tests/inbox/test_a.py::test_it": 1.5}, {})) == []
