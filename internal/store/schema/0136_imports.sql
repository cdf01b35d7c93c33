-- +goose Up
-- What was brought from other error trackers, so that nothing comes twice. A row stays when users delete the error that it
-- became: what they deleted does not come back.
CREATE TABLE imported (
    source     text NOT NULL,   -- the product
    host       text NOT NULL,   -- of its server
    kind       text NOT NULL,   -- project, fault or comment
    source_id  text NOT NULL,
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    sett_id    bigint NOT NULL,
    record     text NOT NULL,   -- of an error, JSON of move.Fault: what the list of the source said last
    state      text NOT NULL,   -- of an error, as it was applied last: move.State
    count      bigint NOT NULL, -- of its events at the source, which are among those of the error
    last_at    bigint NOT NULL,
    complete   boolean NOT NULL, -- its events and comments were read since it changed
    PRIMARY KEY (source, host, kind, source_id)
);
CREATE INDEX imported_by_project ON imported (project_id, kind, complete, last_at);

-- How far the lists of a source were read by a run that has not ended.
CREATE TABLE import_runs (
    source text NOT NULL,
    host   text NOT NULL,
    list   text NOT NULL, -- which list, such as faults of a project
    cursor text NOT NULL, -- the source's own, of the next page; '' : it was read to its end
    at     bigint NOT NULL,
    PRIMARY KEY (source, host, list)
);
