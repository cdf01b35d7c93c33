-- +goose Up
-- The headline of an alert's message, for lists of messages; '' before the first receiver was sent it, and for those of earlier versions.
ALTER TABLE alerts ADD COLUMN title text NOT NULL DEFAULT '';
