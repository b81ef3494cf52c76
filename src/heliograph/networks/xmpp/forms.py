"""Data forms (XEP-0004): filled in with what the other side offers, and nothing else; read out to a
person.

The XMPP Standards Foundation registers the names that a form may have, but servers leave some out,
have others, and refuse a whole form for a single field that they don't know.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from heliograph.networks.xmpp.stanzas import DATA, element

MAX_FIELDS = 50
"""The most fields of a form, and options of a field, that are shown."""
_WITH_OPTIONS = frozenset({"list-single", "list-multi"})


class FilledForm(NamedTuple):
    """A form to submit. `lacking` are the fields that were wanted, and not offered, or not with
    that value."""

    xml: ET.Element
    lacking: frozenset[str]


def fill_in(form: ET.Element | None, wanted: Mapping[str, str]) -> FilledForm:
    """Fill in a form with the wanted values, and with its defaults for the rest (XEP-0045,
    10.2)."""
    made, lacking = ET.Element(f"{DATA}x", {"type": "submit"}), set(wanted)
    for field in form.findall(f"{DATA}field") if form is not None else ():
        name = field.get("var", "")
        if not name or field.get("type") == "fixed":
            continue
        values = [each.text or "" for each in field.findall(f"{DATA}value")]
        if name in wanted and _takes(field, wanted[name]):
            lacking.discard(name)
            values = _values(field, wanted[name])
        copy = ET.SubElement(made, f"{DATA}field", {"var": name})
        copy.extend(element(f"{DATA}value", value) for value in values)
    return FilledForm(made, frozenset(lacking))


def _takes(field: ET.Element, value: str) -> bool:
    if field.get("type") not in _WITH_OPTIONS:
        return True
    options = field.findall(f"{DATA}option")
    return any(option.findtext(f"{DATA}value") == value for option in options)


def _values(field: ET.Element, value: str) -> list[str]:
    return value.splitlines() or [""] if field.get("type") == "text-multi" else [value]


def form_lines(form: ET.Element) -> Iterator[str]:
    """List a form's lines for people: its title, its instructions, and each field with its values
    or options."""
    for name in ("title", "instructions"):
        yield from _texts(form.findall(DATA + name))
    for field in form.findall(f"{DATA}field")[:MAX_FIELDS]:
        if field.get("type") == "hidden":
            continue
        label = (field.get("label") or field.get("var") or "").strip()
        values = _texts(field.findall(f"{DATA}value")) or _options(field)
        line = ": ".join(part for part in (label, ", ".join(values)) if part)
        if line:
            yield line


def _options(field: ET.Element) -> list[str]:
    options = field.findall(f"{DATA}option")[:MAX_FIELDS]
    return [each.get("label") or each.findtext(f"{DATA}value") or "" for each in options]


def _texts(elements: list[ET.Element]) -> list[str]:
    found = ((each.text or "").strip() for each in elements[:MAX_FIELDS])
    return [text for text in found if text]
