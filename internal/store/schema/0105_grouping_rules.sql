-- +goose Up
ALTER TABLE projects ADD COLUMN grouping text NOT NULL DEFAULT ''; -- JSON, see regroup.Settings; '': no rules

-- The versions of the rules, the newest of each project: those since a moment.
CREATE TABLE grouping_changes (
    id         {{identity}},
    project_id bigint NOT NULL REFERENCES projects ON DELETE CASCADE,
    rules      text NOT NULL,
    joined     bigint NOT NULL, -- how many errors were merged into others at that moment
    made_by    bigint NOT NULL, -- a user who may be gone
    made_at    bigint NOT NULL  -- µs
);
CREATE INDEX grouping_changes_by_project ON grouping_changes (project_id, id);
