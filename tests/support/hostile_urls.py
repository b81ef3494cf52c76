"""URLs that lead where no webhook may go, and names whose addresses do.

`REFUSED` are told by the URL alone, at registration. `NAMES` are good URLs until their name is
looked up: each has its answers, one list of addresses for each round of look-ups, the last of
which stays.
"""

PUBLIC_V4, PUBLIC_V6 = "93.184.216.34", "2606:4700:4700::1111"
ALLOWED = {PUBLIC_V4, PUBLIC_V6}

_V4 = """
0.0.0.0 0.0.0.1 0.255.255.255 10.0.0.0 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200
100.127.255.254 127.0.0.0 127.0.0.1 127.0.0.53 127.1.2.3 127.255.255.255 168.63.129.16
169.254.0.1 169.254.169.253 169.254.169.254 169.254.170.2 169.254.255.255 172.16.0.1
172.17.0.1 172.31.255.255 192.0.0.1 192.0.0.8 192.0.0.170 192.0.0.192 192.0.2.1 192.88.99.1
192.168.0.1 192.168.1.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.7 203.0.113.9
224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.254 255.255.255.255
""".split()  # noqa: SIM905 - a table to read

_V4_ODDLY_WRITTEN = """
2130706433 0x7f000001 0X7F000001 017700000001 0x7f.0x0.0x0.0x1 0x7f.1 0x7F.0.1 0177.0.0.1
0177.0.0.01 127.1 127.0.1 127.0.257 127.0.0.1. 0 0x0 00 0. 0x 0.0 000.000.000.000
00000000177.0000000.0000000.01 127.000.000.001 0x0000007f.0x01 2852039166 0xa9fea9fe
0251.0376.0251.0376 0xa9.0xfe.0xa9.0xfe 169.16689662 169.254.43518 0xA9FEA9FE 025177524776
167772161 0x0a000001 012.0.0.1 0xa.1 10.1 3232235777 0xc0a80101 0300.0250.1.1 192.168.257
2886729729 0xac100001 172.1048577 3221225664 1684301000 0x64.0x64.0x64.0xc8
%31%32%37.0.0.1 %31%36%39.254.169.254 127%2e0%2e0%2e1 %30%78%37%66.1
１２７.0.0.1 １２７．０．０．１ 127。0。0。1 127．0．0．1 127｡0｡0｡1 ①②⑦.0.0.1 ⓪ ０ ０ｘ７ｆ.1
𝟏𝟐𝟕.𝟎.𝟎.𝟏 １６９.２５４.１６９.２５４
①⑥⑨.②⑤④.①⑥⑨.②⑤④ 𝟙𝟘.𝟘.𝟘.𝟙 10。0。0。1 192。168。1。1 ²¹³⁰⁷⁰⁶⁴³³ ₁₂₇.0.0.1
""".split()  # noqa: SIM905 - a table to read

_V6 = """
:: ::1 0:0:0:0:0:0:0:1 0000:0000:0000:0000:0000:0000:0000:0001 ::0001 0::1 ::2
::127.0.0.1 ::7f00:1 ::169.254.169.254 ::a9fe:a9fe ::10.0.0.1
::ffff:127.0.0.1 ::ffff:7f00:1 ::FFFF:127.0.0.1 0:0:0:0:0:ffff:7f00:0001 ::ffff:0.0.0.0
::ffff:169.254.169.254 ::ffff:a9fe:a9fe ::ffff:10.0.0.1 ::ffff:192.168.1.1 ::ffff:8.8.8.8
::ffff:0:127.0.0.1 ::ffff:0:7f00:1
64:ff9b::7f00:1 64:ff9b::127.0.0.1 64:ff9b::169.254.169.254 64:ff9b::a00:1 64:ff9b::8.8.8.8
64:ff9b:1::1 64:ff9b:1::7f00:1 64:ff9b:1:ffff::a9fe:a9fe
2002:7f00:1:: 2002:7f00:1::1 2002:a9fe:a9fe:: 2002:a00:1:: 2002:c0a8:101::1
2001::1 2001:0:7f00:1:: 2001:0:0:0:0:0:80ff:fffe 2001:0:808:808:0:0:5601:5601
2001:2::1 2001:10::1 2001:20::1 2001:db8::1 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 2001:1ff::1
3fff::1 4000::1 5f00::1 100::1 100:0:0:1::1
fc00::1 fd00::1 fd00:ec2::254 fd12:3456:789a::1 fdff:ffff::1 fe00::1 fe80::1 fe80::a9fe:a9fe
febf::1 fec0::1 ff01::1 ff02::1 ff02::2 ff05::1:3 ff0e::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
""".split()  # noqa: SIM905 - a table to read

_WHOLE = """
http://127.0.0.1:80/ http://127.0.0.1:22/ http://127.0.0.1:5432/ http://127.0.0.1:6379/
https://127.0.0.1:8443/hook HTTP://127.0.0.1/ hTtPs://127.0.0.1/ http://127.0.0.1?x=1
http://127.0.0.1#x http://127.0.0.1:8080?@hooks.example http://127.0.0.1#@hooks.example
http://169.254.169.254/latest/meta-data/iam/security-credentials/
http://169.254.169.254/computeMetadata/v1/ http://169.254.169.254/metadata/instance
http://100.100.100.200/latest/meta-data/ http://192.0.0.192/latest/ http://168.63.129.16/machine
http://169.254.170.2/v2/credentials http://[fd00:ec2::254]/latest/meta-data/
http://[::1]:80/ https://[::1]:8443/ http://[::ffff:127.0.0.1]:6379/
http://[fe80::1%25eth0]/ http://[fe80::1%eth0]/ http://[::1%25lo]/ http://[::1%lo]/
http://[fe80::1%251]/ http://[::1 http://::1/ http://[::1]]/ http://[[::1]]/ http://[127.0.0.1]/
http://[v1.x]/ http://[::127.0.0.1.]/ http://[::1].hooks.example/ http://[0x7f.1]/
http://user@127.0.0.1/ http://hooks.example@127.0.0.1/ http://hooks.example:80@127.0.0.1/
http://hooks.example%40127.0.0.1/ http://127.0.0.1@hooks.example/ http://:x@127.0.0.1/
http://@127.0.0.1:x/ http://hooks.example:@127.0.0.1/ http://a:b@c@127.0.0.1/
http://127.0.0.1%2f@hooks.example/ http://hooks.example%00.127.0.0.1/
http://127.0.0.1%00.hooks.example/ http://127.0.0.1%0d%0a.hooks.example/
http://127.0.0.1%20.hooks.example/ http://127.0.0.1%09.hooks.example/
http://127.0.0.1\\@hooks.example/ http://hooks.example\\@127.0.0.1/ http:\\\\127.0.0.1\\
http:/\\127.0.0.1/ http:127.0.0.1 http:/127.0.0.1 http:///127.0.0.1/ http:////127.0.0.1/
//127.0.0.1/ 127.0.0.1 127.0.0.1:80 ://127.0.0.1/ http//127.0.0.1/ http://
http://127.0.0.1:0/ http://127.0.0.1:65536/ http://127.0.0.1:-1/ http://127.0.0.1:80:80/
http://127.0.0.1:8０/ http://127.0.0.1:0x50/ http://hooks.example:99999/ http://hooks.example:0/
file:///etc/passwd file://127.0.0.1/etc/passwd ftp://127.0.0.1/ ftps://127.0.0.1/
gopher://127.0.0.1:6379/_FLUSHALL dict://127.0.0.1:11211/stats ldap://127.0.0.1/ ldaps://127.0.0.1/
tftp://127.0.0.1/x sftp://127.0.0.1/ ssh://127.0.0.1/ telnet://127.0.0.1/ smtp://127.0.0.1/
imap://127.0.0.1/ ws://127.0.0.1/ wss://127.0.0.1/ jar:http://127.0.0.1!/ netdoc:///etc/passwd
javascript:alert(1) data:text/plain,x blob:http://127.0.0.1/x about:blank unix:///run/docker.sock
http+unix://%2frun%2fdocker.sock/ view-source:http://127.0.0.1/ phar://x php://input
http://256.256.256.256/ http://1.2.3.4.5/ http://0x100000000/ http://4294967296/ http://127.0.0.0x/
http://127..1/ http://.127.0.0.1/ http://127.0.0.1../ http://%/ http://%zz/ http://./ http://../
http://a..example/ http://*/ http://*.example/
""".split()  # noqa: SIM905 - a table to read

_WITH_CONTROLS = [
    "http://127.0.0.1\r\n/",
    "http://127.0.0.1/\r\nHost: hooks.example",
    "http://hooks.example/\r\nX-Injected: 1",
    "http://hooks.example/\n",
    "http://hooks.example\t/",
    "http://hooks.exa\nmple/",
    "\thttp://127.0.0.1/",
    " http://127.0.0.1/",
    "http://127.0.0.1/ ",
    "\x00http://127.0.0.1/",
    "http://127.0.0.1\x00.hooks.example/",
    "http://hooks.example\x00@127.0.0.1/",
    "http://hooks.example/\x7f",
    "http://hooks.example/\x85",
    "http://hooks.example/\xa0",
    "h\tttp://127.0.0.1/",
    "http\n://127.0.0.1/",
    "http://127.0.0.1\u2028/\r",
]

REFUSED = [
    *(f"http://{host}/hook" for host in _V4),
    *(f"http://{host}:8080/hook" for host in _V4_ODDLY_WRITTEN),
    *(f"http://[{host}]/hook" for host in _V6),
    *_WHOLE,
    *_WITH_CONTROLS,
]

_METADATA_NAMES = """
metadata.google.internal metadata metadata.azure.internal instance-data instance-data.ec2.internal
metadata.tencentyun.com metadata.platformequinix.com kubernetes.default.svc rancher-metadata
""".split()  # noqa: SIM905 - a table to read
_LOOPBACK_NAMES = """
localtest.example lvh.example LOCALTEST.example. 127.0.0.1.nip.example a.b.c.127-0-0-1.example
xn--bcher-kva.example my_host.example ip6-loopback.example docker.example host.docker.internal
""".split()  # noqa: SIM905 - a table to read

NAMES: dict[str, list[list[str]]] = {
    **{name: [["169.254.169.254"]] for name in _METADATA_NAMES},
    **{name.lower().removesuffix("."): [["127.0.0.1"]] for name in _LOOPBACK_NAMES},
    **{f"v4-{n}.example": [[address]] for n, address in enumerate(_V4)},
    **{f"v6-{n}.example": [[address]] for n, address in enumerate(_V6)},
    "mixed-1.example": [[PUBLIC_V4, "10.0.0.1"]],
    "mixed-2.example": [["127.0.0.1", PUBLIC_V4]],
    "mixed-3.example": [[PUBLIC_V4, "1.1.1.1", "8.8.8.8", "169.254.169.254"]],
    "mixed-4.example": [[PUBLIC_V4, "::1"]],
    "mixed-5.example": [[PUBLIC_V6, "127.0.0.1"]],
    "mixed-6.example": [[PUBLIC_V6, "::ffff:7f00:1"]],
    "mixed-7.example": [[PUBLIC_V4, "fd00:ec2::254"]],
    "mixed-8.example": [[PUBLIC_V4, PUBLIC_V6, "fe80::1"]],
    "nothing.example": [[]],
}
"""Not one of these may be connected to."""

REBINDING: dict[str, list[list[str]]] = {
    "rebind-loopback.example": [[PUBLIC_V4], ["127.0.0.1"]],
    "rebind-metadata.example": [[PUBLIC_V4], ["169.254.169.254"]],
    "rebind-private.example": [[PUBLIC_V4], ["10.0.0.1"]],
    "rebind-v6.example": [[PUBLIC_V6], ["::1"]],
    "rebind-mapped.example": [[PUBLIC_V6], ["::ffff:a9fe:a9fe"]],
    "rebind-mixed.example": [[PUBLIC_V4], [PUBLIC_V4, "127.0.0.1"]],
    "rebind-and-back.example": [["127.0.0.1"], [PUBLIC_V4], ["127.0.0.1"]],
}
"""Harmless in one round, hostile in the next, with a time to live of 0."""

GOOD: dict[str, list[list[str]]] = {"hooks.example": [[PUBLIC_V4]], "hooks6.example": [[PUBLIC_V6]]}

REDIRECTS = [
    f"http://hooks.example/redirect/{status}/{target}"
    for status in (301, 302, 303, 307, 308)
    for target in ("http://127.0.0.1/", "http://169.254.169.254/", "http://[::1]/", "//10.0.0.1/")
]
"""Good URLs whose answer sends the client to a bad one."""

ZONE = NAMES | REBINDING | GOOD


def list_urls() -> dict[str, list[str]]:
    """Every URL that there is to try, by kind."""
    return {
        "refused": REFUSED,
        "names": [f"http://{name}/hook" for name in NAMES]
        + ["http://LOCALTEST.example./hook", "http://localhost/", "http://localhost.:8080/"],
        "rebinding": [f"http://{name}/again" for name in REBINDING],
        "redirects": REDIRECTS,
        "good": [f"http://{name}/hook" for name in GOOD],
    }
