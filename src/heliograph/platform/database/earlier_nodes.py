"""Keeps out nodes that do not know a contracting revision: none may be alive, and none may start.

Each node writes the number of the newest revision it knows into its row of `nodes`.
"""

from sqlalchemy import Connection, text

# No node can register or renew its lease meanwhile: one that waits is refused, or was seen.
LOCK = text("LOCK TABLE nodes IN ACCESS EXCLUSIVE MODE")
LIST_EARLIER = text("""
SELECT name FROM nodes WHERE lease_expires_at > now() AND schema_revision < :number ORDER BY name
""")
FORGET = text("ALTER TABLE nodes DROP CONSTRAINT IF EXISTS node_knows_the_schema")
# NOT VALID: rows of dead nodes may stay.
KEEP_OUT = """
ALTER TABLE nodes
    ADD CONSTRAINT node_knows_the_schema CHECK (schema_revision >= {number:d}) NOT VALID
"""


def keep_out_earlier_nodes(connection: Connection, number: int) -> list[str]:
    """Prevent nodes that do not know the revision with this number from registering.

    If such nodes are alive, by the database's clock, change nothing and return their names.
    """
    with connection.begin():
        connection.execute(LOCK)
        names = list(connection.scalars(LIST_EARLIER, {"number": number}))
        if not names:
            connection.execute(FORGET)
            connection.execute(text(KEEP_OUT.format(number=number)))
        return names
