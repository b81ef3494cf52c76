"""How the tables are kept in which something waits."""

# They are nearly empty whenever they are looked at, and while a transaction stays open their
# indexes have pages for thousands. From such statistics the planner concludes that any look reads a
# whole index, and takes the one that is lowest, which would be the primary key of `delivery_queue`,
# with nothing but the tenant to go by. So no statistics are made of these tables. A vacuum still
# says that they have no rows, so that index has to be the largest: its key has the webhook as well,
# and the one in which first attempts are looked for has nothing but the webhook, which is of one
# tenant.
UNANALYZED = (
    "autovacuum_analyze_threshold = 2147483647, autovacuum_analyze_scale_factor = 100,"
    " vacuum_truncate = off"
)
