-- +goose Up
-- What the object of an entry was called before the change; '' where the path names none, or a project, team or account only.
ALTER TABLE audit_log ADD COLUMN object text NOT NULL DEFAULT '';
