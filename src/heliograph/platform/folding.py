"""The fold of everything that is searched: what people mean by the same letters is the same text.

Whatever is compared was folded by `fold` on both sides, in lists, searches, tools and pages alike,
and what is stored for a search is stored folded: whoever changes what `fold` returns adds a
revision that stores it anew. Each character is folded by itself, after NFKC, so a part of a text
folds to a part of the folded text.
"""

import re
import unicodedata

_LETTERS = {
    # letters that Unicode does not decompose, and whose names do not say of which they are a form
    "æ": "ae",
    "œ": "oe",
    "ð": "d",
    "þ": "th",
    "ŋ": "n",
    "ə": "e",
    "ĸ": "k",
    "ƿ": "w",
    "ꜳ": "aa",
    "ꜵ": "ao",
    "ꜷ": "au",
    "ꜹ": "av",
    "ꜽ": "ay",
    "ꝏ": "oo",
    "ȣ": "ou",
    # letters that are written for each other: by keyboards of other languages, or at the end of a
    # word (the sigma is folded by its case)
    "ٱ": "ا",
    "ى": "ي",
    "ی": "ي",
    "ې": "ي",
    "ے": "ي",
    "ک": "ك",
    "ڪ": "ك",
    "ة": "ه",
    "ہ": "ه",
    "ھ": "ه",
    "ە": "ه",
    "ך": "כ",
    "ם": "מ",
    "ן": "נ",
    "ף": "פ",
    "ץ": "צ",
    # kashida, which only makes a word wider
    "ـ": "",
    # one apostrophe, one quotation mark, one dash
    **dict.fromkeys("`´ʹʻʼʽʾʿˈˊˋ‘’‚‛′‵＇׳ꞌ", "'"),
    **dict.fromkeys("“”„‟″«»״", '"'),
    **dict.fromkeys("‐‑‒–—―−⁃﹘־", "-"),
}
_FORM = re.compile(
    r"(?P<script>LATIN|CYRILLIC) SMALL LETTER "
    r"(?:(?:DOTLESS|OPEN|SCRIPT|INSULAR|LONG) )?(?P<letter>[A-Z -]+?)(?: WITH .+)?"
)
_SMALL_CAPITAL = re.compile(r"LATIN LETTER SMALL CAPITAL (?P<letter>[A-Z])")
_VOICED = ("\u3099", "\u309a")
"""The marks of kana: with one it is another letter."""
_VOWELS = frozenset({84, 91, 103, 118, 129, 130, 132})
"""Combining classes that only vowel signs of Telugu, Thai, Lao and Tibetan have."""
_IOTA_BELOW = "\u0345"
"""A mark of Greek, which becomes a letter of its own where case is folded."""


def fold(text: str) -> str:
    """Return the text without case, accents and other marks, width and form, with one blank for
    each run of blanks and none around it."""
    return " ".join(unicodedata.normalize("NFKC", text).translate(_FOLDED).split())


def find_folded(text: str, folded: str) -> int:
    """Return where in the text a part begins that folds to this, -1 where there is none."""
    pieces = [_FOLDED[ord(letter)] for letter in text]
    at = "".join(pieces).find(folded)
    for place, piece in enumerate(pieces):
        if 0 <= at < len(piece):
            return place
        at -= len(piece)
    return -1


class _Folded(dict[int, str]):
    """What each character becomes, by its code: found out once."""

    def __missing__(self, code: int) -> str:
        folded = self[code] = _fold_letter(chr(code))
        return folded


_FOLDED = _Folded()


def _fold_letter(letter: str) -> str:
    if letter.isspace():
        return " "
    marked = unicodedata.normalize("NFKD", letter).replace(_IOTA_BELOW, "")
    letters = unicodedata.normalize("NFKD", marked.casefold())
    plain = "".join(_plain(each) for each in unicodedata.normalize("NFKD", letters.casefold()))
    return unicodedata.normalize("NFC", plain) if plain.endswith(_VOICED) else plain


def _plain(letter: str) -> str:
    """Return the plain form of a character that has been decomposed, without case."""
    if letter in _LETTERS:
        return _LETTERS[letter]
    if _is_unseen(letter):
        return ""
    digit = unicodedata.decimal(letter, None)
    return _base(letter) if digit is None else str(digit)


def _is_unseen(letter: str) -> bool:
    """Return whether a reader sees no letter: a mark above or below one, or what only says how to
    write others. Vowel signs are letters; most have the combining class 0."""
    category = unicodedata.category(letter)
    if category in ("Cf", "Cc", "Me"):
        return True
    if category != "Mn" or letter in _VOICED:
        return False
    placed = unicodedata.combining(letter)
    return (placed != 0 and placed not in _VOWELS) or _is_selector(letter)


def _is_selector(letter: str) -> bool:
    """Return whether this chooses among forms of the letter before it."""
    return letter in "\u034f\u180b\u180c\u180d\u180f" or "VARIATION SELECTOR" in _name(letter)


def _base(letter: str) -> str:
    """Return the letter of which this is a form by its name: `d` for `LATIN SMALL LETTER D WITH
    STROKE`."""
    name = _name(letter)
    if small := _SMALL_CAPITAL.fullmatch(name):
        return small["letter"].lower()
    form = _FORM.fullmatch(name)
    if form is None:
        return letter
    try:
        base = unicodedata.lookup(f"{form['script']} SMALL LETTER {form['letter']}")
    except KeyError:
        return letter
    return letter if base == letter else _fold_letter(base)


def _name(letter: str) -> str:
    return unicodedata.name(letter, "")


_ALONE = {"đ": "d", "ħ": "h", "ı": "i", "ł": "l", "ø": "o", "ŧ": "t", "ς": "σ", **_LETTERS}


def sql_of_fold(text: str) -> str:
    """Return an SQL expression for what `fold` returns of another one, for texts of which no fold
    is stored, as hardly any has more than ASCII. Beyond that it knows accents and most letters."""
    plain = f"regexp_replace(lower(normalize({text}, NFKD)), '[\\u0300-\\u036f]', '', 'g')"
    ones = {letter: other for letter, other in _ALONE.items() if len(other) == 1}
    dropped = [letter for letter, other in _ALONE.items() if not other]
    given, wanted = "".join([*ones, *dropped]), "".join(ones.values()).replace("'", "''")
    plain = f"translate({plain}, '{given}', '{wanted}')"
    for letters in ("æ", "œ", "þ"):
        plain = f"replace({plain}, '{letters}', '{_LETTERS[letters]}')"
    plain = f"replace({plain}, 'ß', 'ss')"
    return f"(CASE WHEN octet_length({text}) = length({text}) THEN lower({text}) ELSE {plain} END)"
