"""The operations of the public API, a file per noun."""
