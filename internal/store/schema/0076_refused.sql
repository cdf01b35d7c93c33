-- +goose Up
-- The newest sentence with which something was refused for that reason on that day; '' if there is none.
ALTER TABLE discards ADD COLUMN detail text NOT NULL DEFAULT '';

-- Reports about jobs that were refused, by the slug of the check-in that they are about, until the next one is taken.
CREATE TABLE refused_check_ins (
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    slug       text NOT NULL,
    reason     text NOT NULL,    -- as in discards
    why        text NOT NULL,    -- the newest sentence
    count      bigint NOT NULL,
    first_at   bigint NOT NULL,
    last_at    bigint NOT NULL,
    PRIMARY KEY (project_id, slug)
) {{clustered}};
