"""Plans are rows that an operator can change; messages are counted against them by day and month.

Organizations that had the plan `standard`, whose limits were settings, have `pro` now.
"""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

STATEMENTS = (
    """
    CREATE TABLE plans (
        name text PRIMARY KEY,
        requests_per_minute integer,
        key_requests_per_minute integer,
        messages_per_day bigint,
        messages_per_month bigint,
        accounts integer,
        webhooks integer,
        api_keys integer,
        retention_days integer,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
    )
    """,
    """
    INSERT INTO plans (
        name, requests_per_minute, key_requests_per_minute, messages_per_day, messages_per_month,
        accounts, webhooks, api_keys, retention_days, created_at, updated_at
    )
    VALUES
        ('free', 120, 60, 100, 1000, 1, 2, 2, 30, now(), now()),
        ('pro', 1800, 600, 50000, 1000000, 25, 50, 50, 365, now(), now()),
        ('unlimited', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, now(), now())
    """,
    "UPDATE organizations SET plan = 'pro' WHERE plan = 'standard'",
    """
    ALTER TABLE organizations
        ADD CONSTRAINT organizations_plan FOREIGN KEY (plan) REFERENCES plans (name)
    """,
    """
    CREATE TABLE message_quotas (
        shard integer NOT NULL,
        organization_id uuid NOT NULL,
        span text NOT NULL,
        starts_on date NOT NULL,
        n bigint NOT NULL,
        PRIMARY KEY (shard, organization_id, span, starts_on),
        CHECK (span IN ('day', 'month'))
    )
    """,
)


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
