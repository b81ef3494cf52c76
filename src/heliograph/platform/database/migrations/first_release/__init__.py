"""The schema of the first release, in the order in which its tables are made.

Tables without a tenant, `installation` and most of `organizations` and `people`, are few and small.
The primary key of every tenant table begins with `(shard, organization_id)`, and no foreign key
leads from one kind to the other.

A lookup by id must not be able to use another index that begins like that key: without statistics
(a new database, a new tenant) the planner considers both equally good and reads a tenant's whole
history. Predicates that every row meets, such as `seq > 0`, reserve such an index for the queries
that it was made for (decision 10).
"""

from heliograph.platform.database.migrations.first_release import (
    accounts,
    contacts,
    events,
    inbox,
    installation,
    jobs,
    media,
    messages,
    organizations,
    people,
    sending,
    webhooks,
)

TABLES: tuple[str, ...] = (
    *installation.TABLES,
    *organizations.TABLES,
    *people.TABLES,
    *accounts.TABLES,
    *contacts.TABLES,
    *inbox.TABLES,
    *messages.TABLES,
    *sending.TABLES,
    *jobs.TABLES,
    *events.TABLES,
    *webhooks.TABLES,
    *media.TABLES,
)

LARGE = ("messages", "events", "deliveries", "message_words", "conversations", "contacts")
"""Tables that grow with messages and people and, unlike the queues, are analyzed."""
