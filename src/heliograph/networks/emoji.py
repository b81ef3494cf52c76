"""What is one emoji, as chat networks take it for a reaction (UTS #51, Unicode 17).

It is read by its structure, so that combinations and additions of later versions are emoji, too:
beyond U+FFFF whole blocks count, also where nothing is assigned yet.
"""

import re

_PICTURE = (
    r"\u00A9\u00AE\u203C\u2049\u2122\u2139\u2194-\u2199\u21A9\u21AA\u231A\u231B\u2328\u23CF"
    r"\u23E9-\u23F3\u23F8-\u23FA\u24C2\u25AA\u25AB\u25B6\u25C0\u25FB-\u25FE\u2600-\u2604\u260E"
    r"\u2611\u2614\u2615\u2618\u261D\u2620\u2622\u2623\u2626\u262A\u262E\u262F\u2638-\u263A\u2640"
    r"\u2642\u2648-\u2653\u265F\u2660\u2663\u2665\u2666\u2668\u267B\u267E\u267F\u2692-\u2697\u2699"
    r"\u269B\u269C\u26A0\u26A1\u26A7\u26AA\u26AB\u26B0\u26B1\u26BD\u26BE\u26C4\u26C5\u26C8\u26CE"
    r"\u26CF\u26D1\u26D3\u26D4\u26E9\u26EA\u26F0-\u26F5\u26F7-\u26FA\u26FD\u2702\u2705"
    r"\u2708-\u270D\u270F\u2712\u2714\u2716\u271D\u2721\u2728\u2733\u2734\u2744\u2747\u274C\u274E"
    r"\u2753-\u2755\u2757\u2763\u2764\u2795-\u2797\u27A1\u27B0\u27BF\u2934\u2935\u2B05-\u2B07"
    r"\u2B1B\u2B1C\u2B50\u2B55\u3030\u303D\u3297\u3299"
    r"\U0001F004\U0001F0CF\U0001F170\U0001F171\U0001F17E\U0001F17F\U0001F18E\U0001F191-\U0001F19A"
    r"\U0001F201\U0001F202\U0001F21A\U0001F22F\U0001F232-\U0001F23A\U0001F250\U0001F251"
    r"\U0001F300-\U0001F6FF\U0001F7E0-\U0001F7F0\U0001F90C-\U0001F9FF\U0001FA70-\U0001FAFF"
)
_STYLE_OR_TONE = r"(?:\uFE0F?[\U0001F3FB-\U0001F3FF]|[\uFE0E\uFE0F])"
"""Older programs put the style in front of the tone, where it is ignored (UTS #51, 2.4)."""
_NAME_IN_TAGS = r"[\U000E0020-\U000E007E]+\U000E007F"
_ELEMENT = f"[{_PICTURE}]{_STYLE_OR_TONE}?(?:{_NAME_IN_TAGS})?"
_FLAG = r"[\U0001F1E6-\U0001F1FF]{2}"
_KEYCAP = r"[0-9#*][\uFE0E\uFE0F]?\u20E3"
_EMOJI = re.compile(rf"{_FLAG}|{_KEYCAP}|{_ELEMENT}(?:\u200D{_ELEMENT})*")


def is_emoji(text: str) -> bool:
    """Return whether the text is one emoji and nothing else."""
    return _EMOJI.fullmatch(text) is not None
