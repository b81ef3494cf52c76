"""Members: invited by address, as what the inviting may give; an owner always stays."""

import asyncio
import re
from datetime import timedelta
from urllib.parse import urlsplit

import pytest

from dashboard_scene import COOKIE, ISSUER, DashboardScene, Person, path_of
from dashboard_scene import scene as scene
from heliograph.core.members.model import MemberRole
from heliograph.core.tenants.model import Organization, operator
from heliograph.platform.oidc.claims import Identity


async def roles(scene: DashboardScene, organization: Organization) -> dict[str, str]:
    members = await scene.gateway.members.list_members(operator(organization.tenant))
    return {member.name: str(member.role) for member in members}


async def invite(scene: DashboardScene, by: Person, acme: Organization, email: str) -> str:
    """The link's path and query, as the page shows it."""
    answer = await by.post(path_of(acme, "members/invite"), email=email, role="agent")
    assert answer.status_code == 303
    [invitation] = await scene.gateway.members.list_invitations(operator(acme.tenant))
    link = scene.gateway.members.link(invitation)
    assert link.replace("&", "&amp;") in (await by.get(path_of(acme, "members"))).text
    parts = urlsplit(link)
    return f"{parts.path}?{parts.query}"


async def test_somebody_is_invited_and_accepts(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    link = await invite(scene, ada, acme, " Bob@Example.com ")
    bob = await scene.person("bob")
    assert "Join Acme" in (await bob.get(link)).text

    answer = await bob.post(link)

    assert answer.headers["location"] == path_of(acme, "inbox")
    assert await roles(scene, acme) == {"Ada": "admin", "Bob": "agent"}
    assert (await scene.actions(acme))[:3] == ["member_added", "signed_in", "member_invited"]
    assert (await (await scene.person("mallory")).get(link)).status_code == 404, "used up"


async def stranger(scene: DashboardScene, name: str) -> Person:
    """Somebody for whose address no provider vouches."""
    identity = Identity(ISSUER, name, None, name.title())
    user, token = await scene.gateway.browser_sessions.begin(identity)
    browser = scene.browser()
    browser.cookies.set(COOKIE, token)
    return Person(user, token, browser)


async def make_code(scene: DashboardScene, by: Person, acme: Organization) -> str:
    """The code, as the page shows it this once."""
    [invitation] = await scene.gateway.members.list_invitations(operator(acme.tenant))
    path = path_of(acme, f"members/invitations/{invitation.id}/code")
    answer = await by.post(path)
    assert answer.status_code == 200
    [code] = re.findall(r'value="((?:[A-Z0-9]{4}-){3}[A-Z0-9]{4})"', answer.text)
    return str(code)


async def test_somebody_without_an_address_accepts_with_a_code_that_works_once(
    scene: DashboardScene,
) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    link = await invite(scene, ada, acme, "bob@example.com")
    code = await make_code(scene, ada, acme)
    bob, eve = await stranger(scene, "bob"), await stranger(scene, "eve")
    page = " ".join((await bob.get(link)).text.split())
    assert "does not confirm your e-mail address, so accept with a code" in page
    assert "Ada gets one on the page Members" in page

    bare = await bob.post(link)
    wrong = await bob.post(link, code="AAAA-AAAA-AAAA-AAAA")
    assert (bare.status_code, wrong.status_code) == (422, 422)
    assert "This code is wrong" in wrong.text
    typed = f" {code.lower().replace('-', ' ')} "
    assert (await bob.post(link, code=typed)).headers["location"] == path_of(acme, "inbox")
    assert await roles(scene, acme) == {"Ada": "admin", "Bob": "agent"}
    assert (await eve.post(link, code=code)).status_code == 404
    assert (await scene.actions(acme))[:4] == [
        "member_added",
        "signed_in",
        "invitation_code_made",
        "member_invited",
    ]
    assert "by code" in (await ada.get(path_of(acme, "audit"))).text


async def test_of_many_who_have_the_code_one_joins(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    link = await invite(scene, ada, acme, "bob@example.com")
    code = await make_code(scene, ada, acme)
    people = [await stranger(scene, f"p{number}") for number in range(6)]
    answers = await asyncio.gather(*[person.post(link, code=code) for person in people])
    assert sorted(answer.status_code for answer in answers) == [303, *[404] * 5]
    assert len(await roles(scene, acme)) == 2


async def test_a_code_is_kept_as_a_hash_and_ends_with_a_newer_one_or_its_invitation(
    scene: DashboardScene,
) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    bob = await stranger(scene, "bob")
    link = await invite(scene, ada, acme, "bob@example.com")
    first, second = await make_code(scene, ada, acme), await make_code(scene, ada, acme)
    [row] = await scene.rows("SELECT code_hash FROM invitations")
    assert len(row["code_hash"]) == 32
    assert (await bob.post(link, code=first)).status_code == 422
    again = await invite(scene, ada, acme, "bob@example.com")
    assert (await bob.post(link, code=second)).status_code == 404
    assert (await bob.post(again, code=second)).status_code == 422
    third = await make_code(scene, ada, acme)
    await scene.rows("UPDATE invitations SET expires_at = now() - interval '1 second'")
    assert (await bob.post(again, code=third)).status_code == 404


async def test_nobody_tries_many_codes_and_others_are_not_kept_waiting(
    scene: DashboardScene,
) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    link = await invite(scene, ada, acme, "bob@example.com")
    code = await make_code(scene, ada, acme)
    eve, bob = await stranger(scene, "eve"), await stranger(scene, "bob")
    tried = [(await eve.post(link, code="AAAA")).status_code for _ in range(12)]
    assert tried == [422] * 10 + [429] * 2
    refused = await eve.post(link, code=code)
    assert (refused.status_code, "retry-after" in refused.headers) == (429, True)
    assert (await bob.post(link, code=code)).status_code == 303


async def test_who_may_not_invite_an_owner_makes_no_code_for_one(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    agent = await scene.member("agnes", acme, MemberRole.AGENT)
    members = scene.gateway.members
    invited = await members.invite(operator(acme.tenant), "bob@example.com", MemberRole.OWNER)
    path = path_of(acme, f"members/invitations/{invited.id}/code")
    for person in (ada, agent):
        assert (await person.post(path)).status_code == 403
        assert path not in (await person.get(path_of(acme, "members"))).text
    assert (await scene.rows("SELECT code_hash FROM invitations")) == [{"code_hash": None}]
    globex = await scene.organization("Globex")
    other = await scene.member("otto", globex, MemberRole.OWNER)
    elsewhere = path_of(globex, f"members/invitations/{invited.id}/code")
    assert (await other.post(elsewhere)).status_code == 404


async def test_who_opens_the_link_again_is_led_to_the_organization(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.ADMIN)
    link = await invite(scene, ada, acme, "bob@example.com")
    bob = await scene.person("bob")
    await bob.post(link)
    for again in (await bob.get(link), await bob.post(link)):
        assert again.headers["location"] == path_of(acme, "inbox?done=member-already")
    said = (await bob.get(path_of(acme, "inbox?done=member-already"))).text
    assert "You have already joined this organization." in said
    signed_out = await scene.browser().get(link)
    assert "sign-in?next=%2Fdashboard%2Finvitations" in signed_out.headers["location"]
    assert (await scene.browser().get(link[:-4])).status_code == 404


async def test_the_operator_and_people_invite_in_a_sentence(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    members = scene.gateway.members
    invited = await members.invite(operator(acme.tenant), "bob@example.com", MemberRole.OWNER)
    said = "The operator has invited {} to be an owner."

    async def read(person: Person) -> str:
        return " ".join((await person.get(members.link(invited))).text.split())

    bob, mallory = await scene.person("bob"), await scene.person("mallory")
    assert said.format("you, <strong>bob@example.com</strong>,") in await read(bob)
    assert said.format("<strong>bob@example.com</strong>") in await read(mallory)
    ada = await scene.member("ada", acme, MemberRole.ADMIN)
    page = (await ada.get(path_of(acme, "members"))).text
    assert "as owner, invited by the operator;" in page


async def test_a_member_is_not_invited(scene: DashboardScene) -> None:
    acme, other = await scene.organization("Acme"), await scene.organization("Other")
    ada = await scene.member("ada", acme, MemberRole.ADMIN)
    bob = await scene.member("bob", acme, MemberRole.VIEWER)
    answer = await ada.post(path_of(acme, "members/invite"), email="Bob@example.com", role="admin")
    assert answer.status_code == 422
    assert (
        "bob@example.com is a member already, as viewer. "
        "Change the role on the page Members of the dashboard." in answer.text
    )
    assert await scene.gateway.members.list_invitations(operator(acme.tenant)) == []
    await scene.join(bob, other, MemberRole.OWNER)


async def test_a_member_of_a_former_provider_is_invited(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    await scene.member("bob", acme, MemberRole.OWNER)
    await scene.rows("UPDATE users SET issuer = 'https://old.example.com' WHERE name = 'Bob'")
    link = await invite(scene, ada, acme, "bob@example.com")
    bob = await scene.person("bob")
    assert (await bob.post(link)).headers["location"] == path_of(acme, "inbox")


async def test_who_has_joined_otherwise_is_told_that_the_role_stays(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    link = await invite(scene, ada, acme, "carol@example.com")
    bob = await scene.member("bob", acme, MemberRole.VIEWER)
    await scene.rows("UPDATE users SET email = 'carol@example.com' WHERE name = 'Bob'")
    answer = await bob.post(link)
    page = (await bob.get(answer.headers["location"])).text
    assert "You are already a member of this organization; your role is unchanged." in page
    assert (await roles(scene, acme))["Bob"] == "viewer"


async def test_an_invitation_is_for_one_address_alone(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    link = await invite(scene, ada, acme, "bob@example.com")
    mallory = await scene.person("mallory")
    assert "signed in as <strong>mallory@example.com<" in (await mallory.get(link)).text
    assert (await mallory.post(link)).status_code == 422
    assert await roles(scene, acme) == {"Ada": "owner"}


async def test_who_has_not_signed_in_comes_back_to_the_invitation(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    link = await invite(scene, ada, acme, "bob@example.com")
    page = await scene.browser().get(link)
    assert "Sign in to accept" in page.text
    assert "next=%2Fdashboard%2Finvitations" in page.text
    assert (await scene.browser().post(link)).status_code == 303


async def test_a_changed_an_old_and_a_revoked_link_are_none(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    link = await invite(scene, ada, acme, "bob@example.com")
    bob = await scene.person("bob")
    assert (await bob.get(link[:-1] + ("A" if link[-1] != "A" else "B"))).status_code == 404
    [invitation] = await scene.gateway.members.list_invitations(operator(acme.tenant))
    path = path_of(acme, f"members/invitations/{invitation.id}/revoke")
    assert (await ada.post(path)).status_code == 303
    assert (await bob.get(link)).status_code == 404
    assert (await ada.post(path)).status_code == 404
    assert (await scene.actions(acme))[0] == "invitation_revoked"


async def test_an_invitation_lasts_for_a_week(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    link = await invite(scene, ada, acme, "bob@example.com")
    week = timedelta(days=7).total_seconds()
    scene.gateway.database.clock.set_offset(scene.gateway.database.clock.offset + week + 1)
    bob = await scene.person("bob")
    assert (await bob.get(link)).status_code == 404


async def test_an_admin_neither_makes_nor_unmakes_owners(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    bob = await scene.member("bob", acme, MemberRole.ADMIN)
    for path, form in (
        ("members/invite", {"email": "eve@example.com", "role": "owner"}),
        (f"members/{bob.user.id}/role", {"role": "owner"}),
        (f"members/{ada.user.id}/role", {"role": "viewer"}),
        (f"members/{ada.user.id}/remove", {}),
    ):
        assert (await bob.post(path_of(acme, path), **form)).status_code == 403, path
    assert await roles(scene, acme) == {"Ada": "owner", "Bob": "admin"}


async def test_the_last_owner_stays(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    for path, form in (
        ("members/leave", {}),
        (f"members/{ada.user.id}/role", {"role": "admin"}),
        (f"members/{ada.user.id}/remove", {}),
    ):
        answer = await ada.post(path_of(acme, path), **form)
        assert (answer.status_code, "needs an owner" in answer.text) == (422, True), path
    bob = await scene.member("bob", acme, MemberRole.ADMIN)
    await ada.post(path_of(acme, f"members/{bob.user.id}/role"), role="owner")
    assert (await ada.post(path_of(acme, "members/leave"))).status_code == 303
    assert await roles(scene, acme) == {"Bob": "owner"}


async def test_two_owners_who_leave_at_once_leave_one(scene: DashboardScene) -> None:
    acme = await scene.organization("Acme")
    people = [await scene.member(name, acme, MemberRole.OWNER) for name in ("ada", "bob")]
    answers = await asyncio.gather(
        *(person.post(path_of(acme, "members/leave")) for person in people)
    )
    assert sorted(answer.status_code for answer in answers) == [303, 422]
    assert len(await roles(scene, acme)) == 1


async def test_roles_change_and_people_go(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    bob = await scene.member("bob", acme, MemberRole.VIEWER)
    await ada.post(path_of(acme, f"members/{bob.user.id}/role"), role="agent")
    assert (await roles(scene, acme))["Bob"] == "agent"
    await ada.post(path_of(acme, f"members/{bob.user.id}/remove"))
    assert (await bob.get(path_of(acme))).status_code == 404
    assert (await scene.actions(acme))[:2] == ["member_removed", "member_changed"]
    page = (await ada.get(path_of(acme, "audit"))).text
    assert "removed the member" in page
    assert "Ada" in page


@pytest.mark.parametrize("email", ["", "nobody", "a@b@c", "a b@example.com", "@", "x" * 400])
async def test_what_is_no_address_is_not_invited(scene: DashboardScene, email: str) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    answer = await ada.post(path_of(acme, "members/invite"), email=email, role="agent")
    assert answer.status_code == 422
    assert await scene.gateway.members.list_invitations(operator(acme.tenant)) == []
    answer = await ada.post(path_of(acme, "members/invite"), email="a@b.example", role="king")
    assert answer.status_code == 422
