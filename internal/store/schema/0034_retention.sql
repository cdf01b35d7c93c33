-- +goose Up
-- Until when the rows of a project that its retention limits are deleted; 0: nothing was yet. Notices are found without it.
ALTER TABLE projects ADD COLUMN purged_to bigint NOT NULL DEFAULT 0;

-- Backtraces that no notice has used for long.
CREATE INDEX backtraces_by_age ON backtraces (project_id, seen_on);

-- Histories are deleted from their old end.
CREATE INDEX audit_log_by_age ON audit_log (at);
CREATE INDEX outages_by_age ON outages (up_at) WHERE up_at > 0;
