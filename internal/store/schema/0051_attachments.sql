-- +goose Up
-- Files that were sent with notices; see store/attachment.
CREATE TABLE attachments (
    id         {{identity}},
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    notice_id  bigint NOT NULL REFERENCES notices ON DELETE CASCADE,
    hash       bytea NOT NULL,  -- SHA-256 of its name and bytes, so that what is sent twice is kept once
    name       text NOT NULL,
    type       text NOT NULL,   -- a media type
    bytes      bigint NOT NULL, -- of the file
    stored     bigint NOT NULL, -- of body
    body       bytea NOT NULL   -- the file, compressed
);
CREATE UNIQUE INDEX attachments_of_notice ON attachments (notice_id, hash);
CREATE INDEX attachments_of_project ON attachments (project_id, notice_id, stored);
{{attachments are compressed}}

-- What was not stored of a project on a day, UTC: what its clients report that they discarded, and what this server dropped.
CREATE TABLE discards (
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    day        bigint NOT NULL,  -- its start
    source     text NOT NULL,    -- client or server
    category   text NOT NULL,    -- see sett.Discard
    reason     text NOT NULL,
    count      bigint NOT NULL,
    PRIMARY KEY (project_id, day, source, category, reason)
) {{clustered}};
