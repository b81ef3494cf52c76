#!/bin/sh
# What PostgreSQL's image runs when it makes the database: the gateway's roles, of which none is a superuser.
set -eu
psql --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" --no-psqlrc --quiet \
    --set owner_password="$OWNER_PASSWORD" --set node_password="$NODE_PASSWORD" --file /heliograph/roles.sql
