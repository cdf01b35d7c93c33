-- +goose Up
-- Whether the next steps on the overview of a project were dismissed, for all who see it.
ALTER TABLE projects ADD COLUMN guide_closed boolean NOT NULL DEFAULT false;
