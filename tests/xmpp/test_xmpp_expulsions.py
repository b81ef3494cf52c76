"""Why a group has put the account out, in a sentence for a person."""

import xml.etree.ElementTree as ET

import pytest

from each_case import for_each
from heliograph.networks.xmpp.expulsions import why_put_out, why_refused

ITEM = "<item affiliation='none' role='none'>{}</item>"
BY_BO = "<actor nick='Bo' jid='bo@example.org'/><reason>Singing flat</reason>"


def why(inner: str, *codes: str) -> str | None:
    user = ET.fromstring(  # noqa: S314 - our own
        f"<x xmlns='http://jabber.org/protocol/muc#user'>{inner}</x>"
    )
    return why_put_out(user, {*codes, "110"})


@for_each(
    ("inner", "code", "sentence"),
    [
        (ITEM.format(""), "301", "The account was banned from this group."),
        (
            ITEM.format(BY_BO),
            "301",
            "The account was banned from this group (by Bo). Reason: Singing flat",
        ),
        (
            ITEM.format("<actor jid='bo@example.org'/>"),
            "307",
            "The account was removed from this group (by bo@example.org).",
        ),
        ("", "321", "The account is no longer a member of this group."),
        (ITEM.format(""), "322", "This group is now for members only, and the account is not one."),
        ("<destroy/>", "110", "This group was closed."),
        (
            "<destroy jid='choir@rooms.example.org'><reason>Too small</reason></destroy>",
            "110",
            "This group was closed. It continues as choir@rooms.example.org. Reason: Too small",
        ),
    ],
)
def test_who_is_put_out_is_told_by_whom_and_why(inner: str, code: str, sentence: str) -> None:
    assert why(inner, code) == sentence


@pytest.mark.parametrize("codes", [(), ("332",), ("307", "333")])
def test_who_leaves_or_is_cut_off_by_a_failure_may_come_back(codes: tuple[str, ...]) -> None:
    assert why(ITEM.format(BY_BO), *codes) is None


def test_a_group_that_is_only_full_is_not_closed_to_the_account() -> None:
    assert why_refused("service-unavailable") is None
    assert why_refused("forbidden") == "The account was banned from this group."
