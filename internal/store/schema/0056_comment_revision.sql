-- +goose Up
ALTER TABLE comments ADD COLUMN revision text NOT NULL DEFAULT ''; -- that reopened or resolved the fault; '': none
