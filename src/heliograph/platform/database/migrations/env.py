"""Runs Alembic on the connection that `heliograph.platform.database.revision_runner` passes in."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    transaction_per_migration=True,
    on_version_apply=context.config.attributes.get("on_version_apply", ()),
)
with context.begin_transaction():
    context.run_migrations()
