"""Spreads a database over several servers with Citus.

`placements` declares where each table belongs, `cluster` and `tables` read where it is, and
`distribute` moves it there. See docs/sharded-postgresql.md and docs/decisions/0064.
"""
