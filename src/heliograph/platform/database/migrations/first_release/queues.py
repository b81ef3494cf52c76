"""Settings of the tables that serve as queues."""

# They are nearly empty whenever they are analyzed, but while a transaction is open, their indexes
# have pages for thousands of rows. From such statistics the planner concludes that any query reads
# a whole index, and chooses the one with the fewest levels: the primary key of `delivery_queue`, of
# which it would use only the tenant. So these tables are not analyzed. A vacuum still records that
# they have no rows, so that index has to be the largest: its key also has the webhook, and the
# index for first attempts has only the webhook, which belongs to one tenant.
UNANALYZED = (
    "autovacuum_analyze_threshold = 2147483647, autovacuum_analyze_scale_factor = 100,"
    " vacuum_truncate = off"
)
