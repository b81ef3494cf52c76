"""The bodies of the public API, a file per noun; the contract defines fields and bounds."""
