-- +goose Up
-- The history of each fault: what people wrote, and what happened to it.
CREATE TABLE comments (
    id            {{identity}},
    fault_id      bigint NOT NULL REFERENCES faults ON DELETE CASCADE,
    event         text NOT NULL,   -- sett.CommentEvent; '' : a person wrote it
    source        text NOT NULL,   -- sett.CommentSource
    author_id     bigint,          -- NULL: sett itself
    author        text NOT NULL,   -- their name then, which stays when they go
    body          text NOT NULL,
    notices_count bigint NOT NULL, -- of the fault then
    created_at    bigint NOT NULL
);
CREATE INDEX comments_by_fault ON comments (fault_id, id);
