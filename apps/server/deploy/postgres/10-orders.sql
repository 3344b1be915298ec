-- Run once by the image of PostgreSQL when the volume is empty, by psql as its superuser.
\getenv password POSTGRES_PASSWORD
\set ON_ERROR_STOP on

-- The servers own this database and nothing else in the cluster.
create role orders login nosuperuser nocreatedb nocreaterole noreplication nobypassrls password :'password';
create database orders owner orders;
revoke all on database orders from public;
-- The details of an error are values of rows, such as the email that another customer has.
alter role orders set log_error_verbosity = terse;
revoke all on database postgres from public;

-- The superuser logs in inside the container alone, where it needs no password: docker compose exec postgres psql -U postgres
alter role postgres password null;
