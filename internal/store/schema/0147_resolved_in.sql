-- +goose Up
-- The release in which an error is resolved. An event of an earlier release does not reopen it then.
ALTER TABLE faults ADD COLUMN resolved_in text NOT NULL DEFAULT ''; -- version of a release; '': in none, or it is open
ALTER TABLE merged_faults ADD COLUMN resolved_in text NOT NULL DEFAULT '';
