"""Signing in with an OpenID Connect provider, as its client: code flow with PKCE and a nonce.

    discovery, keys ─ cached ┐
                             ├─ provider: begin → (browser) → finish → who it is
    http: one client ────────┘

The sources are OpenID Connect Core 1.0, Discovery 1.0 and RP-Initiated Logout 1.0, RFC 6749, RFC
7636 and RFC 9207. Tokens are read by joserfc, HTTP is spoken by httpx2.
"""
