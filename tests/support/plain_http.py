"""httpx for servers of ours, which have no certificate: httpx reads those of all authorities for
each client that it makes, and each of its own functions makes one."""

import ssl
from functools import partial

import httpx

Client = partial(httpx.Client, verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
get = partial(httpx.get, verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
post = partial(httpx.post, verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT))
