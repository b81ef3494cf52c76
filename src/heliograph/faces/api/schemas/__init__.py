"""The bodies of the public API, a file per noun; fields and bounds are the contract's."""
