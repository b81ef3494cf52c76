"""The demo's own sign-in: a small OpenID Connect provider on loopback, in a process of its own.

    codes.py     one-time codes, in a file that only whoever runs the demo can read
    tokens.py    authorization codes and signed ID tokens
    app.py       the five endpoints, and the two pages that people see

`serve --demo` starts it. Whoever has a code says who they are and is believed; the flow is the same
as with a real provider. It knows no database and no key of the gateway's, and does without most
libraries, as it is idle most of the time.
"""
