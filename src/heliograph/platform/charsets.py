"""Texts in a charset that a stranger names.

Python knows more codecs than there are charsets, and finds them by importing a module of that name:
some take seconds, some raise whatever they like, some make halves of characters, which nothing can
store. So there is a list of those in which mails, cards and pages are written.
"""

from encodings import normalize_encoding
from encodings.aliases import aliases

_MAX_NAME_LENGTH = 40
"""Characters of a name."""
_LISTED = """
    ascii utf_8 utf_8_sig utf_16 utf_16_be utf_16_le
    latin_1 iso8859_2 iso8859_3 iso8859_4 iso8859_5 iso8859_6 iso8859_7 iso8859_8 iso8859_9
    iso8859_10 iso8859_11 iso8859_13 iso8859_14 iso8859_15 iso8859_16
    cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 cp437 cp850 cp852 cp866 cp874
    koi8_r koi8_u mac_roman mac_cyrillic tis_620
    shift_jis cp932 euc_jp iso2022_jp euc_kr cp949 iso2022_kr
    gb2312 gbk gb18030 hz big5 big5hkscs cp950
"""
_CODECS = frozenset(_LISTED.split())
_NAMES = {alias: codec for alias, codec in aliases.items() if codec in _CODECS} | {
    codec: codec for codec in _CODECS
}


def find_codec(charset: str) -> str | None:
    """Return the codec of the charset of this name, IANA's or a program's; None for any other."""
    if not charset.isascii():
        return None
    name = normalize_encoding(charset[:_MAX_NAME_LENGTH]).lower()
    return _NAMES.get(name) or _NAMES.get(name.removeprefix("x_"))
