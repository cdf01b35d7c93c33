-- +goose Up
ALTER TABLE comments ADD COLUMN revision text NOT NULL DEFAULT ''; -- that reopened or resolved the fault; '': none

ALTER TABLE erasures ADD COLUMN events bigint NOT NULL DEFAULT 0; -- structured events that were deleted
