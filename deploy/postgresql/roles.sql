-- The gateway's roles on a PostgreSQL of your own, as its private one has them: `heliograph_owner` owns the
-- tables and migrates, `heliograph_node` is that of the nodes and may only read and write rows.
--
-- As a superuser, in the database that is to be the gateway's:
--   psql -v owner_password=… -v node_password=… -f roles.sql heliograph
-- Then, as the owner, at first and with each new release:
--   heliograph migrate --grant-to heliograph_node
\set ON_ERROR_STOP 1
\if :{?owner} \else \set owner heliograph_owner \endif
\if :{?node} \else \set node heliograph_node \endif

BEGIN;
CREATE ROLE :"owner" LOGIN PASSWORD :'owner_password';
CREATE ROLE :"node" LOGIN PASSWORD :'node_password';
GRANT pg_read_all_stats TO :"node"; -- to see what keeps deleted rows on disk
GRANT :"node" TO :"owner"; -- which backs up the tables that drivers' libraries make
ALTER DATABASE :"DBNAME" OWNER TO :"owner";
COMMIT;
