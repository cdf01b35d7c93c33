-- +goose Up
ALTER TABLE projects ADD COLUMN trace_url text NOT NULL DEFAULT ''; -- template of links to traces; '': no links
