-- +goose Up
-- The backups that sett backup has created, so that pages can show the age of the last one.
CREATE TABLE backups (
    id             {{identity}},
    made_at        bigint NOT NULL,
    bytes          bigint NOT NULL,
    schema_version bigint NOT NULL,
    made_by        text NOT NULL -- a command, or an address
);

-- A project may have more than one API key. One that was revoked works until then; 0: to the end of days.
ALTER TABLE project_keys ADD COLUMN ends_at bigint NOT NULL DEFAULT 0;
ALTER TABLE project_keys ADD COLUMN used_at bigint NOT NULL DEFAULT 0; -- about; 0: never

-- Where pings came from, and what sent them; empty: not known.
ALTER TABLE check_in_events ADD COLUMN address text NOT NULL DEFAULT '';
ALTER TABLE check_in_events ADD COLUMN agent text NOT NULL DEFAULT '';
