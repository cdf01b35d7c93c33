-- +goose Up
ALTER TABLE projects ADD COLUMN scrubbing text NOT NULL DEFAULT ''; -- JSON, see sett.Scrubbing; '': the defaults

-- How many values were removed from events before they were stored.
CREATE TABLE scrubbed (
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    day        bigint NOT NULL, -- microseconds
    kind       text NOT NULL,   -- see sett.ScrubbedCount
    count      bigint NOT NULL,
    PRIMARY KEY (project_id, day, kind)
) {{clustered}};
