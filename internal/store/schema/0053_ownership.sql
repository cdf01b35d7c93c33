-- +goose Up
ALTER TABLE projects ADD COLUMN ownership text NOT NULL DEFAULT ''; -- JSON, see owner.Settings; '': no rules
