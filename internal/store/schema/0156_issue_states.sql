-- +goose Up
-- The last known state of a linked issue: as its tracker said it, or as sett is about to set it.
ALTER TABLE fault_links ADD COLUMN issue_state text NOT NULL DEFAULT ''; -- triage.IssueState
ALTER TABLE fault_links ADD COLUMN issue_at bigint NOT NULL DEFAULT 0;   -- by the clock of the tracker; 0: it did not say
ALTER TABLE merged_links ADD COLUMN issue_state text NOT NULL DEFAULT '';
ALTER TABLE merged_links ADD COLUMN issue_at bigint NOT NULL DEFAULT 0;
CREATE INDEX fault_links_by_integration ON fault_links (integration_id);
