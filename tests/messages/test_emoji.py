"""What a message can be reacted with: one emoji, whatever it is made of."""

from each_case import for_each
from heliograph.networks.emoji import is_emoji

EMOJI = {
    "one character": "👍",
    "a heart as text": "\u2764",
    "a heart in colour": "\u2764\ufe0f",
    "a sign": "\u00a9\ufe0f",
    "a tone of skin": "👍🏽",
    "a family": "👨\u200d👩\u200d👧\u200d👦",
    "two people with their tones": "🧑🏻\u200d\u2764\ufe0f\u200d💋\u200d🧑🏿",
    "a profession": "🧑🏾\u200d\u2695\ufe0f",
    "a coloured flag": "🏳\ufe0f\u200d🌈",
    "a country": "🇧🇷",
    "a part of a country": "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "a keycap": "#\ufe0f\u20e3",
    "a keycap without a style": "1\u20e3",
    "a keycap as text": "1\ufe0e\u20e3",
    "a tone behind a style": "\u261d\ufe0f🏽",
    "a profession as older programs write it": "🕵\ufe0f🏽\u200d\u2642\ufe0f",
    "one of Unicode 17": "\U0001fac8",
    "one of a later version": "\U0001faff",
}
NOT_ONE = {
    "nothing": "",
    "a blank": " ",
    "a word": "abc",
    "a digit": "1",
    "a star that is none": "★",
    "two": "👍👍",
    "two countries": "🇧🇷🇵🇹",
    "half a country": "🇧",
    "a text behind it": "👍!",
    "a line break behind it": "👍\n",
    "a joiner behind it": "👍\u200d",
    "a style alone": "\ufe0f",
    "two styles": "👍\ufe0f\ufe0f",
    "two tones": "👍🏽🏽",
}


@for_each("emoji", EMOJI.values(), ids=EMOJI)
def test_an_emoji_is_one_whatever_it_is_made_of(emoji: str) -> None:
    assert is_emoji(emoji)


@for_each("text", NOT_ONE.values(), ids=NOT_ONE)
def test_anything_else_is_none(text: str) -> None:
    assert not is_emoji(text)
