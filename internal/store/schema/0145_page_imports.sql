-- +goose Up
-- Imports from other services that people started on a page. One of each account runs at a time.
CREATE TABLE imports (
    id         {{identity}},
    account_id text NOT NULL REFERENCES accounts ON DELETE CASCADE,
    made_by    bigint NOT NULL,  -- a user who may be gone
    settings   text NOT NULL,    -- JSON of move.Settings
    token      text NOT NULL,    -- of the source, encrypted; '' once the import ended
    dry_run    boolean NOT NULL,
    state      text NOT NULL,    -- move.ImportState
    progress   text NOT NULL,    -- JSON of move.Progress
    report     text NOT NULL,    -- JSON of move.Report; '' : nothing was read
    problem    text NOT NULL,    -- why it failed
    claims     bigint NOT NULL,  -- how often a server began or took it over
    created_at bigint NOT NULL,
    ended_at   bigint NOT NULL   -- 0: it is open
);
CREATE INDEX imports_by_account ON imports (account_id, id);
CREATE UNIQUE INDEX imports_open ON imports (account_id) WHERE ended_at = 0;
