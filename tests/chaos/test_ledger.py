"""The audit finds what is planted: a ledger that fits has no fault, and each wrong has its name."""

from dataclasses import replace

from chaos.ledger import RECEIVED, STEPS, Ledger, Posted, Promise, Shown, Stored, audit

ACME, ACCOUNT, ADA, BRUNO = "acme", "account", "+15550100001", "+15550100002"


def kinds(ledger: Ledger, *, repeats: int = 0) -> set[str]:
    return {fault.kind for fault in audit(ledger, repeats=repeats)}


def fitting() -> Ledger:
    """Two messages to Ada and one from Bruno, with all that follows from them."""
    ledger = Ledger()
    for place, tag in enumerate(("first", "second")):
        ledger.sent[tag] = Promise(tag, ACME, ACCOUNT, ADA, place)
        ledger.answers[tag] = [f"id of {tag}"]
        ledger.shown.append(Shown(tag, ACCOUNT, ADA, f"net {tag}"))
        ledger.stored.append(stored(tag, ADA, "outbound", "read"))
        ledger.posted += [posted(tag, ADA, step) for step in STEPS]
    ledger.said["hello"] = Promise("hello", ACME, ACCOUNT, BRUNO, 0)
    ledger.heard.append(Shown("hello", ACCOUNT, BRUNO, "net hello"))
    ledger.stored.append(stored("hello", BRUNO, "inbound", "received"))
    ledger.posted.append(posted("hello", BRUNO, RECEIVED))
    return ledger


def stored(tag: str, phone: str, direction: str, status: str) -> Stored:
    return Stored(tag, ACME, ACCOUNT, phone, f"id of {tag}", f"net {tag}", direction, status)


def posted(tag: str, phone: str, step: str) -> Posted:
    return Posted(tag, ACME, ACCOUNT, phone, f"id of {tag}", f"{step} of {tag}", step)


def test_a_ledger_that_fits_has_no_fault() -> None:
    assert audit(fitting()) == []


def test_a_message_that_the_network_never_got_is_lost() -> None:
    ledger = fitting()
    ledger.shown.pop(0)
    assert "lost" in kinds(ledger)


def test_a_message_without_a_row_is_lost() -> None:
    ledger = fitting()
    ledger.stored.pop(0)
    assert "lost" in kinds(ledger)


def test_a_webhook_that_comes_again_with_another_body_is_found() -> None:
    ledger = fitting()
    ledger.posted.append(replace(ledger.posted[0], digest=b"other"))
    assert kinds(ledger, repeats=1) == {"other body"}


def test_each_webhook_that_never_came_is_lost() -> None:
    for place in range(len(fitting().posted)):
        ledger = fitting()
        ledger.posted.pop(place)
        assert "lost" in kinds(ledger), place


def test_a_heard_message_without_a_row_is_lost() -> None:
    ledger = fitting()
    ledger.stored = [row for row in ledger.stored if row.direction == "outbound"]
    assert "lost" in kinds(ledger)


def test_two_messages_on_the_network_are_a_double() -> None:
    ledger = fitting()
    ledger.shown.append(replace(ledger.shown[0], chat_message_id="net other"))
    assert "doubled" in kinds(ledger)


def test_two_rows_are_a_double() -> None:
    ledger = fitting()
    ledger.stored.append(replace(ledger.stored[2], message_id="id of another"))
    assert "doubled" in kinds(ledger)


def test_two_answers_that_differ_are_a_double() -> None:
    ledger = fitting()
    ledger.answers["first"].append("id of another")
    assert "doubled" in kinds(ledger)


def test_an_event_under_two_webhook_ids_is_a_double() -> None:
    ledger = fitting()
    ledger.posted.append(replace(ledger.posted[0], webhook_id="another"))
    assert "doubled" in kinds(ledger, repeats=10)


def test_a_webhook_that_comes_again_counts_as_repeated() -> None:
    ledger = fitting()
    ledger.posted.append(ledger.posted[0])
    assert kinds(ledger) == {"repeated"}
    assert kinds(ledger, repeats=1) == set()


def test_a_network_id_for_two_messages_is_found() -> None:
    ledger = fitting()
    ledger.stored[1] = replace(ledger.stored[1], chat_message_id="net first")
    assert "id used twice" in kinds(ledger)


def test_a_message_under_another_network_id_is_found() -> None:
    ledger = fitting()
    ledger.shown[0] = replace(ledger.shown[0], chat_message_id="net other")
    assert kinds(ledger) == {"other id"}


def test_a_message_that_stays_unread_is_unfinished() -> None:
    ledger = fitting()
    ledger.stored[0] = replace(ledger.stored[0], status="sending")
    assert kinds(ledger) == {"unfinished"}


def test_another_tenants_webhook_is_a_mix_up() -> None:
    ledger = fitting()
    ledger.posted.append(replace(ledger.posted[0], tenant="rival"))
    assert "mixed up" in kinds(ledger)


def test_another_phones_message_is_a_mix_up() -> None:
    for field, place in (("shown", 0), ("stored", 2), ("posted", 6)):
        ledger = fitting()
        found = getattr(ledger, field)
        found[place] = replace(found[place], phone="+15550109999")
        assert "mixed up" in kinds(ledger), field


def test_steps_in_another_order_are_found() -> None:
    ledger = fitting()
    ledger.posted[0], ledger.posted[1] = ledger.posted[1], ledger.posted[0]
    assert kinds(ledger) == {"out of order"}


def test_messages_of_a_conversation_in_another_order_are_found() -> None:
    ledger = fitting()
    ledger.posted = ledger.posted[3:] + ledger.posted[:3]
    assert kinds(ledger) == {"out of order"}


def test_what_nobody_sent_is_invented() -> None:
    ledger = fitting()
    ledger.shown.append(Shown("spam", ACCOUNT, ADA, "net spam"))
    assert "invented" in kinds(ledger)
