"""Which addresses may be dialled, and what a URL dials."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from each_case import for_each
from heliograph.platform.outbound_http import (
    AddressPolicy,
    InvalidUrlError,
    RefusedAddressError,
    check_url,
)
from heliograph.platform.outbound_http.addresses import special_kind

NONE, LOOPBACK, ALL = AddressPolicy.NONE, AddressPolicy.LOOPBACK, AddressPolicy.ALL

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.1.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2606:4700:4700::1111",
    "2a00:1450:4001:80b::200e",
]
LOOPBACKS = ["127.0.0.1", "127.255.255.254", "::1"]
NOT_PUBLIC = {
    "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12::1"],
    "carrier": ["100.64.0.1", "100.127.255.255"],
    "benchmarking": ["198.18.0.1", "198.19.255.255", "2001:2::1"],
    "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    "mapped": ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "::ffff:0:8.8.8.8"],
    "compatible": ["::7f00:1", "::8.8.8.8", "::2"],
    "NAT64": ["64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "64:ff9b:1:ffff::a00:1"],
    "6to4": ["2002:7f00:1::", "2002:808:808::1", "192.88.99.1"],
    "Teredo": ["2001::1", "2001:0:7f00:1::f5ff:fffe"],
    "ORCHID": ["2001:10::1", "2001:20::1", "2001:2f:ffff::1"],
    "site-local": ["fec0::1"],
    "discard": ["100::1"],
    "reserved": [
        "192.0.0.1",
        "192.0.0.255",
        "240.0.0.1",
        "255.255.255.254",
        "2001:1ff::1",
        "2001:1::1",
        "4000::1",
        "5f00::1",
        "64:ff9b:2::1",
        "fe00::1",
    ],
}
NEVER = {
    "unspecified": ["0.0.0.0", "0.1.2.3", "::"],  # noqa: S104  # nothing is bound here
    "multicast": ["224.0.0.1", "239.255.255.255", "255.255.255.255", "ff02::1", "ff0e::1"],
    "link-local": ["169.254.1.1", "fe80::1", "febf::1"],
    "metadata": [
        "169.254.169.254",
        "100.100.100.200",
        "168.63.129.16",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",
        "fd00:c1::a9fe:a9fe",
        "fd00:42::42",
        "fd00:a9fe:a9fe::1",
    ],
    "scope": ["fe80::1%eth0", "2606:4700::1%1", "::1%lo"],
}
CARRIES_THE_METADATA_ADDRESS = [
    "::ffff:169.254.169.254",
    "::169.254.169.254",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "2001:0:808:808:0:0:5601:5601",
    "fd12:3456::a9fe:a9fe",
    "fd12:3456:a9fe:a9fe::",
    "fd12:3456:78a9:fea9:fe::",
    "fd12:3456:789a:a9fe:a9:fe00::",
    "fd12:3456:789a:bca9:fe:a9fe::",
    "fd12:3456:789a:bcde:a9:fea9:fe00:0",
    "::ffff:0:169.254.169.254",
    "fd12::5efe:169.254.170.23",
    "fd12::200:5efe:169.254.170.23",
    "2a00:1450:4001::a9fe:a9fe",
    "::ffff:0.0.0.0",
]


def of(groups: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(address, word) for word, addresses in groups.items() for address in addresses]


@for_each("address", PUBLIC)
@for_each("policy", AddressPolicy)
def test_public_addresses_are_taken(policy: AddressPolicy, address: str) -> None:
    assert policy.why_refused(ip_address(address)) is None


@pytest.mark.parametrize("address", LOOPBACKS)
def test_loopback_is_taken_when_the_operator_allows_it(address: str) -> None:
    assert "loopback" in str(NONE.why_refused(ip_address(address)))
    assert LOOPBACK.why_refused(ip_address(address)) is None
    assert ALL.why_refused(ip_address(address)) is None


@for_each(("address", "word"), of(NOT_PUBLIC))
def test_what_is_not_public_is_named_and_refused_unless_all_is_allowed(
    address: str, word: str
) -> None:
    assert word in str(NONE.why_refused(ip_address(address)))
    assert word in str(LOOPBACK.why_refused(ip_address(address)))
    if address not in ("::2", "64:ff9b:1::1"):  # these carry 0.0.0.2 and 0.0.0.1
        assert ALL.why_refused(ip_address(address)) is None


@for_each(("address", "word"), of(NEVER))
@for_each("policy", AddressPolicy)
def test_some_are_never_dialled(policy: AddressPolicy, address: str, word: str) -> None:
    assert word in str(policy.why_refused(ip_address(address)))


@for_each("address", CARRIES_THE_METADATA_ADDRESS)
@for_each("policy", AddressPolicy)
def test_nor_are_forms_that_carry_one_of_those(policy: AddressPolicy, address: str) -> None:
    assert policy.why_refused(ip_address(address)) is not None


@given(st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)))
def test_what_is_called_public_is_also_global_and_unicast_to_python(
    address: IPv4Address | IPv6Address,
) -> None:
    if special_kind(address) is None:
        assert address.is_global
        assert not address.is_multicast


@for_each(
    "host",
    [
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "017700000001",
        "127.1",
        "127.0.1",
        "127.0.0.1.",
        "127。0。0。1",
        "１２７.0.0.1",
        "%31%32%37.0.0.1",
        "①②⑦.0.0.1",
        "[::1]",
        "[0:0:0:0:0:0:0:1]",
    ],
)
@for_each("form", ["http://{}/", "HTTPS://{}:8080", "https://{}?x=1", "http://{}#x"])
def test_odd_spellings_of_loopback_are_loopback(form: str, host: str) -> None:
    url = form.format(host)
    with pytest.raises(RefusedAddressError, match="loopback"):
        check_url(url, NONE)
    assert check_url(url, LOOPBACK).host in ("127.0.0.1", "::1")


@for_each(
    ("url", "word"),
    [
        ("http://0/", "unspecified"),
        ("http://0x0a000001/", "private"),
        ("http://167772161/", "private"),
        ("http://[::ffff:7f00:1]/", "mapped"),
        ("http://[::ffff:127.0.0.1]/", "mapped"),
        ("http://[::127.0.0.1]/", "compatible"),
        ("https://[64:ff9b::a00:1]:8443/x", "NAT64"),
        ("http://2852039166/latest/meta-data", "metadata"),
    ],
)
def test_other_addresses_in_urls(url: str, word: str) -> None:
    with pytest.raises(RefusedAddressError, match=word):
        check_url(url, LOOPBACK)


@for_each(
    ("url", "dialled", "host", "port"),
    [
        ("https://hooks.example.com/in?x=1", "https://hooks.example.com/in?x=1", None, 443),
        ("http://HOOKS.Example.com", "http://hooks.example.com/", "hooks.example.com", 80),
        ("https://bücher.example/", "https://xn--bcher-kva.example/", "xn--bcher-kva.example", 443),
        ("https://ⓔxample.com/", "https://example.com/", "example.com", 443),
        ("http://localhost.:8080/", "http://localhost.:8080/", "localhost.", 8080),
        ("https://h.example:443/#part", "https://h.example/", "h.example", 443),
        ("http://[2606:4700:4700::1111]:81/", None, "2606:4700:4700::1111", 81),
        ("http://my_host.example/é", "http://my_host.example/%C3%A9", "my_host.example", 80),
    ],
)
def test_what_a_good_url_dials(url: str, dialled: str | None, host: str | None, port: int) -> None:
    target = check_url(url, NONE)
    assert target.url == (dialled or url)
    assert target.host == (host or "hooks.example.com")
    assert target.port == port
    assert target.url.startswith(target.scheme + "://")


@for_each(
    "url",
    [
        "",
        "hooks.example.com",
        "//hooks.example.com/",
        "ftp://hooks.example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http:hooks.example.com",
        "http:/hooks.example.com",
        "http://",
        "http:///path",
        "http://?x",
        "http://#x",
        "http:\\\\hooks.example.com\\",
        "http://good.example\\@evil.example/",
        " http://hooks.example.com/",
        "http://hooks.example.com/ ",
        "http://hooks.example.com/a b",
        "http://hooks.exa\tmple.com/",
        "http://hooks.example.com/\r\nX: y",
        "http://hooks.example.com/\x00",
        "http://hooks.example.com/\ud800",
        "http://hooks.example.com:0/",
        "http://hooks.example.com:65536/",
        "http://hooks.example.com:x/",
        "http://user@hooks.example.com/",
        "http://user:password@hooks.example.com/",
        "http://:password@hooks.example.com/",
        "http://256.1.1.1/",
        "http://1.2.3.4.5/",
        "http://[::1",
        "http://[fe80::1%25eth0]/",
        "http://[fe80::1%eth0]/",
        "http://a..example/",
        "http://./",
        "http://*.example/",
        "http://" + "a" * 64 + ".example/",
        "http://" + "a." * 127 + "example/",
        "https://hooks.example.com/" + "a" * 2048,
    ],
)
def test_what_is_no_url_to_post_to(url: str) -> None:
    with pytest.raises(InvalidUrlError) as refused:
        check_url(url, ALL)
    assert str(refused.value).endswith(".")


@given(st.text(max_size=60), st.sampled_from(["", "http://", "https://127.0.0.1", "http://h."]))
def test_no_text_breaks_the_check(text: str, beginning: str) -> None:
    try:
        target = check_url(beginning + text, NONE)
    except (InvalidUrlError, RefusedAddressError):
        return
    assert target.scheme in ("http", "https")
    assert target.host
    assert 1 <= target.port <= 65535


def test_2048_characters_are_taken() -> None:
    url = "https://hooks.example.com/" + "a" * 2022
    assert len(check_url(url, NONE).url) == 2048
