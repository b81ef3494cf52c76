"""A database that is spread over several servers, with Citus: which table lies where.

`placements` declares it, `cluster` and `tables` read how it is, and `distribute` makes it so. See
docs/sharded-postgresql.md and docs/decisions/0064.
"""
